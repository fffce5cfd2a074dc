#include "scenario_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>

namespace nandi::sim {
namespace {

using yaml::Value;

/// Calls visit(timing, source, index) for every timing that workers of the scenario can have.
template <class Visit>
void for_each_timing(const Scenario& scenario, const Visit& visit) {
  std::vector<LeaseTiming> known;
  const auto add = [&](const LeaseTiming& timing, TimingSource source, std::size_t index) {
    if (std::find(known.begin(), known.end(), timing) != known.end()) return;
    known.push_back(timing);
    visit(timing, source, index);
  };
  add(timing_of(scenario.group, WorkerSet{}), TimingSource::group, 0);
  for (std::size_t w = 0; w < scenario.workers.size(); ++w) {
    add(timing_of(scenario.group, scenario.workers[w]), TimingSource::workers, w);
  }
  for (std::size_t e = 0; e < scenario.timeline.size(); ++e) {
    const Event& event = scenario.timeline[e].event;
    if (const auto* join = std::get_if<Join>(&event)) {
      add(timing_of(scenario.group, join->workers), TimingSource::timeline, e);
    } else if (const auto* change = std::get_if<Reconfigure>(&event)) {
      const std::vector<LeaseTiming> before = known;
      for (const LeaseTiming& timing : before) {
        add(timing_after(timing, *change), TimingSource::timeline, e);
      }
    }
  }
}

/// Where the option stands in the mapping, or the mapping itself.
Value place_of(const Value& mapping, std::string_view option) {
  if (mapping.kind() != yaml::NodeKind::mapping) return mapping;
  return mapping.find(option).value_or(mapping);
}

}  // namespace

LeaseTiming timing_of(const GroupSettings& group, const WorkerSet& set) {
  LeaseTiming timing;
  timing.interval = set.interval.value_or(group.interval);
  timing.gap = set.gap.value_or(group.gap);
  const std::optional<Duration> timeout =
      set.attempt_timeout ? set.attempt_timeout : group.attempt_timeout;
  timing.attempt_timeout = timeout.value_or(default_attempt_timeout(timing.interval));
  timing.resolution = group.resolution;
  timing.drift = group.drift_bound;
  return timing;
}

LeaseTiming timing_after(LeaseTiming timing, const Reconfigure& change) {
  if (change.interval) {
    const bool is_default = timing.attempt_timeout == default_attempt_timeout(timing.interval);
    timing.interval = *change.interval;
    if (is_default) timing.attempt_timeout = default_attempt_timeout(timing.interval);
  }
  if (change.gap) timing.gap = *change.gap;
  return timing;
}

std::vector<TimingProblem> timing_problems(const Scenario& scenario) {
  std::vector<TimingProblem> problems;
  for_each_timing(scenario, [&](const LeaseTiming& timing, TimingSource source, std::size_t index) {
    for (OptionProblem& problem : check_timing(timing)) {
      problems.push_back({std::move(problem), source, index});
    }
  });
  return problems;
}

std::vector<std::string> timing_warnings(const Scenario& scenario) {
  std::vector<std::string> warnings;
  if (!scenario.rules.timing_budget) return warnings;
  for (const TimingProblem& found : timing_problems(scenario)) {
    if (found.problem.severity != OptionProblem::Severity::warning) continue;
    std::string text = fmt::format("{}: {}", found.problem.option, found.problem.text);
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
      warnings.push_back(std::move(text));
    }
  }
  return warnings;
}

void require_timing(const Scenario& scenario, const Value& root) {
  if (!scenario.rules.timing_budget) return;
  for (const TimingProblem& found : timing_problems(scenario)) {
    if (found.problem.severity != OptionProblem::Severity::error) continue;
    const std::string what = fmt::format("{}: {}", found.problem.option, found.problem.text);
    const std::string advice =
        "no worker runs with it; if that is what the scenario shows, add `rules: {timing_budget: "
        "off}`";
    if (found.source == TimingSource::timeline) {
      const SourceLine source = scenario.timeline[found.index].source;
      root.fail_at({source.line, source.column}, what, advice);
    }
    const Value group = *root.find("group");
    const auto workers = root.find("workers");
    const bool is_list = workers && workers->kind() == yaml::NodeKind::sequence;
    const bool is_own = found.source == TimingSource::workers && is_list;
    place_of(is_own ? workers->at(found.index) : group, found.problem.option).fail(what, advice);
  }
}

}  // namespace nandi::sim
