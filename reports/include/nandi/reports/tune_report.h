// The report of a choice of interval and gap.
#pragma once

#include <string>

#include "nandi/reports/report.h"
#include "nandi/sim/tune/tune_result.h"

namespace nandi::reports {

/// `file`: the scenario or the latency profile, as the user named it; may be empty. The verdict is
/// sim::tune_verdict.
/// Heat maps of the grid, the settings that no other one beats, the first ones that fail, and the
/// recommended one's curves against the number of members and the rate of changes.
[[nodiscard]] Report tune_report(const std::string& file, const std::string& command,
                                 const sim::TuneResult& result);

}  // namespace nandi::reports
