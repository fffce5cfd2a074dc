#include "nandi/checker/lease_story.h"

#include <fmt/format.h>

#include <algorithm>

namespace nandi::checker {
namespace {

constexpr std::int64_t kTick = kNanosecondsPerMillisecond;

/// Arguments that are times, from ticks to the scenario's unit.
sim::Action scaled(sim::Action action) {
  switch (action.kind) {
    case sim::ActionKind::join:
    case sim::ActionKind::deliver:
      action.value *= kTick;
      action.extra *= kTick;
      break;
    case sim::ActionKind::step_worker_clock:
    case sim::ActionKind::step_store_clock: action.value *= kTick; break;
    default: break;
  }
  return action;
}

void describe_rules(const LeaseCheck& check, sim::Scenario& scenario) {
  const sim::AblatedRules& rules = check.members.front().rules;
  const std::int64_t interval = check.members.front().timing.interval.count();
  scenario.rules.agreement = rules.agreement;
  scenario.rules.expiry = rules.does_expire;
  scenario.rules.index_from = rules.index_from;
  scenario.rules.deadline_from = rules.deadline_from;
  scenario.rules.spread = rules.spread;
  scenario.rules.margin = Fraction(rules.extra_margin.count(), interval);
  if (check.members.front().interval_from_worker_clock) {
    scenario.rules.interval_clock = sim::IntervalClock::worker;
  }
}

}  // namespace

std::string to_text(const std::vector<StoryLine>& story) {
  std::string text;
  for (const StoryLine& line : story) {
    text += fmt::format("  interval {}, tick {:>2}: {}\n", line.interval, line.tick, line.text);
  }
  return text;
}

std::uint16_t number_of_settings(const LeaseCheck& check, std::size_t member) {
  const auto alike = [](const CheckedMember& a, const CheckedMember& b) {
    return a.timing == b.timing && a.rules == b.rules &&
           a.interval_from_worker_clock == b.interval_from_worker_clock;
  };
  std::vector<CheckedMember> distinct;
  for (std::size_t m = 0; m < member; ++m) {
    const bool is_new = std::none_of(distinct.begin(), distinct.end(), [&](const auto& other) {
      return alike(other, check.members[m]);
    });
    if (is_new) distinct.push_back(check.members[m]);
  }
  const auto found = std::find_if(distinct.begin(), distinct.end(), [&](const auto& other) {
    return alike(other, check.members[member]);
  });
  return static_cast<std::uint16_t>(found - distinct.begin());
}

sim::Scenario scenario_of(const LeaseCheck& check, const std::string& name,
                          const std::string& property,
                          const std::vector<sim::TimedAction>& actions) {
  sim::Scenario scenario;
  scenario.name = name;
  const LeaseTiming& timing = check.members.front().timing;
  scenario.group.interval = timing.interval * kTick;
  scenario.group.gap = timing.gap;
  scenario.group.attempt_timeout = timing.attempt_timeout * kTick;
  scenario.group.drift_bound = Fraction(0, 1);
  scenario.group.resolution = timing.resolution * kTick;
  for (const CheckedMember& member : check.members) {
    sim::WorkerSet set;
    if (member.timing.gap != timing.gap) set.gap = member.timing.gap;
    if (member.rules.deadline_from != check.members.front().rules.deadline_from) {
      set.deadline_from = member.rules.deadline_from;
    }
    if (member.clock_offset != 0) {
      set.clock = sim::ClockError{Duration(member.clock_offset * kTick), Fraction(0, 1)};
    }
    scenario.workers.push_back(set);
  }
  describe_rules(check, scenario);
  for (const sim::TimedAction& action : actions) {
    scenario.schedule.push_back({sim::TrueTime(action.at.count() * kTick), scaled(action.action)});
  }
  const std::int64_t end = actions.empty() ? 0 : actions.back().at.count();
  scenario.length = Duration((end + 1) * kTick);
  scenario.expect.verdict = sim::Verdict::violated;
  scenario.expect.property = property;
  scenario.expect.properties = {property};
  return scenario;
}

}  // namespace nandi::checker
