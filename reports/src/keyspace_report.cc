#include <fmt/format.h>

#include <algorithm>

#include "nandi/reports/study_report.h"
#include "nandi/sim/partition/text_table.h"
#include "study_outline.h"

namespace nandi::reports {
namespace {

using sim::KeyspaceFigures;
using sim::LendingSpread;

constexpr std::uint32_t kSlots = 16'384;

Bar share_bar(const std::string& label, std::uint64_t part, std::uint64_t whole) {
  const double percent =
      whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return {label, percent, 0, fmt::format("{:.2f} %", percent)};
}

std::string label_of(const LendingSpread& spread, bool by_tagging) {
  if (!by_tagging) return fmt::format("{} nodes", spread.nodes);
  return spread.tagging == sim::Tagging::none     ? "no tag"
         : spread.tagging == sim::Tagging::branch ? "tag: branch"
                                                  : "tag: book";
}

BarChart transactions(const char* title, const std::vector<LendingSpread>& spreads,
                      bool by_tagging) {
  BarChart chart{
      title,        "T1 touches catalog entry, loan and queue, T2 the branch's counter too.",
      " %",         {{"T1 on one node", {}}, {"T2 on one node", {}}},
      std::nullopt, ""};
  for (const LendingSpread& spread : spreads) {
    const std::string label = label_of(spread, by_tagging);
    chart.groups[0].second.push_back(share_bar(label, spread.t1_on_one_node, spread.loans));
    chart.groups[1].second.push_back(share_bar(label, spread.t2_on_one_node, spread.loans));
  }
  return chart;
}

/// Bytes of every node; darker tones for more of the whole.
Grid load_grid(const std::vector<LendingSpread>& spreads) {
  Grid grid{"KiB on each node",
            "An outlined cell is the busiest of its row. Shades run in steps of half a fair share.",
            {},
            {},
            {"nothing", "below half", "below the fair share", "fair share", "one and a half",
             "twice", "twice and a half", "three times and more"},
            true};
  for (std::uint32_t node = 0; node < spreads.front().nodes; ++node) {
    grid.columns.push_back(fmt::format("n{}", node));
  }
  for (const LendingSpread& spread : spreads) {
    std::vector<Cell> cells;
    for (const std::uint64_t bytes : spread.node_bytes) {
      const std::uint64_t halves = spread.bytes == 0 ? 0 : 2 * bytes * spread.nodes / spread.bytes;
      cells.push_back({fmt::format("{:.1f}", static_cast<double>(bytes) / 1024),
                       bytes == 0 ? 1 : static_cast<int>(std::min<std::uint64_t>(halves, 6)) + 2,
                       bytes != 0 && bytes == spread.busiest_bytes()});
    }
    grid.rows.emplace_back(label_of(spread, true), std::move(cells));
  }
  return grid;
}

Table slot_table(const KeyspaceFigures& figures, std::uint32_t nodes) {
  Table table{fmt::format("Where names land among {} slots and {} nodes", kSlots, nodes),
              "",
              {"hashed part", "slot", "node"},
              {}};
  const char* names[] = {"branch:0", "book:7", "catalog:7 (no tag)"};
  for (std::size_t s = 0; s < 3; ++s) {
    table.rows.push_back({names[s], fmt::format("{}", figures.sample_slots[s]),
                          fmt::format("n{}", figures.sample_nodes[s])});
  }
  return table;
}

Table spread_table(const std::vector<LendingSpread>& spreads) {
  Table table{"",
              "",
              {"tag", "slots used", "keys", "KiB", "KiB on the busiest", "T1 in one slot",
               "T2 in one slot"},
              {}};
  for (const LendingSpread& spread : spreads) {
    table.rows.push_back({label_of(spread, true), sim::grouped(spread.slots_used),
                          sim::grouped(spread.keys),
                          fmt::format("{:.1f}", static_cast<double>(spread.bytes) / 1024),
                          fmt::format("{:.1f}", static_cast<double>(spread.busiest_bytes()) / 1024),
                          share_bar("", spread.t1_in_one_slot, spread.loans).text,
                          share_bar("", spread.t2_in_one_slot, spread.loans).text});
  }
  return table;
}

}  // namespace

Report keyspace_report(const std::string& file, const std::string& command,
                       const sim::KeyspaceResult& result) {
  const sim::KeyspaceStudy& study = result.study;
  Report report = study_outline("key-space study", file, command, result.verdict, result.properties,
                                study.expect);
  report.facts = {{"books", sim::grouped(study.model.books)},
                  {"loans", sim::grouped(study.model.loans)},
                  {"hash slots", sim::grouped(kSlots)},
                  {"source",
                   "the lesson \"Clustering\", In-Memory Stores and Caching Systems, "
                   "academia.sh (CC BY-SA 4.0)"}};
  for (const KeyspaceFigures& figures : result.figures) {
    Section section{fmt::format("Hash {}", sim::key_hash_name(figures.hash)), "", {}};
    section.blocks.emplace_back(transactions(
        "Untagged keys over more nodes: transactions that stay on one", figures.by_nodes, false));
    section.blocks.emplace_back(
        transactions(fmt::format("Ways of tagging over {} nodes", study.tagging_nodes).c_str(),
                     figures.by_tagging, true));
    section.blocks.emplace_back(load_grid(figures.by_tagging));
    section.blocks.emplace_back(spread_table(figures.by_tagging));
    section.blocks.emplace_back(slot_table(figures, study.tagging_nodes));
    report.sections.push_back(std::move(section));
  }
  return report;
}

}  // namespace nandi::reports
