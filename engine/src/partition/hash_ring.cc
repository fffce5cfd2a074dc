#include "nandi/engine/partition/hash_ring.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "nandi/engine/partition/item_hash.h"

namespace nandi::partition {

namespace {

std::uint64_t count_points(const std::vector<Server>& servers, std::uint32_t virtual_nodes) {
  std::uint64_t weights = 0;
  for (const Server& server : servers) weights += server.weight;
  if (virtual_nodes == 0) {
    throw PartitionError("a ring without virtual nodes has no points: use at least 1, better 100");
  }
  if (weights > HashRing::kMaxPoints / virtual_nodes) {
    throw PartitionError(
        fmt::format("a ring of total weight {} with {} virtual nodes each has more than {} points: "
                    "use fewer virtual nodes or divide the weights by a common factor",
                    weights, virtual_nodes, HashRing::kMaxPoints));
  }
  return weights * virtual_nodes;
}

}  // namespace

HashRing::HashRing(std::vector<Server> servers, std::uint32_t virtual_nodes, std::uint64_t salt)
    : servers_(canonical_servers(std::move(servers))) {
  const std::uint64_t count = count_points(servers_, virtual_nodes);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> circle;
  circle.reserve(count);
  for (std::uint32_t s = 0; s < servers_.size(); ++s) {
    const std::uint64_t key = xxh64(servers_[s].name, salt);
    const std::uint64_t points = std::uint64_t{virtual_nodes} * servers_[s].weight;
    for (std::uint64_t k = 0; k < points; ++k) circle.emplace_back(splitmix64(key, k), s);
  }
  std::sort(circle.begin(), circle.end());
  points_.reserve(count);
  owners_.reserve(count);
  for (const auto& [point, server] : circle) {
    points_.push_back(point);
    owners_.push_back(server);
  }
  // About one cell per point: with uniform points a lookup scans one or two of them.
  const auto bits = std::max(1U, static_cast<unsigned>(std::bit_width(count)) - 1U);
  shift_ = 64U - bits;
  const std::uint64_t cells = std::uint64_t{1} << bits;
  starts_.resize(cells + 1);
  std::uint32_t at = 0;
  for (std::uint64_t cell = 0; cell < cells; ++cell) {
    while (at < count && (points_[at] >> shift_) < cell) ++at;
    starts_[cell] = at;
  }
  starts_[cells] = static_cast<std::uint32_t>(count);
}

std::size_t HashRing::memory_bytes() const noexcept {
  return sizeof(*this) + server_list_bytes(servers_) + points_.capacity() * sizeof(points_[0]) +
         owners_.capacity() * sizeof(owners_[0]) + starts_.capacity() * sizeof(starts_[0]);
}

}  // namespace nandi::partition
