// A counterexample of the lease model, told and written down.
#pragma once

#include <string>
#include <vector>

#include "nandi/checker/lease_check.h"
#include "nandi/sim/action.h"
#include "nandi/sim/scenario.h"

namespace nandi::checker {

/// One line of a story: when, on the store's clock, and what.
struct StoryLine {
  std::int64_t interval = 0;  ///< counted from the start of the path
  std::int64_t tick = 0;      ///< of that interval
  std::string text;
  bool in_loop = false;  ///< happens again and again
};

/// One line for each, "interval 3, tick 2: B registers: index 0, ...", and one before those of a
/// loop.
[[nodiscard]] std::string to_text(const std::vector<StoryLine>& story);

/// Members with the same settings share one number in a scenario's schedule, counted in the order
/// of members: the number of member `member`'s.
[[nodiscard]] std::uint16_t number_of_settings(const LeaseCheck& check, std::size_t member);

/// A path as actions of the simulated world, from an empty one on. Times are in units, so many of
/// which make a tick.
struct LeaseSchedule {
  std::int64_t units = 1;
  std::vector<sim::TimedAction> actions;
};

/// A scenario that runs the schedule: one unit becomes one nanosecond, members and rules are those
/// of the check. It expects a violation of `property`.
[[nodiscard]] sim::Scenario scenario_of(const LeaseCheck& check, const std::string& name,
                                        const std::string& property, const LeaseSchedule& schedule);

/// The scenario of the first of the schedules in which the simulator sees `property` violated too;
/// where it does in none, of the first one, and then it expects nothing. Precondition: not empty.
struct ReplayableScenario {
  sim::Scenario scenario;
  bool is_confirmed = false;
};
[[nodiscard]] ReplayableScenario replayable_scenario(const LeaseCheck& check,
                                                     const std::string& name,
                                                     const std::string& property,
                                                     const std::vector<LeaseSchedule>& schedules);

}  // namespace nandi::checker
