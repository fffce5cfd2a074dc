#pragma once
// The hashes that the partition schemes decide with, written out so that every machine, compiler
// and version places an item on the same server.
//
//   integers      SplitMix64: the first output of that generator seeded with the id's 64-bit
//                 two's complement pattern (Steele, Lea, Flood, "Fast splittable pseudorandom
//                 number generators", 2014; constants of Vigna's public domain version).
//   byte strings  XXH64 with seed 0 (Collet, xxHash specification 0.1.1).
//   FNV-1a        for the key-space lesson and for showing what a weak mixer does; no scheme
//                 here uses it by default.
//
// An integer and its decimal text are different items. Ids of unsigned type above 2^63 - 1 hash
// like the negative id with the same bits.
//
// All functions are constexpr, allocate nothing and never fail. Published test vectors are in
// item_hash_test.cc.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace nandi::partition {

inline constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15U;

/// SplitMix64's output function: a bijection of 64-bit values whose every input bit reaches
/// every output bit.
constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Output number `index` (0-based) of a SplitMix64 generator seeded with `seed`.
constexpr std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t index = 0) noexcept {
  return mix64(seed + (index + 1) * kGoldenGamma);
}

/// FNV-1a, 32 bit, over the bytes of `text`.
constexpr std::uint32_t fnv1a_32(std::string_view text) noexcept {
  std::uint32_t hash = 0x811c9dc5U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x01000193U;
  }
  return hash;
}

/// FNV-1a, 64 bit, over the bytes of `text`.
constexpr std::uint64_t fnv1a_64(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

namespace detail {

inline constexpr std::uint64_t kXxPrime1 = 0x9e3779b185ebca87U;
inline constexpr std::uint64_t kXxPrime2 = 0xc2b2ae3d27d4eb4fU;
inline constexpr std::uint64_t kXxPrime3 = 0x165667b19e3779f9U;
inline constexpr std::uint64_t kXxPrime4 = 0x85ebca77c2b2ae63U;
inline constexpr std::uint64_t kXxPrime5 = 0x27d4eb2f165667c5U;

constexpr std::uint64_t rotate_left(std::uint64_t x, unsigned bits) noexcept {
  return (x << bits) | (x >> (64U - bits));
}

/// Little-endian value of `bytes` bytes at `at`, whatever the machine's own order.
constexpr std::uint64_t read_bytes(std::string_view text, std::size_t at, unsigned bytes) noexcept {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[at + i])) << (8U * i);
  }
  return value;
}

constexpr std::uint64_t xx_round(std::uint64_t lane, std::uint64_t input) noexcept {
  return rotate_left(lane + input * kXxPrime2, 31U) * kXxPrime1;
}

constexpr std::uint64_t xx_merge(std::uint64_t hash, std::uint64_t lane) noexcept {
  return (hash ^ xx_round(0, lane)) * kXxPrime1 + kXxPrime4;
}

constexpr std::uint64_t xx_tail(std::uint64_t hash, std::string_view text,
                                std::size_t at) noexcept {
  for (; at + 8 <= text.size(); at += 8) {
    hash ^= xx_round(0, read_bytes(text, at, 8));
    hash = rotate_left(hash, 27U) * kXxPrime1 + kXxPrime4;
  }
  for (; at + 4 <= text.size(); at += 4) {
    hash ^= read_bytes(text, at, 4) * kXxPrime1;
    hash = rotate_left(hash, 23U) * kXxPrime2 + kXxPrime3;
  }
  for (; at < text.size(); ++at) {
    hash ^= read_bytes(text, at, 1) * kXxPrime5;
    hash = rotate_left(hash, 11U) * kXxPrime1;
  }
  hash = (hash ^ (hash >> 33U)) * kXxPrime2;
  hash = (hash ^ (hash >> 29U)) * kXxPrime3;
  return hash ^ (hash >> 32U);
}

}  // namespace detail

/// XXH64 over the bytes of `text`.
constexpr std::uint64_t xxh64(std::string_view text, std::uint64_t seed = 0) noexcept {
  using namespace detail;
  std::size_t at = 0;
  std::uint64_t hash = seed + kXxPrime5;
  if (text.size() >= 32) {
    std::uint64_t lane1 = seed + kXxPrime1 + kXxPrime2;
    std::uint64_t lane2 = seed + kXxPrime2;
    std::uint64_t lane3 = seed;
    std::uint64_t lane4 = seed - kXxPrime1;
    for (; at + 32 <= text.size(); at += 32) {
      lane1 = xx_round(lane1, read_bytes(text, at, 8));
      lane2 = xx_round(lane2, read_bytes(text, at + 8, 8));
      lane3 = xx_round(lane3, read_bytes(text, at + 16, 8));
      lane4 = xx_round(lane4, read_bytes(text, at + 24, 8));
    }
    hash = rotate_left(lane1, 1U) + rotate_left(lane2, 7U) + rotate_left(lane3, 12U) +
           rotate_left(lane4, 18U);
    hash = xx_merge(xx_merge(xx_merge(xx_merge(hash, lane1), lane2), lane3), lane4);
  }
  return xx_tail(hash + text.size(), text, at);
}

/// An integer that can name a task. Characters and truth values are refused: as ids they are
/// almost always a slip.
template <class T>
concept IntegerId = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool> &&
                    !std::same_as<std::remove_cv_t<T>, char> && sizeof(T) <= sizeof(std::uint64_t);

/// The 64 bits that stand for an integer item in every scheme but modulo.
template <IntegerId Id>
constexpr std::uint64_t item_hash(Id id) noexcept {
  return splitmix64(static_cast<std::uint64_t>(id));
}

/// The 64 bits that stand for a byte-string item in every scheme.
constexpr std::uint64_t item_hash(std::string_view id) noexcept { return xxh64(id); }

}  // namespace nandi::partition
