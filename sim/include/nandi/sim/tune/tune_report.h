// How a TuneResult is written: a table for people, JSON and CSV for programs.
//
// JSON, version 1 (`nandi_tune: 1`), one object: `verdict` ("holds", "violated", "unknown":
// tune_verdict), `request` (everything that was given, durations in nanoseconds, shares and rates
// as exact fractions in strings), `round_trip_p50`, `round_trip_p99`, `jitter_p99`, `cells`
// (`interval`, `gap`, `status`, `reason`, `on_front`, `bounds` {`name`, `need`, `have`, `unit`,
// `holds`, `text`}, `measures`), `recommendation` (`interval`, `gap`, `sentence`, `confirmed`,
// `validated`, `edges` {`direction`, `interval`, `gap`, `reason`}, `largest_group`,
// `largest_settled`), `by_members` and `by_changes` (`members`, `changes_per_hour`, `seeds`,
// `owned_share`, `losses_per_day`), `warnings`, `registrations`, `budget_used_up`, `interrupted`.
// An estimate is
// {`value`, `low`, `high`}; what there is not is null. Estimated times are in seconds.
// CSV: a line a cell, estimates as three columns; empty where there is nothing.
#pragma once

#include <string>

#include "nandi/sim/tune/tune_result.h"

namespace nandi::sim {

inline constexpr int kTuneJsonVersion = 1;

[[nodiscard]] std::string tune_json(const TuneResult& result);
[[nodiscard]] std::string tune_csv(const TuneResult& result);
/// Front, recommendation, edges, warnings. Ends with a line break.
[[nodiscard]] std::string tune_text(const TuneResult& result);
/// That nothing is recommended, which setting came nearest, and what keeps it from passing. Two
/// lines. Precondition: a cell at least.
[[nodiscard]] std::string tune_nearest_text(const TuneResult& result);

}  // namespace nandi::sim
