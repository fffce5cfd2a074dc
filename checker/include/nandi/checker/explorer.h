// Exhaustive exploration of a model: every reachable state once, every property in each.
//
//   const auto result = explore_breadth_first(model, options);
//   // result.summary.verdict, .evidence, .counts, .coverage; result.counterexample
//
// Verdicts:
//   violated  an invariant is broken in a reachable state; the counterexample leads there, has been
//             replayed, and is as short as any (breadth-first only).
//   holds     all reachable states were expanded, no invariant is broken in any, every `sometimes`
//             property was reached and every action class that must fire fired.
//   unknown   a bound was reached or the exploration was interrupted (the summary says which and
//             how many states were left), or the run was vacuous (it says of what).
// Errors: ExplorationError when the model throws, whatever states are left; WitnessError when a
// counterexample does not replay; std::invalid_argument for a model whose constants make no
// sense or options that cannot be combined; CheckpointError for a checkpoint that cannot be
// written or resumed; std::bad_alloc when not even the address space for the bounds is to be had.
// Only these.
//
// Deterministic: the order of exploration and all counts depend on the model and the bounds on
// states, memory and depth alone, with however many threads, resumed or not. Not re-entrant from
// the model's members.
//
// The algorithms are the textbook ones (Clarke, Grumberg, Peled, "Model Checking", 1999; Holzmann,
// "The SPIN Model Checker", 2003). depth-first means that the youngest state found is expanded
// first: every state is entered into the set when it is found, not when it is expanded.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>
#include <type_traits>

#include "nandi/checker/exploration.h"
#include "nandi/checker/model.h"
#include "nandi/checker/search.h"

namespace nandi::checker {

// Searches over short keys are compiled for their exact width, longer ones for any.
inline constexpr std::size_t kMostFixedWords = 4;

template <Model M, std::size_t kWords = 1>
Exploration<M> explore(const M& model, SearchOrder order, const ExploreOptions& options) {
  if constexpr (kWords == 1) {
    if (model.words() == 0 || model.words() > M::kMaxWords) {
      throw std::invalid_argument(fmt::format("model: its packed form has {} words, not 1 to {}",
                                              model.words(), std::size_t{M::kMaxWords}));
    }
    require_sound(order, options);
    if (options.fingerprints) return Search<M, FingerprintStore>(model, options).run(order);
  }
  if constexpr (M::kMaxWords > kMostFixedWords) {
    return Search<M, VisitedSet<0>>(model, options).run(order);
  } else {
    if constexpr (kWords < M::kMaxWords) {
      if (model.words() > kWords) {
        return explore<M, kWords + 1>(model, order, options);
      }
    }
    return Search<M, VisitedSet<kWords>>(model, options).run(order);
  }
}

template <Model M>
Exploration<M> explore_breadth_first(const M& model, const ExploreOptions& options = {}) {
  return explore(model, SearchOrder::breadth_first, options);
}

template <Model M>
Exploration<M> explore_depth_first(const M& model, const ExploreOptions& options = {}) {
  return explore(model, SearchOrder::depth_first, options);
}

}  // namespace nandi::checker
