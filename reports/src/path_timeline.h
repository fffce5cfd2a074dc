// A counterexample of the checker as a timeline.
#pragma once

#include "nandi/checker/lease_check.h"
#include "nandi/checker/run_lease_check.h"
#include "nandi/reports/timeline.h"

namespace nandi::reports {

/// Precondition: the result has a path. The focus is its last step.
[[nodiscard]] Timeline path_timeline(const checker::LeaseCheck& check,
                                     const checker::LeaseCheckResult& result);

}  // namespace nandi::reports
