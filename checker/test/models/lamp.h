// A lamp with a switch and a bulb that may burn out: three reachable states, drawn on one line.
//
//   off <-> on -> burnt (no way on)
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "nandi/checker/model.h"

namespace nandi::checker::models {

class Lamp {
 public:
  enum class State : std::uint8_t { off, on, burnt };
  enum class Action : std::uint8_t { press, burn };
  static constexpr std::size_t kMaxWords = 1;

  std::size_t words() const { return 1; }
  void encode(const State& state, std::uint64_t* words) const {
    words[0] = static_cast<std::uint64_t>(state);
  }
  void decode(const std::uint64_t* words, State& state) const {
    state = static_cast<State>(words[0]);
  }

  template <class Visit>
  void for_each_initial(Visit&& visit) const {
    visit(State::off);
  }

  template <class Visit>
  void for_each_successor(const State& state, Visit&& visit) const {
    if (state == State::off) {
      visit(Action::press, State::on);
    } else if (state == State::on) {
      visit(Action::press, State::off);
      visit(Action::burn, State::burnt);
    }
  }

  std::uint64_t decided(const State& state) const {
    return (state == State::burnt ? 1U : 0U) | (state == State::on ? 2U : 0U);
  }
  const std::array<Property, 2>& properties() const { return kProperties; }
  const std::array<ActionClass, 2>& action_classes() const { return kClasses; }
  std::size_t action_class(const Action& action) const { return static_cast<std::size_t>(action); }
  std::string describe_state(const State& state) const {
    return state == State::off ? "off" : state == State::on ? "on" : "burnt";
  }
  std::string describe_action(const Action& action) const {
    return action == Action::press ? "press the switch" : "the bulb burns out";
  }

 private:
  static constexpr std::array<Property, 2> kProperties = {
      Property{"never burnt", PropertyKind::invariant}, Property{"lit", PropertyKind::sometimes}};
  static constexpr std::array<ActionClass, 2> kClasses = {ActionClass{"press"},
                                                          ActionClass{"burn"}};
};

static_assert(Model<Lamp>);

}  // namespace nandi::checker::models
