// TuneResult: what became of every setting of a grid, and the one that is recommended.
//
// Data only; tune_report.h says how it is written. Times are in seconds,
// for they are estimates; every estimate has an interval that covers the true value with 95 %. What
// is measured is defined once, in TuneMeasures. A function of the request alone: neither threads
// nor the machine's speed change it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nandi/sim/tune/tune_request.h"
#include "nandi/sim/verdict.h"

namespace nandi::sim {

/// Empty ends are open: there were too few seeds to say.
struct Estimate {
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
  friend bool operator==(const Estimate&, const Estimate&) = default;
};

struct TuneMeasures {
  std::uint64_t seeds = 0;
  /// From the start of a group until it is whole, in seconds: percentiles over seeds. A seed that
  /// takes more than 12 intervals counts with those.
  Estimate ready_p50;
  Estimate ready_p99;
  /// Time without a lease that one change of membership costs each member, in seconds: mean over
  /// joins and crashes.
  Estimate change_cost;
  /// Leases lost per worker and day while membership stands still.
  Estimate losses_per_day;
  /// Share of worker-time with a lease, from 0 to 1, at the request's rate of changes, each taken
  /// by itself.
  Estimate owned_share;
  Estimate registrations_per_second;  ///< on the store, of the whole group
  /// Least time between one holder of an index and the next, in seconds; empty: no index changed
  /// hands. Negative for an overlap.
  std::optional<double> closest_approach;
  /// Seeds in which two workers held, or worked on, one index at once.
  std::uint64_t violated_seeds = 0;
  std::optional<std::uint64_t> first_violated_seed;
  friend bool operator==(const TuneMeasures&, const TuneMeasures&) = default;
};

/// A closed bound: `have` must be at least `need`.
struct TuneBound {
  std::string name;  ///< "renewal", "retry", "attempt", "drain", "drift", "spacing"
  double need = 0;
  double have = 0;
  std::string unit;  ///< "s", or "ppm" of drift
  std::string text;  ///< both numbers and what they mean, as a sentence without a full stop
  [[nodiscard]] bool holds() const { return have >= need; }
  /// Share of `have` that `need` leaves; negative where it does not hold, 0 where there is nothing.
  [[nodiscard]] double left() const { return have > 0 ? 1 - need / have : 0; }
  friend bool operator==(const TuneBound&, const TuneBound&) = default;
};

enum class TuneStatus : std::uint8_t {
  fails_bound,  ///< a closed bound: not simulated
  fails,        ///< in simulation
  undecided,    ///< the budget ran out, or it was interrupted, before it was shown to pass
  passes,
};
/// "fails-bound", "fails", "undecided", "passes".
[[nodiscard]] std::string_view status_name(TuneStatus status);

struct TuneCell {
  TuneSetting setting;
  TuneStatus status = TuneStatus::undecided;
  std::string reason;             ///< with numbers; empty where it passes
  std::vector<TuneBound> bounds;  ///< all, for the number of members now
  std::optional<TuneMeasures> measures;
  bool on_front = false;  ///< passes, and is shown to be beaten by none (dominates() of tune.h)
  friend bool operator==(const TuneCell&, const TuneCell&) = default;
};
/// The least share of itself that a bound has to spare: 0 to 1 where all hold, below 0 elsewhere.
[[nodiscard]] double room(const TuneCell& cell);

/// One point of a curve of the recommended setting.
struct TunePoint {
  std::uint32_t members = 0;
  double changes_per_hour = 0;  ///< joins and departures
  std::uint64_t seeds = 0;
  Estimate owned_share;
  Estimate losses_per_day;  ///< of the curve over members; all losses of the one over changes
  friend bool operator==(const TunePoint&, const TunePoint&) = default;
};

enum class TuneDirection : std::uint8_t {
  shorter_interval,
  longer_interval,
  smaller_gap,
  larger_gap
};
/// "shorter interval", ...
[[nodiscard]] std::string_view direction_name(TuneDirection direction);

/// The first setting that fails on the way from the recommended one; without a setting, all up to
/// the edge of the grid pass (or were not decided).
struct TuneEdge {
  TuneDirection direction = TuneDirection::shorter_interval;
  std::optional<std::size_t> cell;  ///< into TuneResult::cells
  std::string reason;
  friend bool operator==(const TuneEdge&, const TuneEdge&) = default;
};

struct TuneRecommendation {
  std::size_t cell = 0;         ///< into TuneResult::cells
  TuneMeasures validated;       ///< with ten times the seeds or more, none of them of the choice
  bool confirmed = false;       ///< `validated` shows that it passes, as a whole
  std::vector<TuneEdge> edges;  ///< one for each direction
  /// Largest group whose neighbouring slots are not closer than the 99th percentile of the jitter.
  std::uint64_t largest_group = 0;
  /// Largest group that settles, which is smaller: the spacing bound holds up to it.
  std::uint64_t largest_settled = 0;
  std::string sentence;
  friend bool operator==(const TuneRecommendation&, const TuneRecommendation&) = default;
};

struct TuneResult {
  TuneRequest request;  ///< with the intervals and gaps that were tried
  /// Percentiles of a round trip and of a pause, in seconds, that the bounds count with.
  double round_trip_p50 = 0;
  double round_trip_p99 = 0;
  double jitter_p99 = 0;  ///< how much longer one way there may be than another's
  /// By interval, then by gap: cell (i, g) is cells[i * gaps.size() + g].
  std::vector<TuneCell> cells;
  std::optional<TuneRecommendation> recommendation;  ///< empty: nothing passes
  std::vector<TunePoint> by_members;                 ///< of the recommended setting, members rising
  std::vector<TunePoint> by_changes;  ///< of the recommended setting, rate of changes rising
  std::vector<std::string> warnings;  ///< with numbers
  std::uint64_t registrations = 0;    ///< simulated in all
  bool budget_used_up = false;        ///< before all was decided: of the grid, or of the validation
  bool interrupted = false;
  friend bool operator==(const TuneResult&, const TuneResult&) = default;
};

/// Holds: a setting is recommended, and was confirmed. Violated: every setting was shown to fail.
/// Unknown: neither, or interrupted.
[[nodiscard]] Verdict tune_verdict(const TuneResult& result);

/// What the front comes to for people: a row for every interval on it, its cell the recommended one
/// or else the one with the most room, and the other gaps of that interval that are on the front,
/// too.
struct TuneFrontRow {
  std::size_t cell = 0;
  std::vector<std::size_t> others;  ///< cells
  friend bool operator==(const TuneFrontRow&, const TuneFrontRow&) = default;
};
[[nodiscard]] std::vector<TuneFrontRow> front_rows(const TuneResult& result);

}  // namespace nandi::sim
