#include "nandi/engine/partition/fixed_log.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "nandi/engine/partition/item_hash.h"

namespace nandi::partition {
namespace {

/// -log2(hash / 2^64) by the C library's 80-bit logarithms: a second way to the same number.
long double reference(std::uint64_t hash) {
  if (hash == 0) return 64;
  if (hash >> 63U != 0) {
    const auto below_one = static_cast<long double>(0 - hash) / 18446744073709551616.0L;
    return -log1pl(-below_one) / logl(2.0L);
  }
  return 64 - log2l(static_cast<long double>(hash));
}

void expect_within_stated_error(std::uint64_t hash) {
  const long double expected = reference(hash);
  const long double got = static_cast<long double>(negative_log2(hash)) / powl(2, 57);
  const long double allowed = fmaxl(expected * powl(2, -36), powl(2, -54));
  ASSERT_LE(fabsl(got - expected), allowed) << hash;
}

TEST(FixedLog, StaysWithinItsStatedErrorOverAllMagnitudes) {
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const std::uint64_t random = splitmix64(5, i);
    expect_within_stated_error(random);
    expect_within_stated_error(random >> (i % 64));
    expect_within_stated_error(0 - (random >> (i % 64)));
  }
}

TEST(FixedLog, IsExactAtPowersOfTwo) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(negative_log2(std::uint64_t{1} << bit), std::uint64_t{64 - bit} << 57U) << bit;
  }
}

TEST(FixedLog, IsPositiveAndDefinedAtBothEnds) {
  EXPECT_EQ(negative_log2(0), negative_log2(1));
  EXPECT_EQ(negative_log2(1), std::uint64_t{1} << 63U);
  EXPECT_GE(negative_log2(~std::uint64_t{0}), 1U);
  EXPECT_LE(negative_log2(~std::uint64_t{0}), 2U);
}

TEST(FixedLog, FallsAcrossTheBordersOfItsTable) {
  for (std::uint64_t t = 256; t < 512; ++t) {
    for (const unsigned fraction : {0U, 1U}) {
      const std::uint64_t border = (t << 55U) + (static_cast<std::uint64_t>(fraction) << 54U);
      EXPECT_GT(negative_log2(border - (1U << 30U)), negative_log2(border + (1U << 30U))) << t;
    }
  }
}

}  // namespace
}  // namespace nandi::partition
