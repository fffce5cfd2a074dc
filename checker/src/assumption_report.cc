#include "nandi/checker/assumption_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>
#include "nandi/sim/partition/text_table.h"

namespace nandi::checker {
namespace {

using sim::yaml::Tree;

std::string workers_text(std::size_t workers) { return fmt::format("{} workers", workers); }

/// "2 faults with 2 workers, 1 fault with 3 workers".
std::string held_text(const AssumptionRow& row) {
  std::vector<std::string> parts;
  for (std::size_t workers = 2; workers < 2 + held_budgets(row).size(); ++workers) {
    const AssumptionTrial* last = nullptr;
    for (const AssumptionTrial& trial : row.trials) {
      if (trial.workers == workers && trial.verdict == sim::Verdict::holds) last = &trial;
    }
    if (last == nullptr) continue;
    parts.push_back(fmt::format("{}, {}", workers_text(workers), budget_text(row, last->budget)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string unknown_text(const AssumptionRow& row) {
  std::vector<std::string> parts;
  for (const AssumptionTrial& trial : row.trials) {
    if (trial.verdict != sim::Verdict::unknown) continue;
    parts.push_back(fmt::format("{}, {} ({})", workers_text(trial.workers),
                                budget_text(row, trial.budget), trial.why));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string markdown_row(const AssumptionRow& row, const std::string& scenarios) {
  std::string name = fmt::format("`{}`", row_name(row));
  if (row.violation) name = fmt::format("[{}]({}/{})", name, scenarios, scenario_file(row));
  const std::string steps = row.violation ? fmt::format("{}", row.violation->steps) : "";
  return fmt::format("| {} | {} | {} | {} | {} | {:.1f} |\n", name, dropped_text(row),
                     fmt::join(row_findings(row), "<br>"), steps, states_of(row), seconds_of(row));
}

std::string group_markdown(std::span<const AssumptionRow> rows, DeadlineGroup group,
                           const std::string& scenarios) {
  std::string text;
  std::vector<std::string> left_out;
  for (const AssumptionRow& row : rows) {
    if (row.group != group) continue;
    if (row.left_out.empty()) {
      text += markdown_row(row, scenarios);
    } else if (row.second == nullptr) {
      left_out.push_back(fmt::format("`{}`: {}", row_name(row), row.left_out));
    }
  }
  if (text.empty()) return text;
  text = fmt::format(
             "### {}\n\n"
             "| row | what is dropped | result | steps | states | s |\n"
             "| --- | --- | --- | --- | --- | --- |\n",
             group_text(group)) +
         text;
  if (!left_out.empty()) {
    text += fmt::format("\nNot explored: {}.\n", fmt::join(left_out, "; "));
  }
  return text + "\n";
}

}  // namespace

std::string budget_text(const AssumptionRow& row, std::uint8_t budget) {
  if (row.first == nullptr) return "nothing dropped";
  const auto one = [&](const AssumptionDrop& drop, std::uint8_t most) {
    const std::uint8_t own = std::min(budget, most);
    std::string unit(drop.unit);
    if (unit == "always") return unit;
    if (own == 1) unit.pop_back();
    return fmt::format("{} {}", own, unit);
  };
  const std::string first = one(*row.first, row.first_most);
  return row.second == nullptr ? first
                               : fmt::format("{} + {}", first, one(*row.second, row.second_most));
}

std::string dropped_text(const AssumptionRow& row) {
  if (row.first == nullptr) return "nothing";
  if (row.second == nullptr) return std::string(row.first->meaning);
  return fmt::format("{}, and {}", row.first->meaning, row.second->meaning);
}

std::vector<std::string> row_findings(const AssumptionRow& row) {
  std::vector<std::string> parts;
  if (!row.is_begun) return {"unknown: not begun"};
  if (const std::string held = held_text(row); !held.empty()) parts.push_back("holds: " + held);
  if (const std::string unknown = unknown_text(row); !unknown.empty()) {
    parts.push_back("unknown: " + unknown);
  }
  if (row.violation) {
    const AssumptionTrial& last = row.trials.back();
    parts.push_back(
        fmt::format("broken: {}, {}", workers_text(last.workers), budget_text(row, last.budget)));
  }
  if (parts.empty()) parts.push_back("unknown: interrupted");
  return parts;
}

std::uint64_t states_of(const AssumptionRow& row) {
  std::uint64_t states = 0;
  for (const AssumptionTrial& trial : row.trials) states += trial.states;
  return states;
}

double seconds_of(const AssumptionRow& row) {
  double seconds = 0;
  for (const AssumptionTrial& trial : row.trials) seconds += trial.seconds;
  return seconds;
}

std::string group_text(DeadlineGroup group) {
  switch (group) {
    case DeadlineGroup::send: return "Leases counted from the request, as this engine does";
    case DeadlineGroup::reply: return "Leases counted from the reply, as n-and-i does";
    case DeadlineGroup::mixed: break;
  }
  return "One member counts from the reply, the others from the request";
}

std::string scenario_file(const AssumptionRow& row) {
  std::string name = row_name(row);
  std::replace(name.begin(), name.end(), '/', '-');
  std::replace(name.begin(), name.end(), '+', '-');
  std::replace(name.begin(), name.end(), '_', '-');
  return name + ".yaml";
}

std::string row_text(const AssumptionRow& row) {
  if (!row.left_out.empty()) return fmt::format("  {:<44} {}\n", row_name(row), row.left_out);
  std::string text = fmt::format("  {:<44} {}", row_name(row), fmt::join(row_findings(row), "; "));
  if (row.violation) {
    text +=
        fmt::format(": {} after {} steps", row.violation->summary.violated, row.violation->steps);
  }
  return text +
         fmt::format(" ({} states, {:.1f} s)\n", sim::grouped(states_of(row)), seconds_of(row));
}

std::string table_markdown(std::span<const AssumptionRow> rows, const std::string& scenarios) {
  std::string text;
  for (const DeadlineGroup group :
       {DeadlineGroup::send, DeadlineGroup::reply, DeadlineGroup::mixed}) {
    text += group_markdown(rows, group, scenarios);
  }
  return text;
}

Tree row_tree(const AssumptionRow& row) {
  Tree tree = Tree::mapping();
  tree.add("row", Tree::string(row_name(row)));
  tree.add("group", Tree::string(std::string(to_string(row.group))));
  Tree drops = Tree::sequence();
  for (const AssumptionDrop* drop : {row.first, row.second}) {
    if (drop != nullptr) drops.append(Tree::string(std::string(drop->name)));
  }
  tree.add("drops", std::move(drops));
  tree.add("dropped", Tree::string(dropped_text(row)));
  tree.add("begun", Tree::boolean(row.is_begun));
  tree.add("left_out", Tree::string(row.left_out));
  tree.add("verdict", Tree::string(std::string(sim::verdict_name(row.verdict()))));
  Tree trials = Tree::sequence();
  for (const AssumptionTrial& trial : row.trials) {
    Tree entry = Tree::mapping();
    entry.add("workers", Tree::integer(static_cast<std::int64_t>(trial.workers)));
    entry.add("budget", Tree::string(budget_text(row, trial.budget)));
    entry.add("verdict", Tree::string(std::string(sim::verdict_name(trial.verdict))));
    if (!trial.why.empty()) entry.add("why", Tree::string(trial.why));
    entry.add("states", Tree::literal(std::to_string(trial.states)));
    entry.add("seconds", Tree::literal(fmt::format("{:.3f}", trial.seconds)));
    trials.append(std::move(entry));
  }
  tree.add("trials", std::move(trials));
  if (!row.violation) return tree;
  tree.add("violated", Tree::string(row.violation->summary.violated));
  tree.add("steps", Tree::integer(static_cast<std::int64_t>(row.violation->steps)));
  Tree story = Tree::sequence();
  for (const StoryLine& line : row.violation->story) {
    story.append(
        Tree::string(fmt::format("interval {}, tick {}: {}", line.interval, line.tick, line.text)));
  }
  tree.add("story", std::move(story));
  return tree;
}

}  // namespace nandi::checker
