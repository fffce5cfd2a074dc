// Estimates against published limits, and percentiles on the command line.
#include "tune/tune_measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nandi/sim/tune/percentile_list.h"

namespace nandi::sim {
namespace {

using ::testing::HasSubstr;

MeanOf events(std::initializer_list<double> by_seed) {
  MeanOf mean;
  for (const double count : by_seed) mean.add(count);
  return mean;
}

// Exact limits of a Poisson variable at 95 % (Garwood 1936): 0 to 3.689 for 0, 4.795 to 18.39 for
// 10. Byar's approximation is that to 1 % or so.
TEST(TuneMeasure, RatesHaveThePoissonLimits) {
  const Estimate none = rate_estimate(events({0, 0, 0, 0}), 1);
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(*none.high, 3.689, 0.04);
  const Estimate ten = rate_estimate(events({2, 3, 2, 3}), 2);
  EXPECT_EQ(ten.value, 5);
  EXPECT_NEAR(*ten.low, 4.795 / 2, 0.03);
  EXPECT_NEAR(*ten.high, 18.39 / 2, 0.1);
}

// Ten events in one of four seeds say less than ten that are spread.
TEST(TuneMeasure, EventsThatComeTogetherSayLess) {
  const Estimate spread = rate_estimate(events({2, 3, 2, 3}), 1);
  const Estimate together = rate_estimate(events({0, 10, 0, 0}), 1);
  EXPECT_EQ(together.value, spread.value);
  EXPECT_LT(*together.low, *spread.low);
  EXPECT_GT(*together.high, *spread.high);
}

// Eight values 1 to 8: mean 4.5, variance 6, half width 1.96 sqrt(6 / 8).
TEST(TuneMeasure, MeansHaveTheNormalLimits) {
  const Estimate mean = events({1, 2, 3, 4, 5, 6, 7, 8}).estimate();
  EXPECT_DOUBLE_EQ(mean.value, 4.5);
  EXPECT_NEAR(*mean.low, 4.5 - 1.6974, 0.001);
  EXPECT_NEAR(*mean.high, 4.5 + 1.6974, 0.001);
  EXPECT_FALSE(events({1, 2}).estimate().low);
}

TEST(PercentileList, BecomesAHistogramBetweenThem) {
  const HistogramDelay delay = parse_percentiles("p50=2ms,p99=20ms,max=50ms", "--latency");
  EXPECT_EQ(delay.from, Duration(1'000'000));
  ASSERT_EQ(delay.buckets.size(), 3U);
  EXPECT_EQ(delay.buckets[0], (HistogramBucket{Duration(2'000'001), 5000}));
  EXPECT_EQ(delay.buckets[1], (HistogramBucket{Duration(20'000'001), 4900}));
  EXPECT_EQ(delay.buckets[2], (HistogramBucket{Duration(50'000'001), 100}));
}

TEST(PercentileList, EqualOnesRiseByOneUnit) {
  const HistogramDelay delay = parse_percentiles("min=2ms,p50=2ms,p99=2ms,max=2ms", "--latency");
  ASSERT_EQ(delay.buckets.size(), 3U);
  EXPECT_EQ(delay.buckets.back().to, Duration(2'000'003));
}

TEST(PercentileList, SaysWhatIsWrong) {
  const auto error = [](const char* text) -> std::string {
    try {
      static_cast<void>(parse_percentiles(text, "--latency"));
    } catch (const std::invalid_argument& found) {
      return found.what();
    }
    return "";
  };
  EXPECT_EQ(error("p50=1ms,p98=2ms,max=3ms"),
            "--latency: no percentile 'p98'; did you mean `p90`?");
  EXPECT_THAT(error("p50=1ms,p50=1ms,max=2ms"), HasSubstr("given twice"));
  EXPECT_THAT(error("p50=1,max=2ms"), HasSubstr("--latency: p50: '1' is no duration"));
  EXPECT_THAT(error("p50=3ms,max=2ms"), HasSubstr("percentiles rise"));
  EXPECT_THAT(error("p99=3ms"), HasSubstr("p50 and max are needed"));
  EXPECT_THAT(error("p50"), HasSubstr("no percentile"));
  EXPECT_THAT(error(""), HasSubstr("no percentile"));
  EXPECT_THAT(error("p50={a: b},max=2ms"), HasSubstr("no duration"));
}

}  // namespace
}  // namespace nandi::sim
