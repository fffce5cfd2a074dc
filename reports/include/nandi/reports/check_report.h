// The report of an exhaustive check, with its counterexample on a timeline of ticks.
#pragma once

#include <string>

#include "nandi/checker/lease_check.h"
#include "nandi/checker/run_lease_check.h"
#include "nandi/reports/report.h"
#include "nandi/sim/scenario.h"

namespace nandi::reports {

struct CheckRun {
  const sim::Scenario& scenario;
  const checker::LeaseCheck& check;
  const checker::LeaseCheckResult& result;
  std::string file;
  std::string command;
  bool as_expected = true;
};

[[nodiscard]] Report check_report(const CheckRun& run);

}  // namespace nandi::reports
