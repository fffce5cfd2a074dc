#include "nandi/checker/random_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>

#include "models/counter_race.h"
#include "models/endless_tree.h"
#include "models/graph.h"
#include "models/lamp.h"
#include "models/two_phase_commit.h"

namespace nandi::checker {
namespace {

using models::CounterRace;
using models::EndlessTree;
using models::Graph;
using models::Lamp;
using testing::HasSubstr;

WalkOptions seeded(std::uint64_t seed) {
  WalkOptions options;
  options.seed = seed;
  return options;
}

TEST(RandomWalk, FindsTheLostUpdateAndReplaysIt) {
  const CounterRace model(2);
  const auto result = explore_random_walk(model, seeded(1));
  ASSERT_EQ(result.summary.verdict, sim::Verdict::violated);
  // Every run of the race has four steps.
  EXPECT_EQ(result.counterexample->steps.size(), 4U);
  EXPECT_EQ(replay_path(model, *result.counterexample) & 1U, 1U);
  EXPECT_THAT(result.summary.evidence, HasSubstr("not minimal"));
}

TEST(RandomWalk, CutsTheLoopsOutOfItsPath) {
  // The lamp is pressed any number of times before the bulb burns out; without loops: twice.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto result = explore_random_walk(Lamp(), seeded(seed));
    ASSERT_EQ(result.summary.verdict, sim::Verdict::violated);
    EXPECT_EQ(result.counterexample->steps.size(), 2U);
  }
}

TEST(RandomWalk, NeverSaysThatAnythingHolds) {
  WalkOptions options = seeded(3);
  options.max_steps = 50'000;
  const auto result = explore_random_walk(models::TwoPhaseCommit(2), options);
  EXPECT_EQ(result.summary.verdict, sim::Verdict::unknown);
  EXPECT_EQ(result.summary.reason, StopReason::max_steps);
  EXPECT_THAT(result.summary.evidence, HasSubstr("no violation in 50000 steps of "));
}

TEST(RandomWalk, WithoutAnInitialStateEndsInUnknown) {
  EXPECT_EQ(explore_random_walk(Graph({{}}, {}, {}), seeded(1)).summary.evidence,
            "vacuous: there is no initial state");
}

TEST(RandomWalk, TheSameSeedWalksTheSameWayAndAnotherSeedAnother) {
  std::set<std::string> paths;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const CounterRace model(4);
    const auto first = explore_random_walk(model, seeded(seed));
    const auto second = explore_random_walk(model, seeded(seed));
    const std::string path = describe_path(model, *first.counterexample);
    EXPECT_EQ(path, describe_path(model, *second.counterexample));
    EXPECT_EQ(first.summary.counts.states, second.summary.counts.states);
    paths.insert(path);
  }
  EXPECT_GT(paths.size(), 1U);
}

// 64 walks of 100 from a node with 4 parallel ways on: every edge about 1,600 times of 6,400,
// standard deviation 35; the bound is 6 of them.
class FourWays : public Graph {
 public:
  FourWays() : Graph({{0, 0, 0, 0}}, {0}, {}) {}
  const std::array<ActionClass, 4>& action_classes() const {
    static constexpr std::array<ActionClass, 4> kWays = {ActionClass{"a"}, ActionClass{"b"},
                                                         ActionClass{"c"}, ActionClass{"d"}};
    return kWays;
  }
  std::size_t action_class(const Action& action) const { return action.edge; }
};

TEST(RandomWalk, TakesEveryWayOnAboutEquallyOften) {
  WalkOptions options = seeded(5);
  options.max_steps = 6400;
  options.max_length = 100;
  const auto result = explore_random_walk(FourWays(), options);
  for (const CoverageEntry& way : result.summary.coverage.action_classes) {
    EXPECT_NEAR(static_cast<double>(way.count), 1600, 210) << way.name;
  }
  EXPECT_THAT(result.summary.evidence, HasSubstr("6400 steps of 65 random walks"));
}

TEST(RandomWalk, EndsAtItsBoundOnTimeAndWhenInterrupted) {
  WalkOptions options = seeded(7);
  options.max_steps = Bounds::kUnbounded;
  options.explore.bounds.max_seconds = 0.01;
  EXPECT_EQ(explore_random_walk(EndlessTree(), options).summary.reason, StopReason::max_time);
  const std::atomic<bool> interrupt{true};
  options.explore.interrupt = &interrupt;
  EXPECT_EQ(explore_random_walk(EndlessTree(), options).summary.reason, StopReason::interrupted);
}

TEST(RandomWalk, AnErrorOnTheWayIsAnErrorAndNoVerdict) {
  EXPECT_THROW(explore_random_walk(EndlessTree(0, std::nullopt), seeded(1)), ExplorationError);
  EXPECT_THROW(explore_random_walk(EndlessTree(std::nullopt, 0), seeded(1)), ExplorationError);
}

// 0 leads to the bad 9 in one step beside a long way round; a walk takes either at each fork.
TEST(RandomWalk, KeepsSearchingForShorterViolations) {
  const Graph model({{1, 1, 1, 9}, {2}, {3, 9}, {4}, {5, 9}, {6}, {7}, {8}, {9}, {}}, {0}, {9});
  WalkOptions options = seeded(3);
  options.keep_searching = true;
  options.max_steps = 1000;
  const auto result = explore_random_walk(model, options);
  ASSERT_EQ(result.summary.verdict, sim::Verdict::violated);
  EXPECT_EQ(result.counterexample->steps.size(), 1U);
  EXPECT_THAT(result.summary.evidence, HasSubstr("the shortest of "));
}

TEST(RandomWalk, TakesNoDetours) {
  // Every walk passes 1, 2 and 3, but 0 leads to 3 as well.
  const Graph model({{1}, {2}, {3, 0}, {4}, {}}, {0}, {4});
  EXPECT_EQ(explore_random_walk(model, seeded(1)).counterexample->steps.size(), 4U);
  const Graph with_shortcut({{1, 3}, {2}, {3}, {4}, {}}, {0}, {4});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(explore_random_walk(with_shortcut, seeded(seed)).counterexample->steps.size(), 2U);
  }
}

TEST(RandomWalk, EndsWhereNothingCanBeWalked) {
  WalkOptions options = seeded(1);
  options.max_steps = 100;
  const auto result = explore_random_walk(Graph({{}}, {0}, {}), options);
  EXPECT_EQ(result.summary.reason, StopReason::max_steps);
}

// 2^20 different numbers, each twice: within four standard errors.
TEST(RandomWalk, DifferentStatesAreEstimated) {
  DistinctEstimate many;
  for (std::uint64_t i = 0; i < (std::uint64_t{2} << 20U); ++i) {
    const std::uint64_t number = i / 2;
    many.add(hash_words(&number, 1));
  }
  const double exact = 1U << 20U;
  EXPECT_NEAR(static_cast<double>(many.count()), exact,
              4 * DistinctEstimate::kStandardError * exact);
  DistinctEstimate few;
  for (std::uint64_t i = 0; i < 100; ++i) few.add(hash_words(&i, 1));
  EXPECT_NEAR(static_cast<double>(few.count()), 100, 3);
}

}  // namespace
}  // namespace nandi::checker
