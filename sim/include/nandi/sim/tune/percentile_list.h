// Percentiles as people know them, made a distribution: "p50=1ms,p99=20ms,max=50ms".
#pragma once

#include <string>
#include <string_view>

#include "nandi/sim/scenario_network.h"

namespace nandi::sim {

/// Names: min, p50, p90, p95, p99, p999, p9999, max; at least p50 and max, values not falling.
/// Between two of them all values are alike; without `min` the least is half the median. Throws
/// std::invalid_argument: `option: what; what to do`.
[[nodiscard]] HistogramDelay parse_percentiles(std::string_view text, const std::string& option);

}  // namespace nandi::sim
