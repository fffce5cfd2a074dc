#include "nandi/sim/keyspace/cluster_answer.h"

#include <algorithm>

#include "nandi/sim/keyspace/hash_slot.h"

namespace nandi::sim {

ClusterAnswer cluster_answer(const SlotMap& map, std::uint32_t node,
                             std::span<const std::string_view> declared,
                             std::span<const std::string_view> built) {
  if (crosses_slots(declared)) return ClusterAnswer::cross_slot;
  const auto is_here = [&](std::string_view key) { return map.node_of(key_slot(key)) == node; };
  if (!is_here(declared.front())) return ClusterAnswer::moved;
  return std::all_of(built.begin(), built.end(), is_here) ? ClusterAnswer::accepted
                                                          : ClusterAnswer::non_local;
}

}  // namespace nandi::sim
