// What programs and job pages read: JUnit, Markdown, CSV. Pure functions of reports.
#pragma once

#include <string>
#include <vector>

#include "nandi/reports/report.h"

namespace nandi::reports {

/// JUnit XML: a suite for each report, a case for each property and bound that counts, for each
/// event of the timeline, and one for the verdict as a whole. A case fails where its verdict is
/// violated and the file does not declare that, and is an error where it is unknown; one that
/// counts for nothing is skipped.
[[nodiscard]] std::string junit_xml(const std::vector<Report>& reports);

/// A table of verdicts, and for what does not hold the findings and how to see it again.
[[nodiscard]] std::string markdown_summary(const std::vector<Report>& reports);

/// A line for each measured quantity: metric, unit, samples, least, mean, median, p90, p99, most.
[[nodiscard]] std::string metrics_csv(const Report& report);

}  // namespace nandi::reports
