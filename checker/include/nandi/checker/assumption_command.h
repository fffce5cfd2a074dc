// The command `nandi-check --assumptions FILE`: the assumption table of a group (the room's README
// documents what it prints and writes).
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "nandi/checker/check_command.h"

namespace nandi::checker {

struct AssumptionRequest {
  CheckRequest check;     ///< files: exactly one; bounds, json, interrupt, draw_progress
  std::string row;        ///< only this one; empty: all
  std::string markdown;   ///< where to write the table; empty: nowhere
  std::string save_rows;  ///< directory for the violated rows' scenarios; empty: nowhere
};

/// Exit status: of a table 0 when every row was decided, 2 when some were not, 1 when the group is
/// broken with nothing dropped; of a single row its verdict's; 64, 65 and 70 as run_checks.
[[nodiscard]] int run_assumptions(const AssumptionRequest& request, std::ostream& out,
                                  std::ostream& err);

}  // namespace nandi::checker
