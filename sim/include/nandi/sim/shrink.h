// Shrinking: a failing seed made small enough to follow, as a scenario file that fails alike.
//
// Two rounds. First the scenario: fewer events and workers, a plain network, exact clocks, rounder
// times, each tried by running the same seed again; as draws are keyed, what is left out leaves the
// rest as it was. Then, for a claim that fails at one moment, the schedule: the run's actions as an
// explicit list, of which lines are left out, put together and moved to rounder times; what of a
// list can happen is played, and the result is what did happen, so that every list on the way is a
// possible history. A claim about how long things take stays a timeline under its seed: an explicit
// list could fail it by leaving wake-ups out.
// After Zeller and Hildebrandt 2002 ("Simplifying and isolating failure-inducing input").
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "nandi/sim/scenario.h"

namespace nandi::sim {

struct Regression {
  /// Declares `violated` and the property, and gives that verdict when it is run.
  Scenario scenario;
  std::size_t lines = 0;     ///< of its schedule, or events of its timeline
  std::uint64_t tried = 0;   ///< smaller ones that were run
  bool is_schedule = false;  ///< explicit; otherwise a timeline under one seed
};

struct ShrinkOptions {
  std::optional<Duration> length;  ///< of the failing run
  std::uint64_t most_tried = 20'000;
  const std::atomic<bool>* stop = nullptr;  ///< set: end soon, with what there is
  /// Sees the failing run as it is, before anything is tried, and then every smaller one.
  std::function<void(const Regression&)> improved;
};

/// Precondition: `seed` violates `property` in `scenario`. Throws std::invalid_argument where it
/// does not.
[[nodiscard]] Regression shrink(const Scenario& scenario, std::uint64_t seed,
                                const std::string& property, const ShrinkOptions& options);

}  // namespace nandi::sim
