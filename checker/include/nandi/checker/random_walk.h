// Random walks through a model: for what is too big to exhaust. A walk can show a violation and
// never its absence: the verdict is violated or unknown.
//
// A walk starts in a random initial state, takes a random enabled action at a time, evaluates
// every state on its way, and ends where nothing is enabled or after `max_length` steps; then the
// next one starts. Draws are keyed, not sequential: the choice at a step is a function of seed,
// number of the walk, number of the step and number of the successor alone, so that any walk can be
// repeated without those before it. Choices are uniform to within 2^-32.
//
// A counterexample is the walk without its loops and detours (a state whose successor comes later
// in the walk goes there at once), replayed; it is not minimal. With `keep_searching` walks go on
// after one: no further than would be shorter, and the shortest found is kept. Errors as in
// explorer.h.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "nandi/checker/distinct_estimate.h"
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
  // Go on after a violation, until a bound or an interrupt, for shorter ones.
  bool keep_searching = false;
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
      : model_(model),
        options_(options),
        names_(names_of(model)),
        stopwatch_(options.explore),
        most_steps_(options.max_length) {}

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
    // Walks that get nowhere take no steps.
    if (walks_ >= options_.max_steps) {
      stop_ = StopReason::max_steps;
      return;
    }
    ++walks_;
    step_ = 0;
    trail_.clear();
    if (!choose([this](auto&& offer) { model_.for_each_initial(offer); })) {
      stop_ = StopReason::exhausted;  // there is no initial state
      return;
    }
    if (arrive()) {
      return;
    }
    while (!stop_ && step_ < most_steps_) {
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
      const bool is_violation = arrive();
      if (is_violation && !stop_) {
        return;
      }
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

  // Goes on from the state as its packed form knows it, as the exhaustive search would. Whether the
  // walk is over, with a violation.
  bool arrive() {
    trail_.push_back(pack(model_, state_));
    model_.decode(trail_.back().data(), state_);
    ++counts_.states;
    distinct_.add(hash_words(trail_.back().data(), trail_.back().size()));
    counts_.depth = std::max<std::uint64_t>(counts_.depth, trail_.size() - 1);
    const std::uint64_t decided = model_.decided(state_);
    tally_.count_decided(decided);
    if ((decided & names_.invariants) == 0) {
      return false;
    }
    keep(static_cast<unsigned>(__builtin_ctzll(decided & names_.invariants)));
    // One of a single step is hardly to be improved on.
    if (!options_.keep_searching || best_->steps.size() <= 1) {
      stop_ = StopReason::violation;
    }
    return true;
  }

  // The walk ends in a violation: its path is the best if it is shorter than the best so far.
  void keep(unsigned violated) {
    ++violations_;
    Path<M> path = path_without_detours();
    require_violation(model_, path, violated);
    if (best_ && best_->steps.size() <= path.steps.size()) {
      return;
    }
    violated_ = violated;
    most_steps_ = std::max<std::uint64_t>(path.steps.size(), 2) - 1;
    best_ = std::move(path);
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
      progress.distinct = distinct_.count();
      progress.shortest = best_ ? best_->steps.size() : 0;
      stopwatch_.fill(progress);
      explore.progress(progress);
    }
  }

  // The walk's places by state, each with the last at which the walk was there.
  std::map<std::vector<std::uint64_t>, std::size_t> last_visits() const {
    std::map<std::vector<std::uint64_t>, std::size_t> last_visit;
    for (std::size_t i = 0; i < trail_.size(); ++i) {
      last_visit[trail_[i]] = i;
    }
    return last_visit;
  }

  Path<M> path_without_detours() const {
    const auto last_visit = last_visits();
    std::vector<std::vector<std::uint64_t>> keys;
    std::size_t at = 0;
    model_.for_each_initial([&](const State& state) {
      const auto found = last_visit.find(pack(model_, state));
      if (found != last_visit.end()) at = std::max(at, found->second);
    });
    keys.push_back(trail_[at]);
    while (at + 1 < trail_.size()) {
      State state;
      model_.decode(trail_[at].data(), state);
      std::size_t farthest = at + 1;
      model_.for_each_successor(state, [&](const Action&, const State& next) {
        const auto found = last_visit.find(pack(model_, next));
        if (found != last_visit.end()) farthest = std::max(farthest, found->second);
      });
      at = farthest;
      keys.push_back(trail_[at]);
    }
    return rebuild_path(model_, keys);
  }

  Exploration<M> finish() {
    Exploration<M> result;
    if (best_) {
      result.summary = conclude_violation(names_, tally_, counts_, violated_, best_->steps.size(),
                                          PathLength::not_minimal);
      if (options_.keep_searching) {
        result.summary.reason = *stop_;
        result.summary.evidence += walked_text(", the shortest of ", violations_, " in ");
      }
      result.counterexample = std::move(best_);
    } else {
      result.summary = conclude_walks(names_, tally_, counts_, *stop_, walks_, taken_);
      if (counts_.states != 0) result.summary.evidence += distinct_text();
    }
    result.summary.seconds = stopwatch_.seconds();
    return result;
  }

  std::string walked_text(std::string_view before, std::uint64_t violations,
                          std::string_view between) const {
    return fmt::format("{}{}{}{} steps of {} random walks{}", before, violations, between, taken_,
                       walks_, distinct_text());
  }
  std::string distinct_text() const {
    return fmt::format(", about {} different states (standard error {:.1f} %)", distinct_.count(),
                       100 * DistinctEstimate::kStandardError);
  }

  const M& model_;
  const WalkOptions& options_;
  ModelNames names_;
  Stopwatch stopwatch_;
  Tally tally_;
  Counts counts_;
  std::optional<StopReason> stop_;
  // The shortest violation so far, and how long a walk may be to be of use.
  std::optional<Path<M>> best_;
  unsigned violated_ = 0;
  std::uint64_t most_steps_;
  std::uint64_t violations_ = 0;
  DistinctEstimate distinct_;

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
