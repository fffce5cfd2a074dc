// Two runs of one seed, compared action by action.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "nandi/sim/simulator.h"

namespace nandi::sim::cli {

/// Runs the seed once with these options; every call should do the same.
using SeedRun = std::function<void(const RunOptions&)>;

/// Runs twice with `options`, whose `trace` and `hashes` are not used, and says that the runs were
/// alike, how many actions they took and the hash of their trace. Throws std::logic_error where
/// they differ, which names the first action of the second run that is not the first run's: its
/// number from 1, what it is, whose and when.
[[nodiscard]] std::string compare_runs(const SeedRun& run, std::uint64_t seed, RunOptions options);

}  // namespace nandi::sim::cli
