// The complete binary tree in heap order without end: n leads to 2n + 1 and 2n + 2. Whatever the
// bound, there is more (past 2^64 the numbers wrap round). A property that throws at a chosen node
// can be planted in it.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "nandi/checker/model.h"

namespace nandi::checker::models {

class EndlessTree {
 public:
  using State = std::uint64_t;
  enum class Action : std::uint8_t { left, right };
  static constexpr std::size_t kMaxWords = 1;

  EndlessTree() = default;
  EndlessTree(std::optional<State> throw_when_evaluated, std::optional<State> throw_when_expanded)
      : throw_when_evaluated_(throw_when_evaluated), throw_when_expanded_(throw_when_expanded) {}

  std::size_t words() const { return 1; }
  void encode(const State& state, std::uint64_t* words) const { words[0] = state; }
  void decode(const std::uint64_t* words, State& state) const { state = words[0]; }

  template <class Visit>
  void for_each_initial(Visit&& visit) const {
    visit(State{0});
  }
  template <class Visit>
  void for_each_successor(const State& state, Visit&& visit) const {
    visit(Action::left, 2 * state + 1);
    if (state == throw_when_expanded_) {
      throw std::runtime_error("planted in the middle of an expansion");
    }
    visit(Action::right, 2 * state + 2);
  }

  std::uint64_t decided(const State& state) const {
    if (state == throw_when_evaluated_) {
      throw std::runtime_error("planted in a property");
    }
    return 0;
  }
  const std::array<Property, 1>& properties() const { return kProperties; }
  const std::array<ActionClass, 2>& action_classes() const { return kClasses; }
  std::size_t action_class(const Action& action) const { return static_cast<std::size_t>(action); }
  std::string describe_state(const State& state) const { return fmt::format("node {}", state); }
  std::string describe_action(const Action& action) const {
    return action == Action::left ? "left" : "right";
  }

 private:
  std::optional<State> throw_when_evaluated_;
  std::optional<State> throw_when_expanded_;

  static constexpr std::array<Property, 1> kProperties = {Property{"always true"}};
  static constexpr std::array<ActionClass, 2> kClasses = {ActionClass{"left"},
                                                          ActionClass{"right"}};
};

static_assert(Model<EndlessTree>);

}  // namespace nandi::checker::models
