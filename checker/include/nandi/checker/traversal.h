// One breadth-first pass over the reachable states of a model that shows its visitor every state
// and every transition: for analyses that need more of the graph than explorers keep (liveness.h,
// causes.h). Half as fast as Search, the same order of states.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <vector>

#include "nandi/checker/exploration.h"
#include "nandi/checker/model.h"
#include "nandi/checker/stopwatch.h"
#include "nandi/checker/visited_set.h"

namespace nandi::checker {

// A visitor has
//   bool enter(StateIndex, const State&)   once for each state, in the order of their indices,
//                                          before its transitions; false: do not expand it
//   void edge(StateIndex from, StateIndex to, const Action&, bool is_new)
//   std::uint64_t bytes() const            what it holds itself: counts against max_bytes
//   bool is_done() const                   it has seen enough: ends as StopReason::violation
template <Model M>
class Traversal {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  Traversal(const M& model, const ExploreOptions& options)
      : model_(model),
        options_(options),
        visited_(model.words(), options.bounds.max_states, options.bounds.max_bytes),
        key_(model.words()),
        stopwatch_(options) {}

  // Once. Nothing when every reachable state was shown, or the bound that ended it. Throws
  // ExplorationError for what the model throws.
  template <class Visitor>
  std::optional<StopReason> run(Visitor& visitor) {
    try {
      model_.for_each_initial([&](const State& state) { meet(state, kNoState); });
      for (StateIndex index = 0; index < visited_.size() && !stop_; ++index) {
        expand(index, visitor);
        if (visitor.is_done()) stop_ = stop_.value_or(StopReason::violation);
        if (index % kStock == 0) take_stock(index, visitor.bytes());
      }
    } catch (const std::exception& error) {
      throw ExplorationError(error.what(), counts(next_));
    }
    return stop_;
  }

  const VisitedSet<0>& visited() const { return visited_; }
  Counts counts() const { return counts(next_); }
  double seconds() const { return stopwatch_.seconds(); }

 private:
  // Expansions between two looks at the clock.
  static constexpr StateIndex kStock = 64;

  template <class Visitor>
  void expand(StateIndex index, Visitor& visitor) {
    State state;
    model_.decode(visited_.key(index), state);
    if (visitor.enter(index, state)) {
      model_.for_each_successor(state, [&](const Action& action, const State& next) {
        if (stop_) return;
        ++transitions_;
        const Insertion found = meet(next, index);
        if (!stop_) {
          visitor.edge(index, found.index, action, found.outcome == InsertOutcome::added);
        }
      });
    }
    if (!stop_) next_ = index + 1;
  }

  Insertion meet(const State& state, StateIndex parent) {
    model_.encode(state, key_.data());
    const Insertion found = visited_.insert(key_.data(), visited_.hash(key_.data()), parent);
    if (found.outcome == InsertOutcome::full_of_states) stop_ = StopReason::max_states;
    if (found.outcome == InsertOutcome::out_of_memory) stop_ = StopReason::max_memory;
    return found;
  }

  void take_stock(StateIndex index, std::uint64_t visitor_bytes) {
    if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed)) {
      stop_ = stop_.value_or(StopReason::interrupted);
    }
    if (visited_.bytes() + visitor_bytes > options_.bounds.max_bytes) {
      stop_ = stop_.value_or(StopReason::max_memory);
    }
    const StopwatchEvent event = stopwatch_.look();
    if (event == StopwatchEvent::time_is_up) stop_ = stop_.value_or(StopReason::max_time);
    if (event != StopwatchEvent::progress_due) return;
    Progress progress;
    progress.states = visited_.size();
    progress.transitions = transitions_;
    progress.frontier = visited_.size() - index;
    progress.bytes = visited_.bytes() + visitor_bytes;
    stopwatch_.fill(progress);
    options_.progress(progress);
  }

  Counts counts(StateIndex expanded) const {
    Counts counts;
    counts.states = visited_.size();
    counts.transitions = transitions_;
    counts.frontier = visited_.size() - expanded;
    counts.bytes = visited_.bytes();
    return counts;
  }

  const M& model_;
  const ExploreOptions& options_;
  VisitedSet<0> visited_;
  std::vector<std::uint64_t> key_;
  std::optional<StopReason> stop_;
  std::uint64_t transitions_ = 0;
  StateIndex next_ = 0;
  Stopwatch stopwatch_;
};

}  // namespace nandi::checker
