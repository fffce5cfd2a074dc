#include "nandi/sim/fault_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <variant>

#include "nandi/engine/bounds.h"

namespace nandi::sim {
namespace {

// Shorthands for the table.
constexpr FaultClass kStore = FaultClass::store;
constexpr FaultClass kWorker = FaultClass::worker;
constexpr FaultClass kNetwork = FaultClass::network;
constexpr FaultClass kSettings = FaultClass::configuration;
using A = Assumption;

constexpr std::string_view kNone;
constexpr std::string_view kStepMargin = "a gap, either way (gap_margin)";
constexpr std::string_view kStillMargin = "a gap (gap_margin)";
constexpr std::string_view kRateMargin =
    "the group's drift_bound, or what goes unsaid (largest_drift_ppm)";
constexpr std::string_view kDelays = "request_delay, reply_delay";

constexpr FaultInfo kCatalogue[] = {
    {"store_restart", "store_restart", "{down: 2s}", kStore, A::none, kNone, "down", kNone,
     "the store is away and comes back with its counters and without its scripts"},
    {"store_restart_lost", "store_restart", "{data: lost, down: 2s}", kStore, A::counter, kNone,
     "down", "faults: {flushall: 1}", "the store comes back empty"},
    {"store_restart_rolled_back", "store_restart", "{data: rolled_back, lost_writes: 2, down: 2s}",
     kStore, A::counter, kNone, "lost_writes down", kNone,
     "the store comes back without its last writes"},
    {"failover", "failover", "{readonly_for: 1s}", kStore, A::none, kNone, "readonly_for", kNone,
     "a replica that has seen every write and shows the same time takes over"},
    {"failover_lost_writes", "failover", "{lost_writes: 2}", kStore, A::counter, kNone,
     "lost_writes readonly_for", "faults: {failover: 1}",
     "a replica without the last writes takes over"},
    {"failover_clock", "failover", "{clock_offset: 6s}", kStore, A::store_clock, kStepMargin,
     "clock_offset readonly_for", "faults: {clock_step: 1}",
     "a replica whose clock shows another time takes over"},
    {"flushall", "flushall", "{}", kStore, A::counter, kNone, kNone, "faults: {flushall: 1}",
     "every counter is gone"},
    {"del_open", "del", "{interval: open}", kStore, A::counter, kNone, kNone, "faults: {del: 1}",
     "the open interval's counter is deleted"},
    {"del_closed", "del", "{interval: closed}", kStore, A::none, kNone, kNone, "faults: {del: 1}",
     "the closed interval's counter is deleted"},
    {"evict_open", "evict", "{interval: open}", kStore, A::counter, kNone, kNone,
     "faults: {evict: 1}", "the open interval's counter is evicted"},
    {"evict_closed", "evict", "{interval: closed}", kStore, A::none, kNone, kNone,
     "faults: {evict: 1}", "the closed interval's counter is evicted"},
    {"script_flush", "script_flush", "{}", kStore, A::none, kNone, kNone, kNone,
     "the store has forgotten the script"},
    {"slot_migration", "slot_migration", "{}", kStore, A::counter, kNone, kNone,
     "faults: {slot_migration: 1}", "another node serves the group's keys, the open one from 1"},
    {"readonly", "readonly", "{for: 8s}", kStore, A::none, kNone, "for", "refusals: true",
     "registrations are answered READONLY"},
    {"loading", "loading", "{for: 8s}", kStore, A::none, kNone, "for", "refusals: true",
     "registrations are answered LOADING"},
    {"busy", "busy", "{for: 8s}", kStore, A::none, kNone, "for", "refusals: true",
     "registrations are answered BUSY"},
    {"oom", "oom", "{for: 8s}", kStore, A::none, kNone, "for", "refusals: true",
     "registrations are answered OOM"},
    {"maxclients", "maxclients", "{for: 8s}", kStore, A::none, kNone, "for", "refusals: true",
     "new connections are refused, those there are go on"},
    {"store_clock_step", "clock_step", "{by: 6s}", kStore, A::store_clock, kStepMargin, "by",
     "faults: {clock_step: 1}", "the store's clock jumps"},
    {"store_clock_freeze", "clock_freeze", "{for: 12s}", kStore, A::store_clock, kStillMargin,
     "for", kNone, "the store's clock stands still, then goes on from there"},
    {"store_clock_drift", "clock_drift", "{rate: 10%, for: 20s}", kStore, A::store_clock,
     kRateMargin, "rate for", "drift: 1", "the store's clock runs at another rate"},

    {"pause", "pause", "{workers: 1, for: 12s}", kWorker, A::none, kNone, "workers for",
     "pauses: 1", "processes stall, their clocks run on"},
    {"suspend", "suspend", "{workers: 1, for: 12s}", kWorker, A::none, kNone, "workers for",
     "pauses: 1", "machines sleep, their clocks count on"},
    {"suspend_clock_stops", "suspend", "{workers: 1, for: 12s, clock: stops}", kWorker,
     A::local_clock, kStillMargin, "workers for", "pauses: 1, stopped_clocks: true",
     "machines sleep, their clocks stop"},
    {"worker_clock_step", "clock_step", "{workers: 1, by: -6s}", kWorker, A::local_clock,
     "a gap back, any distance forward (gap_margin)", "workers by", kNone, "local clocks jump"},
    {"worker_clock_freeze", "clock_freeze", "{workers: 1, for: 12s}", kWorker, A::local_clock,
     kStillMargin, "workers for", kNone, "local clocks stand still, processes do not"},
    {"worker_clock_drift", "clock_drift", "{workers: 1, rate: -10%, for: 20s}", kWorker,
     A::local_clock, kRateMargin, "workers rate for", "drift: 1",
     "local clocks run at another rate"},
    {"fork", "fork", "{workers: 1}", kWorker, A::memory, kNone, "workers", "faults: {fork: 1}",
     "processes are duplicated with their memory"},
    {"crash", "crash", "{workers: 1}", kWorker, A::none, kNone, "workers", "crashes: 1",
     "processes die at once"},
    {"restart", "restart", "{workers: 1, down: 3s}", kWorker, A::none, kNone, "workers down",
     "crashes: 1", "processes die and come back as new workers"},
    {"restart_same_seed", "restart", "{workers: 1, down: 3s, same_seed: true}", kWorker, A::none,
     kNone, "workers down", "crashes: 1", "the same, drawing what the old workers drew"},
    {"slow_consumer", "slow_consumer", "{workers: 1, drain: {constant: 4s}}", kWorker, A::none,
     kNone, "workers drain for", kNone, "consumers need long to stop, and are cut off in time"},
    {"overrunning_consumer", "slow_consumer", "{workers: 1, drain: {constant: 8s}, overrun: true}",
     kWorker, A::consumer_expiry, kStillMargin, "workers drain overrun for", kNone,
     "consumers go on past the end of their leases"},
    {"ignore_expiry", "ignore_expiry", "{workers: 1}", kWorker, A::consumer_expiry, kNone,
     "workers for", kNone, "consumers go on until a reply tells them otherwise"},

    {"hang", "hang", "{for: 20s}", kNetwork, A::none, kNone, "workers for", kDelays,
     "the store answers nothing and executes everything late"},
    {"half_open", "half_open", "{workers: 1}", kNetwork, A::none, kNone, "workers",
     "faults: {lose: 1}", "connections deliver nothing any more, until they are replaced"},
    {"partition", "partition", "{workers: 1, for: 10s}", kNetwork, A::none, kNone, "workers for",
     "faults: {lose: 3}", "messages of these workers do not pass"},
    {"latency", "latency", "{reply: {constant: 400ms}, for: 20s}", kNetwork, A::none, kNone,
     "workers request reply for", kDelays, "messages are slow, one way or both"},
    {"jitter", "jitter", "{request: {exponential: {mean: 500ms}}, for: 20s}", kNetwork, A::none,
     kNone, "workers request reply for", kDelays, "requests overtake each other"},
    {"loss", "loss", "{request: 20%, reply: 20%, for: 20s}", kNetwork, A::none, kNone,
     "workers request reply for", "faults: {lose: 3}", "some messages disappear"},
    {"refuse", "refuse", "{workers: 1}", kNetwork, A::none, kNone, "workers attempts",
     "faults: {refuse: 1}", "the next registrations meet an error"},
    {"lose", "lose", "{workers: 1}", kNetwork, A::none, kNone, "workers attempts",
     "faults: {lose: 1}", "the next requests, or their replies, disappear"},
    {"late_execution", "late_execution", "{workers: 1, by: 20s}", kNetwork, A::none, kNone,
     "workers by", "abandoned: 1", "a registration that was given up is executed much later"},

    {"reconfigure_interval", "reconfigure", "{workers: 1, interval: 4s}", kSettings, A::settings,
     kNone, "workers interval", kNone, "members restart with another interval"},
    {"reconfigure_gap", "reconfigure", "{workers: 1, gap: 0.3}", kSettings, A::settings,
     "any gap, with deadlines from the request; else largest_gap_excess", "workers gap", kNone,
     "members restart with another gap"},
    {"reconfigure_deadline", "reconfigure", "{workers: 1, deadline_from: reply}", kSettings,
     A::settings, "replies that are read within a gap (largest_reply_delay)", "workers", kNone,
     "members restart with the other deadline rule"},
    {"other_interval", "join", "{workers: 2, interval: 4s}", kSettings, A::settings, kNone,
     "workers interval", kNone, "another group, or members of another interval, use the name"},
    {"other_gap", "join", "{workers: 2, gap: 0.3}", kSettings, A::settings,
     "any gap, with deadlines from the request; else largest_gap_excess", "workers gap", kNone,
     "members of another gap join"},
    {"other_deadline", "join", "{workers: 2, deadline_from: reply}", kSettings, A::settings,
     "replies that are read within a gap (largest_reply_delay)", "workers", kNone,
     "members of the other deadline rule join"},
};

const FaultInfo& row(std::string_view name) {
  const FaultInfo* found = find_fault(name);
  if (found == nullptr) throw std::logic_error("no fault is called " + std::string(name));
  return *found;
}

std::string_view name_of(const StoreRestart& event) {
  switch (event.data) {
    case StoreData::lost: return "store_restart_lost";
    case StoreData::rolled_back: return "store_restart_rolled_back";
    case StoreData::kept: break;
  }
  return "store_restart";
}
std::string_view name_of(const Failover& event) {
  if (event.lost_writes > 0) return "failover_lost_writes";
  return event.clock_offset != Duration(0) ? "failover_clock" : "failover";
}
std::string_view name_of(const DeleteCounter& event) {
  return event.interval == WhichInterval::open ? "del_open" : "del_closed";
}
std::string_view name_of(const EvictCounter& event) {
  return event.interval == WhichInterval::open ? "evict_open" : "evict_closed";
}
std::string_view name_of(const ClockStep& event) {
  return event.workers ? "worker_clock_step" : "store_clock_step";
}
std::string_view name_of(const ClockFreeze& event) {
  return event.workers ? "worker_clock_freeze" : "store_clock_freeze";
}
std::string_view name_of(const ClockDrift& event) {
  return event.workers ? "worker_clock_drift" : "store_clock_drift";
}
std::string_view name_of(const Suspend& event) {
  return event.clock_counts ? "suspend" : "suspend_clock_stops";
}
std::string_view name_of(const Restart& event) {
  return event.same_seed ? "restart_same_seed" : "restart";
}
std::string_view name_of(const SlowConsumer& event) {
  return event.overrun.allowed ? "overrunning_consumer" : "slow_consumer";
}
std::string_view name_of(const Reconfigure& event) {
  if (event.interval) return "reconfigure_interval";
  return event.deadline_from == DeadlineFrom::reply ? "reconfigure_deadline" : "reconfigure_gap";
}
std::string_view name_of(const Join& event) {
  if (event.workers.interval) return "other_interval";
  if (event.workers.deadline_from == DeadlineFrom::reply) return "other_deadline";
  return event.workers.gap ? "other_gap" : kNone;
}
std::string_view name_of(const Leave&) { return kNone; }
std::string_view name_of(const Heal&) { return kNone; }

/// Those whose event has one row have its name.
template <class E>
std::string_view name_of(const E& event) {
  return event_name(event);
}

/// The margins: what one fault may do alone.
class Margin {
 public:
  explicit Margin(const Scenario& scenario) : group_(scenario.group), rules_(scenario.rules) {}

  [[nodiscard]] bool keeps(const ClockStep& event) const {
    return (event.workers && event.by > Duration(0)) || keeps(event.by);
  }
  [[nodiscard]] bool keeps(const ClockFreeze& event) const { return keeps(event.length); }
  [[nodiscard]] bool keeps(const ClockDrift& event) const { return keeps_rate(event.rate); }
  [[nodiscard]] bool keeps(const Suspend& event) const {
    return event.clock_counts || keeps(event.length);
  }
  [[nodiscard]] bool keeps(const SlowConsumer& event) const {
    return !event.overrun.allowed || (event.overrun.limit && keeps(*event.overrun.limit));
  }
  [[nodiscard]] bool keeps(const Join& event) const {
    return keeps(event.workers.interval, event.workers.deadline_from);
  }
  [[nodiscard]] bool keeps(const Reconfigure& event) const {
    return keeps(event.interval, event.deadline_from);
  }
  [[nodiscard]] bool keeps(Duration step) const {
    return std::max(step, -step) <= multiply_floor(group_.interval, group_.gap);
  }

 private:
  [[nodiscard]] bool keeps_rate(Fraction rate) const {
    constexpr std::int64_t kMillion = 1'000'000;
    const Fraction size(std::max(rate.numerator(), -rate.numerator()), rate.denominator());
    const std::int64_t untold =
        largest_drift_ppm(span_from_request(group_.gap, whole_band(group_.gap)));
    return size <=
           std::max(group_.drift_bound, Fraction(std::max<std::int64_t>(untold, 0), kMillion));
  }
  [[nodiscard]] bool keeps(std::optional<Duration> interval,
                           std::optional<DeadlineFrom> deadline) const {
    if (interval && *interval != group_.interval) return false;
    // A stall between a reply's arrival and its reading lengthens a lease that is counted from it.
    return deadline.value_or(rules_.deadline_from) == DeadlineFrom::send;
  }

  const GroupSettings& group_;
  const RuleSettings& rules_;
};

struct Broken {
  const Margin& margin;
  Assumption breaks;

  Assumptions operator()(const Failover& event) const {
    Assumptions broken;
    if (event.lost_writes > 0) broken.add(Assumption::counter);
    if (!margin.keeps(event.clock_offset)) broken.add(Assumption::store_clock);
    return broken;
  }
  template <class E>
  Assumptions operator()(const E& event) const {
    if constexpr (requires { margin.keeps(event); }) {
      if (margin.keeps(event)) return {};
    }
    return breaks;
  }
};

}  // namespace

std::string_view to_string(Assumption assumption) {
  constexpr std::string_view kNames[] = {"none",   "counter",  "store-clock",    "local-clock",
                                         "memory", "settings", "consumer-expiry"};
  return kNames[static_cast<std::size_t>(assumption)];
}

std::string_view describe(Assumption assumption) {
  constexpr std::string_view kWords[] = {
      "nothing",
      "the counter repeats no value within an interval",
      "the store's clock neither steps nor runs at another rate",
      "local clocks keep the store's rate and do not stop",
      "a worker's memory is never duplicated",
      "every member has the same interval, gap and deadline rule",
      "a consumer acts only while its worker holds the pair"};
  return kWords[static_cast<std::size_t>(assumption)];
}

std::string_view to_string(FaultClass fault_class) {
  constexpr std::string_view kNames[] = {"store", "worker", "network", "configuration"};
  return kNames[static_cast<std::size_t>(fault_class)];
}

std::span<const FaultInfo> fault_catalogue() { return kCatalogue; }

const FaultInfo* find_fault(std::string_view name) {
  const auto* found = std::find_if(std::begin(kCatalogue), std::end(kCatalogue),
                                   [name](const FaultInfo& info) { return info.name == name; });
  return found == std::end(kCatalogue) ? nullptr : found;
}

const FaultInfo* fault_of(const Event& event) {
  const std::string_view name = std::visit([](const auto& e) { return name_of(e); }, event);
  return name.empty() ? nullptr : &row(name);
}

Assumptions broken_by(const Event& event, const Scenario& scenario) {
  const FaultInfo* info = fault_of(event);
  if (info == nullptr) return {};
  const Margin margin(scenario);
  return std::visit(Broken{margin, info->breaks}, event);
}

void write_fault_reference(std::ostream& out) {
  out << "\n| fault | written | class | breaks | up to | its strength | in a check | what it is "
         "|\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  const auto code = [](std::string_view text) {
    return text.empty() ? std::string("-") : fmt::format("`{}`", text);
  };
  for (const FaultInfo& info : fault_catalogue()) {
    out << fmt::format("| `{}` | `{}: {}` | {} | {} | {} | {} | {} | {} |\n", info.name, info.event,
                       info.form, to_string(info.fault_class), to_string(info.breaks),
                       info.margin.empty() ? "-" : info.margin, code(info.strength),
                       code(info.check), info.meaning);
  }
}

}  // namespace nandi::sim
