// The group part of a scenario: what all workers share, what sets of workers have otherwise, their
// consumers and clocks, and the rules that an ablation breaks on purpose. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"
#include "nandi/sim/ablated_rules.h"
#include "nandi/sim/scenario_network.h"

namespace nandi::sim {

struct GroupSettings {
  std::string name = "workers";
  std::string prefix;
  Duration interval;                                ///< > 0; required
  Fraction gap{3, 20};                              ///< of the interval, 0 < gap < 1/2
  std::optional<Duration> attempt_timeout;          ///< empty: an eighth of the interval
  Fraction drift_bound{1, 1000};                    ///< 0 <= bound < 1
  Duration resolution{kNanosecondsPerMillisecond};  ///< of the store's TIME
  Fraction first_spread{1, 1};  ///< first registrations come over this share of an interval
  friend bool operator==(const GroupSettings&, const GroupSettings&) = default;
};

/// Whether a consumer may go on past the end of its lease.
struct Overrun {
  bool allowed = false;
  std::optional<Duration> limit;  ///< empty: without limit; only where allowed
  friend bool operator==(const Overrun&, const Overrun&) = default;
};

struct ConsumerSettings {
  /// From being told to stand down until it has stopped.
  DelayDistribution drain = ConstantDelay{};
  /// Not allowed: a drain that is still going on when the lease expires is cut off then.
  Overrun overrun;
  /// Acts on a pair until it is told otherwise, never looking at the expiry itself: a process that
  /// stalled goes on where it was.
  bool ignore_expiry = false;
  friend bool operator==(const ConsumerSettings&, const ConsumerSettings&) = default;
};

/// One clock against true time. `offset` is added once; `drift` is the relative error of its rate.
struct ClockError {
  Duration offset;
  Fraction drift;  ///< above -1, below 1
  friend bool operator==(const ClockError&, const ClockError&) = default;
};

struct DurationRange {
  Duration from;
  Duration to;
  friend bool operator==(const DurationRange&, const DurationRange&) = default;
};

struct FractionRange {
  Fraction from;
  Fraction to;
  friend bool operator==(const FractionRange&, const FractionRange&) = default;
};

/// Drawn for each worker, uniformly.
struct WorkerClockErrors {
  DurationRange offset;
  FractionRange drift;
  friend bool operator==(const WorkerClockErrors&, const WorkerClockErrors&) = default;
};

struct ClockSettings {
  ClockError store;
  WorkerClockErrors workers;
  friend bool operator==(const ClockSettings&, const ClockSettings&) = default;
};

/// Workers that start together. Empty members: as the group has it.
struct WorkerSet {
  std::uint32_t count = 1;
  std::optional<Duration> interval;
  std::optional<Fraction> gap;
  std::optional<Duration> attempt_timeout;
  std::optional<DeadlineFrom> deadline_from;
  std::optional<Fraction> first_spread;
  /// Slot while no count is known, as a fraction of the interval; empty: drawn in [gap, 1 - gap].
  std::optional<Fraction> kept_offset;
  std::optional<ConsumerSettings> consumer;
  std::optional<ClockError> clock;
  NetworkOverride network;
  friend bool operator==(const WorkerSet&, const WorkerSet&) = default;
};

enum class IntervalClock : std::uint8_t { store, worker };

/// The protocol's rules; every default is the protocol, everything else breaks it on purpose.
struct RuleSettings {
  std::uint32_t agreement = 2;               ///< consecutive closed intervals: 2 or 1
  bool expiry = true;                        ///< a lease ends by itself
  IndexFrom index_from = IndexFrom::closed;  ///< which interval's index is paired with the count
  DeadlineFrom deadline_from = DeadlineFrom::send;
  Fraction margin;     ///< added to the stand-down margin, in intervals
  bool spread = true;  ///< off: every slot is the middle of the band
  IntervalClock interval_clock = IntervalClock::store;
  bool timing_budget = true;  ///< off: timings that a worker refuses are allowed
  friend bool operator==(const RuleSettings&, const RuleSettings&) = default;
};

}  // namespace nandi::sim
