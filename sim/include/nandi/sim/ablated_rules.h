// The protocol's rules with some of them broken on purpose, for negative scenarios and for groups
// that mix rules. With default members it decides exactly as nandi::ProtocolRules does.
#pragma once

#include <optional>

#include "nandi/engine/lease_rules.h"

namespace nandi::sim {

enum class IndexFrom : std::uint8_t { closed, open };
enum class DeadlineFrom : std::uint8_t { send, reply };

struct AblatedRules : ProtocolRules {
  /// How many consecutive intervals must imply a pair: 2 in the protocol, 1 hands out any pair.
  std::uint8_t agreement = 2;
  /// `open` pairs the index of the interval still open with the closed count.
  IndexFrom index_from = IndexFrom::closed;
  /// `reply` computes the deadline as n-and-i does, from the local time of the reply.
  DeadlineFrom deadline_from = DeadlineFrom::send;
  /// false: a lease never ends by itself.
  bool does_expire = true;
  /// false: everyone registers at the middle of the interval.
  bool spread = true;
  /// Added to the stand-down margin; negative shortens it.
  Duration extra_margin;
  /// Where positive, the slot that this tick leads to, whatever the schedule says: the checker
  /// tries every one in the band.
  Duration chosen_offset;

  friend constexpr bool operator==(const AblatedRules&, const AblatedRules&) = default;

  [[nodiscard]] constexpr std::optional<Pair> implied_pair(const std::optional<Held>& held,
                                                           const Tick& tick) const {
    if (index_from == IndexFrom::closed) return ProtocolRules::implied_pair(held, tick);
    if (!tick.previous_count || tick.index >= *tick.previous_count) return std::nullopt;
    return Pair{tick.index, *tick.previous_count};
  }

  [[nodiscard]] constexpr bool agrees(const std::optional<Remembered>& remembered,
                                      const Pair& implied, const Tick& tick) const {
    return agreement < 2 || ProtocolRules::agrees(remembered, implied, tick);
  }

  [[nodiscard]] constexpr Duration next_offset(const LeaseTiming& timing, const Tick& tick,
                                               Duration kept_offset) const {
    if (chosen_offset > Duration(0)) return chosen_offset;
    if (!spread) return timing.interval / 2;
    return ProtocolRules::next_offset(timing, tick, kept_offset);
  }

  [[nodiscard]] constexpr LocalTime expiry(const LeaseTiming& timing, const ClockReading& reading,
                                           const Tick& tick) const {
    const Duration margin = gap_margin(timing) + extra_margin;
    const StoreTime end =
        interval_begin(timing, tick.interval + 1) + next_offset(timing, tick, Duration(0)) + margin;
    if (deadline_from == DeadlineFrom::reply) return reading.received + (end - reading.at);
    return possibly_reached(timing, reading, end);
  }

  [[nodiscard]] constexpr bool expires() const { return does_expire; }
};

}  // namespace nandi::sim
