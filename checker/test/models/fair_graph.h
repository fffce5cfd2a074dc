// A transition system drawn by hand for liveness: nodes, labelled edges, nodes on the goal. Its
// edges are named by where they lead from and their position there, its rules by number.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/liveness.h"

namespace nandi::checker::models {

class FairGraph {
 public:
  using State = std::uint32_t;
  struct Edge {
    std::uint32_t to;
    std::uint8_t label = kNoRule;
  };
  struct Action {
    std::uint32_t from;
    std::uint32_t edge;
    std::uint8_t label;
    bool operator==(const Action&) const = default;
  };
  static constexpr std::size_t kMaxWords = 1;

  // edges[v]: the edges of node v; node 0 is initial. `goal` lists the nodes on the goal.
  FairGraph(std::vector<std::vector<Edge>> edges, const std::vector<std::uint32_t>& goal,
            LivenessKind kind, std::vector<FairnessRule> rules = {})
      : edges_(std::move(edges)),
        goal_(edges_.size(), false),
        rules_(std::move(rules)),
        kinds_({LivenessProperty{"goal", kind}}) {
    for (const std::uint32_t node : goal) goal_[node] = true;
  }

  std::size_t words() const { return 1; }
  void encode(const State& state, std::uint64_t* words) const { words[0] = state; }
  void decode(const std::uint64_t* words, State& state) const {
    state = static_cast<State>(words[0]);
  }
  template <class Visit>
  void for_each_initial(Visit&& visit) const {
    visit(State{0});
  }
  template <class Visit>
  void for_each_successor(const State& state, Visit&& visit) const {
    for (std::uint32_t i = 0; i < edges_[state].size(); ++i) {
      visit(Action{state, i, edges_[state][i].label}, edges_[state][i].to);
    }
  }
  std::uint64_t decided(const State& /*state*/) const { return 0; }
  const std::vector<Property>& properties() const { return properties_; }
  const std::vector<ActionClass>& action_classes() const { return classes_; }
  std::size_t action_class(const Action& /*action*/) const { return 0; }
  std::string describe_state(const State& state) const { return fmt::format("node {}", state); }
  std::string describe_action(const Action& action) const {
    return fmt::format("edge {} of {}", action.edge, action.from);
  }

  const std::vector<FairnessRule>& fairness_rules() const { return rules_; }
  std::uint8_t fairness_label(const Action& action) const { return action.label; }
  const std::array<LivenessProperty, 1>& liveness_properties() const { return kinds_; }
  LivenessGoals liveness_goals(const State& state) const {
    const std::uint8_t met = goal_[state] ? 1 : 0;
    return {met, met};
  }

 private:
  std::vector<std::vector<Edge>> edges_;
  std::vector<bool> goal_;
  std::vector<FairnessRule> rules_;
  std::array<LivenessProperty, 1> kinds_;
  std::vector<Property> properties_;
  std::vector<ActionClass> classes_{ActionClass{"edge"}};
};

static_assert(LiveModel<FairGraph>);

}  // namespace nandi::checker::models
