// The worker's own clock: the contract, and the production clock.
//
// Lease arithmetic needs a clock that never steps, is never the wall clock and counts while the
// machine is suspended: a worker that slept through its lease must see, at its first reading, that
// it is over. On Linux that is CLOCK_BOOTTIME; CLOCK_MONOTONIC stops in suspend and is unfit.
#pragma once

#include <concepts>

#include "nandi/engine/time.h"

namespace nandi {

/// now() is a reading in the unit of the LeaseTiming it is used with (nanoseconds in production),
/// never decreasing, counted from any origin, and safe to call from several threads.
template <class C>
concept Clock = requires(const C& clock) {
  { clock.now() } -> std::same_as<LocalTime>;
};

/// CLOCK_BOOTTIME in nanoseconds since boot.
struct BootClock {
  [[nodiscard]] LocalTime now() const;
};

static_assert(Clock<BootClock>);

}  // namespace nandi
