// All properties that the simulator watches, in the order in which they are reported.
#pragma once

#include <span>

#include "nandi/sim/properties/lease_exclusive.h"
#include "nandi/sim/properties/work_exclusive.h"
#include "nandi/sim/property.h"

namespace nandi::sim {

using Properties = PropertySet<LeaseExclusive, WorkExclusive>;

/// Name, claim and partner of each, in the same order.
[[nodiscard]] constexpr std::span<const PropertyInfo> property_infos() {
  return Properties::kInfos;
}

}  // namespace nandi::sim
