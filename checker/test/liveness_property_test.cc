// Fair loops in random small graphs against a search of another kind: not components, but walks
// that carry the set of demands they have met, from each node back to itself.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <vector>

#include "models/fair_graph.h"
#include "nandi/checker/liveness.h"

namespace nandi::checker {
namespace {

using models::FairGraph;
using Edges = std::vector<std::vector<FairGraph::Edge>>;

constexpr std::uint8_t kRules = 2;
constexpr unsigned kOffGoal = 1U << kRules;
constexpr unsigned kAll = (1U << (kRules + 1)) - 1;

struct Drawing {
  Edges edges;
  std::vector<std::uint32_t> goal;
  std::vector<FairnessRule> rules;
};

Drawing arbitrary_drawing() {
  Drawing drawing;
  const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 7);
  drawing.edges.resize(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const auto degree = *rc::gen::inRange(0, 4);
    for (int i = 0; i < degree; ++i) {
      const auto label = *rc::gen::element<std::uint8_t>(0, 1, kNoRule, kNoRule, kDisturbing);
      drawing.edges[node].push_back({*rc::gen::inRange<std::uint32_t>(0, nodes), label});
    }
    if (*rc::gen::arbitrary<bool>()) drawing.goal.push_back(node);
  }
  for (std::uint8_t r = 0; r < kRules; ++r) {
    drawing.rules.push_back(
        {"rule", *rc::gen::element(FairnessKind::weak, FairnessKind::recurrent)});
  }
  return drawing;
}

class Oracle {
 public:
  Oracle(const Drawing& drawing, LivenessKind kind) : drawing_(drawing), kind_(kind) {
    is_goal_.assign(drawing.edges.size(), false);
    for (const std::uint32_t node : drawing.goal) is_goal_[node] = true;
  }

  bool is_violated() const {
    for (const std::uint32_t node : reachable()) {
      if (kind_ == LivenessKind::returns && is_goal_[node]) continue;
      if (ends_here(node) || comes_round(node)) return true;
    }
    return false;
  }

 private:
  std::vector<std::uint32_t> reachable() const {
    std::vector<std::uint32_t> found{0};
    std::vector<bool> is_known(drawing_.edges.size(), false);
    is_known[0] = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const auto& edge : drawing_.edges[found[i]]) {
        if (!is_known[edge.to]) found.push_back(edge.to);
        is_known[edge.to] = true;
      }
    }
    return found;
  }

  unsigned met_at(std::uint32_t node) const {
    unsigned met = is_goal_[node] ? 0 : kOffGoal;
    for (std::uint8_t r = 0; r < kRules; ++r) {
      bool is_possible = false;
      for (const auto& edge : drawing_.edges[node]) is_possible |= edge.label == r;
      if (!is_possible && drawing_.rules[r].kind == FairnessKind::weak) met |= 1U << r;
    }
    return met;
  }

  bool ends_here(std::uint32_t node) const {
    for (const auto& edge : drawing_.edges[node]) {
      if (edge.label != kDisturbing) return false;
    }
    return met_at(node) == kAll;
  }

  bool comes_round(std::uint32_t start) const {
    std::vector<std::vector<bool>> is_known(drawing_.edges.size(),
                                            std::vector<bool>(kAll + 1, false));
    std::deque<std::pair<std::uint32_t, unsigned>> queue{{start, met_at(start)}};
    while (!queue.empty()) {
      const auto [node, met] = queue.front();
      queue.pop_front();
      for (const auto& edge : drawing_.edges[node]) {
        if (edge.label == kDisturbing) continue;
        if (kind_ == LivenessKind::returns && is_goal_[edge.to]) continue;
        const unsigned now = met | met_at(edge.to) | (edge.label < kRules ? 1U << edge.label : 0U);
        if (edge.to == start && now == kAll) return true;
        if (is_known[edge.to][now]) continue;
        is_known[edge.to][now] = true;
        queue.emplace_back(edge.to, now);
      }
    }
    return false;
  }

  const Drawing& drawing_;
  LivenessKind kind_;
  std::vector<bool> is_goal_;
};

RC_GTEST_PROP(Liveness, a_violation_is_found_exactly_where_a_fair_walk_comes_round, ()) {
  const Drawing drawing = arbitrary_drawing();
  const LivenessKind kind = *rc::gen::element(LivenessKind::stays, LivenessKind::returns);
  const FairGraph graph(drawing.edges, drawing.goal, kind, drawing.rules);
  // Throws where a lasso does not replay.
  const auto result = check_liveness(graph);
  RC_TAG(sim::verdict_name(result.summary.verdict));
  RC_ASSERT((result.summary.verdict == sim::Verdict::violated) ==
            Oracle(drawing, kind).is_violated());
}

}  // namespace
}  // namespace nandi::checker
