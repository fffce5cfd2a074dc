// The rules that decide ownership, as pure functions of what a worker remembers and one tick.
#pragma once

#include <optional>

#include "nandi/engine/schedule.h"
#include "nandi/engine/tick.h"

namespace nandi {

/// The last completed registration.
struct Held {
  IntervalNumber interval = 0;
  std::uint32_t index = 0;
  friend constexpr bool operator==(const Held&, const Held&) = default;
};

/// The pair that a tick implied, with that tick's interval.
struct Remembered {
  IntervalNumber interval = 0;
  Pair pair;
  friend constexpr bool operator==(const Remembered&, const Remembered&) = default;
};

/// Why a tick implies no pair.
enum class NoPair : std::uint8_t { implied, not_consecutive, no_previous, index_out_of_range };

/// The protocol's rules. A type of its own so that a deliberately broken variant can take its
/// place in an ablation (see sim/): LeaseEngine is BasicLeaseEngine<ProtocolRules>.
struct ProtocolRules {
  /// Protocol, rule 2. Article: "Partitions using the index it kept during N-1 together with that
  /// count"; "it has no index from the closed one, so it has nothing to pair with the count".
  [[nodiscard]] constexpr NoPair why_no_pair(const std::optional<Held>& held,
                                             const Tick& tick) const {
    if (!held || held->interval != tick.interval - 1) return NoPair::not_consecutive;
    if (!tick.previous_count) return NoPair::no_previous;
    if (held->index >= *tick.previous_count) return NoPair::index_out_of_range;
    return NoPair::implied;
  }

  [[nodiscard]] constexpr std::optional<Pair> implied_pair(const std::optional<Held>& held,
                                                           const Tick& tick) const {
    if (why_no_pair(held, tick) != NoPair::implied) return std::nullopt;
    return Pair{held->index, *tick.previous_count};
  }

  /// Protocol, rule 3. Article: "A worker owns a pair only once two consecutive closed intervals
  /// have implied the same pair". Consecutive intervals, not consecutive calls.
  [[nodiscard]] constexpr bool agrees(const std::optional<Remembered>& remembered,
                                      const Pair& implied, const Tick& tick) const {
    return remembered && remembered->interval == tick.interval - 1 && remembered->pair == implied;
  }

  /// Protocol, rule 4: offset of the next slot in interval tick.interval + 1. Article: "Before any
  /// count is known there is nothing to space against, and a random offset per instance is the
  /// fallback."
  [[nodiscard]] constexpr Duration next_offset(const LeaseTiming& timing, const Tick& tick,
                                               Duration kept_offset) const {
    if (!tick.previous_count) return kept_offset;
    return slot_offset(timing, tick.index, members_for_slot(tick));
  }

  /// Protocol, rule 5: when a lease that this tick grants ends, on the worker's clock. README:
  /// "how far past its slot a worker may drift before it stands down". Slot and margin are counted
  /// in the interval after the tick's, whenever the next registration really is sent.
  [[nodiscard]] constexpr LocalTime expiry(const LeaseTiming& timing, const ClockReading& reading,
                                           const Tick& tick) const {
    const StoreTime end = interval_begin(timing, tick.interval + 1) +
                          expiry_offset(timing, tick.index, members_for_slot(tick));
    return possibly_reached(timing, reading, end);
  }

  /// Whether a lease ends by itself when its expiry is reached.
  [[nodiscard]] constexpr bool expires() const { return true; }

  friend constexpr bool operator==(const ProtocolRules&, const ProtocolRules&) = default;
};

}  // namespace nandi
