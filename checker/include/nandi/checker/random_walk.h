// Random walks through a model: for what is too big to exhaust. A walk can show a violation and
// never its absence: the verdict is violated or unknown.
//
// A walk starts in a random initial state, takes a random enabled action at a time, evaluates
// every state on its way, and ends where nothing is enabled or after `max_length` steps; then the
// next one starts. Draws are keyed, not sequential: the choice at a step is a function of seed,
// number of the walk, number of the step and number of the successor alone, so that any walk can be
// repeated without those before it. Choices are uniform to within 2^-32.
//
// A counterexample is the walk without its loops, replayed; it is not minimal. Errors as in
// explorer.h.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "nandi/checker/exploration.h"
#include "nandi/checker/model.h"
#include "nandi/checker/path.h"
#include "nandi/checker/search.h"
#include "nandi/checker/stopwatch.h"
#include "nandi/checker/word_hash.h"

namespace nandi::checker {

struct WalkOptions {
  std::uint64_t seed = 0;
  // Of all walks together.
  std::uint64_t max_steps = 1'000'000;
  std::uint64_t max_length = 1'000;
  // Its bounds on time, interrupt and progress apply; those on states, memory and depth do not.
  ExploreOptions explore;
};

// The draw for one candidate; uniform over 64 bits.
constexpr std::uint64_t walk_draw(std::uint64_t seed, std::uint64_t walk, std::uint64_t step,
                                  std::uint64_t candidate) {
  const std::uint64_t key[4] = {seed, walk, step, candidate};
  return hash_words(key, 4);
}

template <Model M>
class RandomWalk {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  RandomWalk(const M& model, const WalkOptions& options)
      : model_(model), options_(options), names_(names_of(model)), stopwatch_(options.explore) {}

  // Once.
  Exploration<M> run() {
    try {
      while (!stop_) {
        walk();
      }
    } catch (const std::exception& error) {
      throw ExplorationError(
          fmt::format("random walk stopped by an error, there is no verdict: {} (walk {}, step {})",
                      error.what(), walks_, step_),
          counts_);
    }
    return finish();
  }

 private:
  void walk() {
    ++walks_;
    step_ = 0;
    trail_.clear();
    if (!choose([this](auto&& offer) { model_.for_each_initial(offer); })) {
      stop_ = StopReason::exhausted;  // there is no initial state
      return;
    }
    arrive();
    while (!stop_ && step_ < options_.max_length) {
      if (taken_ == options_.max_steps) {
        stop_ = StopReason::max_steps;
        return;
      }
      ++step_;
      const State from = state_;
      const bool moved = choose([&](auto&& offer) {
        model_.for_each_successor(
            from, [&](const Action& action, const State& next) { offer(next, &action); });
      });
      if (!moved) {
        ++counts_.terminal;
        return;
      }
      ++taken_;
      ++tally_.actions[chosen_class_];
      arrive();
      if (taken_ % 256 == 0) {
        take_stock();
      }
    }
  }

  // Draws one of the candidates that `enumerate` offers: the i-th replaces the choice so far with
  // probability 1 / (i + 1). False if there is none.
  template <class Enumerate>
  bool choose(Enumerate&& enumerate) {
    std::uint64_t offered = 0;
    enumerate([&](const State& candidate, const Action* action = nullptr) {
      const std::uint64_t draw = walk_draw(options_.seed, walks_, step_, offered);
      ++offered;
      if (static_cast<std::uint64_t>(static_cast<Uint128>(draw) * offered >> 64U) == 0) {
        state_ = candidate;
        chosen_class_ = action == nullptr ? 0 : model_.action_class(*action);
      }
    });
    counts_.transitions += step_ == 0 ? 0 : offered;
    return offered != 0;
  }

  // Goes on from the state as its packed form knows it, as the exhaustive search would.
  void arrive() {
    trail_.push_back(pack(model_, state_));
    model_.decode(trail_.back().data(), state_);
    ++counts_.states;
    counts_.depth = std::max<std::uint64_t>(counts_.depth, trail_.size() - 1);
    const std::uint64_t decided = model_.decided(state_);
    tally_.count_decided(decided);
    if ((decided & names_.invariants) != 0) {
      violated_ = static_cast<unsigned>(__builtin_ctzll(decided & names_.invariants));
      stop_ = StopReason::violation;
    }
  }

  void take_stock() {
    if (stop_) {
      return;
    }
    const ExploreOptions& explore = options_.explore;
    if (explore.interrupt != nullptr && explore.interrupt->load(std::memory_order_relaxed)) {
      stop_ = StopReason::interrupted;
      return;
    }
    const StopwatchEvent event = stopwatch_.look();
    if (event == StopwatchEvent::time_is_up) {
      stop_ = StopReason::max_time;
    } else if (event == StopwatchEvent::progress_due) {
      Progress progress;
      progress.states = counts_.states;
      progress.transitions = counts_.transitions;
      progress.depth = counts_.depth;
      stopwatch_.fill(progress);
      explore.progress(progress);
    }
  }

  Path<M> path_without_loops() const {
    std::map<std::vector<std::uint64_t>, std::size_t> last_visit;
    for (std::size_t i = 0; i < trail_.size(); ++i) {
      last_visit[trail_[i]] = i;
    }
    std::vector<std::vector<std::uint64_t>> keys;
    for (std::size_t i = 0; i < trail_.size(); ++i) {
      i = last_visit[trail_[i]];
      keys.push_back(trail_[i]);
    }
    return rebuild_path(model_, keys);
  }

  Exploration<M> finish() {
    Exploration<M> result;
    if (stop_ == StopReason::violation) {
      result.counterexample = path_without_loops();
      require_violation(model_, *result.counterexample, violated_);
      result.summary = conclude_violation(names_, tally_, counts_, violated_,
                                          result.counterexample->steps.size(), PathLength::not_minimal);
    } else {
      result.summary = conclude_walks(names_, tally_, counts_, *stop_, walks_, taken_);
    }
    result.summary.seconds = stopwatch_.seconds();
    return result;
  }

  const M& model_;
  const WalkOptions& options_;
  ModelNames names_;
  Stopwatch stopwatch_;
  Tally tally_;
  Counts counts_;
  std::optional<StopReason> stop_;
  unsigned violated_ = 0;

  std::uint64_t walks_ = 0;
  // Of this walk, and of all.
  std::uint64_t step_ = 0;
  std::uint64_t taken_ = 0;
  State state_{};
  std::size_t chosen_class_ = 0;
  // The packed states of this walk.
  std::vector<std::vector<std::uint64_t>> trail_;
};

// In the summary's counts, states are those evaluated, as often as they were met; transitions are
// the successors among which was chosen.
template <Model M>
Exploration<M> explore_random_walk(const M& model, const WalkOptions& options) {
  return RandomWalk<M>(model, options).run();
}

}  // namespace nandi::checker
