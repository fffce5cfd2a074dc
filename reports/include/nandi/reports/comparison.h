// Runs side by side: what nandi-sim --out wrote into two or more folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "nandi/reports/report.h"

namespace nandi::reports {

/// Reads verdict.json and trace.ndjson of each folder; all are compared with the first. A change is
/// that of the median; its interval comes from the intervals of both medians over the seeds where
/// the verdicts have them (`by_seed`). Throws std::runtime_error that names the file and what is
/// wrong with it. Precondition: at least two folders.
[[nodiscard]] Report comparison_report(const std::vector<std::filesystem::path>& folders,
                                       const std::string& command);

}  // namespace nandi::reports
