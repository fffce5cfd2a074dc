// Swarm: what one seed of a campaign draws, as a scenario of its own.
//
// Each seed has some of the swarm's faults on and the rest off (Groce et al. 2012, "Swarm
// testing"), so that combinations come up which a mix of everything would drown. What is drawn
// becomes a plain scenario with a timeline: it runs, is written, and is made smaller like any
// other. Faults draw from a stream of their own (Stream::swarm), members, latencies and membership
// events from another (Stream::workload), and every drawn event keeps its number
// (TimelineEvent::draws_as), so that other faults leave workload and network as they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nandi/sim/scenario.h"

namespace nandi::sim {

/// What is counted apart: each event of a timeline by itself, each line of a swarm as one.
struct FaultSource {
  std::string name;    ///< as the file has it
  bool is_on = true;   ///< off: it would break an assumption that the swarm keeps
  std::string reason;  ///< where off: which
};

/// The timeline's events, then the swarm's membership events, then its faults.
[[nodiscard]] std::vector<FaultSource> fault_sources(const Scenario& scenario);

struct SwarmDraw {
  Scenario scenario;                 ///< without a swarm; its seeds are the one seed
  std::vector<std::size_t> sources;  ///< by event of its timeline: place in fault_sources()
  bool stalls = false;               ///< some process stalls, so that consumers act unawares
  bool mixes = false;                ///< members differ in what they have to have in common
  bool skews = false;                ///< some clock moves against another at once, or stops
};

/// What `seed` makes of `scenario`. Precondition: scenario.swarm.
[[nodiscard]] SwarmDraw draw_swarm(const Scenario& scenario, std::uint64_t seed);

/// The events that a swarm may draw as membership.
[[nodiscard]] const std::vector<std::string>& membership_names();
/// The faults that a swarm may draw: the names of the catalogue.
[[nodiscard]] const std::vector<std::string>& swarm_fault_names();

/// Keys of a swarm's line that `fault` takes: "workers", "for", "by", "delay", "count", "rate",
/// "share", "gap", "interval". Precondition: one of the names above.
[[nodiscard]] std::vector<std::string> swarm_strengths(const std::string& fault);

}  // namespace nandi::sim
