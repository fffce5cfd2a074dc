// How an event takes the strength that a swarm draws for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "nandi/sim/scenario_event.h"

namespace nandi::sim {

/// Empty members: as the event has it.
struct Strength {
  std::optional<std::uint32_t> workers;
  std::optional<Duration> length;
  std::optional<Duration> by;
  std::optional<Duration> delay;
  std::optional<std::uint32_t> count;
  std::optional<Fraction> rate;
  std::optional<Fraction> gap;
  std::optional<Duration> interval;
  bool on_requests = true;  ///< where there are two ways: which of them
  bool on_replies = true;
};

/// A catalogue's fault, or a membership event, in its simplest form.
[[nodiscard]] const Event& simplest_event(const std::string& name);

[[nodiscard]] Event with_strength(Event event, const Strength& strength);

/// What an event uses up of the margin that all faults of a run share: by how much it moves one
/// clock against another, and at which rate.
struct Skew {
  Duration step;
  std::int64_t rate_ppb = 0;
};
[[nodiscard]] Skew skew_of(const Event& event);

/// The event with its step and its rate cut to `most`; empty: nothing is left of it.
[[nodiscard]] std::optional<Event> within_skew(Event event, const Skew& most);

}  // namespace nandi::sim
