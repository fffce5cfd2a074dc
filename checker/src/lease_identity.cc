#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nandi/checker/lease_check.h"

namespace nandi::checker {
namespace {

std::string member_text(const CheckedMember& member) {
  const LeaseTiming& timing = member.timing;
  const sim::AblatedRules& rules = member.rules;
  return fmt::format(
      "interval {} gap {} timeout {} resolution {} drift {} agreement {} index {} deadline {} "
      "expiry {} spread {} margin {} own-clock {} offset {}",
      timing.interval.count(), to_string(timing.gap), timing.attempt_timeout.count(),
      timing.resolution.count(), to_string(timing.drift), rules.agreement,
      static_cast<int>(rules.index_from), static_cast<int>(rules.deadline_from), rules.does_expire,
      rules.spread, rules.extra_margin.count(), member.interval_from_worker_clock,
      member.clock_offset);
}

}  // namespace

std::string identity_of(const LeaseCheck& check) {
  std::string text =
      fmt::format("{}; {}; settled {}; clock steps {} {}; properties {}", describe_bounds(check),
                  describe_assumptions(check), check.settled, check.step_forward, check.step_back,
                  fmt::join(check.properties, ","));
  for (const CheckedMember& member : check.members) text += "; member: " + member_text(member);
  return text;
}

}  // namespace nandi::checker
