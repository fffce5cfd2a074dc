#include "lease_run.h"

namespace nandi::checker {

template LeaseCheckResult run_check_of<4>(const LeaseCheck&, const LeaseCheckOptions&);

}  // namespace nandi::checker
