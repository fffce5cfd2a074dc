// Intervals of order statistics against sums of the binomial distribution.
#include "nandi/sim/confidence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nandi::sim {
namespace {

/// P(Bin(n, p) < k), summed from logarithms of factorials.
long double below(std::uint64_t n, long double p, std::uint64_t k) {
  long double sum = 0;
  for (std::uint64_t j = 0; j < k; ++j) {
    const auto nn = static_cast<long double>(n);
    const auto jj = static_cast<long double>(j);
    sum += std::exp(std::lgamma(nn + 1) - std::lgamma(jj + 1) - std::lgamma(nn - jj + 1) +
                    jj * std::log(p) + (nn - jj) * std::log(1 - p));
  }
  return sum;
}

TEST(Confidence, RanksLeaveAtMostTwoAndAHalfPercentOnEitherSideAndAreTheNarrowest) {
  for (const std::uint64_t n : {5U, 10U, 59U, 100U, 1000U, 5000U}) {
    for (const std::uint32_t percent : {1U, 50U, 90U, 99U}) {
      const RankInterval ranks = percentile_ranks(n, percent);
      const long double p = static_cast<long double>(percent) / 100;
      if (ranks.low) {
        EXPECT_LE(below(n, p, *ranks.low), 0.025L) << n << " " << percent;
      }
      if (!ranks.low || *ranks.low < n) {
        EXPECT_GT(below(n, p, ranks.low.value_or(0) + 1), 0.025L) << n << " " << percent;
      }
      if (ranks.high) {
        EXPECT_LE(1 - below(n, p, *ranks.high), 0.025L + 1e-9L) << n << " " << percent;
      }
      const std::uint64_t lower = ranks.high ? *ranks.high - 1 : n;
      EXPECT_GT(1 - below(n, p, lower), 0.025L) << n << " " << percent;
    }
  }
}

TEST(Confidence, AFewSamplesSayNothingAboutA99thPercentileFromAbove) {
  // 1 - 0.99^n reaches 97.5 % at n = 368 (0.99^368 = 0.0248).
  EXPECT_FALSE(percentile_ranks(367, 99).high);
  EXPECT_EQ(percentile_ranks(368, 99).high, 368U);
}

TEST(Confidence, IsQuickAndNarrowForAMillion) {
  const RankInterval ranks = percentile_ranks(1'000'000, 50);
  // 1.96 deviations of 500.
  EXPECT_NEAR(static_cast<double>(*ranks.low), 500'000 - 980, 3);
  EXPECT_NEAR(static_cast<double>(*ranks.high), 500'000 + 980, 3);
}

}  // namespace
}  // namespace nandi::sim
