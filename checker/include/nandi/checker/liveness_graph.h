// Fair loops in an explored graph: what liveness is decided by.
//
// A property speaks of runs on which, from some moment on, nothing *disturbing* happens any more
// (for a worker group: nobody joins, leaves, crashes or stalls, no fault strikes) and which are
// *fair*:
//   weak       what is possible from some moment on without a break is done eventually;
//   recurrent  it is done again and again, whatever else is possible (time goes on).
// On every such run, its goal is met
//   stays      from some moment on for ever;
//   returns    again and again.
// A run that breaks this ends in a loop, a *lasso*: the loop has no disturbing step, is fair, and
// has a state off the goal (`stays`) or is off it throughout (`returns`). Whether there is one is
// decided on strongly connected components: of the graph without disturbing steps for `stays`, and
// without states on the goal for `returns`. A component has a fair loop exactly when each weak rule
// is taken or somewhere impossible in it and each recurrent one taken, since one loop can pass all
// of it (Emerson and Lei, "Modalities for model checking", 1987). A run that ends where no step
// but a disturbing one is left counts as staying there for ever.
//
// Components are Boost.Graph's strong_components, whose depth-first search keeps its own stack on
// the heap: a chain of any length needs no more of the thread's (a test runs a million states on 1
// MiB).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "nandi/checker/visited_set.h"

namespace nandi::checker {

enum class FairnessKind : std::uint8_t { weak, recurrent };

struct FairnessRule {
  std::string_view name;
  FairnessKind kind = FairnessKind::weak;
};
inline constexpr std::size_t kMaxFairnessRules = 60;

enum class LivenessKind : std::uint8_t { stays, returns };

struct LivenessProperty {
  std::string_view name;
  LivenessKind kind = LivenessKind::stays;
};
inline constexpr std::size_t kMaxLivenessProperties = 8;

/// Label of a step: the number of the rule that it satisfies, or one of these.
inline constexpr std::uint8_t kNoRule = 0xFE;
inline constexpr std::uint8_t kDisturbing = 0xFF;

/// States 0 .. first.size() - 2; the edges of state v are first[v] .. first[v + 1] - 1.
struct LivenessGraph {
  std::vector<std::uint64_t> first{0};
  std::vector<StateIndex> target;
  std::vector<std::uint8_t> label;
  /// By state: bit p is set where the goal of property p is met.
  std::vector<std::uint8_t> goals;
  /// By state: bit p is set where the goal is met and that says something.
  std::vector<std::uint8_t> telling;

  [[nodiscard]] std::size_t states() const { return first.size() - 1; }
  [[nodiscard]] std::uint64_t bytes() const {
    return first.size() * 8 + target.size() * 5 + goals.size() * 2;
  }
};

/// A loop: edges from `start` back to it. Empty: the run ends in `start`, and stays there.
struct LoopInGraph {
  StateIndex start = 0;
  std::vector<std::uint64_t> edges;
};

struct LivenessFinding {
  /// Of a run that breaks the property; its start is as close to an initial state as any.
  std::optional<LoopInGraph> loop;
  std::uint64_t components = 0;  ///< that have a loop without disturbing steps
  std::uint64_t fair = 0;        ///< of which with a fair one
  /// Fair loops on which the goal is met and that says something: without any the property proves
  /// nothing.
  std::uint64_t telling = 0;
};

/// Whether every fair run keeps property number `p`, which is of kind `kind`.
[[nodiscard]] LivenessFinding find_fair_loop(const LivenessGraph& graph,
                                             std::span<const FairnessRule> rules, std::size_t p,
                                             LivenessKind kind);

/// Component of each state in the graph without the steps that `keep` (by edge) leaves out;
/// numbered in no particular order. For the above and for tests.
[[nodiscard]] std::vector<StateIndex> components_of(const LivenessGraph& graph,
                                                    const std::vector<bool>& keep);

}  // namespace nandi::checker
