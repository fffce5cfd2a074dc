// The assumption table as text, as Markdown and as data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nandi/checker/assumption_table.h"
#include "nandi/sim/yaml/tree.h"

namespace nandi::checker {

/// "2 faults", "1 tick + 1 fault", "always"; "nothing dropped".
[[nodiscard]] std::string budget_text(const AssumptionRow& row, std::uint8_t budget);
/// What happens instead of what is assumed; of a pair, both.
[[nodiscard]] std::string dropped_text(const AssumptionRow& row);
/// "holds: 2 workers, 1 fault", "unknown: ...", "broken: 2 workers, 2 faults", those that apply; of
/// a row that was not begun or was interrupted too.
[[nodiscard]] std::vector<std::string> row_findings(const AssumptionRow& row);
[[nodiscard]] std::uint64_t states_of(const AssumptionRow& row);  ///< of all its trials
[[nodiscard]] double seconds_of(const AssumptionRow& row);        ///< likewise

/// "broken by 1 fault with 2 workers: lease-exclusive after 23 steps (...)".
[[nodiscard]] std::string row_text(const AssumptionRow& row);
/// For the terminal, when the row before was of another group: what the group does.
[[nodiscard]] std::string group_text(DeadlineGroup group);
/// A table for each group; pairs that one drop alone decides are named below it. The last column
/// is the time, the only one that is not the same in every run. `scenarios`: file of a violated
/// row's scenario, without its directory, are links below this directory.
[[nodiscard]] std::string table_markdown(std::span<const AssumptionRow> rows,
                                         const std::string& scenarios);
[[nodiscard]] sim::yaml::Tree row_tree(const AssumptionRow& row);
/// "reply-del_open.yaml".
[[nodiscard]] std::string scenario_file(const AssumptionRow& row);

}  // namespace nandi::checker
