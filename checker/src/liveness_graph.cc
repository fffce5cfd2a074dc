#include "nandi/checker/liveness_graph.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <iterator>
#include <utility>

namespace nandi::checker {
namespace {

using Csr =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, StateIndex, std::uint64_t>;

/// The kept edges as pairs, sorted by source.
class KeptEdges {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = std::pair<StateIndex, StateIndex>;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;
  using reference = const value_type&;

  KeptEdges() = default;
  KeptEdges(const LivenessGraph& graph, const std::vector<bool>& keep, std::uint64_t at)
      : graph_(&graph), keep_(&keep), at_(at) {
    settle();
  }

  reference operator*() const { return pair_; }
  pointer operator->() const { return &pair_; }
  KeptEdges& operator++() {
    ++at_;
    settle();
    return *this;
  }
  KeptEdges operator++(int) {
    KeptEdges old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const KeptEdges& a, const KeptEdges& b) { return a.at_ == b.at_; }
  friend bool operator!=(const KeptEdges& a, const KeptEdges& b) { return !(a == b); }

 private:
  void settle() {
    while (at_ < graph_->target.size() && !(*keep_)[at_]) ++at_;
    if (at_ >= graph_->target.size()) return;
    while (graph_->first[pair_.first + 1] <= at_) ++pair_.first;
    pair_.second = graph_->target[at_];
  }

  const LivenessGraph* graph_ = nullptr;
  const std::vector<bool>* keep_ = nullptr;
  std::uint64_t at_ = 0;
  value_type pair_{0, 0};
};

struct Component {
  std::uint64_t taken = 0;       ///< rules that an edge inside satisfies
  std::uint64_t impossible = 0;  ///< rules that somewhere inside no edge satisfies
  bool has_loop = false;
  bool is_off_goal = false;  ///< somewhere
  bool is_telling = false;   ///< somewhere
};

/// One question to one graph.
class FairLoopSearch {
 public:
  FairLoopSearch(const LivenessGraph& graph, std::span<const FairnessRule> rules, std::size_t p)
      : graph_(graph), bit_(static_cast<std::uint8_t>(1U << p)) {
    for (std::size_t r = 0; r < rules.size(); ++r) {
      (rules[r].kind == FairnessKind::weak ? weak_ : recurrent_) |= std::uint64_t{1} << r;
    }
  }

  LivenessFinding run(LivenessKind kind) {
    LivenessFinding finding;
    divide(false);
    for (const Component& component : components_) {
      if (!component.has_loop) continue;
      ++finding.components;
      if (!is_fair(component)) continue;
      ++finding.fair;
      if (component.is_telling) ++finding.telling;
    }
    if (kind == LivenessKind::returns) divide(true);
    finding.loop = first_loop();
    return finding;
  }

 private:
  [[nodiscard]] bool is_on_goal(StateIndex state) const {
    return (graph_.goals[state] & bit_) != 0;
  }

  /// Components of the graph without disturbing steps, and where asked without states on the goal.
  void divide(bool off_goal_only) {
    keep_.assign(graph_.target.size(), false);
    for (StateIndex from = 0; from < graph_.states(); ++from) {
      if (off_goal_only && is_on_goal(from)) continue;
      for (std::uint64_t e = graph_.first[from]; e < graph_.first[from + 1]; ++e) {
        keep_[e] =
            graph_.label[e] != kDisturbing && !(off_goal_only && is_on_goal(graph_.target[e]));
      }
    }
    component_ = components_of(graph_, keep_);
    StateIndex count = 0;
    for (const StateIndex component : component_) count = std::max(count, component + 1);
    components_.assign(count, Component{});
    for (StateIndex from = 0; from < graph_.states(); ++from) describe(from);
  }

  void describe(StateIndex from) {
    Component& component = components_[component_[from]];
    std::uint64_t possible = 0;
    bool goes_on = false;
    for (std::uint64_t e = graph_.first[from]; e < graph_.first[from + 1]; ++e) {
      if (graph_.label[e] != kDisturbing) goes_on = true;
      const std::uint64_t rule = rule_bit(e);
      possible |= rule;
      if (!keep_[e] || component_[graph_.target[e]] != component_[from]) continue;
      component.has_loop = true;
      component.taken |= rule;
    }
    if (!goes_on) component.has_loop = true;  // it stays there
    component.impossible |= ~possible;
    if (!is_on_goal(from)) component.is_off_goal = true;
    if ((graph_.telling[from] & bit_) != 0) component.is_telling = true;
  }

  [[nodiscard]] std::uint64_t rule_bit(std::uint64_t edge) const {
    const std::uint8_t label = graph_.label[edge];
    return label < kMaxFairnessRules ? std::uint64_t{1} << label : 0;
  }

  [[nodiscard]] bool is_fair(const Component& component) const {
    return (weak_ & ~(component.taken | component.impossible)) == 0 &&
           (recurrent_ & ~component.taken) == 0;
  }

  /// States are numbered breadth first, so the first of a component is the closest.
  [[nodiscard]] std::optional<LoopInGraph> first_loop() {
    for (StateIndex state = 0; state < graph_.states(); ++state) {
      const Component& component = components_[component_[state]];
      if (component.has_loop && component.is_off_goal && is_fair(component)) return loop_at(state);
    }
    return std::nullopt;
  }

  /// A loop that meets every demand, each in turn on the shortest way.
  [[nodiscard]] LoopInGraph loop_at(StateIndex start) {
    via_.assign(graph_.states(), kNoEdge);
    LoopInGraph loop{start, {}};
    unmet_ = weak_ | recurrent_;
    is_off_goal_ = false;
    StateIndex at = start;
    pass(at);
    while (unmet_ != 0 || !is_off_goal_ || at != start || loop.edges.empty()) {
      const bool only_back = unmet_ == 0 && is_off_goal_;
      const std::vector<std::uint64_t> way = way_to_progress(at, only_back, start);
      if (way.empty()) break;  // it stays here
      for (const std::uint64_t edge : way) {
        unmet_ &= ~rule_bit(edge);
        at = graph_.target[edge];
        pass(at);
        loop.edges.push_back(edge);
      }
    }
    return loop;
  }

  void pass(StateIndex state) {
    unmet_ &= ~(weak_ & impossible_at(state));
    if (!is_on_goal(state)) is_off_goal_ = true;
  }

  [[nodiscard]] std::uint64_t impossible_at(StateIndex state) const {
    std::uint64_t possible = 0;
    for (std::uint64_t e = graph_.first[state]; e < graph_.first[state + 1]; ++e) {
      possible |= rule_bit(e);
    }
    return ~possible;
  }

  [[nodiscard]] bool is_progress(std::uint64_t edge, bool only_back, StateIndex start) const {
    const StateIndex to = graph_.target[edge];
    if (only_back) return to == start;
    return (unmet_ & rule_bit(edge)) != 0 || (unmet_ & weak_ & impossible_at(to)) != 0 ||
           (!is_off_goal_ && !is_on_goal(to));
  }

  /// The shortest way inside the component whose last step meets a demand, or leads back.
  [[nodiscard]] std::vector<std::uint64_t> way_to_progress(StateIndex from, bool only_back,
                                                           StateIndex start) {
    std::vector<StateIndex> queue{from};
    std::vector<std::uint64_t> way;
    for (std::size_t next = 0; next < queue.size() && way.empty(); ++next) {
      const StateIndex state = queue[next];
      for (std::uint64_t e = graph_.first[state]; e < graph_.first[state + 1]; ++e) {
        const StateIndex to = graph_.target[e];
        if (!keep_[e] || component_[to] != component_[from]) continue;
        if (is_progress(e, only_back, start)) {
          way = way_back(from, e);
          break;
        }
        if (to == from || via_[to] != kNoEdge) continue;
        via_[to] = e;
        queue.push_back(to);
      }
    }
    for (const StateIndex state : queue) via_[state] = kNoEdge;
    return way;
  }

  [[nodiscard]] std::vector<std::uint64_t> way_back(StateIndex from, std::uint64_t last) const {
    std::vector<std::uint64_t> way{last};
    for (StateIndex at = source_of(last); at != from; at = source_of(way.back())) {
      way.push_back(via_[at]);
    }
    return {way.rbegin(), way.rend()};
  }

  [[nodiscard]] StateIndex source_of(std::uint64_t edge) const {
    const auto above = std::upper_bound(graph_.first.begin(), graph_.first.end(), edge);
    return static_cast<StateIndex>(above - graph_.first.begin() - 1);
  }

  static constexpr std::uint64_t kNoEdge = ~std::uint64_t{0};

  const LivenessGraph& graph_;
  std::uint8_t bit_;
  std::uint64_t weak_ = 0;
  std::uint64_t recurrent_ = 0;
  std::vector<bool> keep_;
  std::vector<StateIndex> component_;
  std::vector<Component> components_;

  // While a loop is built: what it still has to meet, and the edge by which a state was reached.
  std::uint64_t unmet_ = 0;
  bool is_off_goal_ = false;
  std::vector<std::uint64_t> via_;
};

}  // namespace

std::vector<StateIndex> components_of(const LivenessGraph& graph, const std::vector<bool>& keep) {
  std::vector<StateIndex> component(graph.states(), 0);
  if (component.empty()) return component;
  const Csr csr(boost::edges_are_sorted, KeptEdges(graph, keep, 0),
                KeptEdges(graph, keep, graph.target.size()),
                static_cast<StateIndex>(graph.states()));
  boost::strong_components(
      csr, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, csr)));
  return component;
}

LivenessFinding find_fair_loop(const LivenessGraph& graph, std::span<const FairnessRule> rules,
                               std::size_t p, LivenessKind kind) {
  return FairLoopSearch(graph, rules, p).run(kind);
}

}  // namespace nandi::checker
