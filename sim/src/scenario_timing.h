// The timing that each set of workers of a scenario ends up with.
#pragma once

#include "nandi/engine/schedule.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/yaml/document.h"

namespace nandi::sim {

/// Of workers that start as `set`.
[[nodiscard]] LeaseTiming timing_of(const GroupSettings& group, const WorkerSet& set);

/// Of workers with `timing` after they restarted with other settings: a deadline that was the
/// interval's own follows the interval.
[[nodiscard]] LeaseTiming timing_after(LeaseTiming timing, const Reconfigure& change);

/// Throws yaml::LoadError, at the place that gives the timing, when a worker would refuse it and
/// `rules.timing_budget` does not allow it.
void require_timing(const Scenario& scenario, const yaml::Value& root);

}  // namespace nandi::sim
