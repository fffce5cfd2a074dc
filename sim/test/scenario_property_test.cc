#include <gtest/gtest.h>
// rapidcheck's gtest header wants gtest before it
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "nandi/sim/scenario.h"
#include "nandi/sim/swarm.h"

namespace nandi::sim {
namespace {

std::int64_t number(std::int64_t least, std::int64_t most) {
  return *rc::gen::inRange<std::int64_t>(least, most + 1);
}
bool coin() { return *rc::gen::arbitrary<bool>(); }
std::uint32_t count(std::int64_t least, std::int64_t most) {
  return static_cast<std::uint32_t>(number(least, most));
}
Duration duration(std::int64_t least = 1) {
  const auto unit = *rc::gen::element<std::int64_t>(1, 1'000, 1'000'000, 500'000'000);
  return Duration(number(least, 5'000) * unit);
}
Duration any_duration() { return coin() ? duration() : -duration(); }
Fraction fraction(std::int64_t most_numerator = 999'999) {
  return Fraction(number(1, most_numerator), 1'000'000'000 / number(1, 1'000));
}
// Below 1/2.
Fraction gap() { return fraction(499'999); }
template <class T>
std::optional<T> maybe(T value) {
  return coin() ? std::optional<T>(std::move(value)) : std::nullopt;
}

DelayDistribution delay() {
  const Duration a = duration();
  const Duration b = duration();
  switch (number(0, 6)) {
    case 0: return ConstantDelay{duration(0)};
    case 1: return UniformDelay{std::min(a, b), std::max(a, b)};
    case 2: return NormalDelay{a + b, duration(), a, a + b + b};
    case 3: return LognormalDelay{std::min(a, b), std::max(a, b)};
    case 4: return ExponentialDelay{a};
    case 5: return ParetoDelay{a, Fraction(number(1, 50), 10)};
    default:
      return HistogramDelay{duration(0),
                            {{Duration(3'000'000'000'000), 5}, {Duration(4'000'000'000'000), 0}}};
  }
}

DelayPair delay_pair() { return {delay(), delay()}; }
LossPair loss_pair() { return {fraction(), fraction()}; }

ConsumerSettings consumer() {
  ConsumerSettings settings;
  settings.drain = delay();
  settings.overrun.allowed = coin();
  if (settings.overrun.allowed) settings.overrun.limit = maybe(duration());
  settings.ignore_expiry = coin();
  return settings;
}

WorkerSet worker_set() {
  WorkerSet set;
  set.count = count(1, 5);
  set.interval = maybe(duration());
  set.gap = maybe(gap());
  set.attempt_timeout = maybe(duration());
  set.deadline_from = maybe(coin() ? DeadlineFrom::send : DeadlineFrom::reply);
  set.first_spread = maybe(fraction());
  set.kept_offset = maybe(fraction());
  if (coin()) set.consumer = consumer();
  set.clock = maybe(ClockError{any_duration(), fraction()});
  if (coin()) set.network.request = delay();
  if (coin()) set.network.jitter = delay_pair();
  if (coin()) set.network.loss = loss_pair();
  return set;
}

// Workers 0 and 1 exist in every scenario made here, and no event ends them by number.
WorkerChoice living() {
  switch (number(0, 2)) {
    case 0: return {};
    case 1: return {WorkerChoice::Kind::count, count(1, 2), {}};
    default:
      return {WorkerChoice::Kind::ids, 0,
              coin() ? std::vector<WorkerId>{0, 1} : std::vector<WorkerId>{1}};
  }
}
WorkerChoice some() { return {WorkerChoice::Kind::count, count(1, 2), {}}; }

Event process_event() {
  switch (number(0, 6)) {
    case 0: return Join{worker_set()};
    case 1: return Leave{some()};
    case 2: return Crash{some()};
    case 3: return Restart{some(), duration(0), coin()};
    case 4: return Pause{living(), duration()};
    case 5: return Suspend{living(), duration(), coin()};
    default: return Fork{living()};
  }
}

Event network_event() {
  switch (number(0, 8)) {
    case 0: return Hang{living(), duration()};
    case 1: return HalfOpen{living()};
    case 2:
      return NetworkPartition{
          living(), duration(),
          *rc::gen::element(Direction::both, Direction::requests, Direction::replies)};
    case 3: return LatencyChange{living(), delay(), std::nullopt, maybe(duration())};
    case 4: return JitterChange{living(), std::nullopt, delay(), maybe(duration())};
    case 5: return LossChange{living(), fraction(), maybe(fraction()), maybe(duration())};
    case 6: return Refuse{living(), count(1, 3)};
    case 7: return Lose{living(), count(1, 3), coin() ? Message::request : Message::reply};
    default: return LateExecution{living(), duration()};
  }
}

Event store_event() {
  switch (number(0, 12)) {
    case 0:
      return coin() ? StoreRestart{StoreData::rolled_back, count(1, 9), duration(0)}
                    : StoreRestart{coin() ? StoreData::kept : StoreData::lost, 0, duration(0)};
    case 1: return Failover{count(0, 9), any_duration(), duration(0)};
    case 2: return FlushAll{};
    case 3: return ScriptFlush{};
    case 4: return SlotMigration{};
    case 5: return DeleteCounter{coin() ? WhichInterval::open : WhichInterval::closed};
    case 6: return EvictCounter{coin() ? WhichInterval::open : WhichInterval::closed};
    case 7:
      return StoreRefuses{
          *rc::gen::element(ErrorClass::readonly, ErrorClass::loading, ErrorClass::busy,
                            ErrorClass::oom, ErrorClass::max_clients),
          duration()};
    case 8: return ClockStep{any_duration(), maybe(living())};
    case 9: return ClockFreeze{duration(), maybe(living())};
    case 10: return ClockDrift{fraction(), maybe(duration()), maybe(living())};
    case 11:
      return Reconfigure{some(), maybe(duration()), maybe(gap()), maybe(DeadlineFrom::reply)};
    default: return Heal{};
  }
}

std::vector<TimelineEvent> timeline() {
  std::vector<TimelineEvent> events;
  Duration at;
  for (std::int64_t left = number(0, 4); left > 0; --left) {
    at += duration(0);
    const Event event = coin() ? network_event() : coin() ? store_event() : process_event();
    events.push_back({at, event, {}, maybe(count(0, 60'000))});
  }
  return events;
}

CheckSettings check() {
  CheckSettings settings;
  settings.ticks = count(2, 100);
  settings.workers = count(1, 4);
  settings.gap = maybe(gap());
  settings.slots = coin() ? SlotChoice::engine : SlotChoice::free;
  settings.abandoned = count(0, 3);
  settings.request_delay = maybe(count(0, 9));
  settings.drift = count(0, 3);
  settings.symmetry = coin();
  settings.reduction = coin();
  settings.fingerprints = coin();
  settings.threads = count(1, 256);
  for (std::size_t index = 0; index < event_names().size(); ++index) {
    if (number(0, 9) == 0)
      settings.faults.push_back({event_names()[index], count(0, 3), maybe(count(1, 9))});
  }
  settings.max_states = static_cast<std::uint64_t>(number(1, 1'000'000));
  settings.max_memory = static_cast<std::uint64_t>(number(0, 1'000'000'000'000));
  return settings;
}

Expectation expectation() {
  Expectation expect;
  expect.verdict = *rc::gen::element(Verdict::holds, Verdict::violated, Verdict::unknown);
  if (expect.verdict == Verdict::violated) expect.property = *rc::gen::elementOf(property_names());
  if (coin()) expect.properties = {property_names().front()};
  if (coin()) expect.vacuous_ok = {property_names().back(), "hang"};
  for (int measure = 0; measure <= static_cast<int>(Measure::owned_share); ++measure) {
    if (number(0, 4) == 0) {
      const Fraction least = fraction();
      expect.bounds.push_back(
          {static_cast<Measure>(measure), least, maybe(Fraction(number(1, 9), 1))});
    }
  }
  return expect;
}

std::vector<TimedAction> schedule() {
  std::vector<TimedAction> actions;
  std::int64_t at = 0;
  for (std::int64_t left = number(0, 3); left > 0; --left) {
    at += number(0, 9);
    Action action;
    action.kind = static_cast<ActionKind>(number(0, kActionKinds - 1));
    action.error = static_cast<ErrorClass>(number(0, static_cast<int>(ErrorClass::other)));
    action.config = static_cast<std::uint16_t>(number(0, 3));
    action.worker = count(0, 3);
    action.attempt = count(0, 3);
    action.value = number(-9, 9);
    action.extra = number(-9, 9);
    actions.push_back({TrueTime(at), action});
  }
  return actions;
}

CountRange counts() {
  const std::uint32_t from = count(1, 9);
  return {from, from + count(0, 9)};
}
DurationRange durations() {
  const Duration from = duration();
  return {from, from + duration(0)};
}
FractionRange fractions() {
  const Fraction a = fraction();
  const Fraction b = fraction();
  return {std::min(a, b), std::max(a, b)};
}
FractionRange gaps() {
  const Fraction a = gap();
  const Fraction b = gap();
  return {std::min(a, b), std::max(a, b)};
}

// With the strengths that the event takes, and no others.
SwarmFault swarm_line(const std::string& name) {
  SwarmFault line;
  line.fault = name;
  line.probability = fraction();
  line.times = counts();
  for (const std::string& key : swarm_strengths(name)) {
    if (coin()) continue;
    if (key == "workers") line.workers = counts();
    if (key == "for") line.length = durations();
    if (key == "by") line.by = DurationRange{any_duration(), Duration(4'000'000'000'000)};
    if (key == "delay") line.delay = durations();
    if (key == "count") line.count = counts();
    if (key == "rate" || key == "share") line.rate = fractions();
    if (key == "gap") line.gap = gaps();
    if (key == "interval") line.interval = durations();
  }
  return line;
}

SwarmSettings swarm() {
  SwarmSettings settings;
  settings.assumptions_kept = coin();
  if (!settings.assumptions_kept && coin()) settings.drop = {"store-clock", "counter"};
  settings.fault_seed = maybe<std::uint64_t>(count(0, 1'000));
  settings.workers = maybe(counts());
  if (coin()) settings.network = SwarmNetwork{durations(), counts(), fractions()};
  for (const std::string& name : membership_names()) {
    if (coin()) settings.membership.push_back(swarm_line(name));
  }
  for (const std::string& name : swarm_fault_names()) {
    if (number(0, 9) == 0) settings.faults.push_back(swarm_line(name));
  }
  return settings;
}

std::string text() {
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::suchThat(
      rc::gen::inRange<char>(1, 127), [](char c) { return c != '{' && c != '}'; })));
}

Scenario scenario() {
  Scenario made;
  made.name = text();
  made.group.name = text();
  if (coin()) made.group.prefix = text();
  made.group.interval = duration();
  made.group.gap = gap();
  made.group.attempt_timeout = maybe(duration());
  made.group.drift_bound = fraction();
  made.group.resolution = duration();
  made.group.first_spread = fraction();
  WorkerSet plain;
  plain.count = count(2, 9);
  made.workers = {plain};
  while (coin()) made.workers.push_back(worker_set());
  if (coin()) made.network = {delay(), delay(), delay_pair(), loss_pair()};
  if (coin()) {
    made.clocks.store = {any_duration(), fraction()};
    made.clocks.workers.offset = {-duration(), duration()};
    made.clocks.workers.drift = {Fraction(0, 1), fraction()};
  }
  if (coin()) made.consumer = consumer();
  if (coin()) {
    made.rules = {count(1, 2),
                  coin(),
                  coin() ? IndexFrom::closed : IndexFrom::open,
                  coin() ? DeadlineFrom::send : DeadlineFrom::reply,
                  fraction(),
                  coin(),
                  coin() ? IntervalClock::store : IntervalClock::worker,
                  coin()};
  }
  made.timeline = timeline();
  made.seeds.first = static_cast<std::uint64_t>(number(0, 1'000));
  made.seeds.last = made.seeds.first + static_cast<std::uint64_t>(number(0, 1'000));
  made.length = Duration(100'000'000'000'000) + duration();
  made.expect = expectation();
  if (coin()) made.check = check();
  if (coin()) {
    made.swarm = swarm();
  } else {
    made.schedule = schedule();
  }
  if (coin()) made.settle = Settling{duration(), count(1, 9)};
  const std::vector<TimingProblem> problems = timing_problems(made);
  if (std::any_of(problems.begin(), problems.end(), [](const TimingProblem& found) {
        return found.problem.severity == OptionProblem::Severity::error;
      })) {
    made.rules.timing_budget = false;
  }
  return made;
}

RC_GTEST_PROP(Scenario, what_is_written_loads_back_equal, ()) {
  const Scenario made = scenario();
  std::ostringstream written;
  write_scenario(made, written);
  RC_LOG() << written.str();
  try {
    const Scenario loaded =
        read_scenario(yaml::Document::parse(written.str(), "s.yaml"), whole_language());
    RC_ASSERT(loaded == made);
  } catch (const yaml::LoadError& error) {
    RC_FAIL(error.what());
  }
}

}  // namespace
}  // namespace nandi::sim
