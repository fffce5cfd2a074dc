// What a node of a Redis Cluster says to a command, a transaction or a script: compared with
// running clusters in keyspace/cluster_test.cc (redis-server 7.0).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "nandi/sim/keyspace/slot_map.h"

namespace nandi::sim {

enum class ClusterAnswer : std::uint8_t {
  accepted,
  cross_slot,  // CROSSSLOT: the keys that are declared are in several slots, whoever serves them
  moved,       // MOVED: another node serves their slot
  non_local,   // the script starts, and fails at a key that it built and another node serves
};

// `declared`: the keys of the command, or the KEYS of a script; at least one. `built`: keys that a
// script uses without declaring them, which may be in any slot of the node. Precondition: node is
// an index into map.nodes(), and every slot is served.
ClusterAnswer cluster_answer(const SlotMap& map, std::uint32_t node,
                             std::span<const std::string_view> declared,
                             std::span<const std::string_view> built = {});

}  // namespace nandi::sim
