// Confidence intervals of percentiles, from order statistics alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nandi/sim/histogram.h"

namespace nandi::sim {

/// Ranks, from 1, of the least and the greatest value between which a percentile lies.
struct RankInterval {
  std::optional<std::uint64_t> low;   ///< empty: no sample is surely below it
  std::optional<std::uint64_t> high;  ///< empty: no sample is surely above it
  friend bool operator==(const RankInterval&, const RankInterval&) = default;
};

/// Of `count` independent samples, so many lie below the percentile as a binomial variable of
/// (count, percent / 100) says; each end is cut where it leaves at most 2.5 % outside, so that the
/// interval covers the percentile with at least 95 % whatever the distribution (David and Nagaraja,
/// "Order Statistics", 7.1). Precondition: 0 < percent < 100.
[[nodiscard]] RankInterval percentile_ranks(std::uint64_t count, std::uint32_t percent);

struct PercentileInterval {
  Duration estimate;
  std::optional<Duration> low;
  std::optional<Duration> high;
};

/// Values are those of the histogram, exact to 1/64. Precondition: not empty.
[[nodiscard]] PercentileInterval percentile_interval(const Histogram& histogram,
                                                     std::uint32_t percent);

/// "2.31 s [2.30 s, 2.33 s]": a percentile of durations with its interval; an end that no sample
/// marks is "open". Precondition: not empty.
[[nodiscard]] std::string interval_text(const Histogram& seeds, std::uint32_t percent);
/// The same of shares in millionths: "99.1 % [99.0 %, 99.2 %]".
[[nodiscard]] std::string share_interval_text(const Histogram& seeds, std::uint32_t percent);

}  // namespace nandi::sim
