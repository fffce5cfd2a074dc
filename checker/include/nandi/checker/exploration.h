// What an exploration is given and what it answers, apart from the model's own types.
//
// Units: bytes, seconds of elapsed time, numbers of states and of transitions (successors
// visited). All counts are deterministic; elapsed time and rate are not and stay out of
// `evidence`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/checker/model.h"
#include "nandi/sim/verdict.h"

namespace nandi::checker {

struct Bounds {
  static constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t max_states = kUnbounded;
  // For the visited set and the stack of a depth-first search. Always finite: address space for
  // it is reserved.
  std::uint64_t max_bytes = std::uint64_t{4} << 30U;
  // States at this distance from an initial state are evaluated but not expanded.
  std::uint64_t max_depth = kUnbounded;
  double max_seconds = std::numeric_limits<double>::infinity();
};

struct Progress {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  // Found and not yet expanded.
  std::uint64_t frontier = 0;
  std::uint64_t depth = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  double states_per_second = 0;
};

struct ExploreOptions {
  Bounds bounds;
  // Set by another thread or by a signal handler: the exploration ends as interrupted.
  const std::atomic<bool>* interrupt = nullptr;
  // Called about every `progress_seconds`, from the exploring thread.
  std::function<void(const Progress&)> progress;
  double progress_seconds = 1;
  // Do not ask that every `sometimes` was reached and every must_fire action class fired.
  bool allow_vacuous = false;
};

enum class StopReason {
  exhausted,
  violation,
  max_states,
  max_memory,
  max_depth,
  max_time,
  // A random walk took all its steps.
  max_steps,
  interrupted,
};

std::string_view stop_reason_text(StopReason reason);

struct Counts {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  // Breadth-first: distance of the farthest state found from an initial one. Otherwise the length
  // of the longest path walked.
  std::uint64_t depth = 0;
  // Found and not expanded, or not completely: 0 when exhausted.
  std::uint64_t frontier = 0;
  // Expanded states without a successor.
  std::uint64_t terminal = 0;
  std::uint64_t bytes = 0;
};

struct CoverageEntry {
  std::string name;
  // Of an action class: transitions; of a property: states that decide it.
  std::uint64_t count = 0;
};

struct Coverage {
  std::vector<CoverageEntry> action_classes;
  std::vector<CoverageEntry> properties;

  std::vector<std::string> never_fired() const;
};

struct Summary {
  sim::Verdict verdict = sim::Verdict::unknown;
  StopReason reason = StopReason::exhausted;
  // One line: what the verdict rests on.
  std::string evidence;
  // Name of the violated invariant; empty unless violated.
  std::string violated;
  // What never happened that should have: names of `sometimes` properties and action classes.
  std::vector<std::string> vacuous;
  Counts counts;
  Coverage coverage;
  double seconds = 0;
};

// The model threw, or contradicts itself: no verdict. Exit status 70.
class ExplorationError : public std::runtime_error {
 public:
  ExplorationError(const std::string& what, Counts counts)
      : std::runtime_error(what), counts_(counts) {}
  // What was found, and left (`frontier`), up to the error.
  const Counts& counts() const { return counts_; }

 private:
  Counts counts_;
};

// A path that does not replay: a defect of the checker or of the model's encoding. Exit status 70.
class WitnessError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Counters by index of action class and of property, kept while exploring.
struct Tally {
  std::uint64_t actions[kMaxActionClasses] = {};
  std::uint64_t properties[kMaxProperties] = {};

  void count_decided(std::uint64_t decided) {
    for (; decided != 0; decided &= decided - 1) {
      ++properties[__builtin_ctzll(decided)];
    }
  }
};

// A model's names, checked and copied once. Throws std::invalid_argument for more than 64 of
// either kind, an empty or a repeated name.
struct ModelNames {
  std::vector<Property> properties;
  std::vector<ActionClass> action_classes;
  std::uint64_t invariants = 0;

  ModelNames(std::vector<Property> properties, std::vector<ActionClass> action_classes);
};

template <Model M>
ModelNames names_of(const M& model) {
  std::vector<Property> properties;
  for (std::size_t i = 0; i < model.properties().size(); ++i) {
    properties.push_back(model.properties()[i]);
  }
  std::vector<ActionClass> classes;
  for (std::size_t i = 0; i < model.action_classes().size(); ++i) {
    classes.push_back(model.action_classes()[i]);
  }
  return {std::move(properties), std::move(classes)};
}

// The verdict that an end without a violation amounts to, with its evidence.
Summary conclude(const ModelNames& names, const Tally& tally, const Counts& counts,
                 StopReason reason, const ExploreOptions& options);
// The same for random walks, which never hold.
Summary conclude_walks(const ModelNames& names, const Tally& tally, const Counts& counts,
                       StopReason reason, std::uint64_t walks, std::uint64_t steps);
// The same for a violation of property `violated`, `length` steps from an initial state.
Summary conclude_violation(const ModelNames& names, const Tally& tally, const Counts& counts,
                           unsigned violated, std::uint64_t length, bool shortest);

}  // namespace nandi::checker
