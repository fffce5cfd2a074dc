// The report of an assumption table: what holds and what breaks exclusivity, and how.
#pragma once

#include <span>
#include <string>

#include "nandi/checker/assumption_table.h"
#include "nandi/reports/report.h"

namespace nandi::reports {

struct AssumptionPage {
  std::string name;  ///< of the table's scenario
  std::string file;  ///< as the user named it
  /// Without --row: makes the table again.
  std::string command;
  const checker::LeaseCheck& base;
  std::span<const checker::AssumptionRow> rows;
};

/// One grid of the drops alone and one of the pairs for each deadline rule, a table of all rows and
/// the story of every drop that breaks exclusivity alone.
[[nodiscard]] Report assumption_report(const AssumptionPage& page);

}  // namespace nandi::reports
