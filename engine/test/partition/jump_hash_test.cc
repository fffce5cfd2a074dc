#include "nandi/engine/partition/jump_hash.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "nandi/engine/partition/item_hash.h"

namespace nandi::partition {
namespace {

__extension__ using Wide = unsigned __int128;

unsigned bit_length(Wide value) {
  unsigned bits = 0;
  for (; value != 0; value >>= 1U) ++bits;
  return bits;
}

/// value rounded to 53 significant bits, ties to even, as IEEE 754 asks; `sticky` tells whether
/// a part below the last bit of value was cut off.
Wide round_to_double(Wide value, bool sticky) {
  const unsigned bits = bit_length(value);
  if (bits <= 53) return value;
  const unsigned drop = bits - 53;
  Wide kept = value >> drop;
  const Wide rest = value - (kept << drop);
  const Wide half = Wide{1} << (drop - 1);
  if (rest > half || (rest == half && (sticky || (kept & 1U) != 0))) ++kept;
  return kept << drop;
}

/// The paper's loop with its two roundings done by hand in integers: no floating point.
std::uint32_t jump_by_integers(std::uint64_t key, std::uint32_t buckets) {
  constexpr unsigned kFraction = 90;  // units of 2^-90 for the quotient 2^31 / d, in [1, 2^31]
  std::uint64_t bucket = 0;
  std::uint64_t next = 0;
  while (next < buckets) {
    bucket = next;
    key = key * 2862933555777941757U + 1;
    const std::uint64_t d = (key >> 33U) + 1;
    const Wide numerator = Wide{1} << (31U + kFraction);
    const Wide exact = numerator / d;
    Wide quotient = round_to_double(exact, numerator % d != 0);
    unsigned fraction = kFraction;
    while (quotient != 0 && (quotient & 1U) == 0 && fraction > 0) {
      quotient >>= 1U;
      --fraction;
    }
    const Wide product = round_to_double(quotient * (bucket + 1), false);
    next = static_cast<std::uint64_t>(product >> fraction);
  }
  return static_cast<std::uint32_t>(bucket);
}

TEST(JumpHash, GivesThePublishedBuckets) {
  // Values that the implementations in Go, Java and C share.
  EXPECT_EQ(jump_hash(42, 57), 43U);
  EXPECT_EQ(jump_hash(0xDEAD10CC, 666), 361U);
  EXPECT_EQ(jump_hash(256, 1024), 520U);
  EXPECT_EQ(jump_hash(10000, 10), 6U);
  EXPECT_EQ(jump_hash(10000, 20), 18U);
  EXPECT_EQ(jump_hash(1, 1), 0U);
}

TEST(JumpHash, IsDecidedAtCompileTimeAsAtRunTime) {
  constexpr std::uint32_t kBucket = jump_hash(256, 1024);
  volatile std::uint64_t key = 256;
  EXPECT_EQ(jump_hash(key, 1024), kBucket);
}

TEST(JumpHash, EqualsAnIntegerDerivationOfItsRoundings) {
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    const std::uint64_t key = splitmix64(11, i);
    const auto buckets = static_cast<std::uint32_t>(1 + splitmix64(12, i) % 2'147'483'647U);
    ASSERT_EQ(jump_hash(key, buckets), jump_by_integers(key, buckets)) << key << " " << buckets;
    ASSERT_EQ(jump_hash(i, 1000), jump_by_integers(i, 1000)) << i;
  }
}

TEST(JumpHash, MovesKeysOnlyIntoTheNewBucketAndAboutOneInNOfThem) {
  constexpr std::uint32_t kKeys = 100'000;
  for (const std::uint32_t n : {1U, 2U, 3U, 4U, 9U, 10U, 99U}) {
    std::uint32_t moved = 0;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      const std::uint64_t key = item_hash(i);
      const std::uint32_t before = jump_hash(key, n);
      const std::uint32_t after = jump_hash(key, n + 1);
      if (before == after) continue;
      ++moved;
      ASSERT_EQ(after, n) << "a key changed between old buckets";
    }
    // Binomial(100000, 1/(n + 1)): five standard deviations are below 0.008.
    EXPECT_NEAR(static_cast<double>(moved) / kKeys, 1.0 / (n + 1), 0.008) << n;
  }
}

TEST(JumpHash, SpreadsKeysEvenly) {
  constexpr std::uint32_t kBuckets = 10;
  std::vector<int> load(kBuckets, 0);
  for (std::uint64_t i = 0; i < 100'000; ++i) ++load[jump_hash(item_hash(i), kBuckets)];
  // Each load is Binomial(100000, 1/10), standard deviation 95: six of them.
  for (const int items : load) EXPECT_NEAR(items, 10'000, 570);
}

}  // namespace
}  // namespace nandi::partition
