#pragma once
// Schemes that need only numbers: a worker that holds the pair (i, n) decides with them which
// tasks are its own, without knowing the other workers.
//
//   modulo      id mod n == i. What the group agrees on by default; the simplest to query for in
//               a database. A change of n moves nearly every task (n to n + 1: all but 1/(n + 1)).
//   rendezvous  highest random weight over the numbers 0..n-1 (Thaler and Ravishankar, 1996). A
//               change of n by one moves 1/max(n, n') of the tasks, to or from the last index
//               only. O(n).
//   jump        Lamping and Veach, 2014: the same movement, O(log n).
//
// Every worker of a group must use the same scheme: two schemes split the same tasks differently,
// and an index that leaves in the middle still renumbers the indices behind it.
//
// Nothing here allocates or fails. Preconditions: n >= 1, and n < 2^31 for jump.

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "nandi/engine/partition/item_hash.h"
#include "nandi/engine/partition/jump_hash.h"

namespace nandi::partition {

enum class Scheme : std::uint8_t { kModulo, kRendezvous, kJump };

constexpr std::string_view scheme_name(Scheme scheme) noexcept {
  switch (scheme) {
    case Scheme::kModulo: return "modulo";
    case Scheme::kRendezvous: return "rendezvous";
    case Scheme::kJump: return "jump";
  }
  return "unknown";
}

/// The scheme called `name`, or nothing when there is none of that name.
constexpr std::optional<Scheme> parse_scheme(std::string_view name) noexcept {
  for (const Scheme scheme : {Scheme::kModulo, Scheme::kRendezvous, Scheme::kJump}) {
    if (scheme_name(scheme) == name) return scheme;
  }
  return std::nullopt;
}

/// Mathematical modulo, in [0, n): -7 mod 3 is 2, where C++'s % gives -1.
template <IntegerId Id>
constexpr std::uint32_t modulo_index(Id id, std::uint32_t n) noexcept {
  if constexpr (std::is_signed_v<Id>) {
    const std::int64_t rest = static_cast<std::int64_t>(id) % static_cast<std::int64_t>(n);
    return static_cast<std::uint32_t>(rest < 0 ? rest + static_cast<std::int64_t>(n) : rest);
  } else {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(id) % n);
  }
}

/// A byte string has no remainder of its own: its hash is divided.
constexpr std::uint32_t modulo_index(std::string_view id, std::uint32_t n) noexcept {
  return static_cast<std::uint32_t>(item_hash(id) % n);
}

/// Index with the highest weight among 0..n-1. The weight of index j is output j of SplitMix64
/// seeded with the item's hash; the lowest index wins a tie.
constexpr std::uint32_t rendezvous_index(std::uint64_t hash, std::uint32_t n) noexcept {
  std::uint32_t best = 0;
  std::uint64_t best_weight = 0;
  std::uint64_t state = hash;
  for (std::uint32_t j = 0; j < n; ++j) {
    state += kGoldenGamma;
    const std::uint64_t weight = mix64(state);
    best = weight > best_weight ? j : best;  // two moves, not a branch that random data mispredicts
    best_weight = weight > best_weight ? weight : best_weight;
  }
  return best;
}

/// The index, in [0, n), that `scheme` gives the task. `Id` is an integer or a byte string.
template <class Id>
constexpr std::uint32_t index_of(Scheme scheme, const Id& id, std::uint32_t n) noexcept {
  switch (scheme) {
    case Scheme::kModulo: return modulo_index(id, n);
    case Scheme::kRendezvous: return rendezvous_index(item_hash(id), n);
    case Scheme::kJump: return jump_hash(item_hash(id), n);
  }
  return 0;
}

/// Whether the holder of the pair (i, n) owns the task.
template <class Id>
constexpr bool owns(Scheme scheme, const Id& id, std::uint32_t i, std::uint32_t n) noexcept {
  return index_of(scheme, id, n) == i;
}

}  // namespace nandi::partition
