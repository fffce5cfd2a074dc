// Every sampler against the distribution function that its name stands for, computed here in
// floating point with the C library (which never comes near a trace).
#include "nandi/sim/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nandi/sim/draw.h"

namespace nandi::sim {
namespace {

bool is_near(long double a, long double b, long double allowed) {
  return std::abs(a - b) <= allowed;
}

/// Probabilities from deep in the lower tail to deep in the upper one, and the draws for them.
std::vector<std::uint64_t> draws() {
  std::vector<std::uint64_t> all;
  for (int e = 1; e < 30; ++e) {
    for (std::uint64_t j = 0; j < 97; ++j) {
      const std::uint64_t q = (std::uint64_t{1} << (63 - e)) / 97 * (97 + j);
      all.push_back(q);
      all.push_back(~q);
    }
  }
  return all;
}

/// P(U <= u), with u the integer draw.
long double probability(std::uint64_t u) {
  return std::ldexp(static_cast<long double>(u) + 0.5L, -64);
}
/// 1 - P, without cancellation.
long double rest(std::uint64_t u) { return probability(~u); }

long double normal_below(long double z) { return 0.5L * std::erfc(-z / std::sqrt(2.0L)); }

TEST(Sampler, NormalQuantileIsWithinAnAllowanceOfTheInverseOfErfc) {
  constexpr long double kAllowed = 1e-4L;
  for (const std::uint64_t u : draws()) {
    const long double z = std::ldexp(static_cast<long double>(normal_quantile(u)), -32);
    // The distribution function is monotone: the true quantile lies in between.
    if (u < std::uint64_t{1} << 63) {
      EXPECT_LE(normal_below(z - kAllowed), probability(u)) << u;
      EXPECT_GE(normal_below(z + kAllowed), probability(u)) << u;
    } else {
      EXPECT_LE(normal_below(-z - kAllowed), rest(u)) << u;
      EXPECT_GE(normal_below(-z + kAllowed), rest(u)) << u;
    }
  }
}

TEST(Sampler, LogarithmAndPowerAreWithinTheirStatedError) {
  for (const std::uint64_t q : draws()) {
    const long double exact = -std::log2(static_cast<long double>(q)) + 64;
    EXPECT_TRUE(is_near(std::ldexp(static_cast<long double>(negative_log2(q)), -32), exact, 3e-6L))
        << q;
  }
  for (Fixed x = -20 * kFixedOne; x < 20 * kFixedOne; x += 123'456'789) {
    const std::int64_t scale = 100'000'000'000;
    const long double exact = std::exp2(std::ldexp(static_cast<long double>(x), -32)) * 1e11L;
    EXPECT_TRUE(is_near(static_cast<long double>(scaled_exp2(scale, x)), exact, 2e-6L * exact + 1))
        << x;
  }
}

TEST(Sampler, PowerSaturatesInsteadOfOverflowing) {
  EXPECT_EQ(scaled_exp2(1, 200 * kFixedOne), kLongestSample);
  EXPECT_EQ(scaled_exp2(1'000, -200 * kFixedOne), 0);
  EXPECT_EQ(scaled_exp2(0, 200 * kFixedOne), 0);
}

TEST(Sampler, ConstantIsConstant) {
  const Sampler sampler(ConstantDelay{Duration(7)});
  EXPECT_EQ(sampler.sample(0), Duration(7));
  EXPECT_EQ(sampler.sample(~std::uint64_t{0}), Duration(7));
}

TEST(Sampler, UniformReachesBothEndsAndNothingBeyond) {
  const Sampler sampler(UniformDelay{Duration(10), Duration(19)});
  EXPECT_EQ(sampler.sample(0), Duration(10));
  EXPECT_EQ(sampler.sample(~std::uint64_t{0}), Duration(19));
  EXPECT_EQ(sampler.sample(std::uint64_t{1} << 63), Duration(15));
}

TEST(Sampler, LognormalHasItsMedianAndItsP99) {
  // ln X is normal with mean ln(median) and deviation ln(p99 / median) / 2.32634787404084.
  constexpr long double kMedian = 2e6L;
  constexpr long double kP99 = 4e7L;
  const Sampler sampler(LognormalDelay{Duration(2'000'000), Duration(40'000'000)});
  const long double deviation = std::log(kP99 / kMedian) / 2.32634787404084L;
  for (const std::uint64_t u : draws()) {
    const auto x = static_cast<long double>(sampler.sample(u).count());
    const bool lower = u < std::uint64_t{1} << 63;
    const auto below = [&](long double v) {
      const long double z = std::log(v / kMedian) / deviation;
      return lower ? normal_below(z) : normal_below(-z);
    };
    const long double want = lower ? probability(u) : rest(u);
    const long double low = below((x - 1) * (1 - 2e-4L));
    const long double high = below((x + 1) * (1 + 2e-4L));
    EXPECT_LE(std::min(low, high), want) << u;
    EXPECT_GE(std::max(low, high), want) << u;
  }
}

TEST(Sampler, ExponentialIsMinusMeanTimesTheLogarithmOfTheRest) {
  const Sampler sampler(ExponentialDelay{Duration(5'000'000)});
  for (const std::uint64_t u : draws()) {
    const long double exact = -5e6L * std::log(rest(u));
    EXPECT_TRUE(
        is_near(static_cast<long double>(sampler.sample(u).count()), exact, 3e-6L * 5e6L + 1))
        << u;
  }
}

TEST(Sampler, ParetoIsScaleTimesTheRestToTheMinusOneOverShape) {
  const Sampler sampler(ParetoDelay{Duration(1'000'000), Fraction(3, 2)});
  for (const std::uint64_t u : draws()) {
    const long double exact = 1e6L * std::pow(rest(u), -2.0L / 3);
    EXPECT_TRUE(
        is_near(static_cast<long double>(sampler.sample(u).count()), exact, 2e-4L * exact + 1))
        << u;
  }
}

TEST(Sampler, NormalIsCutOffByConditioningNotByClamping) {
  // Mean 10, deviation 5, cut off at 0 and 20 (in thousands): P(X <= x) is
  // (F((x - 10) / 5) - F(-2)) / (F(2) - F(-2)); clamping would put 2.3 % on each end.
  const Sampler sampler(
      NormalDelay{Duration(10'000), Duration(5'000), Duration(0), Duration(20'000)});
  const long double low = normal_below(-2);
  for (const std::uint64_t u : draws()) {
    const auto x = static_cast<long double>(sampler.sample(u).count());
    EXPECT_GE(x, 0);
    EXPECT_LE(x, 20'000);
    const auto below = [&](long double v) {
      return (normal_below((v - 10'000) / 5'000) - low) / (1 - 2 * low);
    };
    EXPECT_LE(below(x - 2), probability(u)) << u;
    EXPECT_GE(below(x + 2), probability(u)) << u;
  }
}

TEST(Sampler, HistogramSpreadsEachBucketEvenly) {
  // 10 values in [0, 100), none in [100, 200), 30 in [200, 260).
  const Sampler sampler(
      HistogramDelay{Duration(0), {{Duration(100), 10}, {Duration(200), 0}, {Duration(260), 30}}});
  EXPECT_EQ(sampler.sample(0), Duration(0));
  const auto at = [&](std::uint64_t numerator, std::uint64_t denominator) {
    const Duration x = sampler.sample(~std::uint64_t{0} / denominator * numerator);
    return static_cast<double>(x.count());
  };
  EXPECT_NEAR(at(1, 8), 50, 1);   // half of the first quarter
  EXPECT_NEAR(at(3, 8), 210, 1);  // a sixth into the last three quarters
  EXPECT_NEAR(at(5, 8), 230, 1);
  EXPECT_EQ(sampler.sample(~std::uint64_t{0}), Duration(259));
  for (const std::uint64_t u : draws()) {
    const std::int64_t x = sampler.sample(u).count();
    EXPECT_TRUE((x >= 0 && x < 100) || (x >= 200 && x < 260)) << x;
  }
}

TEST(Sampler, SamplesRiseWithTheDraw) {
  const std::vector<DelayDistribution> distributions = {
      UniformDelay{Duration(3), Duration(900)},
      NormalDelay{Duration(5'000), Duration(900), Duration(100), Duration(9'000)},
      LognormalDelay{Duration(5'000), Duration(90'000)},
      ExponentialDelay{Duration(5'000)},
      ParetoDelay{Duration(5'000), Fraction(2, 1)},
      HistogramDelay{Duration(1), {{Duration(50), 3}, {Duration(4'000), 7}}}};
  for (const DelayDistribution& distribution : distributions) {
    const Sampler sampler(distribution);
    Duration last(0);
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      const Duration x = sampler.sample(i * (~std::uint64_t{0} / 100'000));
      ASSERT_GE(x, last) << distribution.index() << " " << i;
      last = x;
    }
  }
}

}  // namespace
}  // namespace nandi::sim
