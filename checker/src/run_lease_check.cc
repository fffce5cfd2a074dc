#include "nandi/checker/run_lease_check.h"

#include "lease_run.h"

namespace nandi::checker {

LeaseCheckResult run_lease_check(const LeaseCheck& check, const LeaseCheckOptions& options) {
  switch (check.members.size()) {
    case 1: return run_check_of<1>(check, options);
    case 2: return run_check_of<2>(check, options);
    case 3: return run_check_of<3>(check, options);
    default: return run_check_of<4>(check, options);
  }
}

}  // namespace nandi::checker
