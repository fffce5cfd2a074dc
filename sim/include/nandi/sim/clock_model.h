// True time, and clocks that show something else.
#pragma once

#include <cstdint>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"

namespace nandi::sim {

/// The simulated world's own time; no worker and no store ever sees it.
struct TrueClock;
using TrueTime = TimePoint<TrueClock>;

inline constexpr std::int64_t kPartsPerBillion = 1'000'000'000;

/// A clock that shows `shown` at true time `since` and advances at 1 + rate_ppb / 10^9 of the true
/// rate from there (rounded down). A rate of -10^9 is a clock that stands still.
template <class Clock>
struct ClockModel {
  TrueTime since;
  TimePoint<Clock> shown;
  std::int64_t rate_ppb = 0;

  friend constexpr bool operator==(const ClockModel&, const ClockModel&) = default;

  [[nodiscard]] constexpr TimePoint<Clock> at(TrueTime now) const {
    const Duration passed = now - since;
    if (rate_ppb == 0) [[likely]]
      return shown + passed;
    return shown + advanced(passed);
  }

  /// The earliest true time >= since at which the clock shows `target` or more; TrueTime::max() for
  /// a clock that stands still before it, and for a target of "never".
  [[nodiscard]] constexpr TrueTime when(TimePoint<Clock> target) const {
    if (target == TimePoint<Clock>::max()) return TrueTime::max();
    const Duration ahead = target - shown;
    if (rate_ppb == 0) [[likely]]
      return since + ahead;
    return first_ahead_by(ahead);
  }

  /// From `now` on, advance at another rate.
  constexpr void set_rate(TrueTime now, std::int64_t ppb) {
    shown = at(now);
    since = now;
    rate_ppb = ppb;
  }

  /// Jump by `by` at `now`.
  constexpr void step(TrueTime now, Duration by) {
    shown = at(now) + by;
    since = now;
  }

 private:
  // Kept out of line, so that the exact clock, which nearly every one is, costs an addition.
  /// By how much it advances in `passed` of true time.
  [[nodiscard, gnu::noinline]] constexpr Duration advanced(Duration passed) const {
    return Duration(static_cast<std::int64_t>(
        floor_div(Int128{passed.count()} * (kPartsPerBillion + rate_ppb), kPartsPerBillion)));
  }
  /// The earliest true time at which it has advanced by `ahead`.
  [[nodiscard, gnu::noinline]] constexpr TrueTime first_ahead_by(Duration ahead) const {
    if (ahead <= Duration(0)) return since;
    if (rate_ppb <= -kPartsPerBillion) return TrueTime::max();
    const Int128 wait =
        ceil_div(Int128{ahead.count()} * kPartsPerBillion, kPartsPerBillion + rate_ppb);
    return wait > TrueTime::max().count() - since.count()
               ? TrueTime::max()
               : since + Duration(static_cast<std::int64_t>(wait));
  }
};

}  // namespace nandi::sim
