#include "nandi/checker/lease_story.h"

#include <fmt/format.h>

#include <algorithm>

#include "nandi/sim/properties.h"
#include "nandi/sim/simulator.h"

namespace nandi::checker {
namespace {

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
  bool in_loop = false;
  for (const StoryLine& line : story) {
    if (line.in_loop && !in_loop) text += "  and from here on again and again:\n";
    in_loop = line.in_loop;
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
                          const std::string& property, const LeaseSchedule& schedule) {
  sim::Scenario scenario;
  scenario.name = name;
  const LeaseTiming& timing = check.members.front().timing;
  scenario.group.interval = timing.interval * schedule.units;
  scenario.group.gap = timing.gap;
  scenario.group.attempt_timeout = timing.attempt_timeout * schedule.units;
  scenario.group.drift_bound = Fraction(0, 1);
  scenario.group.resolution = timing.resolution * schedule.units;
  for (const CheckedMember& member : check.members) {
    sim::WorkerSet set;
    if (member.timing.gap != timing.gap) set.gap = member.timing.gap;
    if (member.rules.deadline_from != check.members.front().rules.deadline_from) {
      set.deadline_from = member.rules.deadline_from;
    }
    scenario.workers.push_back(set);
  }
  describe_rules(check, scenario);
  // The check's ticks are coarser than what a worker accepts.
  for (const sim::TimingProblem& found : sim::timing_problems(scenario)) {
    if (found.problem.severity == OptionProblem::Severity::error) {
      scenario.rules.timing_budget = false;
    }
  }
  scenario.schedule = schedule.actions;
  const std::int64_t end = schedule.actions.empty() ? 0 : schedule.actions.back().at.count();
  scenario.length = Duration(end + schedule.units);
  scenario.expect.verdict = sim::Verdict::violated;
  scenario.expect.property = property;
  scenario.expect.properties = {property};
  return scenario;
}

ReplayableScenario replayable_scenario(const LeaseCheck& check, const std::string& name,
                                       const std::string& property,
                                       const std::vector<LeaseSchedule>& schedules) {
  const auto infos = sim::property_infos();
  for (const LeaseSchedule& schedule : schedules) {
    sim::Scenario scenario = scenario_of(check, name, property, schedule);
    const sim::RunResult run = sim::Simulator(scenario).run(0);
    for (std::size_t p = 0; p < infos.size(); ++p) {
      if (infos[p].name == property && run.properties[p].violated != 0) return {scenario, true};
    }
  }
  sim::Scenario scenario = scenario_of(check, name, property, schedules.front());
  scenario.expect = sim::Expectation{};
  scenario.expect.verdict = sim::Verdict::unknown;
  return {scenario, false};
}

}  // namespace nandi::checker
