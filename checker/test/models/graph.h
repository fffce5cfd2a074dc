// A transition system drawn by hand: nodes, labelled edges, bad nodes. The edge's label is its
// position among the edges of its source, so that parallel edges are different actions.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/model.h"

namespace nandi::checker::models {

class Graph {
 public:
  using State = std::uint32_t;
  struct Action {
    std::uint32_t from;
    std::uint32_t edge;
    bool operator==(const Action&) const = default;
  };
  static constexpr std::size_t kMaxWords = 2;

  // edges[v] lists the targets of v; initial nodes and bad nodes are lists.
  Graph(std::vector<std::vector<std::uint32_t>> edges, std::vector<std::uint32_t> initial,
        std::vector<std::uint32_t> bad)
      : edges_(std::move(edges)), initial_(std::move(initial)), bad_(edges_.size(), false) {
    for (const std::uint32_t node : bad) {
      bad_[node] = true;
    }
  }

  const std::vector<std::vector<std::uint32_t>>& edges() const { return edges_; }
  const std::vector<std::uint32_t>& initial() const { return initial_; }
  bool is_bad(std::uint32_t node) const { return bad_[node]; }

  // Two words, the second a function of the first, so that keys longer than a word are exercised.
  std::size_t words() const { return 2; }
  void encode(const State& state, std::uint64_t* words) const {
    words[0] = state % 4;
    words[1] = state;
  }
  void decode(const std::uint64_t* words, State& state) const {
    state = static_cast<State>(words[1]);
  }

  template <class Visit>
  void for_each_initial(Visit&& visit) const {
    for (const std::uint32_t node : initial_) {
      visit(node);
    }
  }
  template <class Visit>
  void for_each_successor(const State& state, Visit&& visit) const {
    for (std::uint32_t i = 0; i < edges_[state].size(); ++i) {
      visit(Action{state, i}, edges_[state][i]);
    }
  }

  std::uint64_t decided(const State& state) const { return bad_[state] ? 1U : 0U; }
  const std::array<Property, 1>& properties() const { return kProperties; }
  const std::array<ActionClass, 1>& action_classes() const { return kClasses; }
  std::size_t action_class(const Action& /*action*/) const { return 0; }
  std::string describe_state(const State& state) const { return fmt::format("node {}", state); }
  std::string describe_action(const Action& action) const {
    return fmt::format("edge {} of {}", action.edge, action.from);
  }

 private:
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<std::uint32_t> initial_;
  std::vector<bool> bad_;

  static constexpr std::array<Property, 1> kProperties = {Property{"not bad"}};
  static constexpr std::array<ActionClass, 1> kClasses = {ActionClass{"edge"}};
};

static_assert(Model<Graph>);

}  // namespace nandi::checker::models
