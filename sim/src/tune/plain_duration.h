// A duration that stands alone: in a list on the command line, in a column of a file.
#pragma once

#include <optional>
#include <string>

#include "nandi/engine/time.h"

namespace nandi::sim {

/// Longer round trips and pauses are refused: no interval that is tried would do for them, and sums
/// of them stay far from the ends of a Duration.
inline constexpr Duration kLongestDelay{3600 * kNanosecondsPerSecond};

/// What yaml::read_duration takes, without a sign; empty for everything else.
[[nodiscard]] std::optional<Duration> plain_duration(const std::string& text);

}  // namespace nandi::sim
