// The steps of a counterexample as data: for whoever draws them.
//
// Times are ticks of true time since the path began; intervals count from the one in which it
// began.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nandi/engine/tick.h"
#include "nandi/sim/action.h"
#include "nandi/sim/world.h"

namespace nandi::checker {

/// A worker in a state of the path.
struct PathWorker {
  bool is_present = false;
  bool is_stalled = false;
  std::optional<Pair> held;              ///< its last tick included, as a check counts it
  std::optional<std::int64_t> ends;      ///< of a lease, by the worker's clock as it runs now
  std::optional<std::int64_t> interval;  ///< of its last completed registration
  std::uint32_t index = 0;               ///< in that interval
  sim::Wire wire = sim::Wire::none;
  std::uint32_t abandoned = 0;
};

struct PathCounter {
  std::int64_t interval = 0;
  std::uint32_t value = 0;
};

struct PathStep {
  std::int64_t at = 0;
  std::optional<sim::WorkerId> worker;           ///< absent: time passes, or the store is struck
  sim::ActionKind kind = sim::ActionKind::wake;  ///< with `worker`
  std::string text;
  std::vector<std::string> others;    ///< what else was possible instead
  std::vector<PathWorker> workers;    ///< after it
  std::vector<PathCounter> counters;  ///< of the store after it
  /// A registration was executed and its reply is under way: what it says.
  std::optional<Tick> reply;
};

}  // namespace nandi::checker
