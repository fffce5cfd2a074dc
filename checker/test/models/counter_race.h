// N threads add one to a shared counter by a read and a write of their own: the lost update.
//
// By hand for N = 2. The counter is 0 while nobody has written: each thread is before its read or
// holds 0, 4 states. One has written (2 ways), the counter is 1: the other is before its read,
// holds 0 or holds 1, 6 states. Both have written: the counter is 2 or, an update lost, 1. In all
// 12. The shortest loss is read, read, write, write: 4 steps.
//
// `dropped` leaves one field out of the packed form: a planted defect.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>

#include "nandi/checker/model.h"
#include "nandi/checker/packed_state.h"

namespace nandi::checker::models {

class CounterRace {
 public:
  static constexpr unsigned kMostThreads = 4;
  static constexpr std::size_t kMaxWords = 1;

  enum class Phase : std::uint8_t { start, has_read, done };
  enum class Field : std::uint8_t { none, counter, phase_of_first, held_by_first };

  struct State {
    std::uint8_t counter = 0;
    Phase phase[kMostThreads] = {};
    std::uint8_t held[kMostThreads] = {};
  };
  struct Action {
    std::uint8_t thread;
    bool write;
    bool operator==(const Action&) const = default;
  };

  explicit CounterRace(unsigned threads, Field dropped = Field::none)
      : threads_(threads), dropped_(dropped) {}

  std::size_t words() const { return 1; }
  void encode(const State& state, std::uint64_t* words) const {
    BitWriter writer(words, 1);
    writer.put(dropped_ == Field::counter ? 0U : state.counter, 3);
    for (unsigned t = 0; t < threads_; ++t) {
      const bool first = t == 0;
      writer.put(first && dropped_ == Field::phase_of_first
                     ? 0U
                     : static_cast<std::uint64_t>(state.phase[t]),
                 2);
      writer.put(first && dropped_ == Field::held_by_first ? 0U : state.held[t], 2);
    }
    writer.finish();
  }
  void decode(const std::uint64_t* words, State& state) const {
    BitReader reader(words, 1);
    state = State{};
    state.counter = static_cast<std::uint8_t>(reader.get(3));
    for (unsigned t = 0; t < threads_; ++t) {
      state.phase[t] = static_cast<Phase>(reader.get(2));
      state.held[t] = static_cast<std::uint8_t>(reader.get(2));
    }
  }

  template <class Visit>
  void for_each_initial(Visit&& visit) const {
    visit(State{});
  }
  template <class Visit>
  void for_each_successor(const State& state, Visit&& visit) const {
    for (std::uint8_t t = 0; t < threads_; ++t) {
      State next = state;
      if (state.phase[t] == Phase::start) {
        next.phase[t] = Phase::has_read;
        next.held[t] = state.counter;
        visit(Action{t, false}, next);
      } else if (state.phase[t] == Phase::has_read) {
        next.phase[t] = Phase::done;
        next.counter = static_cast<std::uint8_t>(state.held[t] + 1);
        next.held[t] = 0;  // no longer matters
        visit(Action{t, true}, next);
      }
    }
  }

  std::uint64_t decided(const State& state) const {
    for (unsigned t = 0; t < threads_; ++t) {
      if (state.phase[t] != Phase::done) {
        return 0;
      }
    }
    return 2U | (state.counter != threads_ ? 1U : 0U);
  }
  const std::array<Property, 2>& properties() const { return kProperties; }
  const std::array<ActionClass, 2>& action_classes() const { return kClasses; }
  std::size_t action_class(const Action& action) const { return action.write ? 1 : 0; }
  std::string describe_state(const State& state) const {
    std::string text = fmt::format("counter {}", state.counter);
    for (unsigned t = 0; t < threads_; ++t) {
      text += state.phase[t] == Phase::start  ? ", before its read"
              : state.phase[t] == Phase::done ? ", done"
                                              : fmt::format(", holds {}", state.held[t]);
    }
    return text;
  }
  std::string describe_action(const Action& action) const {
    return fmt::format("thread {} {}", action.thread, action.write ? "writes" : "reads");
  }

 private:
  unsigned threads_;
  Field dropped_;

  static constexpr std::array<Property, 2> kProperties = {
      Property{"no update is lost"}, Property{"all are done", PropertyKind::sometimes}};
  static constexpr std::array<ActionClass, 2> kClasses = {ActionClass{"read", true},
                                                          ActionClass{"write", true}};
};

static_assert(Model<CounterRace>);

}  // namespace nandi::checker::models
