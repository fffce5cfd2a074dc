// The two random numbers of a worker: when it registers first, and the slot it uses while no count
// is known.
#pragma once

#include <cstdint>

#include "nandi/engine/options.h"
#include "nandi/engine/time.h"

namespace nandi {

struct StartDraw {
  Duration first_delay;  ///< in [0, first_spread * interval)
  Duration kept_offset;  ///< in [gap, 1 - gap] of the interval
};

/// A function of the options and the seed alone, the same on every machine.
/// Article: "a random offset per instance is the fallback. It is also what keeps a fleet that
/// starts all at once from registering in a single burst". Precondition: no errors in check().
[[nodiscard]] StartDraw draw_start(const Options& options, std::uint64_t seed);

/// options.seed, or 64 bits from the kernel, so that containers that are equal in name, process
/// number and second of start still differ. Errors: std::system_error without such a source.
[[nodiscard]] std::uint64_t seed_of(const Options& options);

}  // namespace nandi
