#include <fmt/format.h>

#include <algorithm>

#include "nandi/reports/study_report.h"
#include "nandi/sim/partition/text_table.h"
#include "study_outline.h"

namespace nandi::reports {
namespace {

using sim::PartitionResult;
using sim::SchemeFigures;
using sim::Summary;

Bar percent_bar(const std::string& label, const Summary& share) {
  const double mean = share.mean * 100;
  const double spread = share.half_width * 100;
  return {label, mean, spread,
          spread < 0.005 ? fmt::format("{:.2f} %", mean)
                         : fmt::format("{:.2f} % ± {:.2f}", mean, spread)};
}

std::string change_title(const PartitionResult& result, std::size_t change) {
  const auto& history = result.study.history;
  return fmt::format("{}: {} to {} servers, at least {:.2f} % must move", history[change + 1].label,
                     history[change].members.size(), history[change + 1].members.size(),
                     result.least[change].value() * 100);
}

BarChart movement_chart(const PartitionResult& result, const char* title, const char* note,
                        Summary sim::MovementFigures::*figure) {
  BarChart chart{title, note, " %", {}, std::nullopt, ""};
  for (std::size_t change = 0; change < result.least.size(); ++change) {
    std::vector<Bar> bars;
    for (const SchemeFigures& each : result.schemes) {
      bars.push_back(percent_bar(scheme_label(each.scheme), each.movement[change].*figure));
    }
    chart.groups.emplace_back(change_title(result, change), std::move(bars));
  }
  return chart;
}

BarChart balance_chart(const PartitionResult& result) {
  BarChart chart{"Busiest server over its fair share",
                 "Means over the seeds with 95 % intervals.",
                 "",
                 {},
                 1.0,
                 "The line is at 1: every server has exactly its fair share."};
  for (const std::size_t step : {std::size_t{0}, result.study.history.size() - 1}) {
    std::vector<Bar> bars;
    for (const SchemeFigures& each : result.schemes) {
      const Summary& figure = each.balance[step].max_over_mean;
      bars.push_back({scheme_label(each.scheme), figure.mean, figure.half_width,
                      sim::summary_text(figure, 3)});
    }
    chart.groups.emplace_back("after " + result.study.history[step].label, std::move(bars));
    if (result.study.history.size() == 1) break;
  }
  return chart;
}

/// A tone for each server name, the same on the whole page.
class Tones {
 public:
  int of(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<int>(found - names_.begin()) % 8 + 1;
    names_.push_back(name);
    return static_cast<int>(names_.size() - 1) % 8 + 1;
  }

 private:
  std::vector<std::string> names_;
};

Grid ownership_grid(const PartitionResult& result, const SchemeFigures& scheme, Tones& tones) {
  Grid grid{scheme_label(scheme.scheme), "", {}, {}, {}};
  const std::size_t items = scheme.drawn_owners.empty() ? 0 : scheme.drawn_owners.front().size();
  for (std::size_t item = 0; item < items; ++item) grid.columns.push_back(fmt::format("{}", item));
  std::vector<std::string> before;
  for (std::size_t step = 0; step < scheme.drawn_owners.size(); ++step) {
    const auto& members = result.study.history[step].members;
    std::vector<Cell> cells;
    std::vector<std::string> owners;
    for (std::size_t item = 0; item < items; ++item) {
      const std::string& name = members[scheme.drawn_owners[step][item]].name;
      const bool has_moved = !before.empty() && before[item] != name;
      cells.push_back({name, tones.of(name), has_moved});
      owners.push_back(name);
    }
    before = std::move(owners);
    grid.rows.emplace_back(result.study.history[step].label, std::move(cells));
  }
  return grid;
}

BarChart load_chart(const PartitionResult& result) {
  const std::size_t last = result.study.history.size() - 1;
  const auto& members = result.study.history[last].members;
  BarChart chart{"Items of each server at the end",
                 fmt::format("Of the first seed, after {}.", result.study.history[last].label),
                 "",
                 {},
                 std::nullopt,
                 ""};
  for (const SchemeFigures& each : result.schemes) {
    std::vector<Bar> bars;
    for (std::size_t m = 0; m < members.size() && m < 16; ++m) {
      const std::uint64_t load = each.loads[last][m];
      bars.push_back({fmt::format("{} (weight {})", members[m].name, members[m].weight),
                      static_cast<double>(load), 0, sim::grouped(load)});
    }
    chart.groups.emplace_back(scheme_label(each.scheme), std::move(bars));
  }
  return chart;
}

Table cascade_table(const PartitionResult& result) {
  Table table{
      "", "", {"scheme", "highest load at once", "further failures", "none left, % of seeds"}, {}};
  for (const SchemeFigures& each : result.schemes) {
    if (!each.cascade) continue;
    table.rows.push_back({scheme_label(each.scheme), sim::summary_text(each.cascade->worst_heir, 2),
                          sim::summary_text(each.cascade->failed, 1),
                          fmt::format("{:.2f}", each.cascade->all_failed.mean * 100)});
  }
  return table;
}

Table size_table(const PartitionResult& result) {
  Table table{"", "", {"scheme", "servers", "busiest / fair share", "bytes"}, {}};
  for (const sim::SizeFigures& each : result.sizes) {
    table.rows.push_back({scheme_label(each.scheme), sim::grouped(each.servers),
                          sim::summary_text(each.balance.max_over_mean, 3),
                          sim::grouped(each.balance.memory_bytes)});
  }
  return table;
}

}  // namespace

Report partition_report(const std::string& file, const std::string& command,
                        const PartitionResult& result) {
  const sim::PartitionStudy& study = result.study;
  Report report = study_outline("partition study", file, command, result.verdict, result.properties,
                                study.expect);
  report.facts = {{"items", sim::grouped(study.items.count)},
                  {"changes of members", fmt::format("{}", result.least.size())},
                  {"seeds", fmt::format("{}..{}", study.seeds.first, study.seeds.second)}};
  if (!result.least.empty()) {
    report.sections.push_back(
        {"What moves at each change",
         "",
         {movement_chart(result, "Items that changed their server",
                         "Means over the seeds with 95 % intervals.", &sim::MovementFigures::moved),
          movement_chart(result, "Of those, between two servers that stayed",
                         "Work that nobody asked for: neither server came, went or grew.",
                         &sim::MovementFigures::between_old)}});
  }
  report.sections.push_back(
      {"How evenly items lie", "", {balance_chart(result), load_chart(result)}});
  Section owners{"Who owns which item",
                 "Some items of the first seed, one a column; a row for each change. An outlined "
                 "cell changed its server in that row.",
                 {}};
  Tones tones;
  for (const SchemeFigures& each : result.schemes) {
    owners.blocks.emplace_back(ownership_grid(result, each, tones));
  }
  report.sections.push_back(std::move(owners));
  if (study.cascade) {
    report.sections.push_back(
        {"When one server fails",
         fmt::format("{} fails, then every server above its capacity, until none is.",
                     study.cascade->server),
         {cascade_table(result)}});
  }
  if (!result.sizes.empty()) {
    report.sections.push_back({"What size costs", "", {size_table(result)}});
  }
  return report;
}

}  // namespace nandi::reports
