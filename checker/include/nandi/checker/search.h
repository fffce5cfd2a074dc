// The loop behind explorer.h: one exhaustive search, breadth-first or depth-first, over a store of
// states: a VisitedSet or a FingerprintStore.
//
// A breadth-first search goes round by round: up to kRound states of a level, at whose ends nothing
// is under way. There it can be saved (checkpoint.h), and between two of them several threads can
// do the work of one (search_round.h).
//
// Successors are not looked up one by one. They are collected in a batch, whose accesses to the
// visited set are started together and then resolved in order: the search waits for memory once
// a batch, and finds the same states in the same order as a search that looks up each at once.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/checkpoint.h"
#include "nandi/checker/exploration.h"
#include "nandi/checker/fingerprint_store.h"
#include "nandi/checker/model.h"
#include "nandi/checker/path.h"
#include "nandi/checker/resumed_states.h"
#include "nandi/checker/search_round.h"
#include "nandi/checker/stopwatch.h"
#include "nandi/checker/visited_set.h"

namespace nandi::checker {

template <Model M>
struct Exploration {
  Summary summary;
  // Present exactly when the verdict is violated.
  std::optional<Path<M>> counterexample;
};

template <Model M, class Store>
class Search {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  Search(const M& model, const ExploreOptions& options)
      : model_(model),
        options_(options),
        names_(names_of(model)),
        visited_(make_store(model, options)),
        batch_keys_(kBatch * visited_.width()),
        again_(visited_.width()),
        next_checkpoint_(options.checkpoint.seconds),
        stopwatch_(options) {}

  // Once.
  Exploration<M> run(SearchOrder order) {
    order_ = order;
    if (order == SearchOrder::depth_first) {
      stack_ = GrowingArray<StackEntry>(options_.bounds.max_bytes / sizeof(StackEntry) + 1);
    }
    try {
      if (options_.checkpoint.resume_from.empty()) {
        seed();
      } else {
        resume();
      }
      if (order == SearchOrder::breadth_first) {
        breadth_first();
      } else {
        depth_first();
      }
    } catch (const CheckpointError&) {
      throw;
    } catch (const std::exception& error) {
      throw ExplorationError(error_text(error.what()), counts());
    } catch (...) {
      throw ExplorationError(error_text("something that is no std::exception"), counts());
    }
    return finish();
  }

 private:
  static constexpr std::size_t kBatch = 64;
  // Expansions between two looks at the clock.
  static constexpr std::uint64_t kStock = 64;
  // States of a round at most: enough that waiting for each other costs threads little.
  static constexpr std::uint64_t kRound = std::uint64_t{1} << 15U;

  struct StackEntry {
    StateIndex index;
    std::uint32_t depth;
  };

  void seed() {
    expanding_ = kNoState;
    in_expansion_ = true;
    model_.for_each_initial([this](const State& state) { enqueue(state); });
    in_expansion_ = false;
    resolve();
    reverse_stack_from(0);
  }

  static Store make_store(const M& model, const ExploreOptions& options) {
    const Bounds& bounds = options.bounds;
    if constexpr (Store::kIsExact) {
      return Store(model.words(), bounds.max_states, bounds.max_bytes);
    } else {
      return Store(model.words(), bounds.max_states, bounds.max_bytes, options.fingerprint_seed);
    }
  }

  void breadth_first() {
    if (options_.threads > 1) rounds_.emplace(model_, names_, options_, visited_);
    while (!stop_) {
      if (next_ == round_end_) {
        if (!next_round()) {
          break;
        }
        if (rounds_ && share_round()) {
          take_stock();
          continue;
        }
      }
      expand(static_cast<StateIndex>(next_++));
      if (next_ % kStock == 0) {
        take_stock();
      }
    }
  }

  // False when the search is over.
  bool next_round() {
    resolve();
    if (stop_) {
      return false;
    }
    if (!options_.checkpoint.save_to.empty()) {
      remember_point();
    }
    if (next_ == level_end_ && !next_level()) {
      return false;
    }
    round_end_ = std::min(level_end_, next_ + kRound);
    return true;
  }

  // Whether several threads did the round; else one has to.
  bool share_round() {
    if (round_end_ - next_ < options_.least_shared_states || !rounds_->run(next_, round_end_)) {
      return false;
    }
    next_ = round_end_;
    transitions_ += rounds_->counts().transitions;
    terminal_ += rounds_->counts().terminal;
    tally_.add(rounds_->counts().tally);
    return true;
  }

  // False when the search is over: nothing left, or too deep.
  bool next_level() {
    if (next_ == visited_.size()) {
      return false;
    }
    visited_.begin_level();
    depth_ = level_end_ == 0 ? 0 : depth_ + 1;
    level_end_ = visited_.size();
    if (depth_ >= options_.bounds.max_depth) {
      stop_ = StopReason::max_depth;
      return false;
    }
    return true;
  }

  void depth_first() {
    std::uint64_t expanded = 0;
    while (!stop_ && stack_size_ != 0) {
      const StackEntry entry = stack_[--stack_size_];
      if (entry.depth >= options_.bounds.max_depth) {
        ++cut_;
        continue;
      }
      depth_ = entry.depth;
      const std::uint64_t first_new = stack_size_;
      expand(entry.index);
      resolve();
      reverse_stack_from(first_new);
      if (++expanded % kStock == 0) {
        take_stock();
      }
    }
    if (!stop_ && cut_ != 0) {
      stop_ = StopReason::max_depth;
    }
  }

  void expand(StateIndex index) {
    State state;
    model_.decode(visited_.packed(index), state);
    expanding_ = index;
    in_expansion_ = true;
    const std::uint64_t before = transitions_;
    model_.for_each_successor(state, [this](const Action& action, const State& next) {
      const std::size_t action_class = model_.action_class(action);
      if (action_class >= names_.action_classes.size()) {
        throw std::logic_error("model: action_class() is not an index into action_classes()");
      }
      ++tally_.actions[action_class];
      ++transitions_;
      enqueue(next);
    });
    in_expansion_ = false;
    terminal_ += transitions_ == before ? 1 : 0;
  }

  void enqueue(const State& state) {
    if (stop_) {
      return;
    }
    std::uint64_t* const key = batch_key(batch_size_);
    model_.encode(state, key);
    const std::uint64_t hash = visited_.hash(key);
    visited_.prefetch_entry(hash);
    batch_hashes_[batch_size_] = hash;
    batch_parents_[batch_size_] = expanding_;
    if (++batch_size_ == kBatch) {
      resolve();
    }
  }

  std::uint64_t* batch_key(std::size_t i) { return batch_keys_.data() + i * visited_.width(); }

  // Looks up what was enqueued. After a stop the rest of the batch stays, as part of the
  // frontier.
  void resolve() {
    for (std::size_t i = resolved_; i < batch_size_; ++i) {
      visited_.prefetch_key(batch_hashes_[i]);
    }
    for (; resolved_ < batch_size_ && !stop_; ++resolved_) {
      const Insertion insertion = visited_.insert(batch_key(resolved_), batch_hashes_[resolved_],
                                                  batch_parents_[resolved_]);
      if (insertion.outcome == InsertOutcome::added) {
        take_in(insertion.index);
      } else if (insertion.outcome != InsertOutcome::known) {
        stop_ = insertion.outcome == InsertOutcome::full_of_states ? StopReason::max_states
                                                                   : StopReason::max_memory;
        return;
      }
    }
    if (!stop_) {
      batch_size_ = 0;
      resolved_ = 0;
    }
  }

  void take_in(StateIndex index) {
    State state;
    model_.decode(visited_.packed(index), state);
    model_.encode(state, again_.data());
    if (!std::equal(again_.begin(), again_.end(), visited_.packed(index))) {
      throw std::logic_error(
          fmt::format("model: a packed form decodes to a state with another packed form, {}",
                      model_.describe_state(state)));
    }
    const std::uint64_t decided = model_.decided(state);
    if (decided != 0) {
      tally_.count_decided(decided);
      if ((decided & names_.invariants) != 0) {
        violated_ = static_cast<unsigned>(__builtin_ctzll(decided & names_.invariants));
        violating_ = index;
        stop_ = StopReason::violation;
      }
    }
    if (order_ == SearchOrder::depth_first) {
      push(index);
    }
  }

  void push(StateIndex index) {
    if (stack_size_ == stack_.usable()) {
      const std::uint64_t bytes = stack_.bytes_for(stack_size_ + 1);
      if (visited_.bytes() + bytes > options_.bounds.max_bytes ||
          !stack_.grow_to(stack_size_ + 1)) {
        // The state is in the set but can no longer be expanded.
        ++cut_;
        stop_ = stop_ ? stop_ : StopReason::max_memory;
        return;
      }
      if constexpr (Store::kIsExact) {
        visited_.set_max_bytes(options_.bounds.max_bytes - bytes);
      }
    }
    const std::uint64_t depth = expanding_ == kNoState ? 0 : depth_ + 1;
    deepest_ = std::max(deepest_, depth);
    stack_[stack_size_++] = {index, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                        depth, std::numeric_limits<std::uint32_t>::max()))};
  }

  // So that a state's first successor is the next to be expanded.
  void reverse_stack_from(std::uint64_t first) {
    if (order_ == SearchOrder::depth_first) {
      std::reverse(stack_.data() + first, stack_.data() + stack_size_);
    }
  }

  void take_stock() {
    if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed)) {
      resolve();
      stop_ = stop_ ? stop_ : StopReason::interrupted;
      return;
    }
    switch (stopwatch_.look()) {
      case StopwatchEvent::time_is_up:
        resolve();
        stop_ = stop_ ? stop_ : StopReason::max_time;
        break;
      case StopwatchEvent::progress_due: report_progress(); break;
      case StopwatchEvent::nothing: break;
    }
  }

  void report_progress() {
    const Counts now = counts();
    Progress progress;
    progress.states = now.states;
    progress.transitions = now.transitions;
    progress.frontier = now.frontier;
    progress.depth = now.depth;
    progress.bytes = now.bytes;
    stopwatch_.fill(progress);
    options_.progress(progress);
  }

  void remember_point() {
    point_.words = model_.words();
    point_.key_words = Store::kIsExact ? model_.words() : 1;
    point_.has_packed = Store::kIsExact ? 0 : 1;
    point_.states = visited_.size();
    point_.next = next_;
    point_.level_end = level_end_;
    point_.depth = depth_;
    point_.transitions = transitions_;
    point_.terminal = terminal_;
    point_.tally = tally_;
    if (stopwatch_.seconds() >= next_checkpoint_) {
      write_checkpoint();
      next_checkpoint_ = stopwatch_.seconds() + options_.checkpoint.seconds;
    }
  }

  void write_checkpoint() const {
    CheckpointWriter out(options_.checkpoint.save_to, point_, options_.checkpoint.identity);
    visited_.save(out, point_.states, point_.next);
    out.finish();
  }

  void resume() {
    CheckpointReader in(options_.checkpoint.resume_from, options_.checkpoint.identity,
                        model_.words(), !Store::kIsExact);
    point_ = in.point();
    if (!visited_.load(in, point_.states, point_.next, point_.level_end)) {
      throw CheckpointError(fmt::format(
          "checkpoint {}: its {} states are more than the bounds on states and memory allow",
          options_.checkpoint.resume_from, point_.states));
    }
    in.finish();
    next_ = point_.next;
    round_end_ = next_;
    level_end_ = point_.level_end;
    depth_ = point_.depth;
    transitions_ = point_.transitions;
    terminal_ = point_.terminal;
    tally_ = point_.tally;
    ResumedStates<M, Store>(model_, visited_, options_.checkpoint.resume_from)
        .require_of_model(next_);
  }

  // States found and not, or not completely, expanded.
  std::uint64_t frontier() const {
    const bool unresolved = resolved_ < batch_size_;
    if (order_ == SearchOrder::depth_first) {
      const bool incomplete = expanding_ != kNoState && (in_expansion_ || unresolved);
      return stack_size_ + cut_ + (incomplete ? 1 : 0);
    }
    std::uint64_t complete = in_expansion_ ? next_ - (expanding_ == kNoState ? 0 : 1) : next_;
    if (unresolved) {
      const StateIndex parent = batch_parents_[resolved_];
      complete = parent == kNoState ? 0 : std::min<std::uint64_t>(complete, parent);
    }
    return visited_.size() - complete;
  }

  Counts counts() const {
    Counts counts;
    counts.states = visited_.size();
    counts.transitions = transitions_;
    counts.depth = order_ == SearchOrder::depth_first
                       ? deepest_
                       : depth_ + (level_end_ != 0 && visited_.size() > level_end_ ? 1 : 0);
    counts.frontier = frontier();
    counts.terminal = terminal_;
    counts.bytes = visited_.bytes() + stack_.bytes();
    return counts;
  }

  std::string error_text(const std::string& what) const {
    const Counts now = counts();
    return fmt::format(
        "exploration stopped by an error, there is no verdict: {} ({} states found, {} of them "
        "not expanded, depth {})",
        what, now.states, now.frontier, now.depth);
  }

  Exploration<M> finish() {
    Exploration<M> result;
    if (stop_ == StopReason::violation) {
      result.counterexample = rebuild_path(model_, visited_, violating_);
      require_violation(model_, *result.counterexample, violated_);
      result.summary = conclude_violation(names_, tally_, counts(), violated_,
                                          result.counterexample->steps.size(), path_length());
    } else {
      const bool can_go_on = stop_ && *stop_ != StopReason::exhausted;
      if (can_go_on && !options_.checkpoint.save_to.empty()) {
        write_checkpoint();
      }
      result.summary =
          conclude(names_, tally_, counts(), stop_.value_or(StopReason::exhausted), options_);
    }
    result.summary.seconds = stopwatch_.seconds();
    return result;
  }

  PathLength path_length() const {
    if (order_ != SearchOrder::breadth_first || options_.is_reduced) {
      return PathLength::not_minimal;
    }
    return Store::kIsExact ? PathLength::shortest : PathLength::shortest_but_for_collisions;
  }

  const M& model_;
  const ExploreOptions& options_;
  ModelNames names_;
  SearchOrder order_ = SearchOrder::breadth_first;
  Store visited_;
  Tally tally_;
  std::uint64_t transitions_ = 0;
  std::uint64_t terminal_ = 0;
  std::optional<StopReason> stop_;
  StateIndex violating_ = kNoState;
  unsigned violated_ = 0;

  // The successors enqueued and, from resolved_ on, not looked up yet.
  std::vector<std::uint64_t> batch_keys_;
  std::uint64_t batch_hashes_[kBatch] = {};
  StateIndex batch_parents_[kBatch] = {};
  std::size_t batch_size_ = 0;
  std::size_t resolved_ = 0;
  // Scratch for one key.
  std::vector<std::uint64_t> again_;

  // The state being expanded; kNoState while the initial states are taken in.
  StateIndex expanding_ = kNoState;
  bool in_expansion_ = false;
  // Of the state being expanded.
  std::uint64_t depth_ = 0;

  // Breadth-first: the next state to expand, and where its round and its level end.
  std::uint64_t next_ = 0;
  std::uint64_t round_end_ = 0;
  std::uint64_t level_end_ = 0;
  std::optional<SearchRound<M, Store>> rounds_;

  // Where the last round began, and when to write that to a file again.
  SearchPoint point_;
  double next_checkpoint_;

  // Depth-first.
  GrowingArray<StackEntry> stack_;
  std::uint64_t stack_size_ = 0;
  std::uint64_t deepest_ = 0;
  // States at the bound on depth, not expanded.
  std::uint64_t cut_ = 0;

  Stopwatch stopwatch_;
};

}  // namespace nandi::checker
