// What people who run worker groups met: outages, clocks that jump or stop, churn, crowds. Each
// test says what has to come out, from the protocol's own rules.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "nandi/sim/simulator.h"

namespace nandi::sim {
namespace {

constexpr std::int64_t kSecond = kNanosecondsPerSecond;
constexpr std::uint64_t kSeeds = 10;

/// Interval 1 s, gap 0.15, so that seconds are intervals.
Scenario scenario(const std::string& workers, const std::string& timeline,
                  const std::string& more = "") {
  const std::string text = fmt::format(
      "{{name: t, group: {{interval: 1s}}, workers: {}, "
      "network: {{request: {{constant: 2ms}}, reply: {{constant: 2ms}}}}, "
      "timeline: [{}], for: 60s{}}}",
      workers, timeline, more);
  return read_scenario(yaml::Document::parse(text, "t.yaml"));
}

struct TracedRun {
  RunResult result;
  std::vector<TraceRecord> records;
};

TracedRun traced(const Scenario& scenario, std::uint64_t seed) {
  RecordingSink sink;
  RunOptions options;
  options.trace = &sink;
  TracedRun run{Simulator(scenario).run(seed, options), {}};
  run.records = sink.records();
  return run;
}

std::uint64_t violated(const RunResult& result) {
  constexpr std::size_t kLeaseExclusive = 0;
  return result.properties[kLeaseExclusive].violated;
}

/// Number of leases in force at `time`.
std::size_t holders_at(const TracedRun& run, std::int64_t time) {
  std::set<WorkerId> holders;
  for (const TraceRecord& r : run.records) {
    if (r.step.at.count() > time) break;
    if (r.lease_change == LeaseChange::granted) holders.insert(r.step.action.worker);
    if (r.lease_change == LeaseChange::lost) holders.erase(r.step.action.worker);
  }
  return holders.size();
}

TEST(FaultCases, AStoreClockThatJumpsAnHourStandsTheGroupDownUntilTwoMoreIntervalsHaveClosed) {
  const Scenario jump = scenario("4", "{at: 30s, clock_step: {by: 1h}}");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const TracedRun r = traced(jump, seed);
    EXPECT_EQ(holders_at(r, 30 * kSecond - 1), 4U) << seed;
    // Everybody registers within an interval, finds nobody before, and lets go.
    EXPECT_EQ(holders_at(r, 32 * kSecond), 0U) << seed;
    // The first tick after the jump comes within 1 interval, the second tells its count, the third
    // may confirm it, each later by less than 1; slots settle within one interval more.
    EXPECT_EQ(holders_at(r, 36 * kSecond), 4U) << seed;
    EXPECT_EQ(violated(r.result), 0U) << seed;
  }
}

TEST(FaultCases, AFrozenStoreClockClosesNoIntervalAndEveryLeaseRunsOut) {
  const Scenario frozen = scenario("3", "{at: 30s, clock_freeze: {for: 10s}}");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const TracedRun r = traced(frozen, seed);
    std::set<IntervalNumber> intervals;
    std::uint32_t most_index = 0;
    for (const TraceRecord& record : r.records) {
      const std::int64_t t = record.step.at.count();
      if (t < 30 * kSecond || t >= 40 * kSecond) continue;
      if (record.tick && record.step.action.kind == ActionKind::execute) {
        intervals.insert(record.tick->interval);
        most_index = std::max(most_index, record.tick->index);
      }
      // One tick of the new number may still confirm what was agreed on before.
      if (t > 32 * kSecond) {
        EXPECT_NE(record.lease_change, LeaseChange::granted) << seed;
      }
    }
    EXPECT_EQ(intervals.size(), 1U) << seed;
    EXPECT_GT(most_index, 6U) << "the one counter goes on and on, seed " << seed;
    EXPECT_EQ(holders_at(r, 33 * kSecond), 0U) << seed;
    EXPECT_EQ(holders_at(r, 50 * kSecond), 3U) << seed;
  }
}

TEST(FaultCases, AStepWithinAGapNeverBreaksExclusivityInSteadyStateAndDuringAJoin) {
  for (const char* by : {"1ms", "-1ms", "150ms", "-150ms"}) {
    for (const char* join : {"20s", "29s", "30s"}) {
      const Scenario stepped = scenario("3", fmt::format("{{at: {}, join: {{workers: 2}}}}, "
                                                         "{{at: 30100ms, clock_step: {{by: {}}}}}",
                                                         join, by));
      for (std::uint64_t seed = 1; seed <= 3 * kSeeds; ++seed) {
        EXPECT_EQ(violated(traced(stepped, seed).result), 0U) << by << " " << join << " " << seed;
      }
    }
  }
}

TEST(FaultCases, AfterAnOutageTheFirstThingAWorkerHasIsTwoClosedIntervalsOld) {
  const Scenario outage = scenario("3", "{at: 30s, store_restart: {down: 3s}}");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const TracedRun r = traced(outage, seed);
    EXPECT_EQ(holders_at(r, 33 * kSecond), 0U) << seed;
    std::set<WorkerId> told;
    for (const TraceRecord& record : r.records) {
      const std::int64_t t = record.step.at.count();
      if (t < 30 * kSecond) continue;
      if (record.handed == HandedOver::idle) told.insert(record.step.action.worker);
      if (record.handed == HandedOver::pair) {
        EXPECT_TRUE(told.contains(record.step.action.worker)) << "idle comes first, " << seed;
      }
      if (record.lease_change == LeaseChange::granted) {
        EXPECT_GT(t, 34 * kSecond) << "three ticks span more than an interval, " << seed;
      }
    }
    EXPECT_EQ(told.size(), 3U) << seed;
  }
}

TEST(FaultCases, FiftyWorkersThatStartAtOneMomentGetFiftyIndexes) {
  Scenario crowd = scenario("50", "");
  crowd.group.first_spread = Fraction(0, 1);
  crowd.length = Duration(20 * kSecond);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    std::vector<std::uint32_t> indexes;
    for (const TraceRecord& r : traced(crowd, seed).records) {
      if (r.tick && r.step.action.kind == ActionKind::execute && indexes.size() < 50) {
        indexes.push_back(r.tick->index);
      }
    }
    std::sort(indexes.begin(), indexes.end());
    ASSERT_EQ(indexes.size(), 50U);
    for (std::uint32_t i = 0; i < 50; ++i) EXPECT_EQ(indexes[i], i) << seed;
  }
}

TEST(FaultCases, OneThatJoinsInEveryIntervalKeepsTheGroupFromOwningMuchAndBreaksNothing) {
  // n changes in every interval, so no two closed intervals agree for those behind; after the
  // churn the group is whole again.
  const Scenario churn =
      scenario("3", "{at: 20s, times: 20, every: 1s, restart: {workers: 1, down: 1500ms}}");
  const Scenario calm = scenario("3", "{at: 20s, script_flush: {}}");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const TracedRun r = traced(churn, seed);
    const TracedRun quiet = traced(calm, seed);
    EXPECT_EQ(violated(r.result), 0U) << seed;
    EXPECT_TRUE(r.result.whole) << seed;
    // A third of the time is churn: what is owned shrinks by more than half of that.
    EXPECT_LT(r.result.statistics.owned * 6, quiet.result.statistics.owned * 5) << seed;
  }
}

TEST(FaultCases, WhatWorkersClocksShowDoesNotMatter) {
  // A constant offset of every local clock: the same actions at the same moments.
  const std::string joined = "{at: 30s, join: {workers: 1}}";
  const Scenario plain = scenario("4", joined);
  const Scenario apart =
      scenario("4", joined, ", clocks: {workers: {offset: {from: -1h, to: 1h}}}");
  const auto happened = [](const TracedRun& run) {
    std::vector<std::string> lines;
    for (const TraceRecord& r : run.records) {
      if (r.step.action.kind == ActionKind::step_worker_clock) continue;
      lines.push_back(fmt::format("{} {} {} {} {}", r.step.at.count(),
                                  to_string(r.step.action.kind), r.step.action.worker,
                                  static_cast<int>(r.lease_change), r.lease_ends.count()));
    }
    return lines;
  };
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(happened(traced(plain, seed)), happened(traced(apart, seed))) << seed;
  }
}

TEST(FaultCases, AWorkerThatComesBackAfterFiveIntervalsLearnsTheIntervalFromTheStore) {
  const Scenario back = scenario("2", "{at: 30s, restart: {workers: [1], down: 5s}}");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    IntervalNumber others = 0;
    bool came_back = false;
    for (const TraceRecord& r : traced(back, seed).records) {
      if (!r.tick || r.step.action.kind != ActionKind::execute) continue;
      if (r.step.action.worker == 2 && !came_back) {
        came_back = true;
        EXPECT_GE(r.step.at.count(), 35 * kSecond);
        EXPECT_LE(r.tick->interval - others, 1) << seed;
      }
      others = std::max(others, r.tick->interval);
    }
    EXPECT_TRUE(came_back) << seed;
  }
}

TEST(FaultCases, RequestsOfTwoConnectionsOvertakeEachOtherUnderJitter) {
  const Scenario jitter =
      scenario("4", "{at: 30s, jitter: {request: {uniform: {from: 0s, to: 500ms}}, for: 10s}}");
  std::uint64_t overtaken = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::vector<WorkerId> sent;
    for (const TraceRecord& r : traced(jitter, seed).records) {
      if (r.step.action.kind == ActionKind::wake && r.attempt != 0) {
        sent.push_back(r.step.action.worker);
      }
      if (!r.tick || r.step.action.kind != ActionKind::execute) continue;
      const auto own = std::find(sent.begin(), sent.end(), r.step.action.worker);
      if (own == sent.end()) continue;
      if (own != sent.begin()) ++overtaken;
      sent.erase(own);
    }
  }
  EXPECT_GT(overtaken, kSeeds);
}

TEST(FaultCases, ADeployOfOtherSettingsChangesEveryWorkerOnce) {
  // One worker every two seconds, whichever has the old gap: four events change four workers, a
  // fifth finds nobody.
  const Scenario deploy =
      scenario("4", "{at: 20s, times: 5, every: 2s, reconfigure: {workers: 1, gap: 0.3}}");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RunResult result = traced(deploy, seed).result;
    for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(result.faults[e].fired, 1U) << seed;
    EXPECT_EQ(result.faults[4].fired, 0U) << seed;
    EXPECT_EQ(violated(result), 0U) << seed;
  }
}

TEST(FaultCases, ARollbackTakesBackTheLastRegistrationsAndNoOthers) {
  // Three workers, alone in their interval: their counter falls from what it was by two, not below
  // what is left.
  const Scenario undone = scenario("3", "{at: 30s, failover: {lost_writes: 2}}");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::map<IntervalNumber, std::int64_t> counts;
    std::int64_t taken_back = 0;
    for (const TraceRecord& r : traced(undone, seed).records) {
      if (r.step.at.count() > 30 * kSecond) break;
      const Action& a = r.step.action;
      if (r.tick && a.kind == ActionKind::execute) ++counts[r.tick->interval];
      if (a.kind != ActionKind::erase_counter) continue;
      const IntervalNumber open = counts.rbegin()->first;
      // The last interval that anybody registered in, or the one before.
      for (const IntervalNumber n : {open, open - 1}) {
        if (counts[n] > a.extra && counts[n] - a.extra <= 2) {
          taken_back += counts[n] - a.extra;
          counts[n] = a.extra;
          break;
        }
      }
    }
    EXPECT_EQ(taken_back, 2) << seed;
  }
}

TEST(FaultCases, AFullStoreRefusesNewcomersAndKeepsItsMembers) {
  const Scenario full =
      scenario("3", "{at: 30s, maxclients: {for: 10s}}, {at: 31s, join: {workers: 2}}");
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::size_t refusals = 0;
    const TracedRun r = traced(full, seed);
    for (const TraceRecord& record : r.records) {
      if (record.step.action.kind != ActionKind::refuse) continue;
      EXPECT_GE(record.step.action.worker, 3U) << seed;
      ++refusals;
    }
    // After an eighth, a quarter, a half, then every interval: at most 3 + 9 each, and no storm.
    EXPECT_GE(refusals, 2U) << seed;
    EXPECT_LE(refusals, 24U) << seed;
    EXPECT_EQ(holders_at(r, 39 * kSecond), 3U) << seed;
    EXPECT_EQ(holders_at(r, 50 * kSecond), 5U) << seed;
  }
}

}  // namespace
}  // namespace nandi::sim
