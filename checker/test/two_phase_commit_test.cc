#include "models/two_phase_commit.h"

#include <gtest/gtest.h>

#include "nandi/checker/explorer.h"

namespace nandi::checker {
namespace {

using models::TwoPhaseCommit;

// The counts that TLC prints for Lamport's TwoPhase; models/two_phase_commit.h derives them.
constexpr std::uint64_t kPublished[][2] = {{3, 288}, {5, 8832}, {7, 296448}, {8, 1745408}};

TEST(TwoPhaseCommit, HasThePublishedNumberOfStatesBreadthFirst) {
  for (const auto& [managers, states] : kPublished) {
    const TwoPhaseCommit model(static_cast<unsigned>(managers));
    ASSERT_EQ(TwoPhaseCommit::reachable_states(static_cast<unsigned>(managers)), states);
    const auto result = explore_breadth_first(model);
    EXPECT_EQ(result.summary.verdict, sim::Verdict::holds) << result.summary.evidence;
    EXPECT_EQ(result.summary.counts.states, states);
    EXPECT_EQ(result.summary.counts.frontier, 0U);
    // The farthest state: each prepares, is heard of and learns of the commit, one commit.
    EXPECT_EQ(result.summary.counts.depth, 3 * managers + 1);
  }
}

TEST(TwoPhaseCommit, HasThePublishedNumberOfStatesDepthFirst) {
  for (const auto& [managers, states] : kPublished) {
    const TwoPhaseCommit model(static_cast<unsigned>(managers));
    const auto result = explore_depth_first(model);
    EXPECT_EQ(result.summary.verdict, sim::Verdict::holds) << result.summary.evidence;
    EXPECT_EQ(result.summary.counts.states, states);
  }
}

TEST(TwoPhaseCommit, TakesAtMost32BytesAState) {
  const auto result = explore_breadth_first(TwoPhaseCommit(8));
  EXPECT_LE(result.summary.counts.bytes, 32 * result.summary.counts.states);
}

// With two resource managers, one heard of: A prepares, is heard of, the coordinator commits, A
// learns of it, B aborts of its own accord. Nothing shorter has a committed and an aborted one.
TEST(TwoPhaseCommit, AHastyCoordinatorIsCaughtInFiveSteps) {
  const TwoPhaseCommit model(2, true);
  const auto result = explore_breadth_first(model);
  ASSERT_EQ(result.summary.verdict, sim::Verdict::violated);
  EXPECT_EQ(result.summary.violated, "never both committed and aborted");
  EXPECT_EQ(result.counterexample->steps.size(), 5U);
}

}  // namespace
}  // namespace nandi::checker
