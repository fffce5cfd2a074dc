// TuneRequest: what is known about a group before its interval and gap are chosen, and what matters
// to it. Plain data; durations in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"
#include "nandi/sim/scenario_network.h"

namespace nandi::sim {

enum class TuneObjective : std::uint8_t {
  handover,  ///< ownership follows a change of membership as soon as possible
  idle,      ///< as little worker-time without a lease as possible
  load,      ///< as few registrations on the store as possible
};
/// "handover", "idle", "load".
[[nodiscard]] std::string_view objective_name(TuneObjective objective);

/// The two numbers to be chosen. 0 < gap < 1/2; interval > 0.
struct TuneSetting {
  Duration interval;
  Fraction gap;
  friend bool operator==(const TuneSetting&, const TuneSetting&) = default;
};

struct TuneRequest {
  std::string name = "workers";
  std::string latency_source;  ///< for people: where `request` and `reply` come from
  DelayDistribution request = ConstantDelay{};
  DelayDistribution reply = ConstantDelay{};
  /// How late a process is when it is due to register; added to the request's way, so that the
  /// lease is counted from before it.
  DelayDistribution pause = ConstantDelay{};
  std::uint32_t members = 3;       ///< now, at least 2
  std::uint32_t most_members = 3;  ///< later, >= members
  Fraction joins_per_hour;
  Fraction departures_per_hour;
  Fraction drift{1, 1000};  ///< bound on the relative rate of two clocks; 0 <= drift < 1
  Duration drain;           ///< a consumer's, from being told to stand down until it has stopped
  TuneObjective objective = TuneObjective::handover;
  /// A setting fails when it loses more leases than this, per worker and day, without any change of
  /// membership.
  Fraction most_losses_per_day{1, 1};
  std::optional<Duration> ready_within;  ///< empty: a start may take as long as it takes
  std::vector<Duration> intervals;       ///< rising; empty: chosen by the closed bounds
  std::vector<Fraction> gaps;            ///< rising; empty: the usual ones
  /// Registrations to simulate on the grid, and as many again for the validation.
  std::uint64_t budget = 150'000'000;
  friend bool operator==(const TuneRequest&, const TuneRequest&) = default;
};

}  // namespace nandi::sim
