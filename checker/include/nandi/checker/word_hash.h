// The hash of a packed state: one 64 by 64 bit multiplication for each word, folded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nandi::checker {

__extension__ using Uint128 = unsigned __int128;

constexpr std::uint64_t folded_product(std::uint64_t left, std::uint64_t right) {
  const Uint128 product = static_cast<Uint128>(left) * right;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

// Every bit of the result depends on every bit of the `count` words.
constexpr std::uint64_t hash_words(const std::uint64_t* words, std::size_t count) {
  // Odd 64-bit constants with no pattern: the fractions of the square roots of 2, 3 and 5.
  std::uint64_t hash = 0x6A09E667F3BCC909;
  for (std::size_t i = 0; i < count; ++i) {
    hash = folded_product(words[i] ^ hash, 0xBB67AE8584CAA73B);
  }
  return folded_product(hash ^ 0x3C6EF372FE94F82B, 0xBB67AE8584CAA73B);
}

}  // namespace nandi::checker
