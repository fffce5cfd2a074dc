#include "nandi/checker/fingerprint_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/counter_race.h"
#include "models/endless_tree.h"
#include "models/fair_graph.h"
#include "models/fischer.h"
#include "models/graph.h"
#include "models/lamp.h"
#include "models/two_phase_commit.h"
#include "models/unjudged.h"
#include "nandi/checker/explorer.h"
#include "search_results.h"

namespace nandi::checker {
namespace {

using models::CounterRace;
using models::EndlessTree;
using models::FairGraph;
using models::Fischer;
using models::Graph;
using models::Lamp;
using models::TwoPhaseCommit;
using testing::HasSubstr;

const FairGraph kFair({{{1, 0}, {0}}, {{2}, {0, 1}}, {{1}}}, {2}, LivenessKind::returns);

// Among so few states a collision has a probability below 10^-7: what differs is a defect.
template <Model M>
void expect_fingerprints_alike(const M& model, const Bounds& bounds = {}) {
  ExploreOptions plain;
  plain.bounds = bounds;
  const auto exact = explore_breadth_first(model, plain);
  for (const std::size_t threads : {1U, 2U}) {
    ExploreOptions options = plain;
    options.fingerprints = true;
    options.threads = threads;
    options.least_shared_states = 1;
    const auto found = explore_breadth_first(model, options);
    EXPECT_EQ(found.summary.verdict, exact.summary.verdict);
    EXPECT_EQ(found.summary.counts.states, exact.summary.counts.states);
    EXPECT_EQ(found.summary.counts.transitions, exact.summary.counts.transitions);
    EXPECT_EQ(found.summary.counts.depth, exact.summary.counts.depth);
    EXPECT_EQ(found.summary.counts.terminal, exact.summary.counts.terminal);
    ASSERT_EQ(found.counterexample.has_value(), exact.counterexample.has_value());
    if (!found.counterexample) continue;
    EXPECT_EQ(describe_path(model, *found.counterexample),
              describe_path(model, *exact.counterexample));
    EXPECT_THAT(found.summary.evidence, HasSubstr("unless fingerprints collided"));
  }
}

TEST(FingerprintStore, TheModelsOfTheTestsComeOutAlike) {
  expect_fingerprints_alike(Lamp());
  expect_fingerprints_alike(models::Unjudged<Lamp>());
  expect_fingerprints_alike(CounterRace(2));
  expect_fingerprints_alike(models::Unjudged<CounterRace>(3));
  expect_fingerprints_alike(Graph({{1, 2}, {3}, {3}, {}}, {0}, {}));
  expect_fingerprints_alike(Fischer(3, 2, 3));
  expect_fingerprints_alike(Fischer(3, 2, 2));
  expect_fingerprints_alike(TwoPhaseCommit(7));
  expect_fingerprints_alike(kFair);
  Bounds bounds;
  bounds.max_states = 3000;
  expect_fingerprints_alike(EndlessTree(), bounds);
}

TEST(FingerprintStore, TheVerdictNamesItsProbabilityOfError) {
  ExploreOptions options;
  options.fingerprints = true;
  const auto result = explore_breadth_first(TwoPhaseCommit(6), options);
  ASSERT_EQ(result.summary.verdict, sim::Verdict::holds);
  const auto n = static_cast<double>(result.summary.counts.states);
  EXPECT_DOUBLE_EQ(result.summary.collision_probability, n * (n - 1) / 2 / 18446744073709551616.0);
  EXPECT_THAT(result.summary.evidence, HasSubstr("collision probability at most "));
}

TEST(FingerprintStore, ProbabilitiesAreRoundedUp) {
  // 2^32 states: 2^32 (2^32 - 1) / 2^65, a hair below one half.
  EXPECT_NEAR(collision_probability(std::uint64_t{1} << 32U), 0.5, 1e-9);
  EXPECT_EQ(collision_probability(0), 0);
  EXPECT_EQ(collision_probability(1), 0);
  EXPECT_EQ(collision_probability(~std::uint64_t{0}), 1);
  EXPECT_GE(std::stod(probability_text(1.04e-9)), 1.04e-9);
}

// Strongly universal: over the keys, the difference of two states' fingerprints is uniform. Its top
// byte is zero, or all ones with a borrow, for about 2 of 256 seeds; 2^16 seeds give 512 on average
// with a standard deviation of 23.
TEST(FingerprintStore, StatesOfOneBitDifferenceAreToldApartByTheKey) {
  const std::uint64_t one[2] = {0x0123456789ABCDEF, 77};
  const std::uint64_t other[2] = {0x0123456789ABCDEF, 76};
  unsigned near = 0;
  for (std::uint64_t seed = 0; seed < 65536; ++seed) {
    const Fingerprint fingerprint(2, seed);
    const std::uint64_t difference = fingerprint(one) - fingerprint(other);
    near += difference >> 56U == 0 || difference >> 56U == 0xFF ? 1U : 0U;
  }
  EXPECT_NEAR(near, 512, 6 * 23);
}

TEST(FingerprintStore, ABoundOnMemoryEndsInUnknown) {
  ExploreOptions options;
  options.fingerprints = true;
  options.bounds.max_bytes = 1U << 20U;
  const auto result = explore_breadth_first(TwoPhaseCommit(8), options);
  EXPECT_EQ(result.summary.reason, StopReason::max_memory);
  EXPECT_LE(result.summary.counts.bytes, options.bounds.max_bytes);
  EXPECT_GT(result.summary.counts.frontier, 0U);
}

TEST(FingerprintStore, ADepthFirstSearchKeepsItsStates) {
  ExploreOptions options;
  options.fingerprints = true;
  EXPECT_THROW(explore_depth_first(Lamp(), options), std::invalid_argument);
}

}  // namespace
}  // namespace nandi::checker
