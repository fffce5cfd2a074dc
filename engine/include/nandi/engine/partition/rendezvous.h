#pragma once
// Highest random weight over named servers (Thaler and Ravishankar, "A name-based mapping scheme
// for rendezvous", 1996): an item goes to the server whose weight for it is highest.
//
// A server that joins takes items from all others and nothing else moves; a server that leaves
// gives its items to all others. Lookup costs one mix per server. The weight of a server for an
// item is mix64(item hash + XXH64(name, salt)); the lower name wins a tie.
//
// Two classes, because the weighted one orders logarithms: a fleet must use one of them throughout.
// Lookups allocate nothing and never fail; the constructors throw PartitionError.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nandi/engine/partition/fixed_log.h"
#include "nandi/engine/partition/item_hash.h"
#include "nandi/engine/partition/server.h"

namespace nandi::partition {

class Rendezvous {
 public:
  /// All weights must be equal. `salt` makes independent placements of the same names.
  explicit Rendezvous(std::vector<Server> servers, std::uint64_t salt = 0);

  /// Index into servers() of the item's owner.
  std::uint32_t owner(std::uint64_t hash) const noexcept {
    std::uint32_t best = 0;
    std::uint64_t best_weight = mix64(hash + keys_[0]);
    const auto count = static_cast<std::uint32_t>(keys_.size());
    for (std::uint32_t s = 1; s < count; ++s) {
      const std::uint64_t weight = mix64(hash + keys_[s]);
      if (weight > best_weight) {
        best_weight = weight;
        best = s;
      }
    }
    return best;
  }

  /// Sorted by name.
  const std::vector<Server>& servers() const noexcept { return servers_; }
  std::size_t memory_bytes() const noexcept;

 private:
  std::vector<Server> servers_;
  std::vector<std::uint64_t> keys_;
};

class WeightedRendezvous {
 public:
  explicit WeightedRendezvous(std::vector<Server> servers, std::uint64_t salt = 0);

  /// Index into servers() of the item's owner: the server with the largest weight / -log2(u),
  /// u the item's random fraction for that server (Schindelhauer and Schomaker, "Weighted
  /// distributed hash tables", 2005: logarithmic method). Integers only; each server is owner
  /// with probability weight / total, up to the error that fixed_log.h states.
  std::uint32_t owner(std::uint64_t hash) const noexcept {
    using detail::UnsignedWide;
    Candidate best = candidate(0, hash);
    const auto count = static_cast<std::uint32_t>(entries_.size());
    for (std::uint32_t s = 1; s < count; ++s) {
      const Candidate other = candidate(s, hash);
      const UnsignedWide mine = static_cast<UnsignedWide>(best.log) * other.weight;
      const UnsignedWide theirs = static_cast<UnsignedWide>(other.log) * best.weight;
      if (theirs < mine || (theirs == mine && other.score > best.score)) best = other;
    }
    return best.server;
  }

  const std::vector<Server>& servers() const noexcept { return servers_; }
  std::size_t memory_bytes() const noexcept;

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t weight;
  };
  struct Candidate {
    std::uint64_t log;
    std::uint64_t score;
    std::uint32_t weight;
    std::uint32_t server;
  };

  Candidate candidate(std::uint32_t s, std::uint64_t hash) const noexcept {
    const std::uint64_t score = mix64(hash + entries_[s].key);
    return {negative_log2(score), score, entries_[s].weight, s};
  }

  std::vector<Server> servers_;
  std::vector<Entry> entries_;
};

}  // namespace nandi::partition
