#include "nandi/engine/schedule.h"

#include <gtest/gtest.h>

namespace nandi {
namespace {

/// An interval of 1000 units, so that a fraction of it can be read off.
LeaseTiming thousand() {
  LeaseTiming timing;
  timing.interval = Duration(1000);
  timing.gap = Fraction(3, 20);
  timing.attempt_timeout = Duration(125);
  timing.resolution = Duration(1);
  return timing;
}

LeaseTiming with_gap(Fraction gap) {
  LeaseTiming timing = thousand();
  timing.gap = gap;
  return timing;
}

TEST(Schedule, the_band_leaves_the_gap_at_either_end) {
  EXPECT_EQ(band_begin(thousand()), Duration(150));
  EXPECT_EQ(band_end(thousand()), Duration(850));
  // g I = 333.3: the band begins at the unit after it and ends as far before the end.
  EXPECT_EQ(band_begin(with_gap(Fraction(1, 3))), Duration(334));
  EXPECT_EQ(band_end(with_gap(Fraction(1, 3))), Duration(666));
  EXPECT_EQ(gap_margin(with_gap(Fraction(1, 3))), Duration(333));
}

// g + (i + 1/2) / m (1 - 2g), times 1000:
//   (0, 1): 0.15 + 0.5 * 0.7 = 0.5       (0, 5): 0.15 + 0.1 * 0.7 = 0.22
//   (4, 5): 0.15 + 0.9 * 0.7 = 0.78      (0, 3): 0.15 + 0.7 / 6 = 0.26667, rounded up
TEST(Schedule, a_slot_is_the_middle_of_the_indexs_share_of_the_band) {
  EXPECT_EQ(slot_offset(thousand(), 0, 1), Duration(500));
  EXPECT_EQ(slot_offset(thousand(), 0, 5), Duration(220));
  EXPECT_EQ(slot_offset(thousand(), 4, 5), Duration(780));
  EXPECT_EQ(slot_offset(thousand(), 0, 3), Duration(267));
}

TEST(Schedule, every_slot_is_in_the_band_and_in_the_order_of_the_indexes) {
  for (const Fraction gap :
       {Fraction(1, 1000), Fraction(3, 20), Fraction(1, 3), Fraction(49, 100)}) {
    const LeaseTiming timing = with_gap(gap);
    for (std::uint32_t members = 1; members <= 60; ++members) {
      Duration last = band_begin(timing);
      for (std::uint32_t index = 0; index < members; ++index) {
        const Duration slot = slot_offset(timing, index, members);
        ASSERT_GE(slot, last);
        ASSERT_LE(slot, band_end(timing));
        last = slot;
      }
    }
  }
}

TEST(Schedule, a_slot_is_exact_for_the_largest_group_and_the_longest_interval) {
  LeaseTiming timing = thousand();
  timing.interval = Duration(2'147'483'647'000'000);
  timing.gap = Fraction(149'999'999, 1'000'000'000);
  // g I = 322,122,544,902,516.35 and half of a 2^30th of (1 - 2g) I is
  // 0.700000002 * 2,147,483,647,000,000 / 2^31 = 700,000.002; the sum, rounded up.
  EXPECT_EQ(slot_offset(timing, 0, kMaxCount), Duration(322'122'545'602'517));
  EXPECT_LE(slot_offset(timing, kMaxCount - 1, kMaxCount), band_end(timing));
}

TEST(Schedule, a_lease_ends_one_gap_past_the_slot_and_within_the_interval) {
  EXPECT_EQ(expiry_offset(thousand(), 0, 1), Duration(650));
  EXPECT_EQ(expiry_offset(thousand(), 4, 5), Duration(930));
  for (std::uint32_t members = 1; members <= 60; ++members) {
    ASSERT_LE(expiry_offset(thousand(), members - 1, members), Duration(1000));
  }
}

TEST(Schedule, a_slot_is_spread_among_the_closed_count_or_what_the_open_interval_shows) {
  Tick tick;
  tick.index = 2;
  tick.previous_count = 5;
  EXPECT_EQ(members_for_slot(tick), 5U);
  tick.index = 7;
  EXPECT_EQ(members_for_slot(tick), 8U);
  tick.previous_count.reset();
  EXPECT_EQ(members_for_slot(tick), 8U);
}

TEST(Schedule, without_drift_the_estimates_differ_by_round_trip_and_resolution) {
  const ClockReading reading{StoreTime(5000), LocalTime(100), LocalTime(130)};
  // At local 130 the store shows at least 5000, so 5200 is certain at 330.
  EXPECT_EQ(certainly_reached(thousand(), reading, StoreTime(5200)), LocalTime(330));
  // At local 100 the store showed at most just below 5001, so 5200 is impossible before 299.
  EXPECT_EQ(possibly_reached(thousand(), reading, StoreTime(5200)), LocalTime(299));
}

TEST(Schedule, drift_moves_the_estimates_apart_and_rounds_to_the_safe_side) {
  LeaseTiming timing = thousand();
  timing.drift = Fraction(1, 10);
  const ClockReading reading{StoreTime(100), LocalTime(40), LocalTime(50)};
  // 90 store units pass in at most 90 / 0.9 = 100 local ones.
  EXPECT_EQ(certainly_reached(timing, reading, StoreTime(190)), LocalTime(150));
  // 100 / 0.9 = 111.1, rounded up.
  EXPECT_EQ(certainly_reached(timing, reading, StoreTime(200)), LocalTime(162));
  // One unit of resolution, then 110 store units pass in at least 110 / 1.1 = 100 local ones.
  EXPECT_EQ(possibly_reached(timing, reading, StoreTime(211)), LocalTime(140));
  // 111 / 1.1 = 100.9, rounded down.
  EXPECT_EQ(possibly_reached(timing, reading, StoreTime(212)), LocalTime(140));
  EXPECT_EQ(possibly_reached(timing, reading, StoreTime(213)), LocalTime(141));
}

TEST(Schedule, retries_are_due_an_eighth_a_quarter_a_half_and_then_every_interval) {
  EXPECT_EQ(retry_delay(thousand(), 1), Duration(125));
  EXPECT_EQ(retry_delay(thousand(), 2), Duration(250));
  EXPECT_EQ(retry_delay(thousand(), 3), Duration(500));
  EXPECT_EQ(retry_delay(thousand(), 4), Duration(1000));
  EXPECT_EQ(retry_delay(thousand(), 1000), Duration(1000));
  LeaseTiming tiny = thousand();
  tiny.interval = Duration(4);
  EXPECT_EQ(retry_delay(tiny, 1), Duration(1));
}

}  // namespace
}  // namespace nandi
