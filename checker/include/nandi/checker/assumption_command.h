// The command `nandi-check --assumptions FILE`: the assumption table of a group (the room's README
// documents what it prints and writes).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>

#include "nandi/checker/assumption_table.h"
#include "nandi/checker/check_command.h"

namespace nandi::checker {

/// A table that was made; valid during the call.
struct FinishedTable {
  std::string file;  ///< as the user named it
  std::string name;  ///< of its scenario
  const LeaseCheck& base;
  std::span<const AssumptionRow> rows;
  const sim::yaml::Tree& tree;  ///< the same as JSON has it
};

struct AssumptionRequest {
  CheckRequest check;     ///< files: exactly one; bounds, json, interrupt, draw_progress
  std::string row;        ///< only this one; empty: all
  std::string markdown;   ///< where to write the table; empty: nowhere
  std::string save_rows;  ///< directory for the violated rows' scenarios; empty: nowhere
  /// Hears of the table, for reports. What it throws counts as a failure of the file.
  std::function<void(const FinishedTable&)> finished;
};

/// Exit status: of a table 0 when every row was decided, 2 when some were not, 1 when the group is
/// broken with nothing dropped; of a single row its verdict's; 64, 65 and 70 as run_checks.
[[nodiscard]] int run_assumptions(const AssumptionRequest& request, std::ostream& out,
                                  std::ostream& err);

}  // namespace nandi::checker
