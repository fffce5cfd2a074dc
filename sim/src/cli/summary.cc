#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "nandi/sim/confidence.h"
#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/settling/settling_outlook.h"
#include "summary_rows.h"
#include "terminal.h"

namespace nandi::sim::cli {
namespace {

std::string samples_table(const Scenario& scenario, const RunStatistics& statistics) {
  const Duration interval = scenario.group.interval;
  TextTable table({"", "samples", "median", "", "p99", "", "worst", ""});
  bool any = false;
  std::string head;  // of the rows below it that begin with a blank, while it is not shown
  for (const SummaryRow& row : summary_rows(statistics)) {
    const std::string name = row.name;
    const bool is_below = name.front() == ' ';
    if (!is_below) head = row.samples->empty() ? name + "," : "";
    if (row.samples->empty()) continue;
    any = true;
    std::vector<std::string> cells = {is_below && !head.empty() ? head + name.substr(1) : name,
                                      grouped(row.samples->count())};
    for (const Duration d :
         {row.samples->percentile(50), row.samples->percentile(99), row.samples->most()}) {
      cells.push_back(duration_text(d));
      cells.push_back(intervals_text(d, interval) + " I");
    }
    table.add_row(std::move(cells));
  }
  return any ? table.to_string(2) : "";
}

/// Two leases that never end overlap from `at` on.
bool is_endless(const ClosestApproach& closest) {
  return closest.distance == closest.at - TrueTime::max();
}

std::string closest_text(const Scenario& scenario, const ClosestApproach& closest) {
  if (!closest.happened()) return "no index ever passed to another worker";
  const bool overlap = closest.distance < Duration(0);
  const Duration size = overlap ? -closest.distance : closest.distance;
  const std::string amount =
      is_endless(closest) ? "without end"
                          : fmt::format("{}{} ({} I)", overlap ? "of " : "", duration_text(size),
                                        intervals_text(size, scenario.group.interval));
  return fmt::format("{}{}: index {} from {} to {} at {}, seed {}", overlap ? "OVERLAP " : "",
                     amount, closest.index, worker_name(closest.from), worker_name(closest.to),
                     time_text(closest.at), closest.seed);
}

}  // namespace

std::string seeds_text(const Scenario& scenario, const CampaignResult& result) {
  if (result.runs < 2) return "";
  const SeedStatistics& seeds = result.by_seed;
  TextTable table({"worst of a seed", "seeds", "median", "p99", "worst"});
  const auto add = [&](const std::string& name, const Histogram& histogram) {
    if (histogram.empty()) return;
    table.add_row({name, grouped(histogram.count()), interval_text(histogram, 50),
                   interval_text(histogram, 99), duration_text(histogram.most())});
  };
  add("readiness of a worker", seeds.readiness);
  add("stand-down at a change", seeds.stand_down);
  if (scenario.settle) add("whole after all faults", seeds.settled);
  for (std::size_t row = 0; row < seeds.recovery.size(); ++row) {
    add(fmt::format("recovery: {}", fault_catalogue()[row].name), seeds.recovery[row]);
  }
  std::string text = "\n  over seeds; in brackets, what holds the percentile with 95 %\n";
  text += table.to_string(2);
  if (!seeds.closest.empty()) {
    text += fmt::format("  closest approach of a seed: median {}, p1 {}, least {}\n",
                        interval_text(seeds.closest, 50), interval_text(seeds.closest, 1),
                        duration_text(seeds.closest.least()));
  }
  if (!seeds.owned.empty()) {
    text += fmt::format("  worker-time with a lease in a seed: median {}, p1 {}\n",
                        share_interval_text(seeds.owned, 50), share_interval_text(seeds.owned, 1));
  }
  return text;
}

std::string verdict_line(const Scenario& scenario, const Judgement& judgement, bool use_colour) {
  return fmt::format("{}: {} ({})\n", scenario.name, verdict_text(judgement.verdict, use_colour),
                     judgement.evidence);
}

Histogram all_stand_downs(const RunStatistics& statistics) {
  Histogram all = statistics.stand_down.plain;
  all.merge(statistics.stand_down.reordered);
  all.merge(statistics.other_stand_down);
  return all;
}

std::string table_head() {
  return "| scenario | verdict | stand-downs | median | longest | closest approach |\n"
         "| --- | --- | --- | --- | --- | --- |\n";
}

std::string table_row(const Scenario& scenario, const CampaignResult& result,
                      const Judgement& judgement) {
  const Duration interval = scenario.group.interval;
  const auto in_intervals = [&](Duration d) { return intervals_text(d, interval) + " I"; };
  const Histogram stand_downs = all_stand_downs(result.statistics);
  const ClosestApproach& closest = result.statistics.closest;
  std::string text = fmt::format("| {} | {} ({}) |", scenario.name, verdict_name(judgement.verdict),
                                 judgement.evidence);
  text += stand_downs.empty() ? " none | - | - |"
                              : fmt::format(" {} | {} | {} |", grouped(stand_downs.count()),
                                            in_intervals(stand_downs.percentile(50)),
                                            in_intervals(stand_downs.most()));
  std::string approach = "-";
  if (closest.happened()) {
    approach = is_endless(closest) ? "overlap without end"
               : closest.distance < Duration(0)
                   ? fmt::format("overlap of {}", duration_text(-closest.distance))
                   : in_intervals(closest.distance);
  }
  return text + fmt::format(" {} |\n", approach);
}

std::string findings_text(const Judgement& judgement, bool use_colour) {
  const std::pair<const char*, const std::vector<Finding>*> parts[] = {
      {"property", &judgement.properties},
      {"bound", &judgement.bounds},
      {"event", &judgement.faults}};
  std::size_t width = 8;
  for (const auto& [title, findings] : parts) {
    for (const Finding& finding : *findings) {
      if (finding.listed) width = std::max(width, finding.name.size());
    }
  }
  std::string text;
  for (const auto& [title, findings] : parts) {
    if (findings->empty()) continue;
    text += fmt::format("  {}  {:<8}  evidence\n", padded(title, width), "verdict");
    for (const Finding& finding : *findings) {
      if (!finding.listed) continue;
      const std::string verdict =
          finding.is_off ? padded("off", 8)
                         : verdict_text(finding.verdict, use_colour) +
                               std::string(8 - verdict_name(finding.verdict).size(), ' ');
      const bool is_asked_for = finding.counts || finding.is_off;
      text += fmt::format("  {}  {}  {}{}\n", padded(finding.name, width), verdict,
                          finding.evidence, is_asked_for ? "" : " (not asked for)");
    }
  }
  return text;
}

std::string settling_text(const Scenario& scenario) {
  const auto outlook = settling_outlook(scenario);
  return outlook && outlook->is_beyond() ? "  warning: " + settling_warning(*outlook) + "\n\n" : "";
}

std::string figures_text(const Scenario& scenario, const CampaignResult& result) {
  const RunStatistics& s = result.statistics;
  std::string text = samples_table(scenario, s);
  text += fmt::format("  worker-time with a lease {}, tasks with an owner {}\n",
                      share_text(s.owned, s.present), share_text(s.covered, s.elapsed));
  text += "  closest approach: " + closest_text(scenario, s.closest) + "\n";
  text += fmt::format("  {}, {}, {}", counted(s.registrations, "registration"),
                      counted(s.ghosts, "ghost"), counted(s.reorders, "reorder"));
  if (s.unfinished > 0) {
    text += fmt::format(", {} not settled when the run ended", counted(s.unfinished, "change"));
  }
  return text + "\n";
}

}  // namespace nandi::sim::cli
