#include "nandi/sim/scenario_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "scenario_types.h"

namespace nandi::sim {
namespace {

using yaml::Choice;
using yaml::duration_type;
using yaml::NodeKind;
using yaml::Record;
using yaml::Tree;
using yaml::Type;
using yaml::Value;

const Duration kPositive{1};
const Duration kAnySign{-1};

const char* const kWhichWorkers = "Which workers: their numbers, how many, or `all`.";
const char* const kHowLong = "How long.";
const char* const kRestOfRun = "the rest of the run";

WorkerChoice read_ids(const Value& value) {
  const Type<WorkerId> id = yaml::count_type<WorkerId>(0, kMostWorkers);
  WorkerChoice choice{WorkerChoice::Kind::ids, 0, {}};
  for (std::size_t index = 0; index < value.size(); ++index) {
    const WorkerId worker = id.read(value.at(index));
    if (!choice.ids.empty() && worker <= choice.ids.back()) {
      value.at(index).fail(
          fmt::format("worker {} stands after worker {}", worker, choice.ids.back()),
          "list every worker once, in rising order");
    }
    choice.ids.push_back(worker);
  }
  if (choice.ids.empty()) value.fail("the list is empty", "name a worker, or write `all`");
  return choice;
}

template <class E>
Record<E> workers_record(const std::string& name, const std::string& doc) {
  Record<E> record(name, doc);
  record.required("workers", &E::workers, worker_choice_type(), kWhichWorkers, "[0, 2]");
  return record;
}

template <class E>
Record<E> network_record(const std::string& name, const std::string& doc) {
  Record<E> record(name, doc);
  record.optional("workers", &E::workers, worker_choice_type(), kWhichWorkers, "[0, 2]");
  return record;
}

template <class E>
Record<E> with_length(Record<E> record) {
  record.required("for", &E::length, duration_type(kPositive), kHowLong, "20s");
  return record;
}

// A change of something that has a request and a reply side, for a while or for good.
template <class E, class M>
Type<E> change_type(const std::string& name, const std::string& doc, const Type<M>& side,
                    const std::string& example) {
  return network_record<E>(name, doc)
      .optional("request", &E::request, side, "On the way to the store.", example, "unchanged")
      .optional("reply", &E::reply, side, "On the way back.", example, "unchanged")
      .optional("for", &E::length, duration_type(kPositive), kHowLong, "20s", kRestOfRun)
      .check([](const E& change, const Value& value) {
        if (!change.request && !change.reply) {
          value.fail("this changes nothing", "give `request`, `reply` or both");
        }
      })
      .type();
}

void add_processes(Choice<Event>& choice) {
  choice.of<Join>("join", yaml::wrapped(worker_set_type("join", "workers"), &Join::workers),
                  "Workers start.", "{workers: 2}");
  choice.of<Leave>("leave", workers_record<Leave>("leave", "Workers are told to stop.").type(),
                   "Workers stop gracefully.", "{workers: [0]}");
  choice.of<Crash>("crash", workers_record<Crash>("crash", "Processes die at once.").type(),
                   "Workers die at once.", "{workers: 1}");
  choice.of<Restart>(
      "restart",
      workers_record<Restart>("restart", "A crash, then a new worker with the same settings.")
          .optional("down", &Restart::down, duration_type(), "From the crash to the new worker.",
                    "3s")
          .optional("same_seed", &Restart::same_seed, yaml::boolean_type(),
                    "The new worker draws what the old one drew (same host, same start second).",
                    "true")
          .type(),
      "Workers die and come back as new ones.", "{workers: [1], down: 3s}");
  choice.of<Pause>(
      "pause",
      with_length(
          workers_record<Pause>(
              "pause", "The process stalls, its clock runs on; then all that is due is late."))
          .type(),
      "Processes stall.", "{workers: [0], for: 12s}");
  choice.of<Suspend>("suspend",
                     with_length(workers_record<Suspend>("suspend", "The machine sleeps."))
                         .optional("clock", &Suspend::clock_counts,
                                   yaml::enum_type<bool>({{true, "counts"}, {false, "stops"}}),
                                   "Whether the local clock counts meanwhile.", "stops")
                         .type(),
                     "Machines sleep.", "{workers: [0], for: 30s, clock: stops}");
  choice.of<Fork>(
      "fork",
      workers_record<Fork>("fork", "The copy is a new worker with the old one's memory.").type(),
      "Processes are duplicated with their memory.", "{workers: [0]}");
  choice.of<SlowConsumer>(
      "slow_consumer",
      workers_record<SlowConsumer>("slow_consumer", "Consumers need other times to stop.")
          .required("drain", &SlowConsumer::drain, delay_type(),
                    "From being told to stand down until they have stopped.", "{constant: 4s}")
          .optional("overrun", &SlowConsumer::overrun, overrun_type(),
                    "Whether (or how far) a drain goes on past the end of the lease; `false`: it "
                    "is cut off then.",
                    "2s")
          .optional("for", &SlowConsumer::length, duration_type(kPositive), kHowLong, "20s",
                    kRestOfRun)
          .type(),
      "Consumers become slow.", "{workers: [0], drain: {constant: 4s}}");
  choice.of<IgnoreExpiry>(
      "ignore_expiry",
      workers_record<IgnoreExpiry>("ignore_expiry",
                                   "Consumers act on a pair until a reply tells them otherwise.")
          .optional("for", &IgnoreExpiry::length, duration_type(kPositive), kHowLong, "20s",
                    kRestOfRun)
          .type(),
      "Consumers stop looking at the end of their leases.", "{workers: [0]}");
}

void add_network(Choice<Event>& choice) {
  choice.of<Hang>(
      "hang",
      with_length(network_record<Hang>("hang", "The store answers nothing; connections stay open."))
          .type(),
      "The store hangs, for some workers or for all.", "{for: 20s}");
  choice.of<HalfOpen>(
      "half_open",
      workers_record<HalfOpen>("half_open", "The connection is dead and nobody was told.").type(),
      "Present connections deliver nothing any more.", "{workers: [1]}");
  choice.of<NetworkPartition>(
      "partition",
      with_length(workers_record<NetworkPartition>("partition", "Messages do not pass."))
          .optional("direction", &NetworkPartition::direction,
                    yaml::enum_type<Direction>({{Direction::both, "both"},
                                                {Direction::requests, "requests"},
                                                {Direction::replies, "replies"}}),
                    "Which messages.", "replies")
          .type(),
      "Workers are cut off from the store.", "{workers: [0, 1], for: 10s}");
  choice.of<LatencyChange>(
      "latency",
      change_type<LatencyChange>("latency", "Another latency.", delay_type(), "{constant: 40ms}"),
      "The latency changes.", "{reply: {constant: 40ms}, for: 10s}");
  choice.of<JitterChange>(
      "jitter",
      change_type<JitterChange>("jitter", "Another jitter: what is added to the latency.",
                                delay_type(), "{exponential: {mean: 30ms}}"),
      "The jitter changes.", "{request: {exponential: {mean: 30ms}}}");
  choice.of<LossChange>(
      "loss",
      change_type<LossChange>("loss", "Other shares of lost messages.", probability_type(), "5%"),
      "The loss changes.", "{reply: 5%, for: 10s}");
  choice.of<Refuse>(
      "refuse",
      workers_record<Refuse>("refuse", "Registrations answered with an error at once.")
          .optional("attempts", &Refuse::attempts, yaml::count_type<std::uint32_t>(1),
                    "How many of each worker.", "2")
          .type(),
      "The next registrations are refused.", "{workers: [0]}");
  choice.of<Lose>("lose",
                  workers_record<Lose>("lose", "Registrations that disappear, or whose replies do.")
                      .optional("attempts", &Lose::attempts, yaml::count_type<std::uint32_t>(1),
                                "How many of each worker.", "2")
                      .optional("message", &Lose::message,
                                yaml::enum_type<Message>(
                                    {{Message::request, "request"}, {Message::reply, "reply"}}),
                                "What is lost.", "request")
                      .type(),
                  "The next registrations are lost.", "{workers: [0], message: request}");
  choice.of<LateExecution>(
      "late_execution",
      workers_record<LateExecution>("late_execution",
                                    "A registration that was given up still counts.")
          .required("by", &LateExecution::by, duration_type(kPositive), "How much later.", "20s")
          .type(),
      "The next registration executes much later.", "{workers: [0], by: 20s}");
}

template <class E>
Type<E> counter_type(const std::string& name, const std::string& doc) {
  return Record<E>(name, doc)
      .optional("interval", &E::interval,
                yaml::enum_type<WhichInterval>(
                    {{WhichInterval::open, "open"}, {WhichInterval::closed, "closed"}}),
                "The counter of the interval that is open, or of the last closed one.", "closed")
      .type();
}

void add_refusal(Choice<Event>& choice, ErrorClass error, const std::string& name,
                 const std::string& doc) {
  StoreRefuses initial;
  initial.error = error;
  choice.of<StoreRefuses>(
      name,
      Record<StoreRefuses>(name, doc, initial)
          .required("for", &StoreRefuses::length, duration_type(kPositive), kHowLong, "8s")
          .type(),
      doc, "{for: 8s}", [error](const StoreRefuses& event) { return event.error == error; });
}

void add_store(Choice<Event>& choice) {
  choice.of<StoreRestart>(
      "store_restart",
      Record<StoreRestart>("store_restart",
                           "The store goes away and comes back without its scripts.")
          .optional("data", &StoreRestart::data,
                    yaml::enum_type<StoreData>({{StoreData::kept, "kept"},
                                                {StoreData::lost, "lost"},
                                                {StoreData::rolled_back, "rolled_back"}}),
                    "What became of the counters.", "lost")
          .optional("lost_writes", &StoreRestart::lost_writes, yaml::count_type<std::uint32_t>(1),
                    "How many of the last writes are undone; given where rolled back.", "3")
          .optional("down", &StoreRestart::down, duration_type(), "How long it is away.", "2s")
          .check([](const StoreRestart& restart, const Value& value) {
            const bool is_rolled_back = restart.data == StoreData::rolled_back;
            const bool says_how_far = restart.lost_writes > 0;
            if (is_rolled_back && !says_how_far) {
              value.find("data")->fail("`rolled_back` without `lost_writes`",
                                       "say how many writes are undone");
            }
            if (says_how_far && !is_rolled_back) {
              value.find("lost_writes")
                  ->fail("`lost_writes` without `data: rolled_back`",
                         "remove it, or roll the data back");
            }
          })
          .type(),
      "The store restarts.", "{data: rolled_back, lost_writes: 3, down: 2s}");
  choice.of<Failover>(
      "failover",
      Record<Failover>("failover", "A replica takes over.")
          .optional("lost_writes", &Failover::lost_writes, yaml::count_type<std::uint32_t>(0),
                    "How many of the last writes it had not seen.", "2")
          .optional("clock_offset", &Failover::clock_offset, duration_type(kAnySign),
                    "Its clock against the old one's.", "-30ms")
          .optional("readonly_for", &Failover::readonly_for, duration_type(),
                    "How long it answers READONLY before it is promoted.", "1s")
          .type(),
      "A replica takes over.", "{lost_writes: 2, clock_offset: -30ms}");
  choice.of<FlushAll>("flushall", Record<FlushAll>("flushall", "Every counter is gone.").type(),
                      "FLUSHALL.", "{}");
  choice.of<ScriptFlush>(
      "script_flush", Record<ScriptFlush>("script_flush", "The next call needs the source.").type(),
      "SCRIPT FLUSH.", "{}");
  choice.of<SlotMigration>(
      "slot_migration",
      Record<SlotMigration>("slot_migration", "The new node counts the open interval from 1 again.")
          .type(),
      "The group's hash slot moves to another node.", "{}");
  choice.of<DeleteCounter>("del", counter_type<DeleteCounter>("del", "A counter is deleted."),
                           "DEL of a counter.", "{interval: closed}");
  choice.of<EvictCounter>("evict", counter_type<EvictCounter>("evict", "A counter is evicted."),
                          "A counter is evicted for lack of memory.", "{interval: open}");
  add_refusal(choice, ErrorClass::readonly, "readonly", "Registrations are answered READONLY.");
  add_refusal(choice, ErrorClass::loading, "loading", "Registrations are answered LOADING.");
  add_refusal(choice, ErrorClass::busy, "busy", "Registrations are answered BUSY.");
  add_refusal(choice, ErrorClass::oom, "oom", "Registrations are answered OOM.");
  add_refusal(choice, ErrorClass::max_clients, "maxclients", "New connections are refused.");
}

const char* const kWhoseClock = "Local clocks of these workers instead of the store's.";
const char* const kStoresClock = "the store's clock";

void add_clocks(Choice<Event>& choice) {
  choice.of<ClockStep>("clock_step",
                       Record<ClockStep>("clock_step", "A clock jumps.")
                           .required("by", &ClockStep::by, duration_type(kAnySign),
                                     "How far; negative: back.", "-6s")
                           .optional("workers", &ClockStep::workers, worker_choice_type(),
                                     kWhoseClock, "[0]", kStoresClock)
                           .type(),
                       "A clock is stepped.", "{by: 6s}");
  choice.of<ClockFreeze>(
      "clock_freeze",
      Record<ClockFreeze>("clock_freeze", "A clock stands still, then goes on from there.")
          .required("for", &ClockFreeze::length, duration_type(kPositive), kHowLong, "12s")
          .optional("workers", &ClockFreeze::workers, worker_choice_type(), kWhoseClock, "[0]",
                    kStoresClock)
          .type(),
      "A clock stands still.", "{for: 12s}");
  choice.of<ClockDrift>(
      "clock_drift",
      Record<ClockDrift>("clock_drift", "A clock runs at another rate.")
          .required("rate", &ClockDrift::rate, clock_rate_type(),
                    "How much too fast, added to its own error; negative: too slow.", "1%")
          .optional("for", &ClockDrift::length, duration_type(kPositive), kHowLong, "20s",
                    kRestOfRun)
          .optional("workers", &ClockDrift::workers, worker_choice_type(), kWhoseClock, "[0]",
                    kStoresClock)
          .type(),
      "A clock drifts.", "{rate: 1%, for: 20s}");
}

Choice<Event> make_event_choice() {
  Choice<Event> choice("event", "What happens.");
  add_processes(choice);
  add_network(choice);
  add_store(choice);
  add_clocks(choice);
  choice.of<Reconfigure>(
      "reconfigure",
      workers_record<Reconfigure>("reconfigure", "Workers restart with other settings.")
          .optional("interval", &Reconfigure::interval, interval_type(), "Interval.", "4s",
                    "unchanged")
          .optional("gap", &Reconfigure::gap, gap_type(), "Gap.", "0.2", "unchanged")
          .optional("deadline_from", &Reconfigure::deadline_from, deadline_from_type(),
                    "From which local time a lease's end is counted.", "reply", "unchanged")
          .type(),
      "Workers restart with other settings.", "{workers: [0], gap: 0.2}");
  choice.of<Heal>("heal", Record<Heal>("heal", "Every fault that is going on ends.").type(),
                  "All faults end.", "{}");
  return choice;
}

struct RepeatedEvent {
  Duration at;
  std::uint32_t times = 1;
  std::optional<Duration> every;
  Event event;
  SourceLine source;
  std::optional<std::uint32_t> draws_as;
};

Type<RepeatedEvent> repeated_event_type() {
  return Record<RepeatedEvent>("timeline_event", "Something that happens at a given time.")
      .required("at", &RepeatedEvent::at, duration_type(), "True time since the start.", "30s")
      .optional("times", &RepeatedEvent::times, yaml::count_type<std::uint32_t>(1, kMostEvents),
                "How often it happens.", "5")
      .optional("every", &RepeatedEvent::every, duration_type(kPositive),
                "Time from one to the next, where it happens several times.", "10s", "none")
      .optional("draws_as", &RepeatedEvent::draws_as, yaml::count_type<std::uint32_t>(0, 60'000),
                "Number under which it draws whom it strikes, and under which the workers that it "
                "starts draw.",
                "7", "its place on the timeline, and theirs")
      .choice(&RepeatedEvent::event, event_choice())
      .located([](yaml::Position position, RepeatedEvent& event) {
        event.source = {position.line, position.column};
      })
      .check([](const RepeatedEvent& event, const Value& value) {
        if (event.times > 1 && event.draws_as) {
          value.find("draws_as")
              ->fail("`draws_as` of an event that happens several times",
                     "write each of them by itself");
        }
        if (event.times > 1 && !event.every) {
          value.find("times")->fail("`times` without `every`", "add for example `every: 10s`");
        }
        if (event.times == 1 && event.every) {
          value.find("every")->fail("`every` without `times`", "add for example `times: 5`");
        }
        const Int128 last =
            Int128{event.at.count()} +
            Int128{event.every.value_or(Duration{}).count()} * (std::int64_t{event.times} - 1);
        if (last > Duration::max().count()) {
          value.find("every")->fail("the last of them lies beyond 292 years", "shorten it");
        }
      })
      .type();
}

}  // namespace

Type<WorkerChoice> worker_choice_type() {
  const Type<std::uint32_t> count = yaml::count_type<std::uint32_t>(1, kMostWorkers);
  const Type<std::string> all = yaml::known_string_type("", {"all"});
  const yaml::ShapePtr ids = yaml::list_shape(yaml::count_type<WorkerId>(0, kMostWorkers).shape);
  return {
      [count, all](const Value& value) {
        if (value.kind() == NodeKind::sequence) return read_ids(value);
        const bool is_count =
            value.kind() == NodeKind::scalar && value.scalar_kind() == yaml::ScalarKind::integer;
        if (is_count) return WorkerChoice{WorkerChoice::Kind::count, count.read(value), {}};
        all.read(value);
        return WorkerChoice{};
      },
      [count](const WorkerChoice& choice) {
        if (choice.kind == WorkerChoice::Kind::all) return Tree::string("all");
        if (choice.kind == WorkerChoice::Kind::count) return count.write(choice.count);
        Tree list = Tree::sequence();
        for (const WorkerId id : choice.ids) list.append(Tree::integer(id));
        return list;
      },
      yaml::either_shape("`all`, count from 1, or list of numbers", {all.shape, count.shape, ids})};
}

const Choice<Event>& event_choice() {
  static const Choice<Event> choice = make_event_choice();
  return choice;
}

const std::vector<std::string>& event_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& alternative : event_choice().alternatives()) {
      list.push_back(alternative.shape.name);
    }
    return list;
  }();
  return names;
}

const std::string& event_name(const Event& event) {
  for (const auto& alternative : event_choice().alternatives()) {
    if (alternative.write(event)) return alternative.shape.name;
  }
  throw std::logic_error("an event without a name");
}

Type<std::vector<TimelineEvent>> timeline_type() {
  using Repeated = std::vector<RepeatedEvent>;
  const Type<Repeated> listed = yaml::checked<Repeated>(
      yaml::list_type(repeated_event_type()), [](const Repeated& events, const Value& value) {
        std::size_t total = 0;
        for (std::size_t index = 0; index < events.size(); ++index) {
          total += events[index].times;
          if (total > kMostEvents) {
            value.at(index).fail(fmt::format("more than {} events in all", kMostEvents),
                                 "repeat less often");
          }
        }
      });
  return yaml::mapped<std::vector<TimelineEvent>, Repeated>(
      listed,
      [](const Repeated& events) {
        std::vector<TimelineEvent> timeline;
        for (const RepeatedEvent& event : events) {
          for (std::uint32_t k = 0; k < event.times; ++k) {
            const Duration at = event.at + event.every.value_or(Duration{}) * std::int64_t{k};
            timeline.push_back({at, event.event, event.source, event.draws_as});
          }
        }
        std::stable_sort(timeline.begin(), timeline.end(),
                         [](const auto& a, const auto& b) { return a.at < b.at; });
        return timeline;
      },
      [](const std::vector<TimelineEvent>& timeline) {
        Repeated events;
        for (const TimelineEvent& event : timeline) {
          events.push_back({event.at, 1, std::nullopt, event.event, event.source, event.draws_as});
        }
        return events;
      });
}

}  // namespace nandi::sim
