// The explorers against a breadth-first search of the plainest kind, on random small graphs.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "models/graph.h"
#include "nandi/checker/explorer.h"

namespace nandi::checker {
namespace {

using models::Graph;

Graph random_graph(bool with_bad) {
  const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 40);
  const auto node = rc::gen::inRange<std::uint32_t>(0, nodes);
  std::vector<std::vector<std::uint32_t>> edges(nodes);
  for (auto& targets : edges) {
    targets = *rc::gen::resize(4, rc::gen::container<std::vector<std::uint32_t>>(node));
  }
  const auto initial = *rc::gen::resize(2, rc::gen::container<std::vector<std::uint32_t>>(node));
  std::vector<std::uint32_t> bad;
  if (with_bad) {
    bad = *rc::gen::resize(3, rc::gen::container<std::vector<std::uint32_t>>(node));
  }
  return Graph(edges, initial, bad);
}

// The distance of every node that can be reached.
std::map<std::uint32_t, std::uint64_t> naive_distances(const Graph& graph) {
  std::map<std::uint32_t, std::uint64_t> distance;
  std::deque<std::uint32_t> queue;
  for (const std::uint32_t node : graph.initial()) {
    if (distance.emplace(node, 0).second) {
      queue.push_back(node);
    }
  }
  while (!queue.empty()) {
    const std::uint32_t node = queue.front();
    queue.pop_front();
    for (const std::uint32_t next : graph.edges()[node]) {
      if (distance.emplace(next, distance[node] + 1).second) {
        queue.push_back(next);
      }
    }
  }
  return distance;
}

// Whether the path is one of the graph's, asked of the edges alone.
void check_path(const Graph& graph, const Path<Graph>& path) {
  const auto& initial = graph.initial();
  RC_ASSERT(std::find(initial.begin(), initial.end(), path.initial) != initial.end());
  std::uint32_t at = path.initial;
  for (const auto& step : path.steps) {
    RC_ASSERT(step.action.from == at);
    RC_ASSERT(graph.edges()[at][step.action.edge] == step.state);
    std::size_t parallel = 0;
    for (const std::uint32_t target : graph.edges()[at]) {
      parallel += target == step.state ? 1U : 0U;
    }
    RC_ASSERT(step.alternatives.size() + 1 == parallel);
    at = step.state;
  }
  RC_ASSERT(graph.is_bad(at));
}

RC_GTEST_PROP(Explorer, CounterexamplesAreMinimal, ()) {
  const Graph graph = random_graph(true);
  std::uint64_t nearest = Bounds::kUnbounded;
  for (const auto& [node, distance] : naive_distances(graph)) {
    if (graph.is_bad(node)) {
      nearest = std::min(nearest, distance);
    }
  }
  const auto breadth = explore_breadth_first(graph);
  const auto depth = explore_depth_first(graph);
  RC_CLASSIFY(nearest != Bounds::kUnbounded && nearest > 1, "violated after two steps or more");
  if (nearest == Bounds::kUnbounded) {
    RC_ASSERT(breadth.summary.verdict != sim::Verdict::violated);
    RC_ASSERT(depth.summary.verdict != sim::Verdict::violated);
    return;
  }
  RC_ASSERT(breadth.summary.verdict == sim::Verdict::violated);
  RC_ASSERT(breadth.counterexample->steps.size() == nearest);
  check_path(graph, *breadth.counterexample);
  RC_ASSERT(depth.summary.verdict == sim::Verdict::violated);
  check_path(graph, *depth.counterexample);
}

RC_GTEST_PROP(Explorer, EveryReachableStateIsFoundOnceInEitherOrder, ()) {
  const Graph graph = random_graph(false);
  const auto distances = naive_distances(graph);
  std::uint64_t edges = 0;
  std::uint64_t farthest = 0;
  std::uint64_t terminal = 0;
  for (const auto& [node, distance] : distances) {
    edges += graph.edges()[node].size();
    farthest = std::max(farthest, distance);
    terminal += graph.edges()[node].empty() ? 1U : 0U;
  }
  for (const SearchOrder order : {SearchOrder::breadth_first, SearchOrder::depth_first}) {
    const auto result = explore(graph, order, {});
    RC_ASSERT(result.summary.reason == StopReason::exhausted);
    RC_ASSERT(result.summary.counts.states == distances.size());
    RC_ASSERT(result.summary.counts.transitions == edges);
    RC_ASSERT(result.summary.counts.terminal == terminal);
    RC_ASSERT(result.summary.counts.frontier == 0U);
    if (order == SearchOrder::breadth_first) {
      RC_ASSERT(result.summary.counts.depth == farthest);
    }
  }
}

RC_GTEST_PROP(Explorer, ABoundOnDepthFindsWhatLiesWithinIt, ()) {
  const Graph graph = random_graph(false);
  const auto bound = *rc::gen::inRange<std::uint64_t>(0, 6);
  std::uint64_t within = 0;
  std::uint64_t at_bound = 0;
  for (const auto& [node, distance] : naive_distances(graph)) {
    within += distance <= bound ? 1U : 0U;
    at_bound += distance == bound ? 1U : 0U;
  }
  ExploreOptions options;
  options.bounds.max_depth = bound;
  const auto result = explore_breadth_first(graph, options);
  RC_ASSERT(result.summary.counts.states == within);
  RC_ASSERT(result.summary.counts.frontier == at_bound);
  RC_ASSERT((result.summary.reason == StopReason::max_depth) == (at_bound != 0));
}

}  // namespace
}  // namespace nandi::checker
