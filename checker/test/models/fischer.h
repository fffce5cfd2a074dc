// Fischer's mutual exclusion by timing, in integer ticks (Lamport, "A Fast Mutual Exclusion
// Algorithm", ACM TOCS 5(1), 1987, remarks it; Abadi and Lamport, "An Old-Fashioned Recipe for
// Real Time", ACM TOPLAS 16(5), 1994, verify it).
//
// A process that finds x free writes its number to x within `write_within` ticks, then waits
// `wait` ticks at least, and enters if x is still its own. All steps of one tick are explored in
// every order, so that exclusion needs wait > write_within: by then whoever found x free has
// written. With wait <= write_within it fails: two processes start; the first writes, waits,
// enters; only then does the second write, wait and enter. That is 2 starts, 2 writes, 2 entries
// and 2 * wait ticks, and nothing is shorter: the first to write must have passed its check
// before the second writes, so the two waits follow each other.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "nandi/checker/model.h"
#include "nandi/checker/packed_state.h"

namespace nandi::checker::models {

class Fischer {
 public:
  static constexpr unsigned kMostProcesses = 6;
  static constexpr std::size_t kMaxWords = 1;

  enum class Place : std::uint8_t { idle, writing, waiting, inside };
  struct State {
    // 0: free; else number of the process plus one.
    std::uint8_t x = 0;
    Place place[kMostProcesses] = {};
    // Ticks in this place; counted while writing, and while waiting up to `wait`.
    std::uint8_t ticks[kMostProcesses] = {};
  };
  enum class Kind : std::uint8_t { tick, start, write, enter, retreat, leave };
  struct Action {
    Kind kind;
    std::uint8_t process;
    bool operator==(const Action&) const = default;
  };

  Fischer(unsigned processes, std::uint8_t write_within, std::uint8_t wait)
      : processes_(processes), write_within_(write_within), wait_(wait) {}

  std::size_t words() const { return 1; }
  void encode(const State& state, std::uint64_t* words) const {
    BitWriter writer(words, 1);
    writer.put(state.x, 3);
    for (unsigned p = 0; p < processes_; ++p) {
      writer.put(static_cast<std::uint64_t>(state.place[p]), 2);
      writer.put(state.ticks[p], 4);
    }
    writer.finish();
  }
  void decode(const std::uint64_t* words, State& state) const {
    BitReader reader(words, 1);
    state = State{};
    state.x = static_cast<std::uint8_t>(reader.get(3));
    for (unsigned p = 0; p < processes_; ++p) {
      state.place[p] = static_cast<Place>(reader.get(2));
      state.ticks[p] = static_cast<std::uint8_t>(reader.get(4));
    }
  }

  template <class Visit>
  void for_each_initial(Visit&& visit) const {
    visit(State{});
  }
  template <class Visit>
  void for_each_successor(const State& state, Visit&& visit) const {
    if (may_tick(state)) {
      State next = state;
      for (unsigned p = 0; p < processes_; ++p) {
        if (state.place[p] == Place::writing) {
          ++next.ticks[p];
        } else if (state.place[p] == Place::waiting) {
          next.ticks[p] = std::min(static_cast<std::uint8_t>(state.ticks[p] + 1), wait_);
        }
      }
      visit(Action{Kind::tick, 0}, next);
    }
    for (std::uint8_t p = 0; p < processes_; ++p) {
      process_step(state, p, visit);
    }
  }

  std::uint64_t decided(const State& state) const {
    const auto inside = std::count(state.place, state.place + processes_, Place::inside);
    return (inside > 1 ? 1U : 0U) | (inside == 1 ? 2U : 0U);
  }
  const std::array<Property, 2>& properties() const { return kProperties; }
  const std::array<ActionClass, 6>& action_classes() const { return kClasses; }
  std::size_t action_class(const Action& action) const {
    return static_cast<std::size_t>(action.kind);
  }
  std::string describe_state(const State& state) const {
    std::string text = fmt::format("x {}", state.x);
    for (unsigned p = 0; p < processes_; ++p) {
      constexpr const char* kPlaces[] = {"idle", "writing", "waiting", "inside"};
      text +=
          fmt::format(", {} {}", kPlaces[static_cast<std::size_t>(state.place[p])], state.ticks[p]);
    }
    return text;
  }
  std::string describe_action(const Action& action) const {
    return action.kind == Kind::tick
               ? "tick"
               : fmt::format("{} {}", kClasses[action_class(action)].name, action.process);
  }

 private:
  bool may_tick(const State& state) const {
    for (unsigned p = 0; p < processes_; ++p) {
      if (state.place[p] == Place::writing && state.ticks[p] == write_within_) {
        return false;
      }
    }
    return true;
  }
  template <class Visit>
  void process_step(const State& state, std::uint8_t p, Visit& visit) const {
    const auto own = static_cast<std::uint8_t>(p + 1);
    State next = state;
    next.ticks[p] = 0;
    switch (state.place[p]) {
      case Place::idle:
        if (state.x == 0) {
          next.place[p] = Place::writing;
          visit(Action{Kind::start, p}, next);
        }
        break;
      case Place::writing:
        next.place[p] = Place::waiting;
        next.x = own;
        visit(Action{Kind::write, p}, next);
        break;
      case Place::waiting:
        if (state.ticks[p] >= wait_) {
          next.place[p] = state.x == own ? Place::inside : Place::idle;
          visit(Action{state.x == own ? Kind::enter : Kind::retreat, p}, next);
        }
        break;
      case Place::inside:
        next.place[p] = Place::idle;
        next.x = 0;
        visit(Action{Kind::leave, p}, next);
        break;
    }
  }

  unsigned processes_;
  std::uint8_t write_within_;
  std::uint8_t wait_;

  static constexpr std::array<Property, 2> kProperties = {
      Property{"at most one is inside"}, Property{"one is inside", PropertyKind::sometimes}};
  static constexpr std::array<ActionClass, 6> kClasses = {
      ActionClass{"tick", true},  ActionClass{"start", true},   ActionClass{"write", true},
      ActionClass{"enter", true}, ActionClass{"retreat", true}, ActionClass{"leave", true}};
};

static_assert(Model<Fischer>);

}  // namespace nandi::checker::models
