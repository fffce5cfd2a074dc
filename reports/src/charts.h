// Charts as SVG: pure functions of what they show. Each has its text alternative in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nandi/reports/report.h"

namespace nandi::reports {

/// A line for each distribution that has samples: least to most, the middle half as a box, the
/// median as a line, every 4th percentile as a tick; the axis counts intervals.
[[nodiscard]] std::string distribution_svg(const std::vector<Distribution>& distributions,
                                           std::int64_t interval);

[[nodiscard]] std::string bar_svg(const BarChart& chart);

/// Changes with their 95 % intervals on both sides of a line for "no change".
[[nodiscard]] std::string difference_svg(const DifferenceChart& chart);

/// Empty without points.
[[nodiscard]] std::string curve_svg(const Curve& curve);

/// The focus of a timeline: its workers and the store, messages between them as arrows, leases as
/// bars. Empty where there is no focus.
[[nodiscard]] std::string spacetime_svg(const Timeline& timeline);

}  // namespace nandi::reports
