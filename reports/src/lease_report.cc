#include "nandi/reports/lease_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nandi/reports/timeline_collector.h"
#include "nandi/sim/confidence.h"
#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/settling/settling_outlook.h"
#include "narrative.h"

namespace nandi::reports {
namespace {

using sim::TrueTime;

sim::RunOptions options_of(const LeaseRun& run) {
  sim::RunOptions options;
  options.length = run.length;
  options.stop = run.stop;
  return options;
}

std::optional<Focus> focus_of(const LeaseRun& run) {
  if (run.violation != nullptr) {
    return Focus{run.violation->at.count(), run.violation->workers, run.violation->text, true};
  }
  const sim::ClosestApproach closest =
      run.simulator.run(run.seed, options_of(run)).statistics.closest;
  if (!closest.happened()) return std::nullopt;
  return Focus{closest.at.count(),
               {closest.to, closest.from},
               fmt::format("{} takes up index {}, {} after {} let it go",
                           sim::worker_name(closest.to), closest.index,
                           sim::duration_text(closest.distance), sim::worker_name(closest.from)),
               false};
}

Timeline timeline_of(const LeaseRun& run) {
  TimelineCollector collector(run.simulator.scenario().group.interval, focus_of(run));
  sim::RunOptions options = options_of(run);
  options.trace = &collector;
  const sim::RunResult result = run.simulator.run(run.seed, options);
  Timeline timeline = collector.finish(result.end);
  timeline.label = fmt::format("seed {}", run.seed);
  return timeline;
}

/// By event: whether the shown run is another one when it never comes up.
std::vector<std::optional<bool>> changes_of(const LeaseRun& run) {
  const sim::Scenario& scenario = run.simulator.scenario();
  std::vector<std::optional<bool>> changes(scenario.timeline.size());
  if (!scenario.schedule.empty() || scenario.timeline.empty()) return changes;
  const std::uint64_t hash = run.simulator.run(run.seed, options_of(run)).trace_hash;
  for (std::size_t e = 0; e < std::min(changes.size(), kMostFaultRuns); ++e) {
    sim::Scenario without = scenario;
    without.timeline[e].at = run.length.value_or(scenario.length) + Duration(1);
    changes[e] = sim::Simulator(without).run(run.seed, options_of(run)).trace_hash != hash;
  }
  return changes;
}

std::vector<Finding> properties_of(const sim::Judgement& judgement) {
  std::vector<Finding> rows;
  const auto infos = sim::property_infos();
  for (std::size_t p = 0; p < judgement.properties.size(); ++p) {
    const sim::Finding& finding = judgement.properties[p];
    if (!finding.listed) continue;
    rows.push_back({finding.name, finding.verdict, finding.evidence, std::string(infos[p].claim),
                    std::string(infos[p].partner), finding.counts});
  }
  return rows;
}

Distribution distribution_of(const char* name, const char* key, const sim::Histogram& samples) {
  Distribution d{name, key, samples.count(), 0, 0, 0, {}};
  if (samples.empty()) return d;
  d.least = samples.least().count();
  d.mean = samples.mean().count();
  d.most = samples.most().count();
  for (std::uint32_t percent = 1; percent <= 99; ++percent) {
    d.percentiles.push_back(samples.percentile(percent).count());
  }
  return d;
}

std::vector<Distribution> distributions_of(const sim::RunStatistics& s) {
  return {
      distribution_of("start until whole", "start", s.start.plain),
      distribution_of("start, with reorders", "start_reordered", s.start.reordered),
      distribution_of("join until whole", "join", s.join.plain),
      distribution_of("join, with reorders", "join_reordered", s.join.reordered),
      distribution_of("departure until whole", "departure", s.departure.plain),
      distribution_of("departure, with reorders", "departure_reordered", s.departure.reordered),
      distribution_of("index unowned after a departure", "unowned", s.unowned.plain),
      distribution_of("unowned, with reorders", "unowned_reordered", s.unowned.reordered),
      distribution_of("readiness of a worker", "readiness", s.readiness.plain),
      distribution_of("readiness, with reorders", "readiness_reordered", s.readiness.reordered),
      distribution_of("stand-down at a change", "stand_down", s.stand_down.plain),
      distribution_of("stand-down, with reorders", "stand_down_reordered", s.stand_down.reordered),
      distribution_of("stand-down otherwise", "other_stand_down", s.other_stand_down),
      distribution_of("recovery from a fault", "recovery", s.recovery)};
}

/// A figure of which every seed gives one value, so that the values are independent.
struct SeedFigure {
  std::string name;
  const sim::Histogram* seeds;
};

/// The median over the seeds as a bar, with the wider half of its interval on both sides.
Bar median_bar(const SeedFigure& figure, Duration interval) {
  const sim::PercentileInterval median = sim::percentile_interval(*figure.seeds, 50);
  const auto intervals = [&](Duration value) {
    return static_cast<double>(value.count()) / static_cast<double>(interval.count());
  };
  const double value = intervals(median.estimate);
  double spread = 0;
  for (const std::optional<Duration>& end : {median.low, median.high}) {
    if (end) spread = std::max(spread, std::abs(intervals(*end) - value));
  }
  return {figure.name, value, spread, fmt::format("{:.2f} I", value)};
}

std::vector<Bar> median_bars(const std::vector<SeedFigure>& figures, Duration interval) {
  std::vector<Bar> bars;
  for (const SeedFigure& figure : figures) bars.push_back(median_bar(figure, interval));
  return bars;
}

Section seed_section(const sim::Scenario& scenario, const sim::SeedStatistics& by_seed) {
  std::vector<SeedFigure> waits;
  const auto add = [](std::vector<SeedFigure>& to, std::string name, const sim::Histogram& seeds) {
    if (!seeds.empty()) to.push_back({std::move(name), &seeds});
  };
  add(waits, "readiness of a worker", by_seed.readiness);
  add(waits, "stand-down at a change", by_seed.stand_down);
  add(waits, "whole after all faults", by_seed.settled);
  std::vector<SeedFigure> recoveries;
  for (std::size_t row = 0; row < by_seed.recovery.size(); ++row) {
    add(recoveries, std::string(sim::fault_catalogue()[row].name), by_seed.recovery[row]);
  }
  Table table{"",
              "In brackets, what holds the percentile with 95 %, whatever the distribution.",
              {"worst of a seed", "seeds", "median", "99 %", "worst"},
              {}};
  BarChart chart{"Medians over the seeds of the worst of a seed",
                 "I is one interval. The line is what holds the median with 95 %, drawn as wide on "
                 "both sides as its wider half; the table has both ends.",
                 " I",
                 {},
                 std::nullopt,
                 ""};
  for (const auto& [title, figures] : {std::pair{"", &waits}, {"recovery from", &recoveries}}) {
    if (figures->empty()) continue;
    chart.groups.emplace_back(title, median_bars(*figures, scenario.group.interval));
    const std::string before = figures == &recoveries ? "recovery from " : "";
    for (const SeedFigure& figure : *figures) {
      table.rows.push_back({before + figure.name, sim::grouped(figure.seeds->count()),
                            sim::interval_text(*figure.seeds, 50),
                            sim::interval_text(*figure.seeds, 99),
                            sim::duration_text(figure.seeds->most())});
    }
  }
  if (!by_seed.closest.empty()) {
    table.rows.push_back(
        {"closest approach (1 % in place of 99 %, least in place of worst)",
         sim::grouped(by_seed.closest.count()), sim::interval_text(by_seed.closest, 50),
         sim::interval_text(by_seed.closest, 1), sim::duration_text(by_seed.closest.least())});
  }
  if (!by_seed.owned.empty()) {
    table.rows.push_back({"worker-time with a lease (1 % in place of 99 %)",
                          sim::grouped(by_seed.owned.count()),
                          sim::share_interval_text(by_seed.owned, 50),
                          sim::share_interval_text(by_seed.owned, 1), ""});
  }
  Section section{"Over the seeds",
                  "Samples of one run depend on each other, so each seed counts with one value.",
                  {}};
  if (!chart.groups.empty()) section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(std::move(table));
  return section;
}

/// `shown`: the seed on the page.
std::string closest_sentence(const sim::Scenario& scenario, const sim::ClosestApproach& closest,
                             std::uint64_t shown) {
  if (!closest.happened()) {
    return "Over all seeds no index ever passed from one worker to another, so none came close to "
           "an overlap.";
  }
  const bool overlap = closest.distance < Duration(0);
  if (closest.distance == closest.at - TrueTime::max()) {
    return fmt::format(
        "Overlap without end: {} took up index {} at {} (seed {}) and {} never let "
        "it go.",
        sim::worker_name(closest.to), closest.index, sim::time_text(closest.at), closest.seed,
        sim::worker_name(closest.from));
  }
  const Duration size = overlap ? -closest.distance : closest.distance;
  const std::string length = fmt::format("{} ({} intervals)", sim::duration_text(size),
                                         sim::intervals_text(size, scenario.group.interval));
  const std::string where = fmt::format(
      "(seed {}, at {}{})", closest.seed, sim::time_text(closest.at),
      closest.seed == shown ? std::string() : fmt::format("; --seed {} shows it", closest.seed));
  const std::string from = sim::worker_name(closest.from);
  const std::string to = sim::worker_name(closest.to);
  if (overlap) {
    return fmt::format(
        "The longest overlap of all seeds: {} took up index {}, {} before {} let it "
        "go {}.",
        to, closest.index, length, from, where);
  }
  return fmt::format(
      "No two workers owned one index at once. The closest they came, over all seeds: {} took up "
      "index {}, {} after {} had let it go {}.",
      to, closest.index, length, from, where);
}

std::vector<std::pair<std::string, std::string>> facts_of(const LeaseRun& run) {
  const sim::Scenario& scenario = run.simulator.scenario();
  const sim::RunStatistics& s = run.result.statistics;
  std::uint64_t workers = 0;
  for (const sim::WorkerSet& set : scenario.workers) workers += set.count;
  return {{"workers at the start", sim::grouped(workers)},
          {"interval", sim::duration_text(scenario.group.interval)},
          {"gap", to_string(scenario.group.gap)},
          {"simulated time a seed", sim::duration_text(run.length.value_or(scenario.length))},
          {"seeds", sim::grouped(run.result.runs)},
          {"worker-time with a lease", sim::share_text(s.owned, s.present)},
          {"tasks with an owner", sim::share_text(s.covered, s.elapsed)},
          {"registrations", sim::grouped(s.registrations)},
          {"ghosts", sim::grouped(s.ghosts)},
          {"reorders", sim::grouped(s.reorders)},
          {"engine", run.simulator.is_production() ? "the production engine, its own rules"
                                                   : "the production engine with changed rules"}};
}

std::string expected_of(const sim::Expectation& expect) {
  if (expect.verdict == sim::Verdict::holds) return "";
  std::string text(sim::verdict_name(expect.verdict));
  if (!expect.property.empty()) text += " (" + expect.property + ")";
  return text;
}

}  // namespace

Report lease_report(const LeaseRun& run) {
  const sim::Scenario& scenario = run.simulator.scenario();
  Report report;
  report.kind = run.result.runs > 1 ? "campaign" : "lease run";
  report.title = scenario.name;
  report.file = run.file;
  report.verdict = run.judgement.verdict;
  report.evidence = run.judgement.evidence;
  report.as_expected = run.judgement.as_expected;
  report.expected = expected_of(scenario.expect);
  report.command = run.command;
  if (const auto outlook = sim::settling_outlook(scenario); outlook && outlook->is_beyond()) {
    report.remarks.push_back("Warning: " + sim::settling_warning(*outlook) + ".");
  }
  report.facts = facts_of(run);
  report.properties = properties_of(run.judgement);
  for (const sim::Finding& bound : run.judgement.bounds) {
    report.bounds.push_back({bound.name, bound.verdict, bound.evidence, "", "", bound.counts});
  }
  const std::vector<std::optional<bool>> changes = changes_of(run);
  for (std::size_t f = 0; f < run.judgement.faults.size(); ++f) {
    report.faults.push_back({run.judgement.faults[f].name, run.judgement.faults[f].verdict,
                             run.result.faults[f].armed, run.result.faults[f].fired,
                             run.result.faults[f].changed,
                             f < changes.size() ? changes[f] : std::nullopt});
  }
  Timeline timeline = timeline_of(run);
  report.remarks.push_back(closest_sentence(scenario, run.result.statistics.closest, run.seed));
  std::string where =
      run.result.runs > 1 ? fmt::format("In {}, shown below: ", timeline.label) : "";
  for (const std::string& remark : stand_down_sentences(timeline)) {
    report.remarks.push_back(where + remark);
    if (!where.empty()) where = fmt::format("In {}: ", timeline.label);
  }
  if (run.violation != nullptr) {
    report.violation = Violation{run.property, run.violation->text, run.violation->workers,
                                 run.violation->at.count(), story_of(timeline)};
  }
  report.sections.push_back(ownership_section(timeline));
  if (run.result.runs > 1) report.sections.push_back(seed_section(scenario, run.result.by_seed));
  report.distributions = distributions_of(run.result.statistics);
  report.interval = scenario.group.interval.count();
  report.timelines.push_back(std::move(timeline));
  return report;
}

std::string verdict_sentence(const Report& report) {
  std::string text =
      fmt::format("{} {}: {}", report.title, sim::verdict_name(report.verdict), report.evidence);
  if (report.verdict == sim::Verdict::violated) {
    std::string names;
    for (const Finding& finding : report.properties) {
      if (!finding.counts || finding.verdict != sim::Verdict::violated) continue;
      names += (names.empty() ? "" : ", ") + finding.name;
    }
    if (!names.empty())
      text = fmt::format("{} is violated ({}): {}", report.title, names, report.evidence);
  }
  if (!report.expected.empty()) {
    text += report.as_expected
                ? fmt::format("; its file expects {}, so this is as declared", report.expected)
                : fmt::format("; its file expects {}", report.expected);
  }
  return text + ".";
}

}  // namespace nandi::reports
