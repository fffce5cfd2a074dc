#include "nandi/reports/assumption_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "nandi/checker/assumption_report.h"
#include "nandi/sim/partition/text_table.h"

namespace nandi::reports {
namespace {

using checker::AssumptionDrop;
using checker::AssumptionRow;
using checker::AssumptionTrial;
using checker::DeadlineGroup;

// Green, orange and grey of the page's fills.
constexpr int kHolds = 3;
constexpr int kBroken = 2;
constexpr int kUnknown = 8;
const char* const kLegend[] = {"", "broken", "holds", "",
                               "", "",       "",      "unknown: not explored to its end"};

std::vector<std::string> legend() { return {std::begin(kLegend), std::end(kLegend)}; }

int tone_of(sim::Verdict verdict) {
  switch (verdict) {
    case sim::Verdict::holds: return kHolds;
    case sim::Verdict::violated: return kBroken;
    case sim::Verdict::unknown: break;
  }
  return kUnknown;
}

bool is_alone(const AssumptionRow& row) { return row.second == nullptr; }

/// Sizes of trials, in the order in which a row grows: by budget, then by workers.
using Size = std::pair<std::uint8_t, std::size_t>;

std::vector<Size> sizes_of(const std::vector<const AssumptionRow*>& rows) {
  std::vector<Size> sizes;
  for (const AssumptionRow* row : rows) {
    for (const AssumptionTrial& trial : row->trials)
      sizes.emplace_back(trial.budget, trial.workers);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

Cell cell_of(const AssumptionRow& row, const Size& size) {
  for (const AssumptionTrial& trial : row.trials) {
    if (Size{trial.budget, trial.workers} != size) continue;
    const std::string budget = checker::budget_text(row, trial.budget);
    const bool is_broken = trial.verdict == sim::Verdict::violated && row.violation.has_value();
    const std::string what =
        is_broken ? fmt::format("{}: broken in {} steps", budget, row.violation->steps)
                  : fmt::format("{}: {}", budget, sim::verdict_name(trial.verdict));
    return {what, tone_of(trial.verdict), is_broken};
  }
  return {};
}

Grid alone_grid(const std::vector<const AssumptionRow*>& rows) {
  Grid grid{"One assumption dropped",
            "Budgets and groups grow from left to right until a row breaks; an outlined cell is "
            "the smallest that breaks it. Empty: not explored, since a smaller one decides it.",
            {},
            {},
            legend()};
  const std::vector<Size> sizes = sizes_of(rows);
  for (const auto& [budget, workers] : sizes) {
    grid.columns.push_back(fmt::format("budget {}, {} workers", budget, workers));
  }
  for (const AssumptionRow* row : rows) {
    std::vector<Cell> cells;
    for (const Size& size : sizes) cells.push_back(cell_of(*row, size));
    grid.rows.emplace_back(row->first == nullptr ? "nothing" : std::string(row->first->name),
                           std::move(cells));
  }
  return grid;
}

Cell pair_cell(const AssumptionRow& row) {
  if (!row.left_out.empty()) return {row.left_out, 0, false};
  if (row.trials.empty()) return {"not begun", kUnknown, false};
  const AssumptionTrial& last = row.trials.back();
  return {fmt::format("{} workers, {}", last.workers, checker::budget_text(row, last.budget)),
          tone_of(row.verdict()), row.violation.has_value()};
}

/// Drops that are in a pair of the group, in the table's order.
std::vector<const AssumptionDrop*> paired_drops(const std::vector<const AssumptionRow*>& pairs) {
  std::vector<const AssumptionDrop*> drops;
  for (const AssumptionDrop& drop : checker::assumption_drops()) {
    const bool is_paired = std::any_of(pairs.begin(), pairs.end(), [&](const AssumptionRow* row) {
      return row->left_out.empty() && (row->first == &drop || row->second == &drop);
    });
    if (is_paired) drops.push_back(&drop);
  }
  return drops;
}

Grid pair_grid(const std::vector<const AssumptionRow*>& pairs,
               const std::vector<const AssumptionDrop*>& drops) {
  Grid grid{"Two assumptions dropped together",
            "A cell has the smallest group and budgets that break the pair, or the largest that "
            "were explored. Pairs that are not named here are decided by one of the two alone.",
            {},
            {},
            legend()};
  for (const AssumptionDrop* drop : drops) grid.columns.emplace_back(drop->name);
  for (const AssumptionDrop* first : drops) {
    std::vector<Cell> cells;
    for (const AssumptionDrop* second : drops) {
      const auto row = std::find_if(pairs.begin(), pairs.end(), [&](const AssumptionRow* pair) {
        return pair->first == first && pair->second == second;
      });
      cells.push_back(row == pairs.end() ? Cell{} : pair_cell(**row));
    }
    grid.rows.emplace_back(std::string(first->name), std::move(cells));
  }
  return grid;
}

Table row_table(const std::vector<const AssumptionRow*>& rows, const std::string& command) {
  Table table{"All rows in words",
              fmt::format("States and seconds are those of all trials of a row. `{} --row NAME` "
                          "explores one again and tells its story.",
                          command),
              {"row", "what is dropped", "result", "steps", "states", "s"},
              {}};
  for (const AssumptionRow* row : rows) {
    const bool is_left_out = !row->left_out.empty();
    if (is_left_out && !is_alone(*row)) continue;
    table.rows.push_back({checker::row_name(*row), checker::dropped_text(*row),
                          is_left_out
                              ? "not explored: " + row->left_out
                              : fmt::format("{}", fmt::join(checker::row_findings(*row), "; ")),
                          row->violation ? fmt::format("{}", row->violation->steps) : "",
                          is_left_out ? "" : sim::grouped(checker::states_of(*row)),
                          is_left_out ? "" : fmt::format("{:.1f}", checker::seconds_of(*row))});
  }
  return table;
}

Table story_table(const AssumptionRow& row, const std::string& command) {
  Table table{fmt::format("{}: {}", checker::row_name(row), checker::dropped_text(row)),
              fmt::format("{} --row {}", command, checker::row_name(row)),
              {"when", "what happens"},
              {}};
  for (const checker::StoryLine& line : row.violation->story) {
    table.rows.push_back(
        {fmt::format("interval {}, tick {}", line.interval, line.tick), line.text});
  }
  return table;
}

Section group_section(const AssumptionPage& page, DeadlineGroup group) {
  std::vector<const AssumptionRow*> all;
  std::vector<const AssumptionRow*> alone;
  std::vector<const AssumptionRow*> pairs;
  for (const AssumptionRow& row : page.rows) {
    if (row.group != group) continue;
    all.push_back(&row);
    if (!is_alone(row)) pairs.push_back(&row);
    if (is_alone(row) && row.left_out.empty()) alone.push_back(&row);
  }
  Section section{checker::group_text(group), "", {}};
  if (!alone.empty()) section.blocks.emplace_back(alone_grid(alone));
  const auto drops = paired_drops(pairs);
  if (!drops.empty()) section.blocks.emplace_back(pair_grid(pairs, drops));
  if (!all.empty()) section.blocks.emplace_back(row_table(all, page.command));
  for (const AssumptionRow* row : alone) {
    if (row->violation) section.blocks.emplace_back(story_table(*row, page.command));
  }
  return section;
}

std::string evidence_of(std::span<const AssumptionRow> rows) {
  std::size_t holds = 0;
  std::size_t broken = 0;
  std::size_t unknown = 0;
  for (const AssumptionRow& row : rows) {
    if (!row.left_out.empty()) continue;
    switch (row.verdict()) {
      case sim::Verdict::holds: ++holds; break;
      case sim::Verdict::violated: ++broken; break;
      case sim::Verdict::unknown: ++unknown; break;
    }
  }
  return fmt::format("of the rows explored {} hold, {} are broken, {} are unknown", holds, broken,
                     unknown);
}

/// The groups with nothing dropped: what has to hold.
std::vector<Finding> findings_of(std::span<const AssumptionRow> rows) {
  std::vector<Finding> findings;
  for (const AssumptionRow& row : rows) {
    if (row.first != nullptr || !row.left_out.empty()) continue;
    findings.push_back({"lease-exclusive, " + checker::row_name(row), row.verdict(),
                        fmt::format("{}", fmt::join(checker::row_findings(row), "; ")),
                        checker::group_text(row.group), "", true});
  }
  return findings;
}

}  // namespace

Report assumption_report(const AssumptionPage& page) {
  Report report;
  report.kind = "assumption table";
  report.title = page.name;
  report.file = page.file;
  report.verdict = checker::table_verdict(page.rows);
  report.evidence = evidence_of(page.rows);
  report.command = page.command;
  report.properties = findings_of(page.rows);
  report.remarks = {
      "Each row drops something that the argument for exclusivity takes for granted and explores "
      "every order of what may happen, with growing budgets and groups. A row that holds speaks of "
      "these budgets and groups alone."};
  report.facts = {{"the largest group", checker::describe_bounds(page.base)},
                  {"assumed before anything is dropped", checker::describe_assumptions(page.base)}};
  for (const DeadlineGroup group :
       {DeadlineGroup::send, DeadlineGroup::reply, DeadlineGroup::mixed}) {
    Section section = group_section(page, group);
    if (!section.blocks.empty()) report.sections.push_back(std::move(section));
  }
  return report;
}

}  // namespace nandi::reports
