// Small graphs whose answers can be read off a drawing.
#include "nandi/checker/liveness.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <limits>
#include <string>
#include <vector>

#include "models/fair_graph.h"

namespace nandi::checker {
namespace {

using models::FairGraph;
using Edges = std::vector<std::vector<FairGraph::Edge>>;
using sim::Verdict;

constexpr LivenessKind kStays = LivenessKind::stays;
constexpr LivenessKind kReturns = LivenessKind::returns;
const std::vector<FairnessRule> kWeak = {{"edge 0", FairnessKind::weak}};
const std::vector<FairnessRule> kRecurrent = {{"edge 0", FairnessKind::recurrent}};

LivenessResult<FairGraph> check(const FairGraph& graph) { return check_liveness(graph); }

std::string loop_of(const LivenessResult<FairGraph>& result) {
  if (!result.lasso) return "none";
  std::string text = fmt::format("{}", result.lasso->stem.last());
  for (const auto& step : result.lasso->loop) text += fmt::format(">{}", step.state);
  return text;
}

TEST(Liveness, a_self_loop_off_the_goal_is_a_violation_and_one_on_it_is_none) {
  const Edges edges = {{{1}}, {{1}}};
  EXPECT_EQ(check(FairGraph(edges, {1}, kStays)).summary.verdict, Verdict::holds);
  EXPECT_EQ(check(FairGraph(edges, {1}, kReturns)).summary.verdict, Verdict::holds);
  for (const LivenessKind kind : {kStays, kReturns}) {
    const auto result = check(FairGraph(edges, {0}, kind));
    EXPECT_EQ(result.summary.verdict, Verdict::violated);
    EXPECT_EQ(result.summary.violated, "goal");
    EXPECT_EQ(result.lasso->stem.steps.size(), 1U);
    EXPECT_EQ(loop_of(result), "1>1");
  }
}

// 0 -> 1 and 2, both -> 3, which stays: no loop but the last.
TEST(Liveness, a_diamond_ends_where_its_last_node_is) {
  const Edges edges = {{{1}, {2}}, {{3}}, {{3}}, {{3}}};
  EXPECT_EQ(check(FairGraph(edges, {3}, kStays)).summary.verdict, Verdict::holds);
  const auto result = check(FairGraph(edges, {0, 1, 2}, kStays));
  EXPECT_EQ(result.summary.verdict, Verdict::violated);
  EXPECT_EQ(result.lasso->stem.steps.size(), 2U);
  EXPECT_EQ(loop_of(result), "3>3");
}

TEST(Liveness, a_three_cycle_with_one_node_on_the_goal_returns_to_it_and_does_not_stay) {
  const Edges edges = {{{1}}, {{2}}, {{0}}};
  EXPECT_EQ(check(FairGraph(edges, {1}, kReturns)).summary.verdict, Verdict::holds);
  const auto result = check(FairGraph(edges, {1}, kStays));
  EXPECT_EQ(result.summary.verdict, Verdict::violated);
  EXPECT_EQ(loop_of(result), "0>1>2>0");
  EXPECT_EQ(check(FairGraph(edges, {0, 1, 2}, kStays)).summary.verdict, Verdict::holds);
}

// 0 waits in a self-loop or leaves for 1, which is on the goal.
TEST(Liveness, an_exit_that_stays_possible_is_taken_only_under_fairness) {
  const Edges unlabelled = {{{0}, {1}}, {{1}}};
  EXPECT_EQ(check(FairGraph(unlabelled, {1}, kStays)).summary.verdict, Verdict::violated);
  const Edges labelled = {{{0}, {1, 0}}, {{1}}};
  EXPECT_EQ(check(FairGraph(labelled, {1}, kStays, kWeak)).summary.verdict, Verdict::holds);
}

// The exit is possible at 0 only, and the run alternates between 0 and 1: never without a break.
TEST(Liveness, an_exit_that_is_possible_now_and_then_may_be_missed_for_ever) {
  const Edges edges = {{{1}, {2, 0}}, {{0}}, {{2}}};
  const auto result = check(FairGraph(edges, {2}, kReturns, kWeak));
  EXPECT_EQ(result.summary.verdict, Verdict::violated);
  EXPECT_EQ(loop_of(result), "0>1>0");
  // Unless it is said to happen again and again: then no run is fair that misses it.
  const Edges ticking = {{{1}, {2, 0}}, {{0}}, {{2, 0}}};
  EXPECT_EQ(check(FairGraph(ticking, {2}, kReturns, kRecurrent)).summary.verdict, Verdict::holds);
}

TEST(Liveness, a_loop_with_a_disturbing_step_is_none) {
  const Edges edges = {{{1}}, {{2}, {0, kDisturbing}}, {{2}}};
  EXPECT_EQ(check(FairGraph(edges, {2}, kStays)).summary.verdict, Verdict::holds);
  const Edges calm = {{{1}}, {{2}, {0}}, {{2}}};
  EXPECT_EQ(check(FairGraph(calm, {2}, kStays)).summary.verdict, Verdict::violated);
}

TEST(Liveness, a_run_that_ends_stays_where_it_ends) {
  const Edges edges = {{{1}}, {}};
  EXPECT_EQ(check(FairGraph(edges, {1}, kStays)).summary.verdict, Verdict::holds);
  const auto result = check(FairGraph(edges, {0}, kStays));
  EXPECT_EQ(result.summary.verdict, Verdict::violated);
  EXPECT_TRUE(result.lasso->loop.empty());
  EXPECT_EQ(result.summary.evidence, "'goal' is violated: after 1 step nothing more happens");
  // With only a disturbing step left, the same; where time must go on, it is no run at all.
  const Edges disturbed = {{{1}}, {{0, kDisturbing}}};
  EXPECT_EQ(check(FairGraph(disturbed, {0}, kStays)).summary.verdict, Verdict::violated);
  EXPECT_EQ(check(FairGraph(edges, {0}, kStays, kRecurrent)).summary.verdict, Verdict::unknown);
}

// Two rules, each satisfied on its own side of a figure of eight: the loop has to take both.
TEST(Liveness, a_loop_meets_every_rule_and_passes_a_node_off_the_goal) {
  const std::vector<FairnessRule> rules = {{"left", FairnessKind::recurrent},
                                           {"right", FairnessKind::recurrent}};
  const Edges edges = {{{1, 0}, {2, 1}, {3}}, {{0}}, {{0}}, {{0}}};
  const auto result = check(FairGraph(edges, {0, 1, 2}, kStays, rules));
  ASSERT_EQ(result.summary.verdict, Verdict::violated);
  EXPECT_EQ(loop_of(result), "0>1>0>2>0>3>0");
}

TEST(Liveness, what_no_fair_loop_puts_to_the_test_is_unknown) {
  const Edges edges = {{{1}}, {{2}}, {{2}}};
  const auto result = check(FairGraph(edges, {2}, kStays, kRecurrent));
  EXPECT_EQ(result.summary.verdict, Verdict::unknown);
  EXPECT_EQ(result.summary.vacuous, std::vector<std::string>{"goal"});
}

TEST(Liveness, a_bound_ends_in_unknown_whatever_is_seen_up_to_it) {
  const Edges edges = {{{0}, {1}}, {{2}}, {{2}}};
  ExploreOptions options;
  options.bounds.max_states = 2;
  const auto result = check_liveness(FairGraph(edges, {2}, kStays), options);
  EXPECT_EQ(result.summary.verdict, Verdict::unknown);
  EXPECT_EQ(result.summary.reason, StopReason::max_states);
  EXPECT_GT(result.summary.counts.frontier, 0U);
}

TEST(Liveness, a_lasso_that_is_none_is_refused) {
  const FairGraph graph({{{0}, {1, 0}}, {{0, kDisturbing}, {1}}}, {1}, kStays, kWeak);
  using L = Lasso<FairGraph>;
  const auto step = [](std::uint32_t from, std::uint32_t edge, std::uint8_t label,
                       std::uint32_t to) {
    return Step<FairGraph>{{from, edge, label}, to, {}};
  };
  // Unfair; with a disturbing step; not a loop; not an edge; on the goal.
  EXPECT_THROW(require_lasso(graph, L{{0, {}}, {step(0, 0, kNoRule, 0)}}, 0), WitnessError);
  EXPECT_THROW(require_lasso(graph, L{{0, {}}, {step(0, 1, 0, 1), step(1, 0, kDisturbing, 0)}}, 0),
               WitnessError);
  EXPECT_THROW(require_lasso(graph, L{{0, {}}, {step(0, 1, 0, 1)}}, 0), WitnessError);
  EXPECT_THROW(require_lasso(graph, L{{0, {}}, {step(0, 2, kNoRule, 0)}}, 0), WitnessError);
  EXPECT_THROW(require_lasso(graph, L{{0, {step(0, 1, 0, 1)}}, {step(1, 1, kNoRule, 1)}}, 0),
               WitnessError);
}

struct Chain {
  std::size_t components = 0;
  std::size_t states = 0;
};

void* divide_chain(void* argument) {
  auto& chain = *static_cast<Chain*>(argument);
  LivenessGraph graph;
  for (StateIndex state = 0; state < chain.states; ++state) {
    if (state + 1 < chain.states) {
      graph.target.push_back(state + 1);
      graph.label.push_back(kNoRule);
    }
    graph.first.push_back(graph.target.size());
    graph.goals.push_back(0);
    graph.telling.push_back(0);
  }
  const auto components = components_of(graph, std::vector<bool>(graph.target.size(), true));
  std::vector<bool> is_met(chain.states, false);
  for (const StateIndex component : components) {
    chain.components += is_met[component] ? 0 : 1;
    is_met[component] = true;
  }
  return nullptr;
}

TEST(Liveness, a_chain_of_a_million_states_needs_no_more_than_a_megabyte_of_stack) {
  Chain chain;
  chain.states = 1'000'000;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 1U << 20U), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, divide_chain, &chain), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(chain.components, chain.states);
}

}  // namespace
}  // namespace nandi::checker
