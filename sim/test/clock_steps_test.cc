// What steps of the store's clock do: scenarios/steps/ and its table in scenarios/README.md.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "cli/summary.h"
#include "nandi/sim/campaign.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/yaml/document.h"

namespace nandi::sim {
namespace {

const std::filesystem::path kSteps = std::filesystem::path(NANDI_SCENARIOS_DIR) / "steps";

CampaignResult run(const Scenario& scenario) {
  CampaignOptions options;
  options.seeds = scenario.schedule.empty() ? scenario.seeds : SeedRange{1, 1};
  return run_campaign(Simulator(scenario), options);
}

struct StandDowns {
  Histogram all;
  std::uint64_t seeds = 0;
  bool are_exclusive = false;
};

StandDowns of(const std::string& name) {
  const Scenario scenario = load_scenario(kSteps / (name + ".yaml"));
  const CampaignResult result = run(scenario);
  return {cli::all_stand_downs(result.statistics), result.runs,
          judge(scenario, result).verdict == Verdict::holds};
}

/// In hundredths of an interval, which is 5 s here.
std::int64_t hundredths(Duration duration) { return duration.count() / 50'000'000; }

void expect_between(const StandDowns& found, std::int64_t least, std::int64_t most) {
  EXPECT_TRUE(found.are_exclusive);
  ASSERT_FALSE(found.all.empty());
  EXPECT_GE(hundredths(found.all.least()), least);
  EXPECT_LE(hundredths(found.all.most()), most);
}

TEST(ClockSteps, TheTableSaysWhatEachFileDoes) {
  std::ifstream page(kSteps.parent_path() / "README.md");
  std::set<std::string> lines;
  for (std::string line; std::getline(page, line);) lines.insert(line + "\n");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSteps)) {
    const Scenario scenario = load_scenario(entry.path());
    const CampaignResult result = run(scenario);
    const std::string row = cli::table_row(scenario, result, judge(scenario, result));
    EXPECT_EQ(lines.count(row), 1U) << row;
    ++files;
  }
  EXPECT_EQ(files, 17U);
}

// Four slots are (1 - 2 * 0.15) / 4 = 0.175 of an interval apart, more than a gap of 0.15: no step
// of a gap makes neighbours change places, nor takes a registration out of its interval, since
// every slot is more than a gap away from either end of it.
TEST(ClockSteps, UpToAGapNobodyInASettledGroupOfFourStandsDown) {
  for (const char* name :
       {"steady-forward-1ms", "steady-back-1ms", "steady-forward-gap", "steady-back-gap"}) {
    SCOPED_TRACE(name);
    const StandDowns found = of(name);
    EXPECT_TRUE(found.are_exclusive);
    EXPECT_TRUE(found.all.empty());
  }
}

// A member stands down from its tick in the interval after the join's to that in the next: an
// interval, one slot more or less: 0.14 with five members, and half that from the other count.
TEST(ClockSteps, AMillisecondAddsNothingToTheStandDownOfAJoin) {
  for (const char* name : {"join-forward-1ms", "join-back-1ms"}) {
    SCOPED_TRACE(name);
    const StandDowns found = of(name);
    EXPECT_EQ(found.all.count(), 4 * found.seeds);
    expect_between(found, 79, 121);
  }
}

// The same, a gap more or less; and forward another interval where neighbours, whose slots are
// 0.14 apart now, change places because a step of 0.15 lies between their registrations. That takes
// both to be within the 0.01 that remain, or as much as the network delays them: it is rare.
TEST(ClockSteps, AGapChangesTheStandDownOfAJoinByAGap) {
  const StandDowns back = of("join-back-gap");
  EXPECT_EQ(back.all.count(), 4 * back.seeds);
  expect_between(back, 79 - 15, 121 + 15);
  const StandDowns forward = of("join-forward-gap");
  expect_between(forward, 79 - 15, 221 + 15);
  EXPECT_LE(hundredths(forward.all.percentile(95)), 121 + 15);
}

// The first registration after the step is a worker's first, as after a start: the next pair comes
// at its tick two intervals later, or three where neighbours have changed places. Ticks lie in
// [g, 1 - g], so that is 2 - 0.7 to 3 + 0.7 intervals. A day back finds no counter of that time.
TEST(ClockSteps, OneOfWholeIntervalsForwardOrOfADayMakesEverybodyStartAnew) {
  for (const char* place : {"steady", "join"}) {
    for (const char* step : {"-forward-interval", "-forward-day", "-back-day"}) {
      SCOPED_TRACE(std::string(place) + step);
      const StandDowns found = of(std::string(place) + step);
      EXPECT_EQ(found.all.count(), 4 * found.seeds);
      expect_between(found, 130, 370);
    }
  }
}

// An interval back everybody registers in one interval for the second time, and the count of that
// one is no group's: one interval more. Where it agrees by chance there are further stand-downs.
TEST(ClockSteps, AnIntervalBackCostsOneIntervalMore) {
  for (const char* name : {"steady-back-interval", "join-back-interval"}) {
    SCOPED_TRACE(name);
    const StandDowns found = of(name);
    EXPECT_GE(found.all.count(), 4 * found.seeds);
    expect_between(found, 50, 470);
    EXPECT_GE(hundredths(found.all.percentile(50)), 230);
  }
}

// By hand: the lease ends at (3 + 0.675 + 0.15) intervals, less the resolution; index 0 is taken up
// again at 4 + 0.325 intervals of the store's clock. The difference is half an interval and 1 ms.
TEST(ClockSteps, TheSmallestStepBetweenTwoWorkersIsJustAboveHalfAnInterval) {
  const Scenario file = load_scenario(kSteps / "smallest-of-two.yaml");
  for (const int step : {2490, 2501, 2502, 2510}) {
    std::ostringstream text;
    write_scenario(file, text);
    std::string yaml = text.str();
    const auto replace = [&](const std::string& old, const std::string& by) {
      const std::size_t at = yaml.find(old);
      ASSERT_NE(at, std::string::npos) << old;
      yaml.replace(at, old.size(), by);
    };
    replace("value: 2502000000", "value: " + std::to_string(step) + "000000");
    replace("at: 19123ms", "at: " + std::to_string(21625 - step) + "ms");
    const Scenario scenario = read_scenario(yaml::Document::parse(yaml, "step.yaml"));
    const Verdict verdict = judge(scenario, run(scenario)).verdict;
    EXPECT_EQ(verdict == Verdict::violated, step > 2501) << step;
  }
}

}  // namespace
}  // namespace nandi::sim
