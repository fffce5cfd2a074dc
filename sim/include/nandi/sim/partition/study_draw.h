// Random draws of the partition study: each is a function of (seed, what it is for, counter), so
// that adding items or schemes leaves every other draw as it was. Integers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nandi/engine/partition/item_hash.h"

namespace nandi::sim {

// What a draw decides. A number once given is never given again.
enum class StudyStream : std::uint8_t {
  salt = 0,     // counter 0: makes the placement of this seed independent of the others'
  item_id = 1,  // counter: the item
  shuffle = 2,  // counter: the step of a shuffle
};

constexpr std::uint64_t study_draw(std::uint64_t seed, StudyStream stream, std::uint64_t counter) {
  const std::uint64_t generator =
      partition::splitmix64(partition::mix64(seed), static_cast<std::uint64_t>(stream));
  return partition::splitmix64(generator, counter);
}

// Uniform in [0, bound), exactly: Lemire's multiplication with rejection ("Fast random integer
// generation in an interval", 2019); a rejected draw is replaced by the next output of SplitMix64
// seeded with it. Precondition: bound > 0.
constexpr std::uint64_t bounded_draw(std::uint64_t draw, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t threshold = (0 - bound) % bound;
  Wide product = static_cast<Wide>(draw) * bound;
  while (static_cast<std::uint64_t>(product) < threshold) {
    draw = partition::splitmix64(draw);
    product = static_cast<Wide>(draw) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64U);
}

// Fisher and Yates, from the last element down.
template <class T>
void shuffle(std::vector<T>& items, std::uint64_t seed) {
  for (std::size_t left = items.size(); left > 1; --left) {
    const std::uint64_t draw = study_draw(seed, StudyStream::shuffle, left);
    std::swap(items[left - 1], items[bounded_draw(draw, left)]);
  }
}

}  // namespace nandi::sim
