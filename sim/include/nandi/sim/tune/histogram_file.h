// Latencies that another program measured, as it wrote them: a histogram in a file of text.
//
// Two kinds, told apart by the first line that is no comment. Columns stand between blanks, tabs or
// single commas; empty lines and what follows a `#` are left out.
//
//   up to,count            # a head is welcome, not needed
//   250us,0                # none below 250 us
//   500us,5000             # 5000 values from 250 us to 500 us
//   5ms,120
//
//   Value   Percentile   TotalCount   1/(1-Percentile)      # as HdrHistogram prints percentiles
//   0.215   0.000000     1            1.00                  # TotalCount: values up to there
//   0.498   0.500000     5000         2.00
//
// The first kind begins at 0, the second at its first value. Ends have a unit of their own, or the
// one that is handed in for those that have none. HdrHistogram's columns after the third, and its
// percentiles, say nothing more and are not read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "nandi/sim/scenario_network.h"

namespace nandi::sim {

/// `unit`: of ends without one, such as "ms"; empty where every end has its own. Throws
/// yaml::LoadError, `file:line:column: what; what to do`.
[[nodiscard]] HistogramDelay read_histogram_file(std::string_view text, const std::string& file,
                                                 const std::string& unit);
[[nodiscard]] HistogramDelay load_histogram_file(const std::filesystem::path& path,
                                                 const std::string& unit);

}  // namespace nandi::sim
