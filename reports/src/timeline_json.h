// Timelines as the data that the page's script draws from.
#pragma once

#include <string>
#include <vector>

#include "nandi/reports/timeline.h"

namespace nandi::reports {

/// JSON that may stand inside a script element: it contains no "<".
[[nodiscard]] std::string timelines_json(const std::vector<Timeline>& timelines);

}  // namespace nandi::reports
