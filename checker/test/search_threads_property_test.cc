// Several threads find what one finds, in the same order: the counts, the verdict, the
// counterexample and the end at a bound are those of one thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "models/counter_race.h"
#include "models/endless_tree.h"
#include "models/fair_graph.h"
#include "models/fischer.h"
#include "models/graph.h"
#include "models/lamp.h"
#include "models/two_phase_commit.h"
#include "models/unjudged.h"
#include "nandi/checker/crew.h"
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

// Even a single state is shared, so that small models take the same road as large ones.
ExploreOptions shared(std::size_t threads, const Bounds& bounds = {}) {
  ExploreOptions options;
  options.threads = threads;
  options.least_shared_states = 1;
  options.bounds = bounds;
  return options;
}

template <Model M>
void expect_any_threads_alike(const M& model, const Bounds& bounds = {}) {
  ExploreOptions options;
  options.bounds = bounds;
  const auto one = explore_breadth_first(model, options);
  for (const std::size_t threads : {2U, 3U, 8U}) {
    SCOPED_TRACE(threads);
    expect_same(model, one, explore_breadth_first(model, shared(threads, bounds)));
  }
}

TEST(SearchThreads, SmallModelsAreExploredAlike) {
  expect_any_threads_alike(Lamp());
  expect_any_threads_alike(models::Unjudged<Lamp>());
  expect_any_threads_alike(CounterRace(2));
  expect_any_threads_alike(models::Unjudged<CounterRace>(3));
  expect_any_threads_alike(Graph({{1, 2}, {3}, {3}, {}}, {0}, {}));
  expect_any_threads_alike(Graph({{0}}, {0}, {}));
  expect_any_threads_alike(Graph({{1}, {}}, {1, 0}, {0}));
  expect_any_threads_alike(Graph({}, {}, {}));
  expect_any_threads_alike(
      FairGraph({{{1, 0}, {0}}, {{2}, {0, 1}}, {{1}}}, {2}, LivenessKind::returns));
}

TEST(SearchThreads, FischerIsExploredAlikeWithRightAndWrongConstants) {
  expect_any_threads_alike(Fischer(3, 2, 3));
  expect_any_threads_alike(Fischer(3, 2, 2));
}

// 1,745,408 states, the count that the model's header derives: rounds of full length.
TEST(SearchThreads, TwoPhaseCommitHasItsStates) {
  const TwoPhaseCommit model(8);
  const auto one = explore_breadth_first(model);
  EXPECT_EQ(one.summary.counts.states, 1'745'408U);
  expect_same(model, one, explore_breadth_first(model, shared(2)));
}

TEST(SearchThreads, ABoundEndsAtTheSameState) {
  for (const std::uint64_t states : {1U, 2U, 999U, 1000U, 70'000U}) {
    SCOPED_TRACE(states);
    Bounds bounds;
    bounds.max_states = states;
    expect_any_threads_alike(TwoPhaseCommit(7), bounds);
  }
  Bounds bounds;
  bounds.max_bytes = 1U << 20U;
  expect_any_threads_alike(TwoPhaseCommit(7), bounds);
  bounds = {};
  bounds.max_depth = 9;
  expect_any_threads_alike(TwoPhaseCommit(7), bounds);
}

TEST(SearchThreads, AnErrorInAPropertyIsNoVerdictAndLeavesTheSameStates) {
  const EndlessTree model(1000, std::nullopt);
  std::set<std::string> texts;
  for (const std::size_t threads : {1U, 2U, 8U}) {
    try {
      explore_breadth_first(model, shared(threads));
      FAIL() << "no error with " << threads << " threads";
    } catch (const ExplorationError& error) {
      texts.insert(error.what());
      EXPECT_EQ(error.counts().states, 1001U);
      EXPECT_GT(error.counts().frontier, 0U);
    }
  }
  EXPECT_EQ(texts.size(), 1U);
}

TEST(SearchThreads, AnErrorInAnExpansionIsNoVerdict) {
  const EndlessTree model(std::nullopt, 1000);
  EXPECT_THROW(explore_breadth_first(model, shared(4)), ExplorationError);
}

TEST(SearchThreads, AKnownViolationIsFoundEveryTime) {
  const Fischer model(3, 2, 2);
  const auto one = explore_breadth_first(model);
  ASSERT_EQ(one.summary.verdict, sim::Verdict::violated);
  for (int run = 0; run < 50; ++run) {
    for (const std::size_t threads : {1U, 2U, 8U, 32U}) {
      const auto found = explore_breadth_first(model, shared(threads));
      ASSERT_EQ(found.summary.verdict, sim::Verdict::violated);
      ASSERT_EQ(found.counterexample->steps.size(), one.counterexample->steps.size());
    }
  }
}

TEST(SearchThreads, AnInterruptEndsARunOfSeveralThreads) {
  std::atomic<bool> interrupt{false};
  ExploreOptions options = shared(2);
  options.interrupt = &interrupt;
  options.progress_seconds = 0.01;
  options.progress = [&](const Progress&) { interrupt = true; };
  const auto result = explore_breadth_first(EndlessTree(), options);
  EXPECT_EQ(result.summary.reason, StopReason::interrupted);
  EXPECT_GT(result.summary.counts.frontier, 0U);
}

TEST(SearchThreads, ADepthFirstSearchHasOneThread) {
  EXPECT_THROW(explore_depth_first(Lamp(), shared(2)), std::invalid_argument);
  EXPECT_THROW(explore_breadth_first(Lamp(), shared(0)), std::invalid_argument);
  EXPECT_THROW(explore_breadth_first(Lamp(), shared(kMostThreads + 1)), std::invalid_argument);
}

TEST(SearchThreads, ACrewDoesAllPartsAndSaysWhetherOneFailed) {
  Crew crew(4);
  std::atomic<std::uint64_t> parts{0};
  for (int round = 0; round < 1000; ++round) {
    ASSERT_TRUE(crew.run([&](std::size_t number) { parts += number + 1; }));
  }
  EXPECT_EQ(parts, 1000U * crew.size() * (crew.size() + 1) / 2);
  EXPECT_FALSE(crew.run([&](std::size_t number) {
    if (number + 1 == crew.size()) throw std::runtime_error("planted");
  }));
  EXPECT_TRUE(crew.run([](std::size_t) {}));
}

RC_GTEST_PROP(SearchThreads, RandomGraphsAreExploredAlike, ()) {
  const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 60);
  const auto node = rc::gen::inRange<std::uint32_t>(0, nodes);
  const auto some = [&](int size) {
    return *rc::gen::resize(size, rc::gen::container<std::vector<std::uint32_t>>(node));
  };
  std::vector<std::vector<std::uint32_t>> edges(nodes);
  for (auto& targets : edges) targets = some(4);
  const Graph model(edges, some(2), some(2));
  const auto one = explore_breadth_first(model);
  const auto threads = *rc::gen::inRange<std::size_t>(2, 5);
  const auto several = explore_breadth_first(model, shared(threads));
  RC_ASSERT(one.summary.evidence == several.summary.evidence);
  RC_ASSERT(one.summary.counts.states == several.summary.counts.states);
  RC_ASSERT(one.summary.counts.transitions == several.summary.counts.transitions);
  RC_ASSERT(one.counterexample.has_value() == several.counterexample.has_value());
  if (one.counterexample) {
    RC_ASSERT(describe_path(model, *one.counterexample) ==
              describe_path(model, *several.counterexample));
  }
}

}  // namespace
}  // namespace nandi::checker
