// Runs a LeaseCheck with the model of the right size and rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nandi/checker/exploration.h"
#include "nandi/checker/lease_check.h"
#include "nandi/checker/lease_story.h"
#include "nandi/checker/liveness_summary.h"
#include "nandi/checker/path_step.h"
#include "nandi/sim/action.h"
#include "nandi/sim/scenario.h"

namespace nandi::checker {

enum class Exploring : std::uint8_t { breadth_first, depth_first, random_walk };

struct LeaseCheckOptions {
  Exploring order = Exploring::breadth_first;
  ExploreOptions explore;
  std::uint64_t seed = 1;                 ///< random_walk
  std::uint64_t walk_steps = 10'000'000;  ///< random_walk
  bool keep_searching = false;            ///< random_walk: after a violation, for shorter ones
  std::size_t graph_states = 0;           ///< > 0: also draw the graph, up to so many states
  std::size_t counterexamples = 1;        ///< > 1: of a violation, up to so many causes
};

struct ToldCause {
  std::string property;
  std::vector<std::string> classes;
  std::uint64_t states = 0;
  std::size_t steps = 0;
  std::vector<StoryLine> story;
};

struct LeaseCheckResult {
  Summary summary;
  std::string bounds;  ///< describe_bounds
  /// Violated only: the path, step by step, in short, and as runs of the simulated world.
  std::size_t steps = 0;
  std::string path;
  std::vector<StoryLine> story;
  std::vector<PathStep> path_steps;
  std::vector<LeaseSchedule> schedules;  ///< the same run in several forms (lease_replay.h)
  /// Where the check asks for liveness and the invariants hold: what came of it. Its verdict is the
  /// summary's too; path and story of a violation are the stem and then once round the loop.
  std::optional<LivenessSummary> liveness;
  std::size_t loop_steps = 0;
  /// With `counterexamples` > 1, of a violation of an invariant: each cause (causes.h).
  std::vector<ToldCause> causes;
  std::string causes_found;  ///< describe_causes
  std::string dot;
  std::string graphml;
};

/// The `check:` section of a scenario with its group and rules. Throws std::invalid_argument with
/// what is wrong and what would be right.
[[nodiscard]] LeaseCheck lease_check_of(const sim::Scenario& scenario);

/// Precondition: !find_error(check). Errors as explore_breadth_first's; the identity of a
/// checkpoint is the check's (identity_of).
[[nodiscard]] LeaseCheckResult run_lease_check(const LeaseCheck& check,
                                               const LeaseCheckOptions& options = {});

}  // namespace nandi::checker
