// Which part of a round trip was the way to the server, as far as the server's clock tells.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "nandi/engine/time.h"
#include "trial_registration.h"

namespace nandi::tools {

struct Split {
  std::vector<Duration> requests;  ///< per trial; the reply took the rest of the round trip
  Duration known_to;               ///< how far the split may be off
};

/// Each trial bounds the offset between the two clocks: the server's reading lies between the
/// sending and the receipt. Per window of trials, so that clocks that drift apart are followed, the
/// middle of the bounds is taken for the offset; half their distance is what it may be off, the
/// fastest round trip at most. nullopt where the bounds of a window contradict each other: a clock
/// was stepped. Precondition: at least one trial.
[[nodiscard]] std::optional<Split> split_directions(std::span<const Trial> trials,
                                                    std::size_t window = 100);

}  // namespace nandi::tools
