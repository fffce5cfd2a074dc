#include "nandi/sim/shrink.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "nandi/sim/properties.h"
#include "nandi/sim/swarm.h"
#include "shrink_run.h"

namespace nandi::sim {
namespace {

/// The run that fails, with nothing left to draw but what a seed always draws.
Scenario concrete(const Scenario& scenario, std::uint64_t seed, const std::string& property,
                  const ShrinkOptions& options) {
  Scenario failing = scenario.swarm ? draw_swarm(scenario, seed).scenario : scenario;
  failing.seeds = {seed, seed};
  if (options.length) {
    failing.length = *options.length;
    std::erase_if(failing.timeline,
                  [&](const TimelineEvent& event) { return event.at >= failing.length; });
  }
  failing.check.reset();
  failing.expect = Expectation{};
  failing.expect.verdict = Verdict::violated;
  failing.expect.property = property;
  failing.expect.properties = {property};
  return failing;
}

/// What may have struck nothing in one run is no part of the claim.
void allow_vacuous(Scenario& scenario) {
  for (const TimelineEvent& event : scenario.timeline) {
    const std::string& name = event_name(event.event);
    std::vector<std::string>& names = scenario.expect.vacuous_ok;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

/// The actions of a run, those of abandoned requests as attempt 0.
std::vector<ScheduleLine> recorded(const Scenario& scenario, TrueTime until) {
  RecordingSink sink(TrueTime(0), until);
  RunOptions options;
  options.trace = &sink;
  static_cast<void>(Simulator(scenario).run(scenario.seeds.first, options));
  std::vector<TimedAction> actions;
  for (const TraceRecord& record : sink.records()) {
    if (record.kind != RecordKind::action) continue;
    actions.push_back(record.step);
    if (record.ghost) actions.back().action.attempt = 0;
  }
  return lines_of(actions);
}

class Shrinker {
 public:
  Shrinker(const Scenario& scenario, std::uint64_t seed, const std::string& property,
           const ShrinkOptions& options)
      : failing_(concrete(scenario, seed, property, options)),
        property_(property_place(property)),
        options_(options),
        budget_(options) {}

  Regression shrunk() {
    const TrueTime at = violated_at(failing_);
    if (is_about_time()) {
      as_timeline(failing_);
    } else {
      RunPlan plan = make_plan(failing_);
      std::optional<FailingLines> lines = fails(plan, property_, recorded(failing_, at));
      if (!lines) {  // the claim needs more of the run than its actions
        as_timeline(failing_);
      } else {
        as_schedule(plan, lines->lines);
      }
    }
    const Scenario smaller = shrink_scenario(failing_, property_, budget_);
    if (!best_.is_schedule) {
      as_timeline(smaller);
      return std::move(best_);
    }
    RunPlan plan = make_plan(smaller);
    std::optional<FailingLines> lines =
        fails(plan, property_, recorded(smaller, violated_at(smaller)));
    if (!lines) return std::move(best_);
    as_schedule(plan, lines->lines);
    static_cast<void>(shrink_lines(plan, property_, std::move(*lines), budget_,
                                   [&](const FailingLines& l) { as_schedule(plan, l.lines); }));
    best_.tried = budget_.tried();
    return std::move(best_);
  }

 private:
  /// Whether the claim takes for granted that whatever is due happens: a list that leaves wake-ups
  /// out would fail it without any fault.
  [[nodiscard]] bool is_about_time() const {
    return property_infos()[property_].kind != PropertyKind::safety;
  }

  [[nodiscard]] TrueTime violated_at(const Scenario& scenario) const {
    const RunResult run = Simulator(scenario).run(scenario.seeds.first);
    const PropertyOutcome& outcome = run.properties[property_];
    if (outcome.violated == 0) {
      throw std::invalid_argument("seed " + std::to_string(scenario.seeds.first) +
                                  " does not violate " +
                                  std::string(property_infos()[property_].name));
    }
    return outcome.first->at;
  }

  void as_timeline(Scenario scenario) {
    allow_vacuous(scenario);
    const std::size_t lines = scenario.timeline.size();
    keep({std::move(scenario), lines, budget_.tried(), false});
  }

  /// A scenario of nothing but the lines: its workers, and the settings that they join with.
  void as_schedule(const RunPlan& plan, std::vector<ScheduleLine> lines) {
    Scenario scenario = plan.scenario;
    scenario.timeline.clear();
    scenario.settle.reset();
    scenario.network = NetworkSettings{};
    scenario.clocks = ClockSettings{};
    scenario.consumer = ConsumerSettings{};
    scenario.seeds = SeedRange{};
    scenario.expect.vacuous_ok.clear();
    name_workers(lines);
    scenario.workers = worker_sets(plan, lines);
    const TrueTime end = lines.empty() ? TrueTime(0) : lines.back().at;
    scenario.length = std::max(end - TrueTime(), Duration(1));
    const std::size_t count = lines.size();
    scenario.schedule = actions_of(lines);
    keep({std::move(scenario), count, budget_.tried(), true});
  }

  /// Numbers without gaps, in their old order.
  static void name_workers(std::vector<ScheduleLine>& lines) {
    std::vector<WorkerId> names;
    const auto each = [&](const auto& visit) {
      for (ScheduleLine& line : lines) {
        if (concerns_worker(line.action.kind)) visit(line.action.worker);
        if (line.action.kind != ActionKind::fork) continue;
        auto copy = static_cast<WorkerId>(line.action.value);
        visit(copy);
        line.action.value = copy;
      }
    };
    each([&](WorkerId& worker) { names.push_back(worker); });
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    each([&](WorkerId& worker) {
      worker = static_cast<WorkerId>(std::lower_bound(names.begin(), names.end(), worker) -
                                     names.begin());
    });
  }

  /// One set for each configuration in use, in the order of their numbers, which the lines take on.
  static std::vector<WorkerSet> worker_sets(const RunPlan& plan, std::vector<ScheduleLine>& lines) {
    std::vector<std::uint16_t> configs;
    WorkerId workers = 0;
    for (const ScheduleLine& line : lines) {
      if (line.action.kind == ActionKind::join) configs.push_back(line.action.config);
      if (concerns_worker(line.action.kind)) workers = std::max(workers, line.action.worker + 1);
      if (line.action.kind == ActionKind::fork) {
        workers = std::max(workers, static_cast<WorkerId>(line.action.value) + 1);
      }
    }
    std::sort(configs.begin(), configs.end());
    configs.erase(std::unique(configs.begin(), configs.end()), configs.end());
    for (ScheduleLine& line : lines) {
      if (line.action.kind != ActionKind::join) continue;
      line.action.config = static_cast<std::uint16_t>(
          std::lower_bound(configs.begin(), configs.end(), line.action.config) - configs.begin());
    }
    std::vector<WorkerSet> sets;
    const GroupSettings& group = plan.scenario.group;
    for (const std::uint16_t config : configs) {
      const LeaseTiming& timing = plan.configs[config].lease.timing;
      WorkerSet set;
      if (timing.interval != group.interval) set.interval = timing.interval;
      if (timing.gap != group.gap) set.gap = timing.gap;
      const Duration usual =
          group.attempt_timeout.value_or(std::max(timing.interval / 8, Duration(1)));
      if (timing.attempt_timeout != usual) set.attempt_timeout = timing.attempt_timeout;
      const DeadlineFrom deadline = plan.configs[config].lease.rules.deadline_from;
      if (deadline != plan.scenario.rules.deadline_from) set.deadline_from = deadline;
      sets.push_back(set);
    }
    if (!sets.empty() && workers > sets.size()) {
      sets.front().count = workers - static_cast<std::uint32_t>(sets.size()) + 1;
    }
    return sets;
  }

  void keep(Regression regression) {
    best_ = std::move(regression);
    if (options_.improved) options_.improved(best_);
  }

  Scenario failing_;
  std::size_t property_;
  const ShrinkOptions& options_;
  ShrinkBudget budget_;
  Regression best_;
};

}  // namespace

std::size_t property_place(const std::string& property) {
  for (std::size_t p = 0; p < property_infos().size(); ++p) {
    if (property_infos()[p].name == property) return p;
  }
  throw std::invalid_argument("no property is called " + property);
}

Regression shrink(const Scenario& scenario, std::uint64_t seed, const std::string& property,
                  const ShrinkOptions& options) {
  return Shrinker(scenario, seed, property, options).shrunk();
}

}  // namespace nandi::sim
