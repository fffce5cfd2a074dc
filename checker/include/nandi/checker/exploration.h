// What an exploration is given and what it answers, apart from the model's own types.
//
// Units: bytes, seconds of elapsed time, numbers of states and of transitions (successors
// visited). All counts are deterministic; elapsed time and rate are not and stay out of
// `evidence`.
#pragma once

#include <atomic>
#include <cstddef>
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
  // Random walks only: an estimate of the different states, and the length of the shortest
  // counterexample so far, 0 for none.
  std::uint64_t distinct = 0;
  std::uint64_t shortest = 0;
};

// Where a breadth-first search is saved, and from where it goes on (checkpoint.h).
struct Checkpointing {
  // Empty: nowhere.
  std::string save_to;
  // Between two checkpoints; one more is written where a bound or an interrupt ends the search.
  double seconds = 300;
  // Empty: from the beginning.
  std::string resume_from;
  // What is searched, in words: a checkpoint of anything else is refused.
  std::string identity;
};

struct ExploreOptions {
  Bounds bounds;
  // Breadth-first only, which finds the same states in the same order with any number of them: all
  // counts, the verdict and the counterexample are those of one thread. 1 to kMostThreads.
  std::size_t threads = 1;
  // A piece of a level with fewer states is explored by one thread.
  std::uint64_t least_shared_states = 1024;
  // Breadth-first only: keep fingerprints of states instead of states (fingerprint_store.h).
  bool fingerprints = false;
  std::uint64_t fingerprint_seed = 0;
  Checkpointing checkpoint;
  // The model leaves out steps that a reduction makes superfluous: the shortest of its paths need
  // not be the shortest of all.
  bool is_reduced = false;
  // Set by another thread or by a signal handler: the exploration ends as interrupted.
  const std::atomic<bool>* interrupt = nullptr;
  // Called about every `progress_seconds`, from the exploring thread.
  std::function<void(const Progress&)> progress;
  double progress_seconds = 1;
  // Do not ask that every `sometimes` was reached and every must_fire action class fired.
  bool allow_vacuous = false;
};

inline constexpr std::size_t kMostThreads = 256;

enum class SearchOrder { breadth_first, depth_first };
// Throws std::invalid_argument for what cannot be combined.
void require_sound(SearchOrder order, const ExploreOptions& options);

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
  // Fingerprints only: two of the states have one with at most this probability.
  double collision_probability = 0;
};

// "1.7e-05": an upper bound, rounded up.
std::string probability_text(double probability);

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

// A checkpoint that cannot be written, or one that is truncated, damaged, or of another search.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
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
  void add(const Tally& other);
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
// What is known of the length of a counterexample.
enum class PathLength { shortest, shortest_but_for_collisions, not_minimal };
// The same for a violation of property `violated`, `length` steps from an initial state.
Summary conclude_violation(const ModelNames& names, const Tally& tally, const Counts& counts,
                           unsigned violated, std::uint64_t length, PathLength known);

}  // namespace nandi::checker
