// pending: why a group is not whole yet, worker by worker.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "nandi/engine/diagnostics.h"
#include "nandi/sim/property.h"
#include "nandi/sim/world.h"

namespace nandi::sim {

/// What the worker lacks of a pair with n = `members`; empty: nothing.
template <class World>
[[nodiscard]] std::string missing_of(const World& world,
                                     std::span<const typename World::Config> configs,
                                     WorkerId worker, std::uint32_t members) {
  const auto& w = world.worker(worker);
  const LeaseState& state = w.engine.state();
  if (const auto held = world.held_pair(configs, worker)) {
    if (held->count == members) return "";
    return "holds " + pair_text(*held) + " where " + std::to_string(members) + " run";
  }
  if (w.is_paused()) return "is stalled";
  if (state.failures > 0) {
    return "its registration failed " + std::to_string(state.failures) +
           (state.failures == 1 ? " time (" : " times (") +
           std::string(to_string(state.last_error)) + ")";
  }
  if (!state.has_held) {
    return state.in_flight ? "waits for the reply to its first registration"
                           : "has not registered yet";
  }
  const std::string registered = "registered in interval " + std::to_string(state.interval) +
                                 " with index " + std::to_string(state.index);
  if (!state.has_remembered) return registered + ", no pair is implied yet";
  return registered + ", " + pair_text(state.remembered) + " needs a second agreeing interval";
}

/// "w1 has not registered yet; w3 holds 1/4 where 5 run"; empty for a whole group. At most four
/// workers by name.
template <class World>
[[nodiscard]] std::string pending(const World& world,
                                  std::span<const typename World::Config> configs) {
  constexpr std::uint32_t kMostNamed = 4;
  const auto is_member = [&](WorkerId id) {
    const Process process = world.worker(id).process;
    return process == Process::running || process == Process::paused;
  };
  const auto workers = static_cast<WorkerId>(world.workers().size());
  std::string text;
  std::uint32_t found = 0;
  for (WorkerId id = 0; id < workers; ++id) {
    if (!is_member(id)) continue;
    const GroupId group = configs[world.worker(id).config].group;
    std::uint32_t members = 0;
    for (WorkerId other = 0; other < workers; ++other) {
      if (is_member(other) && configs[world.worker(other).config].group == group) ++members;
    }
    const std::string missing = missing_of(world, configs, id, members);
    if (missing.empty() || ++found > kMostNamed) continue;
    text += (text.empty() ? "" : "; ") + worker_name(id) + " " + missing;
  }
  if (found > kMostNamed) text += "; and " + std::to_string(found - kMostNamed) + " more";
  return text;
}

}  // namespace nandi::sim
