// Strongly typed integer time.
//
// A Duration is a whole number of units; the unit is chosen by whoever builds the LeaseTiming (the
// production driver uses nanoseconds, the checker intervals of a few ticks). Points in time carry
// the clock they were read from, so that a reading of a worker's clock can never be compared with a
// reading of the store's: a worker knows the store's clock only through ticks.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace nandi {

/// A signed whole number of time units.
class Duration {
 public:
  constexpr Duration() = default;
  constexpr explicit Duration(std::int64_t count) : count_(count) {}

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }

  static constexpr Duration max() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) {
    return Duration(a.count_ + b.count_);
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return Duration(a.count_ - b.count_);
  }
  friend constexpr Duration operator-(Duration a) { return Duration(-a.count_); }
  friend constexpr Duration operator*(Duration a, std::int64_t k) { return Duration(a.count_ * k); }
  friend constexpr Duration operator*(std::int64_t k, Duration a) { return a * k; }
  /// Quotient rounded toward zero.
  friend constexpr Duration operator/(Duration a, std::int64_t k) { return Duration(a.count_ / k); }
  constexpr Duration& operator+=(Duration other) { return *this = *this + other; }
  constexpr Duration& operator-=(Duration other) { return *this = *this - other; }

 private:
  std::int64_t count_ = 0;
};

/// A reading of the clock `Clock`, in units since that clock's own origin.
template <class Clock>
class TimePoint {
 public:
  constexpr TimePoint() = default;
  constexpr explicit TimePoint(std::int64_t count) : count_(count) {}

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }

  /// Later than every time that a clock shows: "never" for a timer.
  static constexpr TimePoint max() { return TimePoint(std::numeric_limits<std::int64_t>::max()); }

  friend constexpr auto operator<=>(TimePoint, TimePoint) = default;
  friend constexpr TimePoint operator+(TimePoint t, Duration d) {
    return TimePoint(t.count_ + d.count());
  }
  friend constexpr TimePoint operator-(TimePoint t, Duration d) {
    return TimePoint(t.count_ - d.count());
  }
  friend constexpr Duration operator-(TimePoint a, TimePoint b) {
    return Duration(a.count_ - b.count_);
  }

 private:
  std::int64_t count_ = 0;
};

/// The worker's own clock: monotonic, counts while the machine is suspended, never the wall clock.
struct LocalClock;
/// The store's clock, as TIME shows it.
struct StoreClock;

using LocalTime = TimePoint<LocalClock>;
using StoreTime = TimePoint<StoreClock>;

/// Number of an interval on the store's clock: floor(store time / interval).
using IntervalNumber = std::int64_t;

inline constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
inline constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace nandi
