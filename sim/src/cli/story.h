// The story around a violation: a dozen lines that a person can follow.
#pragma once

#include <span>
#include <string>

#include "nandi/sim/property.h"
#include "nandi/sim/simulator.h"

namespace nandi::sim::cli {

/// Tells what of the records, which end with the violation, concerns its workers.
std::string story(std::span<const TraceRecord> records, const Violation& violation);

/// Runs the seed once more, telling what concerns the violation's workers in the four intervals
/// before it.
std::string story(const Simulator& simulator, std::uint64_t seed, const Violation& violation);

}  // namespace nandi::sim::cli
