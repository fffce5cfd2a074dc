#pragma once
// Consistent hashing (Karger et al., 1997): every server hashes to points on a circle, an item to
// one more, and the first server's point at or after it, clockwise, owns it.
//
// With one point per server a leaving server's whole load falls on one neighbour; with many
// ("virtual nodes") it falls on all. The shares of n servers with v points each have a coefficient
// of variation of sqrt((n - 1)/(n v + 1)): 100 points leave about 10 % between servers.
//
// Point k of a server is output k of SplitMix64 seeded with XXH64(name, salt). Points are sorted
// by (point, name), so neither input order nor history matters. A table over the leading bits of
// the hash leads to the neighbourhood: a lookup takes O(1) expected steps, O(log points) at worst,
// allocates nothing and never fails.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nandi/engine/partition/server.h"

namespace nandi::partition {

class HashRing {
 public:
  /// Points in all that a ring takes.
  static constexpr std::uint64_t kMaxPoints = std::uint64_t{1} << 26U;

  /// A server gets `virtual_nodes` times its weight points. Throws PartitionError for bad servers,
  /// no virtual nodes, or more than kMaxPoints points. O(points log points).
  HashRing(std::vector<Server> servers, std::uint32_t virtual_nodes, std::uint64_t salt = 0);

  /// Index into servers() of the item's owner.
  std::uint32_t owner(std::uint64_t hash) const noexcept { return owners_[successor(hash)]; }

  /// Position in points() of the first point at or after `hash`, wrapping to 0.
  std::uint32_t successor(std::uint64_t hash) const noexcept {
    const std::uint64_t cell = hash >> shift_;
    const std::uint64_t* const begin = points_.data();
    const std::uint64_t* first = begin + starts_[cell];
    const std::uint64_t* const last = begin + starts_[cell + 1];
    if (last - first > kScanLimit) {
      first = std::lower_bound(first, last, hash);
    } else {
      while (first != last && *first < hash) ++first;
    }
    const auto at = static_cast<std::uint32_t>(first - begin);
    return at == points_.size() ? 0 : at;
  }

  /// Sorted by name.
  const std::vector<Server>& servers() const noexcept { return servers_; }
  /// The circle from 0 upwards, and for each point the index of its server.
  const std::vector<std::uint64_t>& points() const noexcept { return points_; }
  const std::vector<std::uint32_t>& point_owners() const noexcept { return owners_; }
  std::size_t memory_bytes() const noexcept;

 private:
  static constexpr std::ptrdiff_t kScanLimit = 16;

  std::vector<Server> servers_;
  std::vector<std::uint64_t> points_;
  std::vector<std::uint32_t> owners_;
  std::vector<std::uint32_t> starts_;  // first point of each cell; one more at the end
  unsigned shift_ = 63;
};

}  // namespace nandi::partition
