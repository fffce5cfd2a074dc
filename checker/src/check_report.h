// One checked file in words and as data.
#pragma once

#include <string>

#include "nandi/checker/run_lease_check.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/yaml/tree.h"

namespace nandi::checker {

struct CheckReport {
  std::string file;
  sim::Scenario scenario;
  LeaseCheck check;
  LeaseCheckResult result;
  bool is_confirmed = true;  ///< the simulator sees the same violation in what was saved
  std::string saved;         ///< where the counterexample was written; empty: nowhere
  bool as_expected = true;
  bool by_fingerprints = false;  ///< of states, not by states
};

/// "holds (exhaustive, 2 workers, interval 8 ticks, gap 1/4, free slots)".
[[nodiscard]] std::string verdict_line(const CheckReport& report);
/// Everything that a person wants to know; `show_path`: every step of the counterexample too.
[[nodiscard]] std::string report_text(const CheckReport& report, bool show_path);
[[nodiscard]] sim::yaml::Tree report_tree(const CheckReport& report);
/// Text for one line of a terminal.
[[nodiscard]] std::string progress_text(const Progress& progress);

}  // namespace nandi::checker
