// When a worker registers and when its lease ends: pure functions of the timing and of one tick.
//
// All of them are exact in 128 bits and round to the safe side: register later, let go earlier,
// and never out of the band [gap, 1 - gap] of an interval. Sources are cited per function:
// "article" is "Modulo partitioning in a dynamic topology", "README" that of the npm package
// n-and-i, "protocol" the reading of both that this project implements (README.md, "The protocol").
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "nandi/engine/fraction.h"
#include "nandi/engine/tick.h"
#include "nandi/engine/time.h"

namespace nandi {

/// Fractions with larger denominators are refused: within this bound a product with a number of
/// members stays below 2^63, and one with an interval below 2^52 units as well fits in 128 bits.
inline constexpr std::int64_t kMaxDenominator = 1'000'000'000;

/// What every member of a group must share, plus how well its clocks are known. All durations are
/// in one unit, chosen by the caller.
struct LeaseTiming {
  Duration interval;         ///< I > 0
  Fraction gap{3, 20};       ///< g, a fraction of I; 0 < g < 1/2; its denominator is at most
                             ///< kMaxDenominator
  Duration attempt_timeout;  ///< > 0; an attempt without a reply by then has failed
  Duration resolution;       ///< of Tick::at; > 0 (1 ms on the wire, one tick in the checker)
  /// Bound on the relative rate of the two clocks: while a worker's clock advances by d, the
  /// store's advances by at least d (1 - drift) and at most d (1 + drift). 0 <= drift < 1.
  Fraction drift;
  friend constexpr bool operator==(const LeaseTiming&, const LeaseTiming&) = default;
};

/// First moment of interval n on the store's clock.
[[nodiscard]] constexpr StoreTime interval_begin(const LeaseTiming& timing, IntervalNumber n) {
  return StoreTime(n * timing.interval.count());
}

/// The gap in units. Rounded down: as a margin it ends a lease.
[[nodiscard]] constexpr Duration gap_margin(const LeaseTiming& timing) {
  return multiply_floor(timing.interval, timing.gap);
}

/// Earliest offset of a slot in its interval: g I, rounded up.
/// Article: "leaving a gap at either end".
[[nodiscard]] constexpr Duration band_begin(const LeaseTiming& timing) {
  return multiply_ceil(timing.interval, timing.gap);
}

/// Latest offset of a slot in its interval: (1 - g) I, rounded down; at least band_begin when the
/// interval has a whole unit inside the band.
[[nodiscard]] constexpr Duration band_end(const LeaseTiming& timing) {
  return timing.interval - band_begin(timing);
}

/// Offset of the slot of `index` among `members`: (g + (index + 1/2) / members (1 - 2g)) I, rounded
/// up and kept in the band. Article: "A worker holding index i of n can register at (i + 0.5) / n
/// of the interval", "the spread covers interval - 2 * gap". Precondition: index < members.
[[nodiscard]] constexpr Duration slot_offset(const LeaseTiming& timing, std::uint32_t index,
                                             std::uint32_t members) {
  assert(index < members);
  const std::int64_t p = timing.gap.numerator();
  const std::int64_t q = timing.gap.denominator();
  assert(q <= kMaxDenominator);  // so that what follows stays below 2^63
  const std::int64_t twice_members = std::int64_t{2} * members;
  const std::int64_t share = twice_members * p + (std::int64_t{2} * index + 1) * (q - 2 * p);
  const std::int64_t offset = ceil_of_product(share, timing.interval.count(), twice_members * q);
  return std::min(Duration(offset), band_end(timing));
}

/// Offset, in the interval of the slot, at which the lease ends: one gap past the slot, rounded
/// down. Article: "a worker that has not completed a registration by a bounded margin past the slot
/// it was due in has to stand down".
[[nodiscard]] constexpr Duration expiry_offset(const LeaseTiming& timing, std::uint32_t index,
                                               std::uint32_t members) {
  return slot_offset(timing, index, members) + gap_margin(timing);
}

/// Among how many members this tick's index is spread: the closed count, or as many as the open
/// interval has shown so far where that is more (protocol, rule 4).
[[nodiscard]] constexpr std::uint32_t members_for_slot(const Tick& tick) {
  return std::max(tick.previous_count.value_or(0), tick.index + 1);
}

/// What one tick tells about the store's clock: sent at local `sent`, read back at local
/// `received`.
struct ClockReading {
  StoreTime at;
  LocalTime sent;
  LocalTime received;
};

/// The local time from which on the store's clock is certain to have reached `target`: the lower
/// estimate at + (t - received)(1 - drift). A worker registers on it, so never early.
[[nodiscard]] constexpr LocalTime certainly_reached(const LeaseTiming& timing,
                                                    const ClockReading& reading, StoreTime target) {
  const Duration ahead = target - reading.at;
  if (timing.drift.numerator() == 0) return reading.received + ahead;
  const Int128 q = timing.drift.denominator();
  return reading.received + Duration(static_cast<std::int64_t>(
                                ceil_div(ahead.count() * q, q - timing.drift.numerator())));
}

/// The last local time at which the store's clock is certain not to be past `target`: the upper
/// estimate at + resolution + (t - sent)(1 + drift). A worker lets go on it, so never late.
[[nodiscard]] constexpr LocalTime possibly_reached(const LeaseTiming& timing,
                                                   const ClockReading& reading, StoreTime target) {
  const Duration ahead = target - reading.at - timing.resolution;
  if (timing.drift.numerator() == 0) return reading.sent + ahead;
  const Int128 q = timing.drift.denominator();
  return reading.sent + Duration(static_cast<std::int64_t>(
                            floor_div(ahead.count() * q, q + timing.drift.numerator())));
}

/// After the `failures`-th failure in a row (from 1), the next attempt is due this long after the
/// failed one was sent: I/8, I/4, I/2, then I. Protocol, rule 6.
[[nodiscard]] constexpr Duration retry_delay(const LeaseTiming& timing, std::uint32_t failures) {
  assert(failures >= 1);
  const Duration delay =
      failures >= 4 ? timing.interval : timing.interval / (std::int64_t{16} >> failures);
  return std::max(delay, Duration(1));
}

}  // namespace nandi
