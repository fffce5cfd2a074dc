// The assumption table: what the argument for exclusivity takes for granted is dropped, one
// assumption at a time and then in pairs, with growing budgets and groups, and each time the group
// is explored exhaustively.
//
// A row is a rule for the end of leases and one or two drops. Its trials grow: budget 1, 2, ... and
// for each budget 2, 3, ... workers up to the base check's. The first violation ends the row: no
// smaller one of these budgets and groups has any. Where a trial ends in *unknown*, groups of its
// size and larger ones are left out from there on. Pairs grow up to a budget of 2 of either.
//
// Sizes: a budget counts faults, or ticks where the drop's `unit` says so; largest values are in
// the drops themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/checker/lease_check.h"
#include "nandi/checker/run_lease_check.h"

namespace nandi::checker {

/// From where the members count the end of a lease.
enum class DeadlineGroup : std::uint8_t {
  send,   ///< all as this engine does, from the request
  reply,  ///< all as n-and-i does, from the reply
  mixed,  ///< one from the reply, the others from the request
};
[[nodiscard]] std::string_view to_string(DeadlineGroup group);

/// A dropped assumption.
struct AssumptionDrop {
  std::string_view name;     ///< of the fault, as the fault catalogue (sim) has it where it is one
  std::string_view meaning;  ///< what happens instead of what is assumed
  std::string_view unit;     ///< of its budget: "faults", "ticks", ...
  std::uint8_t most = 1;     ///< largest budget
  /// Writes the drop into a check; false where a group like this cannot have it.
  bool (*apply)(LeaseCheck& check, std::uint8_t budget) = nullptr;
};

/// All of them, in the table's order.
[[nodiscard]] std::span<const AssumptionDrop> assumption_drops();

struct AssumptionTrial {
  std::size_t workers = 0;
  std::uint8_t budget = 0;
  sim::Verdict verdict = sim::Verdict::unknown;
  std::uint64_t states = 0;
  double seconds = 0;
  std::string why;  ///< of an unknown one: the bound that it met, or what never happened
};

struct AssumptionRow {
  DeadlineGroup group = DeadlineGroup::send;
  const AssumptionDrop* first = nullptr;  ///< null: nothing is dropped
  const AssumptionDrop* second = nullptr;
  /// Largest budget of either; of a pair, at most 2 and what the drop alone leaves exclusive.
  std::uint8_t first_most = 0;
  std::uint8_t second_most = 0;
  /// Nothing to explore: a group like this cannot have the drop, or one of a pair breaks it alone.
  std::string left_out;
  std::vector<AssumptionTrial> trials;
  /// Of the last trial, where it is a violation.
  std::optional<LeaseCheckResult> violation;
  LeaseCheck check;  ///< of the last trial
  bool is_begun = false;

  [[nodiscard]] sim::Verdict verdict() const;
};

/// "del_open", "reply/fork", "mixed/store_clock_step+worker_clock_drift"; "nothing" for no drop.
[[nodiscard]] std::string row_name(const AssumptionRow& row);
/// Of a whole table: violated where the group is broken with nothing dropped, else unknown where a
/// row that may be explored was not decided, else holds.
[[nodiscard]] sim::Verdict table_verdict(std::span<const AssumptionRow> rows);
/// Largest budget held, by number of workers from 2; 0 where none was.
[[nodiscard]] std::vector<std::uint8_t> held_budgets(const AssumptionRow& row);

struct AssumptionOptions {
  LeaseCheckOptions check;  ///< bounds and interrupt of each trial
  std::string row;          ///< only this one; empty: all
  /// Before each trial, and after each row.
  std::function<void(const AssumptionRow&, std::size_t done, std::size_t all)> progress;
  std::function<void(const AssumptionRow&)> finished;
};

/// All rows, those not begun before an interrupt too. `base`: the group, with everything granted;
/// its size is the largest group tried. Throws std::invalid_argument where base drops something
/// itself, or no row is called options.row (with the nearest name).
[[nodiscard]] std::vector<AssumptionRow> explore_assumptions(const LeaseCheck& base,
                                                             const AssumptionOptions& options);

/// The base check of a row's group: deadlines, and for `reply` and `mixed` the largest reply delay
/// that their margin covers (engine/bounds.h, largest_margin_from_reply_in_units).
[[nodiscard]] LeaseCheck group_check(const LeaseCheck& base, DeadlineGroup group);

}  // namespace nandi::checker
