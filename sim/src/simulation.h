// Simulation: one run of a plan. See simulator.h for what it promises.
//
// Each worker has one event in the queue most of the time: its timer or its message, whichever
// comes first. Its timer is left out of the queue while a message that comes no later is in it,
// because handling the message looks at the timer again; a message that is held back (a stalled
// process, a store that hangs) or lost puts the timer into the queue.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "moment_record.h"
#include "nandi/sim/draw.h"
#include "nandi/sim/event_queue.h"
#include "nandi/sim/ledger.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/run_statistics.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/trace.h"
#include "nandi/sim/world.h"
#include "run_plan.h"
#include "schedule_line.h"

namespace nandi::sim {

template <class Rules>
class Simulation {
 public:
  using WorldType = World<Rules, HeapStorage>;
  using Config = MemberConfig<Rules>;

  Simulation(const RunPlan& plan, std::uint64_t seed, const RunOptions& options)
      : plan_(plan),
        options_(options),
        configs_(configs_of(plan)),
        links_(plan.links),
        consumers_(plan.consumers),
        draws_(seed),
        ledger_(plan.capacity, facts_groups(plan)),
        properties_(plan.facts()),
        statistics_(plan.facts()),
        places_(plan.capacity),
        end_(options.length.value_or(plan.scenario.length).count()) {
    world_.workers().resize(plan.capacity);
    watching_ = plan.undone_writes > 0;
    result_.seed = seed;
    result_.faults.resize(plan.scenario.timeline.size());
  }

  RunResult run();
  RunResult replay(std::span<const TimedAction> schedule);
  /// Replays what of the lines can happen, attempts by their present numbers and timers not before
  /// they are due; `applied` receives what did happen, a schedule that replays.
  RunResult replay_what_can(std::span<const ScheduleLine> lines,
                            std::vector<ScheduleLine>& applied);

 private:
  static constexpr std::uint32_t kReplyBit = 1U << 31;
  static constexpr std::uint32_t kSourceBit = 1U << 30;

  /// What the simulator knows of a worker besides the world.
  struct Place {
    TrueTime wake_at = TrueTime::max();  ///< of its timer in the queue; max for none
    TrueTime lease_end;                  ///< when the lease that it lost last would have run out
    std::uint32_t generation = 0;        ///< of its timer
    std::uint32_t drains = 0;
    std::uint64_t request_latencies = 0;  ///< generators of its streams
    std::uint64_t reply_latencies = 0;
    WorkerId identity = 0;  ///< for draws; set by identify()
    std::uint16_t member = 0;
    std::uint16_t link = 0;
    std::uint16_t paused = 0;  ///< by so many faults
    std::uint16_t hung = 0;
    std::uint16_t cut_requests = 0;
    std::uint16_t cut_replies = 0;
    std::uint16_t consumer = 0;
    bool special = false;  ///< some fault concerns it: look closer before sending or executing
  };
  /// Faults that strike single messages of a worker; kept apart, because they are rare.
  struct Ambush {
    std::uint32_t refuse = 0;
    std::uint32_t lose_requests = 0;
    std::uint32_t lose_replies = 0;
    Duration late;
    /// The worker's connection is dead; what it sends is lost until an attempt after `dead_attempt`
    /// (0: the next one) opens another.
    bool is_dead = false;
    AttemptId dead_attempt = 0;
    std::size_t dead_fault = 0;
    std::size_t refuse_fault = 0;
    std::size_t lose_request_fault = 0;
    std::size_t lose_reply_fault = 0;
    std::size_t late_fault = 0;
  };
  struct ActiveFault {
    std::size_t event = 0;  ///< of the timeline
    std::vector<WorkerId> workers;
    bool ended = false;
  };
  /// A counter that an event set back and that nobody has looked at since.
  struct Damage {
    std::size_t event = 0;
    GroupId group = 0;
    IntervalNumber interval = 0;
  };
  /// A registration that was counted: what a rollback undoes.
  struct Write {
    std::uint16_t config = 0;
    IntervalNumber interval = 0;
  };
  /// The store's clock as it would be without an event that changed it.
  struct ShadowClock {
    std::size_t event = 0;
    ClockModel<StoreClock> clock;
  };
  struct PendingJoin {
    std::uint16_t member = 0;
    WorkerId identity = kNoWorker;  ///< what it draws as; none: its own number
  };
  enum class AgendaKind : std::uint32_t { begin = 0, end = 1, join = 2, heal = 3 };

  static std::vector<Config> configs_of(const RunPlan& plan);
  static std::size_t facts_groups(const RunPlan& plan) { return plan.facts().groups; }

  // The loop (simulation_steps.h).
  void prefetch(const QueuedEvent* next) const;
  void dispatch(const QueuedEvent& event);
  void on_execute(const QueuedEvent& event);
  void on_lose(const QueuedEvent& event);
  void on_deliver(const QueuedEvent& event);
  void on_drained(const QueuedEvent& event);
  void on_wake(const QueuedEvent& event);
  void perform(const Action& action);
  void follow(const Action& action, const Applied& applied);
  Applied apply_alone(const Action& action);
  bool can_happen(ScheduleLine& line, TrueTime& later) const;
  void check_ledger() const;
  TrueTime send_request(WorkerId worker);
  TrueTime send_reply(WorkerId worker);
  void begin_drain(WorkerId worker);
  void set_wake(WorkerId worker, TrueTime covered);
  void stash(const QueuedEvent& event);
  void add_to_hash(const Action& action, const Applied& applied);
  void write_record(const Action& action, const Applied& applied);
  RunResult finish();
  [[nodiscard]] Moment<WorldType> moment(const Action& action, const Applied& applied) const {
    return {world_.now(), action, applied, world_, configs_, ledger_};
  }

  // The timeline (simulation_agenda.h).
  void start();
  void on_agenda(const QueuedEvent& event);
  void put_on_agenda(TrueTime at, AgendaKind kind, std::size_t number) {
    queue_.push(at, EventClass::agenda, 0,
                static_cast<std::uint32_t>(kind) << 30 | static_cast<std::uint32_t>(number));
  }
  void begin_fault(std::size_t event);
  void end_fault(std::size_t active);
  void fault_over(std::size_t event);
  /// A fault begins; it ends by itself where it has a length, otherwise with the run or a heal.
  std::size_t activate(std::size_t event, std::vector<WorkerId> workers,
                       std::optional<Duration> length);
  void record_fault(RecordKind kind, std::size_t event, const std::vector<WorkerId>& workers);
  std::pair<ErrorClass, std::size_t> refusal(const QueuedEvent& request);
  bool waylay_request(WorkerId worker, std::uint64_t message, Duration& delay);
  bool waylay_reply(WorkerId worker, std::uint64_t message);
  void count_link_changes(WorkerId worker, std::uint64_t message, bool is_reply);
  /// Each fault of this kind that is going on and concerns the worker.
  template <class Fault, class Count>
  void for_active(WorkerId worker, Count count);
  void join(const PendingJoin& pending);
  void heal();
  /// What the `nth` worker that an event starts draws as.
  [[nodiscard]] WorkerId identity_of(std::size_t event, std::uint32_t nth) const;
  void set_clock(WorkerId worker, const ClockError& error);
  void release_hung();
  void relink(WorkerId worker);
  [[nodiscard]] std::uint16_t link_of(WorkerId worker, std::optional<std::size_t> without);
  struct Fate {
    Duration delay;
    bool is_lost = false;
    friend bool operator==(const Fate&, const Fate&) = default;
  };
  // Twice in the loop, each time for one direction.
  [[nodiscard, gnu::always_inline]] inline Fate fate(const Link& link, const Place& place,
                                                     std::uint64_t message, bool is_reply) const;
  void identify(Place& place, WorkerId identity) const {
    place.identity = identity;
    place.request_latencies = draws_.generator(Stream::request_latency, identity);
    place.reply_latencies = draws_.generator(Stream::reply_latency, identity);
  }
  void set_rate(WorkerId worker);
  void set_store_rate();
  /// `without`: as if this event had not happened.
  [[nodiscard]] std::int64_t rate_of(std::int64_t own, std::optional<WorkerId> worker,
                                     std::optional<std::size_t> without = std::nullopt) const;
  [[nodiscard]] std::vector<WorkerId> chosen(const WorkerChoice& choice, std::size_t event) const {
    return chosen(choice, event, [](WorkerId) { return true; });
  }
  template <class Accept>
  [[nodiscard]] std::vector<WorkerId> chosen(const WorkerChoice& choice, std::size_t event,
                                             Accept accept) const;
  void act(ActionKind kind, WorkerId worker, std::int64_t value = 0, std::int64_t extra = 0) {
    Action action;
    action.kind = kind;
    action.worker = worker;
    action.value = value;
    action.extra = extra;
    perform(action);
  }
  [[nodiscard]] bool enabled(ActionKind kind, WorkerId worker) const {
    Action action;
    action.kind = kind;
    action.worker = worker;
    return world_.enabled(configs_, action);
  }
  void fired(std::size_t event) { ++result_.faults[event].fired; }
  void changed(std::size_t event) { ++result_.faults[event].changed; }
  /// Fired, and by that alone something came out differently.
  void struck(std::size_t event) {
    fired(event);
    changed(event);
  }
  Ambush& ambush(WorkerId worker) {
    places_[worker].special = true;
    return ambushes_[worker];
  }

  // Each kind of event (simulation_events.h). begin: it comes up. A fault that strikes workers one
  // by one for a while afflicts them and relieves them of it.
  void begin(const Join& event, std::size_t number);
  void begin(const Leave& event, std::size_t number);
  void begin(const Crash& event, std::size_t number);
  void begin(const Restart& event, std::size_t number);
  void begin(const Reconfigure& event, std::size_t number);
  void begin(const Suspend& event, std::size_t number);
  void begin(const Fork& event, std::size_t number);
  void begin(const HalfOpen& event, std::size_t number);
  void begin(const Failover& event, std::size_t number);
  void begin(const SlotMigration& event, std::size_t number);
  void begin(const Refuse& event, std::size_t number);
  void begin(const Lose& event, std::size_t number);
  void begin(const LateExecution& event, std::size_t number);
  void begin(const StoreRestart& event, std::size_t number);
  void begin(const FlushAll& event, std::size_t number);
  void begin(const ScriptFlush& event, std::size_t number);
  void begin(const DeleteCounter& event, std::size_t number);
  void begin(const EvictCounter& event, std::size_t number);
  void begin(const StoreRefuses& event, std::size_t number);
  void begin(const ClockStep& event, std::size_t number);
  void begin(const ClockFreeze& event, std::size_t number);
  void begin(const ClockDrift& event, std::size_t number);
  void begin(const Heal& event, std::size_t number);
  template <class Afflicting>
  void begin(const Afflicting& event, std::size_t number);

  void afflict(const Pause& event, std::size_t active, WorkerId worker);
  void afflict(const Suspend& event, std::size_t active, WorkerId worker);
  void afflict(const Hang& event, std::size_t active, WorkerId worker);
  void afflict(const NetworkPartition& event, std::size_t active, WorkerId worker);
  void afflict(const SlowConsumer& event, std::size_t active, WorkerId worker);
  void afflict(const IgnoreExpiry& event, std::size_t active, WorkerId worker);
  template <class LinkChange>
  void afflict(const LinkChange& event, std::size_t active, WorkerId worker);

  void relieve(const Pause& event, std::size_t active, WorkerId worker);
  void relieve(const Suspend& event, std::size_t active, WorkerId worker);
  void relieve(const Hang& event, std::size_t active, WorkerId worker);
  void relieve(const NetworkPartition& event, std::size_t active, WorkerId worker);
  void relieve(const SlowConsumer& event, std::size_t active, WorkerId worker);
  void relieve(const IgnoreExpiry& event, std::size_t active, WorkerId worker);
  template <class LinkChange>
  void relieve(const LinkChange& event, std::size_t active, WorkerId worker);

  template <class E>
  void end(const E& event, std::size_t active);
  void pause(WorkerId worker);
  void unpause(WorkerId worker);
  void set_back_counter(std::size_t event, std::uint16_t config, IntervalNumber interval,
                        std::uint32_t count);
  void erase_counters(WhichInterval which, std::size_t event);
  void flush_counters(std::size_t event);
  void flush_script(std::size_t event);
  void undo_writes(std::uint32_t count, std::size_t event);
  void store_action(ActionKind kind, std::int64_t value);
  void step_store_clock(Duration by, std::size_t event);
  [[nodiscard]] IntervalNumber open_interval(std::uint16_t config) const;
  [[nodiscard]] std::uint32_t count_of(std::uint16_t config, IntervalNumber interval) const;
  /// Whether the worker's current attempt needs a connection of its own.
  [[nodiscard]] bool is_connecting(WorkerId worker) const;
  [[nodiscard]] std::optional<std::size_t> dead_connection(WorkerId worker,
                                                           AttemptId attempt) const;
  void watch_execution(WorkerId worker, const Applied& applied);
  void note_clock_fault(WorkerId worker, std::size_t event);
  void notice_clock_faults(WorkerId worker);
  void reconsume(WorkerId worker);
  Duration drain_length(const ConsumerPlan& consumer, const Place& place) const;

  const RunPlan& plan_;
  const RunOptions& options_;
  std::vector<Config> configs_;
  std::vector<Link> links_;              ///< the plan's, then those that changes made
  std::vector<ConsumerPlan> consumers_;  ///< likewise
  Draws draws_;
  WorldType world_;
  Ledger ledger_;
  Properties properties_;
  StatisticsCollector statistics_;
  EventQueue queue_;
  std::vector<Place> places_;
  TrueTime end_;
  TraceHash hash_;
  RunResult result_;
  WorkerId next_worker_ = 0;

  std::vector<ActiveFault> active_;
  std::vector<PendingJoin> pending_joins_;
  std::vector<QueuedEvent> hung_;                         ///< requests that a hanging store keeps
  std::map<WorkerId, std::vector<QueuedEvent>> stashed_;  ///< what waits for a stalled process
  std::map<WorkerId, Ambush> ambushes_;
  std::map<WorkerId, std::vector<std::size_t>> link_changes_;  ///< active faults, by worker
  std::map<std::pair<std::uint16_t, std::vector<std::size_t>>, std::uint16_t> changed_links_;
  std::map<WorkerId, std::int64_t> own_rates_;  ///< of clocks that are not exact, ppb
  std::int64_t own_store_rate_ = 0;
  std::size_t refusing_ = 0;  ///< active faults that make the store refuse

  // Who has to look closely at what the script does, and what for.
  bool watching_ = false;
  std::vector<Damage> damage_;
  std::vector<Write> writes_;  ///< the last plan_.undone_writes of them
  std::optional<std::size_t> script_gone_;
  std::vector<ShadowClock> shadows_;
  std::map<WorkerId, std::vector<std::size_t>> clock_faults_;  ///< not noticed yet
};

}  // namespace nandi::sim

#include "simulation_agenda.h"
#include "simulation_events.h"
#include "simulation_messages.h"
#include "simulation_replay.h"
#include "simulation_steps.h"
#include "simulation_store.h"
