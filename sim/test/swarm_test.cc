// What seeds draw of a swarm.
#include "nandi/sim/swarm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "nandi/sim/campaign.h"
#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/properties.h"
#include "swarm_scenario.h"

namespace nandi::sim {
namespace {

constexpr std::int64_t kSecond = kNanosecondsPerSecond;

/// The events of a timeline that come from the lines before `end` of fault_sources().
std::vector<TimelineEvent> events_before(const SwarmDraw& draw, std::size_t end) {
  std::vector<TimelineEvent> events;
  for (std::size_t e = 0; e < draw.sources.size(); ++e) {
    if (draw.sources[e] < end) events.push_back(draw.scenario.timeline[e]);
  }
  return events;
}

TEST(Swarm, DrawsAPlainScenarioThatIsWrittenAndReadBackAlike) {
  const Scenario swarm = swarm_scenario();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const SwarmDraw draw = draw_swarm(swarm, seed);
    EXPECT_FALSE(draw.scenario.swarm);
    EXPECT_EQ(draw.sources.size(), draw.scenario.timeline.size());
    EXPECT_EQ(read_back(draw.scenario), draw.scenario) << written(draw.scenario);
  }
}

TEST(Swarm, ADrawnScenarioRunsAsItsSeedDoes) {
  const Scenario swarm = swarm_scenario();
  const Simulator simulator(swarm);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Scenario drawn = read_back(draw_swarm(swarm, seed).scenario);
    EXPECT_EQ(Simulator(drawn).run(seed).trace_hash, simulator.run(seed).trace_hash) << seed;
  }
}

TEST(Swarm, AnotherFaultSeedLeavesWorkloadAndNetworkAsTheyWere) {
  const Scenario swarm = swarm_scenario();
  Scenario other = swarm;
  other.swarm->fault_seed = 99;
  const std::size_t workload = swarm.swarm->membership.size();
  int differing = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const SwarmDraw a = draw_swarm(swarm, seed);
    const SwarmDraw b = draw_swarm(other, seed);
    EXPECT_EQ(a.scenario.network, b.scenario.network);
    EXPECT_EQ(a.scenario.workers, b.scenario.workers);
    EXPECT_EQ(events_before(a, workload), events_before(b, workload));
    if (a.scenario.timeline != b.scenario.timeline) ++differing;
  }
  EXPECT_GT(differing, 25);
}

TEST(Swarm, LeavingAFaultOutLeavesEveryOtherEventAsItWas) {
  const Scenario swarm = swarm_scenario();
  Scenario without = swarm;
  without.swarm->faults.pop_back();  // the last line, so that the places of the others stay
  const std::size_t rest = swarm.swarm->membership.size() + without.swarm->faults.size();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(events_before(draw_swarm(swarm, seed), rest),
              draw_swarm(without, seed).scenario.timeline);
  }
}

/// Draws of two runs that have the same name are the same: the latency of a worker's message.
TEST(Swarm, AWorkerThatJoinsDrawsTheSameWhateverFaultsStartedOthersBeforeIt) {
  const Scenario base = read_scenario(yaml::Document::parse(R"(name: two
group: {interval: 1s}
workers: 2
network: {request: {lognormal: {median: 2ms, p99: 20ms}}}
timeline:
  - {at: 3s, draws_as: 5, restart: {workers: [0], down: 500ms}}
  - {at: 8s, draws_as: 9, join: {workers: 1}}
for: 20s
)",
                                                            "two.yaml"));
  Scenario without = base;
  without.timeline.erase(without.timeline.begin());
  const auto delays = [](const Scenario& scenario, WorkerId joiner) {
    RecordingSink sink;
    RunOptions options;
    options.trace = &sink;
    static_cast<void>(Simulator(scenario).run(1, options));
    std::vector<std::int64_t> values;
    std::optional<TrueTime> sent;
    for (const TraceRecord& record : sink.records()) {
      const Action& action = record.step.action;
      if (record.kind != RecordKind::action || action.worker != joiner) continue;
      if (record.attempt != 0) sent = record.step.at;
      if (action.kind == ActionKind::execute && sent) {
        values.push_back((record.step.at - *sent).count());
      }
    }
    return values;
  };
  const std::vector<std::int64_t> with_restart = delays(base, 3);
  ASSERT_GT(with_restart.size(), 5U);
  EXPECT_EQ(with_restart, delays(without, 2));
}

TEST(Swarm, KeptAssumptionsAreBrokenByNoDrawnEvent) {
  const Scenario swarm = swarm_scenario();
  int steps = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const SwarmDraw draw = draw_swarm(swarm, seed);
    for (const TimelineEvent& event : draw.scenario.timeline) {
      EXPECT_TRUE(broken_by(event.event, swarm).empty()) << written(draw.scenario);
      const auto* step = std::get_if<ClockStep>(&event.event);
      if (step == nullptr) continue;
      ++steps;
      // The margin: a gap of 0.15 s.
      EXPECT_LT(step->by, Duration(kSecond * 15 / 100));
      EXPECT_GT(step->by, Duration(-kSecond * 15 / 100));
    }
  }
  EXPECT_GT(steps, 30);
}

TEST(Swarm, DroppedAssumptionsAreBrokenAndOnlyThose) {
  Scenario swarm = swarm_scenario();
  swarm.swarm->assumptions_kept = false;
  swarm.swarm->drop = {"counter"};
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (const TimelineEvent& event : draw_swarm(swarm, seed).scenario.timeline) {
      ++seen[event_name(event.event)];
      EXPECT_FALSE(broken_by(event.event, swarm).has(Assumption::store_clock));
    }
  }
  EXPECT_GT(seen["flushall"], 0);
  EXPECT_GT(seen["clock_step"], 0) << "within the margin";
}

TEST(Swarm, AFaultThatIsOffIsReportedAsOffAndDoesNotMakeTheRunUnknown) {
  const Scenario swarm = swarm_scenario();
  const std::vector<FaultSource> sources = fault_sources(swarm);
  const auto flush = std::find_if(sources.begin(), sources.end(),
                                  [](const FaultSource& s) { return s.name == "flushall"; });
  ASSERT_NE(flush, sources.end());
  EXPECT_FALSE(flush->is_on);
  EXPECT_EQ(flush->reason, "counter");
}

TEST(Swarm, EveryFaultOfTheCatalogueTakesWhatItsStrengthsSay) {
  for (const std::string& name : swarm_fault_names()) {
    const std::vector<std::string> keys = swarm_strengths(name);
    const FaultInfo& info = *find_fault(name);
    const bool strikes_workers = info.strength.find("workers") != std::string_view::npos;
    const bool takes_workers = std::find(keys.begin(), keys.end(), "workers") != keys.end();
    EXPECT_TRUE(takes_workers || !strikes_workers) << name;
  }
}

TEST(Swarm, AStrengthThatAFaultDoesNotHaveIsRefused) {
  try {
    static_cast<void>(swarm_scenario("    script_flush: {by: 3s}\n"));
    FAIL() << "was read";
  } catch (const yaml::LoadError& error) {
    EXPECT_THAT(error.what(),
                ::testing::AllOf(::testing::HasSubstr("unknown key"), ::testing::HasSubstr("by")));
  }
}

TEST(Swarm, AGroupThatCannotBecomeWholeViolatesTheLivenessPhaseAndSaysWhoLacksWhat) {
  // The store hangs when the faults end, and this ends by itself only; the bound is one interval,
  // fewer than the two agreeing ones that any pair takes.
  Scenario scenario = read_scenario(yaml::Document::parse(R"(name: late
group: {interval: 1s}
workers: 2
settle: {from: 10s, within: 1}
timeline: [{at: 9s, crash: {workers: [0]}}, {at: 9500ms, join: {workers: 1}}]
for: 12s
)",
                                                          "late.yaml"));
  CampaignOptions options;
  options.seeds = {1, 5};
  const CampaignResult result = run_campaign(Simulator(scenario), options);
  const std::size_t place = property_infos().size() - 1;
  ASSERT_EQ(property_infos()[place].name, "settles-after-faults");
  EXPECT_EQ(result.properties[place].runs_violated, 5U);
  EXPECT_THAT(result.properties[place].first->text, ::testing::HasSubstr("pending: w1"));

  // Cut off before the bound it is neither: hot at the end of what was looked at is no defect.
  options.length = Duration(10 * kSecond + kSecond / 2);
  const CampaignResult cut = run_campaign(Simulator(scenario), options);
  EXPECT_EQ(cut.properties[place].runs_violated, 0U);
  EXPECT_EQ(cut.properties[place].reached, 0U);
  scenario.expect.properties = {"settles-after-faults"};
  EXPECT_EQ(judge(scenario, cut).verdict, Verdict::unknown);

  scenario.settle->within = 6;
  scenario.length = Duration(16 * kSecond);
  options.length.reset();
  EXPECT_EQ(run_campaign(Simulator(scenario), options).properties[place].runs_violated, 0U);
}

TEST(Swarm, AGroupWithAStalledMemberIsNotSettledHoweverLongItLasts) {
  const Scenario scenario = read_scenario(yaml::Document::parse(R"(name: stalled
group: {interval: 1s}
workers: 2
timeline: [{at: 10s, pause: {workers: [1], for: 25s}}]
for: 45s
)",
                                                                "stalled.yaml"));
  CampaignOptions options;
  options.seeds = {1, 10};
  const CampaignResult result = run_campaign(Simulator(scenario), options);
  for (std::size_t p = 0; p < property_infos().size(); ++p) {
    if (property_infos()[p].name != "complete-when-settled") continue;
    EXPECT_EQ(result.properties[p].runs_violated, 0U);
  }
}

TEST(Swarm, HoldsWithAssumptionsKeptAndIsTheSameInOneThreadAndInThree) {
  const Simulator simulator(swarm_scenario());
  CampaignOptions options;
  options.seeds = {1, 300};
  const CampaignResult one = run_campaign(simulator, options);
  options.jobs = 3;
  const CampaignResult three = run_campaign(simulator, options);
  EXPECT_EQ(one.runs_violated, 0U);
  EXPECT_EQ(one.trace_hash, three.trace_hash);
  EXPECT_EQ(one.statistics, three.statistics);
  EXPECT_EQ(one.by_seed, three.by_seed);
  EXPECT_EQ(one.faults, three.faults);
  EXPECT_GT(one.by_seed.settled.count(), 250U);
}

}  // namespace
}  // namespace nandi::sim
