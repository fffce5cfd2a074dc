#include "nandi/sim/keyspace/slot_map.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "nandi/sim/keyspace/hash_slot.h"

namespace nandi::sim {

namespace {

SlotMap from_firsts(const std::vector<std::uint32_t>& firsts) {
  std::vector<SlotNode> nodes;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const std::uint32_t end = i + 1 < firsts.size() ? firsts[i + 1] : kHashSlots;
    nodes.push_back({fmt::format("n{}", i), {{firsts[i], end - 1}}});
  }
  return SlotMap(std::move(nodes));
}

void check_count(std::uint32_t nodes) {
  if (nodes == 0 || nodes > kHashSlots) {
    throw std::invalid_argument(
        fmt::format("{} nodes: a cluster has 1 to {} nodes with slots", nodes, kHashSlots));
  }
}

}  // namespace

SlotMap SlotMap::equal_ranges(std::uint32_t nodes) {
  check_count(nodes);
  std::vector<std::uint32_t> firsts;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    // The least slot with slot * nodes >= i * 16384.
    firsts.push_back(static_cast<std::uint32_t>((i * kHashSlots + nodes - 1) / nodes));
  }
  return from_firsts(firsts);
}

SlotMap SlotMap::redis_cli_ranges(std::uint32_t nodes) {
  check_count(nodes);
  std::vector<std::uint32_t> firsts;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    // redis-cli ends node i - 1 at round(i * 16384 / nodes - 1), halves away from zero.
    firsts.push_back(static_cast<std::uint32_t>((2 * i * kHashSlots + nodes) / (2 * nodes)));
  }
  return from_firsts(firsts);
}

SlotMap::SlotMap(std::vector<SlotNode> nodes)
    : nodes_(std::move(nodes)), node_of_(kHashSlots, kUnserved) {
  for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
    for (const SlotRange& range : nodes_[n].ranges) {
      if (range.first > range.last || range.last >= kHashSlots) {
        throw std::invalid_argument(
            fmt::format("node {} is given slots {}-{}: slots are 0 to {}, the lower one first",
                        nodes_[n].name, range.first, range.last, kHashSlots - 1));
      }
      for (std::uint32_t slot = range.first; slot <= range.last; ++slot) {
        if (node_of_[slot] != kUnserved) {
          throw std::invalid_argument(fmt::format("slot {} is given to {} and to {}", slot,
                                                  nodes_[node_of_[slot]].name, nodes_[n].name));
        }
        node_of_[slot] = n;
      }
    }
  }
}

std::uint32_t SlotMap::unserved() const {
  return static_cast<std::uint32_t>(std::count(node_of_.begin(), node_of_.end(), kUnserved));
}

}  // namespace nandi::sim
