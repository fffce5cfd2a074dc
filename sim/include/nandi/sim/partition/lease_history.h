// The history of members that a lease scenario leads to: what a group's own joins, crashes and
// drains make of its indices, for the partition study to lay schemes over.
#pragma once

#include <cstdint>
#include <vector>

#include "nandi/sim/partition/membership.h"
#include "nandi/sim/scenario.h"

namespace nandi::sim {

// Runs the scenario under the seed and keeps each settled membership, as its consumers saw it:
// workers w0, w1, ... in the order of their indices. Empty when the group never was whole.
std::vector<MembershipStep> lease_history(const Scenario& scenario, std::uint64_t seed);

}  // namespace nandi::sim
