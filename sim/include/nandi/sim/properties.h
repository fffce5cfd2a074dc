// All properties that the simulator watches, in the order in which they are reported.
#pragma once

#include <span>

#include "nandi/sim/properties/change_timing.h"
#include "nandi/sim/properties/complete_when_settled.h"
#include "nandi/sim/properties/earliest_lease.h"
#include "nandi/sim/properties/hand_over.h"
#include "nandi/sim/properties/held_within_expiry.h"
#include "nandi/sim/properties/index_below_count.h"
#include "nandi/sim/properties/lease_exclusive.h"
#include "nandi/sim/properties/never_stands_down.h"
#include "nandi/sim/properties/one_count.h"
#include "nandi/sim/properties/settled_stays_settled.h"
#include "nandi/sim/properties/settles_after_faults.h"
#include "nandi/sim/properties/tasks_disjoint.h"
#include "nandi/sim/properties/work_exclusive.h"
#include "nandi/sim/property.h"

namespace nandi::sim {

using Properties =
    PropertySet<LeaseExclusive, WorkExclusive, OneCount, TasksDisjoint, IndexBelowCount,
                HeldWithinExpiry, HandOverOrder, SettledStaysSettled, CompleteWhenSettled,
                EarliestLease, ChangeTiming, NeverStandsDown, SettlesAfterFaults>;

/// Name, claim and partner of each, in the same order.
[[nodiscard]] constexpr std::span<const PropertyInfo> property_infos() {
  return Properties::kInfos;
}

}  // namespace nandi::sim
