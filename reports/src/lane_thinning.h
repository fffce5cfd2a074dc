// What cannot be seen at any width of a page is merged, so that large runs stay small to draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "nandi/reports/timeline.h"

namespace nandi::reports {

/// Brings the lane down to about `most` parts: runs of parts that are too short to be seen become
/// one, in the state that lasted longest. Whether anything was merged.
bool thin(Lane& lane, std::int64_t end, std::size_t most);

/// The share after each change, few enough to draw; of merged steps the least share counts.
[[nodiscard]] std::vector<ShareStep> thinned_shares(const std::map<std::int64_t, double>& changes,
                                                    std::int64_t end);

}  // namespace nandi::reports
