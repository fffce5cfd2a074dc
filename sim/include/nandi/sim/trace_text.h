// One record of a trace in words.
#pragma once

#include <string>

#include "nandi/sim/trace.h"

namespace nandi::sim {

/// One record in words; empty where it would only tell how the rest came about.
[[nodiscard]] std::string sentence(const TraceRecord& record);

}  // namespace nandi::sim
