#pragma once
// Maglev hashing (Eisenbud et al., "Maglev: A fast and reliable software network load balancer",
// NSDI 2016, section 3.4): each server has its own order of the table's entries, and the servers
// take turns claiming the next free one of theirs.
//
// Nearly even by construction (a table of 100 entries a server: within 1 %), one array access a
// lookup. Its promise about movement is weaker than the other schemes': a change of servers moves
// the least possible plus a few per cent between servers that stayed.
//
// A server's offset is XXH64(name, salt) mod M and its skip the next SplitMix64 output mod (M - 1)
// plus 1. Weights are this project's addition: a server of weight w claims w entries in a turn.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nandi/engine/partition/server.h"

namespace nandi::partition {

class MaglevTable {
 public:
  /// The paper's small and large table sizes.
  static constexpr std::uint32_t kSmallSize = 65537;
  static constexpr std::uint32_t kLargeSize = 655373;
  static constexpr std::uint32_t kMaxSize = 1U << 27U;

  /// A server's order of the entries: offset, offset + skip, offset + 2 skip, ... mod the size.
  struct Preference {
    std::uint32_t offset = 0;
    std::uint32_t skip = 1;
    std::uint32_t weight = 1;
  };

  /// `size` must be a prime, at least the total weight and at most kMaxSize; the paper advises 100
  /// times the number of servers. Throws PartitionError.
  explicit MaglevTable(std::vector<Server> servers, std::uint32_t size = kSmallSize,
                       std::uint64_t salt = 0);

  /// Index into servers() of the item's owner.
  std::uint32_t owner(std::uint64_t hash) const noexcept { return entries_[hash % size_]; }

  /// Sorted by name.
  const std::vector<Server>& servers() const noexcept { return servers_; }
  const std::vector<std::uint32_t>& entries() const noexcept { return entries_; }
  std::size_t memory_bytes() const noexcept;

  /// The paper's populate step by itself. Preconditions: `size` prime, 0 < skip < size for every
  /// preference, and at least one preference.
  static std::vector<std::uint32_t> populate(std::span<const Preference> preferences,
                                             std::uint32_t size);

 private:
  std::vector<Server> servers_;
  std::vector<std::uint32_t> entries_;
  std::uint64_t size_ = 0;
};

}  // namespace nandi::partition
