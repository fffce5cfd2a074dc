#include "nandi/engine/bounds.h"

#include <gtest/gtest.h>

namespace nandi {
namespace {

const Fraction kGap(3, 20);

LeaseTiming twenty_ticks() {
  return LeaseTiming{Duration(20), kGap, Duration(2), Duration(1), Fraction{}};
}

// g + (1 - 2g)/(2n) with g = 3/20, n = 5: 3/20 + (7/10)/10 = 15/100 + 7/100 = 11/50.
TEST(Bounds, SlotBandOfFiveStartsHalfAShareIntoTheBand) {
  EXPECT_EQ(slot_band(kGap, 5), (SlotBand{Fraction(11, 50), Fraction(39, 50)}));
  EXPECT_EQ(whole_band(kGap), (SlotBand{Fraction(3, 20), Fraction(17, 20)}));
}

// The only slot of a group of one is the middle of the interval.
TEST(Bounds, SlotBandOfOneIsTheMiddle) {
  EXPECT_EQ(slot_band(kGap, 1), (SlotBand{Fraction(1, 2), Fraction(1, 2)}));
}

// n-and-i README: "Standing down gap late always beats the 2 * gap the band leaves for it".
TEST(Bounds, MarginMayBeTwiceTheGapInAnyGroup) {
  EXPECT_EQ(largest_margin(whole_band(kGap)), Fraction(3, 10));
}

// 2g + (1 - 2g)/n = 3/10 + 7/50.
TEST(Bounds, MarginOfFiveGainsOneShare) {
  EXPECT_EQ(largest_margin(slot_band(kGap, 5)), Fraction(22, 50));
}

// Protocol: with the deadline from the reply "of the margin only about (1 - 2g)/n of an interval is
// left": a reply as late as the gap leaves 2g + (1 - 2g)/n - g of which g is used.
TEST(Bounds, LateReplyLeavesOneShareOfTheMargin) {
  const Fraction left = largest_margin(slot_band(kGap, 5), kGap);
  EXPECT_EQ(left, Fraction(29, 100));  // g + (1 - 2g)/n = 15/100 + 14/100
  EXPECT_EQ(largest_reply_delay(slot_band(kGap, 5), kGap), left);
  EXPECT_EQ(largest_margin_from_reply(slot_band(kGap, 5)), Fraction(22, 100));
}

// x (n + 1) = 1 - 2g: (7/10)/6.
TEST(Bounds, GapExcessShrinksWithTheGroup) {
  EXPECT_EQ(largest_gap_excess(kGap, 5), Fraction(7, 60));
}

// d = 1/20: (1/20)(3 + 1/10 + 1/400) = 1241/8000, over (21/20)^2 (19/20) = 8379/8000.
TEST(Bounds, SmallestGapForFivePercentDrift) {
  EXPECT_EQ(smallest_gap_for_drift(Fraction(1, 20)), Fraction(1241, 8379));
}

TEST(Bounds, SmallestGapIsExactlyWhereDriftStopsBeingTolerated) {
  const Fraction drift(1, 20);
  const Fraction gap = smallest_gap_for_drift(drift);
  const Fraction smaller(gap.numerator() * 10'000 - 1, gap.denominator() * 10'000);
  EXPECT_TRUE(tolerates_drift(span_from_request(gap, whole_band(gap)), drift));
  EXPECT_FALSE(tolerates_drift(span_from_request(smaller, whole_band(smaller)), drift));
}

// To first order 3 d <= g: 50,000 ppm at g = 3/20; second-order terms add a little over 1 percent.
TEST(Bounds, AboutAThirdOfTheGapIsTolerated) {
  const std::int64_t ppm = largest_drift_ppm(span_from_request(kGap, whole_band(kGap)));
  EXPECT_GT(ppm, 50'000);
  EXPECT_LT(ppm, 51'000);
}

// Only a share of the band is left to drift when the deadline is counted from the reply; none of
// it in a group without bound.
TEST(Bounds, DeadlineFromReplyToleratesNoDriftInAnUnboundedGroup) {
  EXPECT_EQ(largest_drift_ppm(span_from_reply(kGap, whole_band(kGap))), 0);
  EXPECT_GT(largest_drift_ppm(span_from_reply(kGap, slot_band(kGap, 5))), 0);
}

TEST(Bounds, MarginBeyondTheEdgeToleratesNotEvenEqualRates) {
  const SlotBand band = whole_band(kGap);
  EXPECT_EQ(largest_drift_ppm(LeaseSpan{band, Fraction(31, 100), Fraction{}}), -1);
  EXPECT_EQ(largest_drift_ppm(LeaseSpan{band, Fraction(30, 100), Fraction{}}), 0);
}

// Slots of two members in 20 ticks: ceil(3 + 14/4) = 7 and ceil(3 + 42/4) = 14; 20 + 7 - 14 = 13.
TEST(Bounds, MarginInUnitsCountsTheRoundedSlots) {
  EXPECT_EQ(largest_margin_in_units(twenty_ticks(), 2), Duration(13));
  EXPECT_EQ(largest_margin_from_reply_in_units(twenty_ticks(), 2, Duration(3)), Duration(9));
}

TEST(Bounds, RenewalHasTheGapLessTheResolution) {
  EXPECT_EQ(renewal_slack(twenty_ticks()), Duration(2));
}

// The band of twenty ticks with a gap of three at either end is 14 ticks: 7 for each of two, 4 for
// each of three (4.67 rounded down), and at most four slots that are 3 apart.
TEST(Bounds, SlotsShareTheBandEvenly) {
  EXPECT_EQ(slot_spacing(twenty_ticks(), 2), Duration(7));
  EXPECT_EQ(slot_spacing(twenty_ticks(), 3), Duration(4));
  EXPECT_EQ(largest_group(twenty_ticks(), Duration(3)), 4);
  EXPECT_EQ(largest_group(twenty_ticks(), Duration(14)), 1);
  EXPECT_EQ(largest_group(twenty_ticks(), Duration(15)), 0);
}

// Without an allowance for drift nothing is added. With d = 1/1000 a delay passes on d / (1 - d) =
// 1/999 of itself, and of that the same again: 999,000 (1 + 1/999 + 1/999^2 + ...) = 999,000 +
// 1,000 + 1.001 + ..., which is 999,000 * 999 / 998 = 1,000,001.002. At d = 1/8: 7/6.
TEST(Bounds, DelaysOfWhichAPartIsPassedOnNeedSlotsFurtherApart) {
  LeaseTiming timing = twenty_ticks();
  timing.drift = Fraction(0, 1);
  EXPECT_EQ(settling_distance(timing, Duration(999'000)), Duration(999'000));
  timing.drift = Fraction(1, 1000);
  EXPECT_EQ(settling_distance(timing, Duration(999'000)), Duration(1'000'002));
  timing.drift = Fraction(1, 8);
  EXPECT_EQ(settling_distance(timing, Duration(600)), Duration(700));
  EXPECT_EQ(settling_distance(timing, Duration(0)), Duration(0));
}

}  // namespace
}  // namespace nandi
