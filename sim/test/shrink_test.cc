// Failing seeds of broken protocols become small scenario files that fail alike.
#include "nandi/sim/shrink.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "nandi/sim/campaign.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/properties.h"
#include "schedule_line.h"
#include "swarm_scenario.h"

namespace nandi::sim {
namespace {

/// An engine that is broken on purpose, and the claim that a campaign has to find it by.
struct Planted {
  const char* property;
  std::function<void(Scenario&)> break_it;
  std::size_t most_lines;
};

std::ostream& operator<<(std::ostream& out, const Planted& planted) {
  return out << planted.property;
}

std::size_t place_of(const std::string& property) {
  for (std::size_t p = 0; p < property_infos().size(); ++p) {
    if (property_infos()[p].name == property) return p;
  }
  throw std::logic_error("no property " + property);
}

std::uint64_t first_failing(const Scenario& scenario, const std::string& property,
                            std::uint64_t last) {
  CampaignOptions options;
  options.seeds = {1, last};
  const CampaignResult result = run_campaign(Simulator(scenario), options);
  const PropertyTally& tally = result.properties[place_of(property)];
  EXPECT_GT(tally.runs_violated, 0U) << property << " was not caught";
  return tally.first_seed;
}

/// The file's own verdict: violated, and of the property that it names.
bool is_as_declared(const Scenario& scenario) {
  CampaignOptions options;
  options.seeds = scenario.seeds;
  return judge(scenario, run_campaign(Simulator(scenario), options)).as_expected;
}

class PlantedViolation : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedViolation, IsCaughtInACampaignAndBecomesAShortFileThatFailsAlike) {
  const Planted& planted = GetParam();
  Scenario scenario = swarm_scenario();
  planted.break_it(scenario);
  const std::uint64_t seed = first_failing(scenario, planted.property, 400);
  std::vector<Regression> kept;
  ShrinkOptions options;
  options.improved = [&](const Regression& regression) { kept.push_back(regression); };
  const Regression shrunk = shrink(scenario, seed, planted.property, options);
  EXPECT_TRUE(shrunk.is_schedule);
  EXPECT_LE(shrunk.lines, planted.most_lines) << written(shrunk.scenario);
  ASSERT_GE(kept.size(), 2U);
  EXPECT_EQ(kept.front().tried, 0U) << "the first file comes before anything is tried";
  EXPECT_LT(kept.back().lines, kept.front().lines);
  // Every file on the way is a history of the model, and fails as it says (a schedule that could
  // not happen is refused).
  for (const Regression& each : kept) {
    const Scenario again = read_back(each.scenario);
    EXPECT_EQ(again, each.scenario);
    EXPECT_TRUE(is_as_declared(again)) << written(again);
    EXPECT_EQ(again.expect.property, planted.property);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shrink, PlantedViolation,
    ::testing::Values(Planted{"lease-exclusive", [](Scenario& s) { s.rules.agreement = 1; }, 12},
                      Planted{"work-exclusive", [](Scenario& s) { s.rules.agreement = 1; }, 14},
                      Planted{"one-count", [](Scenario& s) { s.rules.agreement = 1; }, 12},
                      Planted{"tasks-disjoint", [](Scenario& s) { s.rules.agreement = 1; }, 12},
                      Planted{"held-within-expiry",
                              [](Scenario& s) { s.rules.margin = Fraction(1, 2); }, 8}),
    [](const ::testing::TestParamInfo<Planted>& planted) {
      std::string name = planted.param.property;
      for (char& c : name) {
        if (c == '-') c = '_';
      }
      return name;
    });

TEST(Shrink, ARandomFailureOfHundredsOfActionsBecomesAtMostADozenLines) {
  Scenario scenario = swarm_scenario();
  scenario.swarm->workers = CountRange{5, 8};
  scenario.rules.agreement = 1;
  // The first seed whose history is long enough.
  const Simulator simulator(scenario);
  const std::size_t place = place_of("lease-exclusive");
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const RunResult run = simulator.run(seed);
    if (run.properties[place].violated == 0) continue;
    std::vector<Regression> kept;
    ShrinkOptions options;
    options.improved = [&](const Regression& regression) { kept.push_back(regression); };
    const Regression shrunk = shrink(scenario, seed, "lease-exclusive", options);
    if (kept.front().scenario.schedule.size() < 200) continue;
    EXPECT_LE(shrunk.lines, 12U) << written(shrunk.scenario);
    EXPECT_TRUE(is_as_declared(read_back(shrunk.scenario)));
    return;
  }
  FAIL() << "no failing history of 200 actions";
}

TEST(Shrink, AClaimAboutHowLongThingsTakeStaysATimelineUnderItsSeed) {
  Scenario scenario = swarm_scenario();
  scenario.settle->within = 1;  // fewer intervals than any pair takes
  const std::uint64_t seed = first_failing(scenario, "settles-after-faults", 100);
  const Regression shrunk = shrink(scenario, seed, "settles-after-faults", {});
  EXPECT_FALSE(shrunk.is_schedule);
  EXPECT_TRUE(shrunk.scenario.schedule.empty());
  EXPECT_LE(shrunk.lines, 2U) << written(shrunk.scenario);
  EXPECT_EQ(shrunk.scenario.seeds, (SeedRange{seed, seed}));
  EXPECT_TRUE(is_as_declared(read_back(shrunk.scenario)));
}

TEST(Shrink, StoppedAtOnceItKeepsTheFailingRunAsItIs) {
  Scenario scenario = swarm_scenario();
  scenario.rules.agreement = 1;
  const std::uint64_t seed = first_failing(scenario, "lease-exclusive", 400);
  const std::atomic<bool> stop{true};
  ShrinkOptions options;
  options.stop = &stop;
  const Regression kept = shrink(scenario, seed, "lease-exclusive", options);
  EXPECT_TRUE(is_as_declared(read_back(kept.scenario)));
}

TEST(Shrink, ASeedThatDoesNotFailIsRefused) {
  EXPECT_THROW(static_cast<void>(shrink(swarm_scenario(), 1, "lease-exclusive", {})),
               std::invalid_argument);
}

TEST(ScheduleLine, ARegistrationAtOneMomentIsOneLineAndBackAgain) {
  const auto at = [](std::int64_t time, ActionKind kind, AttemptId attempt) {
    TimedAction timed;
    timed.at = TrueTime(time);
    timed.action.kind = kind;
    timed.action.attempt = attempt;
    timed.action.worker = 3;
    return timed;
  };
  const std::vector<TimedAction> schedule = {
      at(5, ActionKind::wake, 0),    at(5, ActionKind::execute, 7), at(5, ActionKind::deliver, 7),
      at(8, ActionKind::wake, 0),    at(9, ActionKind::execute, 8), at(9, ActionKind::deliver, 8),
      at(9, ActionKind::execute, 6), at(9, ActionKind::take, 0)};
  const std::vector<ScheduleLine> lines = lines_of(schedule);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[0].registers);
  EXPECT_FALSE(lines[1].registers) << "its parts lie apart";
  EXPECT_EQ(actions_of(lines), schedule);
}

}  // namespace
}  // namespace nandi::sim
