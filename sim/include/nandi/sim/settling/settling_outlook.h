// SettlingOutlook: whether the slots of a group are further apart than its registrations scatter
// around them. Where they are not, neighbours change places and stand down for it, for ever.
//
// A group counts as settled when a worker without need stands down in at most one of a thousand of
// its intervals: that costs as much as one change of membership in a thousand intervals does, which
// stands every worker down for about one. When two neighbours' delays differ by more than their
// slots do, both stand down for an interval; a worker has two neighbours, each of which overtakes
// or is overtaken in half of these cases, so the rate is about the share of differences, without
// sign, that exceed the distance of slots. The spread is therefore the 999th of a thousand of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nandi/engine/schedule.h"
#include "nandi/sim/scenario.h"

namespace nandi::sim {

/// Settled: at most one stand-down in so many intervals of a worker.
inline constexpr std::uint32_t kSettledIntervals = 1000;

/// Drawn differences, without sign and rising, between the delays with which two workers on this
/// network meet their slots: reply before, rounding of its time, request.
[[nodiscard]] std::vector<Duration> delay_differences(const NetworkSettings& network,
                                                      Duration resolution);

/// Of drawn differences the one that a single one in kSettledIntervals exceeds: their quantile of
/// 1 - 1 / kSettledIntervals, within about 1 % of the exact one. Precondition: kSettledIntervals of
/// them at least, rising.
[[nodiscard]] Duration settled_difference(const std::vector<Duration>& differences);

/// The distance of slots from which on differences as in `network` leave a group settled: the
/// settled_difference() as settling_distance() (engine, bounds.h) passes it on.
[[nodiscard]] Duration settled_distance(const LeaseTiming& timing, const NetworkSettings& network);

/// By how much the way to the store and back, jitter included, varies at most; empty where a
/// distribution has no upper end.
[[nodiscard]] std::optional<Duration> network_variation(const NetworkSettings& network);

struct SettlingOutlook {
  std::uint32_t workers = 0;  ///< most at any one time
  Duration slots_apart;       ///< among so many
  Duration spread;            ///< what they have to be apart to settle
  std::int64_t largest = 0;   ///< most workers whose slots are
  [[nodiscard]] bool is_beyond() const { return std::int64_t{workers} > largest; }
  friend bool operator==(const SettlingOutlook&, const SettlingOutlook&) = default;
};

/// Of the scenario's group on its network, faults aside; workers with a network of their own count
/// by the widest. Empty where the question makes no sense: fewer than two workers, members of
/// different intervals, slots that are not spread, a schedule, a swarm.
[[nodiscard]] std::optional<SettlingOutlook> settling_outlook(const Scenario& scenario);

/// One sentence with the numbers; empty unless it is beyond.
[[nodiscard]] std::string settling_warning(const SettlingOutlook& outlook);

}  // namespace nandi::sim
