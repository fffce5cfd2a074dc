// run_tune: chooses interval and gap.
//
// Closed bounds first (tune_bounds): a setting that breaks one is not simulated. The others are
// simulated, each under the same seeds, in rounds that double the seeds of those that are not
// decided: whether a setting passes (no violation, fewer losses than the request allows), and, as
// far as kContendingSeeds, whether it beats the best. Of those that cannot be told from the best
// and are beaten by none the one whose tightest bound has the most room is chosen. It is then run
// again under ten times as many seeds of its own, and up to eight times as many again until they
// show that it passes or that it fails. Where it fails, or that is still open, the next best is
// chosen; what was open is recommended, as not confirmed, where nothing else is.
//
// The request's budget bounds both: a round of the grid begins only where it fits into it (the
// first one always), and so does a round of the validation, which has a budget of its own, of the
// same size. What was not decided by then stays open.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "nandi/engine/schedule.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/tune/tune_result.h"

namespace nandi::sim {

struct TuneProgress {
  const char* phase = "";  ///< "grid", "validation", "curves"
  std::uint64_t done = 0;  ///< seeds of this round
  std::uint64_t total = 0;
};

struct TuneOptions {
  unsigned jobs = 1;                                  ///< threads, at least 1
  bool with_curves = true;                            ///< of the recommended setting
  const std::atomic<bool>* stop = nullptr;            ///< set: end soon, with what was found so far
  std::function<void(const TuneProgress&)> progress;  ///< never called by two threads at once
};

/// The gaps that are tried unless the request names some.
[[nodiscard]] const std::vector<Fraction>& tune_gaps();

/// What of the request's delays the bounds count with; in nanoseconds.
struct TuneDelays {
  Duration round_trip_p50;
  Duration round_trip_p99;
  Duration pause_p99;
  /// Of the difference by which two workers miss their slots, without sign.
  Duration jitter_p99;
  /// Of the same, what lets a group settle: settled_difference() of settling_outlook.h.
  Duration jitter_settled;
};
/// From fixed samples of 2^16 round trips and pauses and of 2^17 differences.
[[nodiscard]] TuneDelays tune_delays(const TuneRequest& request);

/// All closed bounds of a setting with `members` workers:
/// attempt: three round trips (p99) end before a registration's deadline, I / 8: the first one of a
///   connection also waits for TCP and for the greeting, and where that is never in time a worker
///   connects again and again and never registers.
/// renewal: two round trips and a pause (all p99) stay under the slack, g I less the resolution of
///   the store's clock and what the drift bound takes off both ends of a lease, 4 d I.
/// retry: the same with I / 8 less, the first retry's delay, so that one failure loses no lease (it
///   may still cost neighbours their order: a warning says from how many workers on).
/// drain: a consumer that is told at the very end of a lease has stopped before the index can be
///   granted again: that takes g I at least (a lease ends within its interval, a grant comes g I
///   into the next but one's).
/// drift: below g / 4, as the engine asks, which is less than bounds.h proves to be tolerated.
/// spacing: neighbours' slots are so far apart that the group settles (settling_outlook.h): by the
///   difference of two workers' delays that one in kSettledIntervals exceeds, to which the rounding
///   of the store's clock belongs, as drift passes it on.
[[nodiscard]] std::vector<TuneBound> tune_bounds(const TuneRequest& request,
                                                 const TuneDelays& delays,
                                                 const TuneSetting& setting, std::uint32_t members);

/// The timing that the workers of a request have under a setting.
[[nodiscard]] LeaseTiming tune_timing(const TuneRequest& request, const TuneSetting& setting);

/// What a setting is simulated as; `--out` writes it beside the result. Without changes of
/// membership; checked are lease-exclusive and work-exclusive.
[[nodiscard]] Scenario tune_scenario(const TuneRequest& request, const TuneSetting& setting,
                                     std::uint32_t members);

/// Whether `a` is at least as good as `b` in readiness, owned share and load, and shown to be
/// better in one of them: the intervals of their estimates lie apart there. Never both ways, and no
/// ring of settings beats each other.
[[nodiscard]] bool dominates(const TuneMeasures& a, const TuneMeasures& b);

/// Precondition: the request's own (tune_request.h).
[[nodiscard]] TuneResult run_tune(const TuneRequest& request, const TuneOptions& options);

}  // namespace nandi::sim
