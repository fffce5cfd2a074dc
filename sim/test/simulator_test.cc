// The simulator's promises: a run is a pure function of scenario and seed, it does nothing that the
// world does not allow, and pauses, hangs and lost messages mean what they say.
//
// Times below are in nanoseconds; the interval is one second unless a test says otherwise.
#include "nandi/sim/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "nandi/sim/properties.h"
#include "run_plan.h"

namespace nandi::sim {
namespace {

constexpr std::int64_t kSecond = kNanosecondsPerSecond;
constexpr std::int64_t kMillisecond = kNanosecondsPerMillisecond;

WorkerChoice these(std::vector<WorkerId> ids) {
  WorkerChoice choice;
  choice.kind = WorkerChoice::Kind::ids;
  choice.ids = std::move(ids);
  return choice;
}

Scenario group_of(std::uint32_t workers) {
  Scenario scenario;
  scenario.name = "test";
  scenario.group.interval = Duration(kSecond);
  WorkerSet set;
  set.count = workers;
  scenario.workers = {set};
  scenario.network.request = LognormalDelay{Duration(kMillisecond), Duration(5 * kMillisecond)};
  scenario.network.reply = LognormalDelay{Duration(kMillisecond), Duration(5 * kMillisecond)};
  scenario.length = Duration(30 * kSecond);
  return scenario;
}

template <class E>
void at(Scenario& scenario, std::int64_t time, E event) {
  TimelineEvent timed;
  timed.at = Duration(time);
  timed.event = std::move(event);
  scenario.timeline.push_back(std::move(timed));
}

/// Something of everything that may happen to a group.
Scenario eventful() {
  Scenario scenario = group_of(5);
  scenario.network.loss.request = Fraction(1, 100);
  scenario.network.loss.reply = Fraction(1, 100);
  scenario.consumer.drain = UniformDelay{Duration(0), Duration(kSecond / 4)};
  scenario.clocks.workers.offset = {Duration(-kSecond), Duration(kSecond)};
  scenario.clocks.workers.drift = {Fraction(-1, 10'000), Fraction(1, 10'000)};
  Join join;
  join.workers.count = 2;
  at(scenario, 8 * kSecond, join);
  at(scenario, 10 * kSecond, Pause{these({1}), Duration(2 * kSecond)});
  at(scenario, 13 * kSecond, Hang{WorkerChoice{}, Duration(kSecond)});
  at(scenario, 16 * kSecond, Leave{these({2})});
  at(scenario, 18 * kSecond, Restart{these({0, 3}), Duration(kSecond / 2), false});
  at(scenario, 20 * kSecond, ScriptFlush{});
  JitterChange jitter;
  jitter.reply = ExponentialDelay{Duration(100 * kMillisecond)};
  jitter.length = Duration(3 * kSecond);
  at(scenario, 21 * kSecond, jitter);
  at(scenario, 25 * kSecond, Crash{these({4})});
  return scenario;
}

std::vector<TraceRecord> traced(const Scenario& scenario, std::uint64_t seed) {
  RecordingSink sink;
  RunOptions options;
  options.trace = &sink;
  static_cast<void>(Simulator(scenario).run(seed, options));
  return sink.records();
}

std::vector<TimedAction> schedule_of(const std::vector<TraceRecord>& records) {
  std::vector<TimedAction> schedule;
  for (const TraceRecord& record : records) {
    if (record.kind == RecordKind::action) schedule.push_back(record.step);
  }
  return schedule;
}

TEST(Simulator, GivesTheSameTraceForTheSameSeedAndAnotherForAnother) {
  const Simulator simulator(eventful());
  const RunResult a = simulator.run(7);
  const RunResult b = simulator.run(7);
  EXPECT_EQ(a.trace_hash, b.trace_hash);
  EXPECT_EQ(a.statistics, b.statistics);
  EXPECT_EQ(a.events, b.events);
  EXPECT_NE(a.trace_hash, simulator.run(8).trace_hash);
}

/// Says nothing about what is right: it holds every compiler and optimisation level to the same
/// run. It changes with the engine's rules, the draws or the order of events, and with nothing
/// else.
TEST(Simulator, GivesOneTraceOnEveryCompiler) {
  EXPECT_EQ(Simulator(eventful()).run(7).trace_hash, 15471513230112486500U);
}

TEST(Simulator, IsNotChangedByWatchingIt) {
  const Simulator simulator(eventful());
  RecordingSink sink;
  RunOptions options;
  options.trace = &sink;
  EXPECT_EQ(simulator.run(7, options).trace_hash, simulator.run(7).trace_hash);
}

TEST(Simulator, ReplaysTheActionsOfARunToTheSameRun) {
  const Simulator simulator(eventful());
  const RunResult run = simulator.run(7);
  const RunResult replayed = simulator.replay(schedule_of(traced(eventful(), 7)));
  EXPECT_EQ(replayed.trace_hash, run.trace_hash);
  EXPECT_EQ(replayed.actions, run.actions);
  EXPECT_EQ(replayed.statistics.owned, run.statistics.owned);
  for (std::size_t p = 0; p < run.properties.size(); ++p) {
    EXPECT_EQ(replayed.properties[p].reached, run.properties[p].reached);
    EXPECT_EQ(replayed.properties[p].violated, run.properties[p].violated);
  }
}

TEST(Simulator, ReplaysTheScheduleOfAScenarioWhateverTheSeed) {
  Scenario scenario = eventful();
  const RunResult run = Simulator(scenario).run(7);
  scenario.schedule = schedule_of(traced(scenario, 7));
  EXPECT_EQ(Simulator(scenario).run(1).trace_hash, run.trace_hash);
}

TEST(Simulator, RefusesAScheduleThatTheWorldDoesNotAllow) {
  const Simulator simulator(group_of(1));
  TimedAction deliver;
  deliver.action.kind = ActionKind::deliver;
  deliver.action.attempt = 1;
  EXPECT_THROW(static_cast<void>(simulator.replay(std::vector{deliver})), std::invalid_argument);
}

/// Follows a run on a world of its own, before each action looking for it among those that the
/// world lists.
void expect_listed(const Scenario& scenario, std::uint64_t seed) {
  const RunPlan plan = make_plan(scenario);
  std::vector<MemberConfig<AblatedRules>> configs = plan.configs;
  World<AblatedRules, HeapStorage> world;
  world.workers().resize(plan.capacity);
  std::uint64_t looked_for = 0;
  for (const TimedAction& step : schedule_of(traced(scenario, seed))) {
    world.advance_to(step.at);
    ASSERT_TRUE(world.enabled(configs, step.action)) << to_string(step.action.kind);
    const bool has_parameter = !concerns_worker(step.action.kind) ||
                               step.action.kind == ActionKind::join ||
                               step.action.kind == ActionKind::refuse ||
                               step.action.kind == ActionKind::step_worker_clock ||
                               step.action.kind == ActionKind::set_worker_clock_rate;
    if (!has_parameter) {
      Action wanted = step.action;
      // The world lists requests of abandoned attempts without telling them apart.
      if (wanted.attempt != world.worker(wanted.worker).wire_attempt) wanted.attempt = 0;
      bool listed = false;
      world.actions(configs, [&](const Action& a) { listed = listed || a == wanted; });
      ASSERT_TRUE(listed) << to_string(wanted.kind) << " of " << wanted.worker << " at "
                          << step.at.count();
      ++looked_for;
    }
    world.apply(configs, step.action);
  }
  EXPECT_GT(looked_for, 300U);
}

TEST(Simulator, TakesOnlyActionsThatTheWorldLists) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) expect_listed(eventful(), seed);
}

TEST(Simulator, LeavesEveryOtherDrawAsItWasWhenOneFaultChanges) {
  // A crash at 20 s more or less: until then nothing differs, and the workload of the survivors'
  // first seconds is the same.
  Scenario with = group_of(4);
  at(with, 20 * kSecond, Crash{these({3})});
  const std::vector<TraceRecord> a = traced(group_of(4), 3);
  const std::vector<TraceRecord> b = traced(with, 3);
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same].step == b[same].step) ++same;
  ASSERT_LT(same, b.size());
  EXPECT_EQ(b[same].step.at, TrueTime(20 * kSecond));
  EXPECT_EQ(b[same].step.action.kind, ActionKind::crash);
}

TEST(Simulator, AFreshGroupSettlesAndOwnsEverything) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const RunResult run = Simulator(group_of(5)).run(seed);
    EXPECT_TRUE(run.whole) << seed;
    EXPECT_EQ(run.statistics.start.count(), 1U) << seed;
    for (const PropertyOutcome& outcome : run.properties) EXPECT_EQ(outcome.violated, 0U) << seed;
    // One registration an interval and worker.
    EXPECT_NEAR(static_cast<double>(run.statistics.registrations), 150, 5) << seed;
  }
}

TEST(Simulator, AStalledProcessDoesNothingUntilItResumesAndThenWhatIsDueInOrder) {
  Scenario scenario = group_of(3);
  at(scenario, 10 * kSecond, Pause{these({1}), Duration(3 * kSecond)});
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<TraceRecord> records = traced(scenario, seed);
    bool woke = false;
    for (const TraceRecord& r : records) {
      if (r.kind != RecordKind::action || r.step.action.worker != 1) continue;
      if (!concerns_worker(r.step.action.kind)) continue;
      const std::int64_t t = r.step.at.count();
      if (t <= 10 * kSecond || t >= 13 * kSecond) {
        woke = woke || (t == 13 * kSecond && r.step.action.kind == ActionKind::wake);
        continue;
      }
      // The store executes what was under way and messages are lost, whoever stalls.
      EXPECT_TRUE(r.step.action.kind == ActionKind::execute ||
                  r.step.action.kind == ActionKind::lose)
          << to_string(r.step.action.kind) << " at " << t;
    }
    EXPECT_TRUE(woke) << "three intervals of sleep leave a registration overdue, seed " << seed;
  }
}

TEST(Simulator, AHangingStoreExecutesNothingAndThenEverythingInTheOrderOfArrival) {
  Scenario scenario = group_of(4);
  at(scenario, 10 * kSecond, Hang{these({0, 1}), Duration(2 * kSecond)});
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::uint64_t ghosts = 0;
    bool others = false;
    for (const TraceRecord& r : traced(scenario, seed)) {
      if (r.kind != RecordKind::action || r.step.action.kind != ActionKind::execute) continue;
      const std::int64_t t = r.step.at.count();
      const bool during = t > 10 * kSecond && t < 12 * kSecond;
      EXPECT_FALSE(during && r.step.action.worker < 2) << seed << " " << t;
      others = others || (during && r.step.action.worker >= 2);
      // Two intervals and an eighth each: what waited was given up, and executes as a ghost.
      if (t == 12 * kSecond && r.ghost) ++ghosts;
    }
    EXPECT_TRUE(others) << seed;
    EXPECT_GE(ghosts, 2U) << seed;
  }
}

TEST(Simulator, AWorkerThatHearsNothingGivesItsLeaseUpOnTime) {
  Scenario scenario = group_of(2);
  at(scenario, 10 * kSecond, Hang{WorkerChoice{}, Duration(15 * kSecond)});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::uint64_t lost = 0;
    for (const TraceRecord& r : traced(scenario, seed)) {
      if (r.lease_change != LeaseChange::lost || r.step.at.count() < 10 * kSecond) continue;
      ++lost;
      // At the latest one interval and a gap after a slot that was not served any more.
      EXPECT_LE(r.step.at.count(), 12 * kSecond) << seed;
    }
    EXPECT_EQ(lost, 2U) << seed;
  }
}

TEST(Simulator, LosingOneReplyMakesAGhostAndOneRefusalDoesNot) {
  // Protocol, "When things happen": a retry after a lost reply leaves a ghost: the count is n + 1.
  Scenario lossy = group_of(3);
  at(lossy, 10 * kSecond, Lose{these({1}), 1, Message::reply});
  Scenario refusing = group_of(3);
  at(refusing, 10 * kSecond, Refuse{these({1}), 1});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::uint32_t most = 0;
    for (const TraceRecord& r : traced(lossy, seed)) {
      if (r.tick && r.step.at.count() > 8 * kSecond) {
        most = std::max(most, r.tick->previous_count.value_or(0));
      }
    }
    EXPECT_EQ(most, 4U) << seed;
    EXPECT_EQ(Simulator(lossy).run(seed).faults[0].fired, 1U) << seed;
    for (const TraceRecord& r : traced(refusing, seed)) {
      if (r.tick && r.step.at.count() > 8 * kSecond) {
        EXPECT_EQ(r.tick->previous_count, 3U) << seed;
      }
    }
    EXPECT_EQ(Simulator(refusing).run(seed).faults[0].fired, 1U) << seed;
  }
}

TEST(Simulator, AFaultThatStrikesNobodyHasNotFired) {
  Scenario scenario = group_of(2);
  at(scenario, 10 * kSecond, Crash{these({9})});
  const RunResult run = Simulator(scenario).run(1);
  EXPECT_EQ(run.faults[0].armed, 1U);
  EXPECT_EQ(run.faults[0].fired, 0U);
}

TEST(Simulator, BrokenRulesAreCaught) {
  // Agreement of one interval lets two mappings live at once; so does an index of the open
  // interval; without expiry a worker that hears nothing spans a third interval (the article's
  // statements).
  Scenario once = group_of(5);
  once.rules.agreement = 1;
  Scenario forever = group_of(5);
  forever.rules.expiry = false;
  at(forever, 10 * kSecond, Hang{these({0}), Duration(12 * kSecond)});
  for (const Scenario& scenario : {once, forever}) {
    const Simulator simulator(scenario);
    EXPECT_FALSE(simulator.is_production());
    std::uint64_t violated = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      if (simulator.run(seed).properties[0].violated > 0) ++violated;
    }
    EXPECT_GE(violated, 15U);
  }
  EXPECT_TRUE(Simulator(group_of(5)).is_production());
}

TEST(Simulator, ThirtyDaysOnAClockThatIsPastThirtyOneBitsOfSecondsIsTheSameRunShifted) {
  // A whole number of intervals more on the store's clock changes nothing but the numbers.
  Scenario late = group_of(3);
  late.group.interval = Duration(1000 * kSecond);
  late.group.resolution = Duration(kMillisecond);
  late.length = Duration(30 * 86'400 * kSecond);
  Scenario shifted = late;
  shifted.clocks.store.offset = Duration(2'147'484'000 * kSecond);
  const std::vector<TraceRecord> a = traced(late, 5);
  const std::vector<TraceRecord> b = traced(shifted, 5);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 1; i < a.size(); ++i) {
    ASSERT_EQ(a[i].step, b[i].step) << i;
    if (a[i].tick) {
      ASSERT_EQ(a[i].tick->interval + 2'147'484, b[i].tick->interval) << i;
    }
  }
}

}  // namespace
}  // namespace nandi::sim
