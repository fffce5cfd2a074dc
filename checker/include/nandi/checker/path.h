// A path: an initial state and the actions that lead from it to where something is to be seen.
//
// Paths are rebuilt from the packed states that the visited set keeps: at each step the model is
// asked again which of its actions lead from this state to the next one. Nothing is stored for a
// transition, and a path holds states in the working form that a run of the model really
// produces. Every path that an explorer returns has been replayed (replay_path).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/exploration.h"
#include "nandi/checker/model.h"
#include "nandi/checker/visited_set.h"

namespace nandi::checker {

template <Model M>
struct Step {
  typename M::Action action;
  typename M::State state;
  // The other actions that lead to the same state, in the model's order.
  std::vector<typename M::Action> alternatives;
};

template <Model M>
struct Path {
  typename M::State initial;
  std::vector<Step<M>> steps;

  const typename M::State& last() const { return steps.empty() ? initial : steps.back().state; }
};

template <Model M>
std::vector<std::uint64_t> pack(const M& model, const typename M::State& state) {
  std::vector<std::uint64_t> words(model.words());
  model.encode(state, words.data());
  return words;
}

// A path of `length` states, of which the first is an initial one and each next a successor of the
// one before: at each place the first that `is_at(place, packed)` accepts. Throws WitnessError
// where none is.
template <Model M, class IsAt>
Path<M> rebuild_path(const M& model, std::size_t length, const IsAt& is_at) {
  Path<M> path{};
  bool found = false;
  model.for_each_initial([&](const typename M::State& state) {
    if (!found && is_at(std::size_t{0}, pack(model, state))) {
      path.initial = state;
      found = true;
    }
  });
  if (!found) {
    throw WitnessError("path: its first state is not an initial state of the model");
  }
  for (std::size_t i = 1; i < length; ++i) {
    std::vector<Step<M>> matches;
    std::vector<std::uint64_t> matched;
    const typename M::State from = path.last();
    model.for_each_successor(from,
                             [&](const typename M::Action& action, const typename M::State& next) {
                               std::vector<std::uint64_t> packed = pack(model, next);
                               if (matches.empty() ? !is_at(i, packed) : packed != matched) {
                                 return;
                               }
                               if (matches.empty()) {
                                 matches.push_back({action, next, {}});
                                 matched = std::move(packed);
                               } else {
                                 matches.front().alternatives.push_back(action);
                               }
                             });
    if (matches.empty()) {
      throw WitnessError(fmt::format(
          "path: no action leads from its state {} ({}) to the next; the packed form leaves out "
          "something that matters",
          i - 1, model.describe_state(from)));
    }
    path.steps.push_back(std::move(matches.front()));
  }
  return path;
}

// The path along the packed states `keys`.
template <Model M>
Path<M> rebuild_path(const M& model, const std::vector<std::vector<std::uint64_t>>& keys) {
  return rebuild_path(
      model, keys.size(),
      [&](std::size_t at, const std::vector<std::uint64_t>& packed) { return packed == keys[at]; });
}

// The path by which `last` was first reached.
template <Model M, class Store>
Path<M> rebuild_path(const M& model, const Store& visited, StateIndex last) {
  std::vector<StateIndex> states;
  for (StateIndex index = last; index != kNoState; index = visited.parent(index)) {
    states.push_back(index);
  }
  std::reverse(states.begin(), states.end());
  return rebuild_path(model, states.size(),
                      [&](std::size_t at, const std::vector<std::uint64_t>& packed) {
                        if constexpr (Store::kIsExact) {
                          return std::equal(packed.begin(), packed.end(), visited.key(states[at]));
                        } else {
                          return visited.hash(packed.data()) == visited.fingerprint(states[at]);
                        }
                      });
}

// Walks the path through the model once more, from an initial state, by its actions alone: each
// must be enabled and lead to the state that the path names. Returns what the last state decides
// (Model::decided). Throws WitnessError where the path is not one of the model's.
template <Model M>
std::uint64_t replay_path(const M& model, const Path<M>& path) {
  typename M::State state{};
  bool found = false;
  const auto first = pack(model, path.initial);
  model.for_each_initial([&](const typename M::State& initial) {
    if (!found && pack(model, initial) == first) {
      state = initial;
      found = true;
    }
  });
  if (!found) {
    throw WitnessError("replay: the path does not start in an initial state");
  }
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const Step<M>& step = path.steps[i];
    const auto expected = pack(model, step.state);
    const typename M::State from = state;
    found = false;
    model.for_each_successor(
        from, [&](const typename M::Action& action, const typename M::State& next) {
          if (!found && action == step.action && pack(model, next) == expected) {
            state = next;
            found = true;
          }
        });
    if (!found) {
      throw WitnessError(fmt::format("replay: step {} ({}) is not enabled in {}", i + 1,
                                     model.describe_action(step.action),
                                     model.describe_state(from)));
    }
  }
  return model.decided(state);
}

// Throws WitnessError unless the path replays and its last state breaks property `violated`.
template <Model M>
void require_violation(const M& model, const Path<M>& path, unsigned violated) {
  if ((replay_path(model, path) >> violated & 1U) == 0) {
    throw WitnessError(fmt::format("replay: the path does not end in a violation of '{}'",
                                   model.properties()[violated].name));
  }
}

// One line for each state and each step; a step names the other actions with the same effect.
template <Model M>
std::string describe_path(const M& model, const Path<M>& path) {
  std::string text = fmt::format("  0  {}\n", model.describe_state(path.initial));
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const Step<M>& step = path.steps[i];
    text += fmt::format("     > {}", model.describe_action(step.action));
    for (const auto& alternative : step.alternatives) {
      text += fmt::format(" (or: {})", model.describe_action(alternative));
    }
    text += fmt::format("\n{:3}  {}\n", i + 1, model.describe_state(step.state));
  }
  return text;
}

}  // namespace nandi::checker
