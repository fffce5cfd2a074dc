// The study with the making of placements handed in, so that its checks can be put to the test with
// placements that are broken on purpose.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "placement.h"

namespace nandi::sim {

// As make_placement().
using PlacementMaker = std::function<std::unique_ptr<Placement>(
    const SchemeSpec& scheme, const std::vector<partition::Server>& members, bool weighted,
    std::uint64_t salt)>;

PartitionResult run_partition_study_with(const PartitionStudy& study,
                                         const PartitionOptions& options,
                                         const PlacementMaker& make);

}  // namespace nandi::sim
