// World: a worker group, its store and the messages between them, as one value.
//
// apply() makes one thing happen, actions() lists what may. The world knows neither probabilities
// nor latencies: which action is next, and when, is the chooser's business (the simulator draws
// it, the checker tries them all). The engines in it are the production engine.
//
// Each worker has at most one current attempt, so what is under way is kept beside the worker: its
// request, or the reply already computed. Requests of abandoned attempts are alike but for whose
// they are and whether they carry the script's source (their replies are discarded), so only their
// numbers are kept.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "nandi/engine/lease_engine.h"
#include "nandi/sim/action.h"
#include "nandi/sim/clock_model.h"
#include "nandi/sim/redis_model.h"

namespace nandi::sim {

/// What the members of a group have in common; shared by all worlds of a run.
template <class Rules>
struct MemberConfig {
  BasicLeaseConfig<Rules> lease;
  GroupId group = 0;
  /// Ablation: the worker's own clock, not the store's, says which interval is open.
  bool interval_from_worker_clock = false;
};

enum class Process : std::uint8_t {
  absent,  ///< not there yet, or gone
  running,
  paused,
  stopping,         ///< asked to leave; drains
  paused_stopping,  ///< stalled while draining
};

/// What a consumer does with the pair it was handed.
enum class Work : std::uint8_t { none, acting, draining };

/// Where the current attempt's message is.
enum class Wire : std::uint8_t {
  none,
  requested,         ///< EVALSHA under way
  source_requested,  ///< the script's source under way, after NOSCRIPT
  replied,           ///< executed; Worker::reply under way
  refused,           ///< answered with Worker::error
  no_script,         ///< answered NOSCRIPT
};

template <class Rules>
struct Worker {
  BasicLeaseEngine<Rules> engine;
  Tick reply;  ///< wire == replied
  ClockModel<LocalClock> clock;
  Pair work_pair;              ///< work != none
  AttemptId wire_attempt = 0;  ///< wire != none
  std::uint16_t config = 0;
  std::uint16_t ghosts = 0;         ///< abandoned requests that may still execute
  std::uint16_t source_ghosts = 0;  ///< of these, the ones that carry the script's source
  Process process = Process::absent;
  Work work = Work::none;
  Wire wire = Wire::none;
  ErrorClass error = ErrorClass::none;  ///< wire == refused

  friend constexpr bool operator==(const Worker&, const Worker&) = default;

  /// Whether an abandoned request is under way, with the script's source or by its name alone.
  [[nodiscard]] constexpr bool has_ghost(bool carries_source) const {
    return carries_source ? source_ghosts > 0 : ghosts > source_ghosts;
  }
  constexpr void remove_ghost(bool carries_source) {
    assert(has_ghost(carries_source));
    --ghosts;
    if (carries_source) --source_ghosts;
  }

  [[nodiscard]] constexpr bool is_present() const { return process != Process::absent; }
  /// Whether its code runs: it can be woken, read replies, hand over.
  [[nodiscard]] constexpr bool is_running() const {
    return process == Process::running || process == Process::stopping;
  }
  [[nodiscard]] constexpr bool is_paused() const {
    return process == Process::paused || process == Process::paused_stopping;
  }
};

/// For the checker: at most `kWorkers` workers, no heap, trivially copyable.
template <std::size_t kWorkers, std::size_t kCounters = 8>
struct FixedStorage {
  template <class T>
  using Workers = std::array<T, kWorkers>;
  using Counters = FixedCounters<kCounters>;
};

/// For the simulator: sized once, by World::workers().resize().
struct HeapStorage {
  template <class T>
  using Workers = std::vector<T>;
  using Counters = HeapCounters;
};

/// What an action did, for choosers and properties. Everything concerns the action's worker.
struct Applied {
  bool request_sent = false;     ///< a request is now under way (attempt: Worker::wire_attempt)
  bool reply_sent = false;       ///< a reply is now under way
  bool hand_over_ready = false;  ///< take would hand something
  bool drain_begun = false;      ///< the consumer was handed idle and has work to stop
  bool work_begun = false;       ///< the consumer was handed a pair
  bool handed_idle = false;      ///< the consumer was handed idle
  bool ghost = false;            ///< an abandoned attempt executed
  bool executed = false;         ///< the script ran
  bool ticked = false;           ///< the engine accepted a tick
  bool departed = false;         ///< the worker has left or crashed
  bool had_lease = false;        ///< engine's lease before
  bool has_lease = false;        ///< and after
  Pair lease_before;
  Pair lease_after;
  std::optional<Tick> tick;  ///< executed or ticked: the tick
};

template <class Rules, class Storage>
class World {
 public:
  using Config = MemberConfig<Rules>;
  using WorkerType = Worker<Rules>;
  using Store = RedisModel<typename Storage::Counters>;

  /// On a heap, give it room first: workers().resize(n), counting those that join later.
  World() = default;

  [[nodiscard]] TrueTime now() const { return now_; }
  /// Time passes. Precondition: not backwards.
  void advance_to(TrueTime now) {
    assert(now >= now_);
    now_ = now;
  }

  /// Makes `action` happen now. Precondition: enabled(configs, action). `sink` hears what the
  /// worker's engine reports.
  template <DiagnosticSink Sink = IgnoreDiagnostics>
  Applied apply(std::span<const Config> configs, const Action& action, Sink&& sink = {});

  /// Whether `action` can happen now.
  [[nodiscard]] bool enabled(std::span<const Config> configs, const Action& action) const;

  /// Calls `visit(const Action&)` for each enabled action that concerns a worker which is present,
  /// in the order of workers and kinds. Left to the chooser: actions with a free parameter (join,
  /// refuse, clocks) and those on the store, which are always enabled.
  template <class Visit>
  void actions(std::span<const Config> configs, Visit&& visit) const;

  /// The true time at which `worker` has to be woken; TrueTime::max() for never.
  [[nodiscard]] TrueTime wakeup(std::span<const Config> configs, WorkerId worker) const {
    const WorkerType& w = workers_[worker];
    return w.clock.when(w.engine.next_wakeup(configs[w.config].lease));
  }

  /// Protocol: a worker holds a pair if its engine issued it and its local clock is before the
  /// expiry, whether or not the process ran.
  [[nodiscard]] std::optional<Pair> held_pair(std::span<const Config> configs,
                                              WorkerId worker) const {
    const WorkerType& w = workers_[worker];
    if (!w.is_present()) return std::nullopt;
    return w.engine.lease(configs[w.config].lease, w.clock.at(now_));
  }

  /// The pair that the worker's consumer acts on, from being handed it until it has stopped.
  [[nodiscard]] std::optional<Pair> acted_pair(WorkerId worker) const {
    const WorkerType& w = workers_[worker];
    if (w.work == Work::none) return std::nullopt;
    return w.work_pair;
  }

  [[nodiscard]] const auto& workers() const { return workers_; }
  [[nodiscard]] auto& workers() { return workers_; }
  [[nodiscard]] const WorkerType& worker(WorkerId id) const { return workers_[id]; }
  [[nodiscard]] const Store& store() const { return store_; }
  [[nodiscard]] Store& store() { return store_; }
  [[nodiscard]] const ClockModel<StoreClock>& store_clock() const { return store_clock_; }
  [[nodiscard]] ClockModel<StoreClock>& store_clock() { return store_clock_; }
  void set_now(TrueTime now) { now_ = now; }

  friend bool operator==(const World&, const World&) = default;

 private:
  template <class Sink>
  void apply_to_worker(const Config& config, const Action& action, WorkerType& w, Applied& applied,
                       Sink& sink);
  template <class Sink>
  void wake(const Config& config, WorkerType& w, LocalTime local, Applied& applied, Sink& sink);
  void execute(const Config& config, const Action& action, WorkerType& w, Applied& applied);
  template <class Sink>
  void deliver(const Config& config, const Action& action, WorkerType& w, LocalTime local,
               Applied& applied, Sink& sink);
  template <class Sink>
  void tick(const Config& config, const Action& action, WorkerType& w, LocalTime local, Sink& sink);
  template <class Sink>
  void take(const Config& config, WorkerType& w, LocalTime local, Applied& applied, Sink& sink);
  static void lose(const Action& action, WorkerType& w);
  static void fork(const WorkerType& original, WorkerType& copy);
  static void abandon_wire(WorkerType& w);
  static void depart(WorkerType& w, Applied& applied);
  void apply_to_store(std::span<const Config> configs, const Action& action);

  typename Storage::template Workers<WorkerType> workers_{};
  Store store_;
  ClockModel<StoreClock> store_clock_;
  TrueTime now_;
};

}  // namespace nandi::sim

#include "nandi/sim/world_steps.h"
