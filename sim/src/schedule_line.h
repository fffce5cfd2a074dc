// Schedules as people read them: a registration that meets no delay is one line.
#pragma once

#include <span>
#include <vector>

#include "nandi/sim/action.h"

namespace nandi::sim {

/// An action, or where `registers` a whole registration at one moment: wake, execute and deliver of
/// action.worker and action.attempt.
struct ScheduleLine {
  TrueTime at;
  Action action;
  bool registers = false;
  friend bool operator==(const ScheduleLine&, const ScheduleLine&) = default;
};

[[nodiscard]] std::vector<ScheduleLine> lines_of(std::span<const TimedAction> schedule);
/// The inverse.
[[nodiscard]] std::vector<TimedAction> actions_of(std::span<const ScheduleLine> lines);

}  // namespace nandi::sim
