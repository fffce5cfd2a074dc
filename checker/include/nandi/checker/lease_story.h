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
};

/// One line for each, "interval 3, tick 2: B registers: index 0, ...".
[[nodiscard]] std::string to_text(const std::vector<StoryLine>& story);

/// Members with the same settings share one number in a scenario's schedule, counted in the order
/// of members: the number of member `member`'s.
[[nodiscard]] std::uint16_t number_of_settings(const LeaseCheck& check, std::size_t member);

/// A scenario that replays the path: one tick becomes one millisecond, members and rules are those
/// of the check, the schedule is `actions`. `property` is the one that it violates.
[[nodiscard]] sim::Scenario scenario_of(const LeaseCheck& check, const std::string& name,
                                        const std::string& property,
                                        const std::vector<sim::TimedAction>& actions);

}  // namespace nandi::checker
