#include "nandi/engine/lease_rules.h"

#include <gtest/gtest.h>

namespace nandi {
namespace {

constexpr ProtocolRules kRules;

Tick tick_of_interval(IntervalNumber interval, std::uint32_t index,
                      std::optional<std::uint32_t> previous_count) {
  Tick tick;
  tick.interval = interval;
  tick.index = index;
  tick.previous_count = previous_count;
  return tick;
}

// Article: "Both values must come from the same closed interval."
TEST(LeaseRules, the_index_of_the_closed_interval_is_paired_with_its_count) {
  EXPECT_EQ(kRules.implied_pair(Held{9, 2}, tick_of_interval(10, 4, 3)), (Pair{2, 3}));
}

TEST(LeaseRules, a_tick_implies_nothing_without_an_index_of_the_interval_just_before) {
  const Tick tick = tick_of_interval(10, 0, 3);
  EXPECT_EQ(kRules.implied_pair(std::nullopt, tick), std::nullopt);
  for (const IntervalNumber held : {7, 8, 10, 11}) {
    EXPECT_EQ(kRules.implied_pair(Held{held, 0}, tick), std::nullopt) << held;
    EXPECT_EQ(kRules.why_no_pair(Held{held, 0}, tick), NoPair::not_consecutive);
  }
}

TEST(LeaseRules, an_absent_previous_count_implies_nothing) {
  const Tick tick = tick_of_interval(10, 0, std::nullopt);
  EXPECT_EQ(kRules.implied_pair(Held{9, 0}, tick), std::nullopt);
  EXPECT_EQ(kRules.why_no_pair(Held{9, 0}, tick), NoPair::no_previous);
}

TEST(LeaseRules, an_index_not_below_the_closed_count_implies_nothing) {
  EXPECT_EQ(kRules.implied_pair(Held{9, 3}, tick_of_interval(10, 0, 3)), std::nullopt);
  EXPECT_EQ(kRules.why_no_pair(Held{9, 3}, tick_of_interval(10, 0, 3)), NoPair::index_out_of_range);
  EXPECT_EQ(kRules.implied_pair(Held{9, 2}, tick_of_interval(10, 0, 3)), (Pair{2, 3}));
}

// Article: "A worker owns a pair only once two consecutive closed intervals have implied the same
// pair"; a retry inside one interval is no second piece of evidence.
TEST(LeaseRules, two_consecutive_intervals_have_to_imply_the_same_pair) {
  const Pair pair{1, 3};
  const Tick tick = tick_of_interval(10, 1, 3);
  EXPECT_TRUE(kRules.agrees(Remembered{9, pair}, pair, tick));
  EXPECT_FALSE(kRules.agrees(std::nullopt, pair, tick));
  EXPECT_FALSE(kRules.agrees(Remembered{10, pair}, pair, tick)) << "a retry in one interval";
  EXPECT_FALSE(kRules.agrees(Remembered{8, pair}, pair, tick)) << "an interval between";
  EXPECT_FALSE(kRules.agrees(Remembered{9, Pair{0, 3}}, pair, tick));
  EXPECT_FALSE(kRules.agrees(Remembered{9, Pair{1, 4}}, pair, tick));
}

LeaseTiming thousand() {
  LeaseTiming timing;
  timing.interval = Duration(1000);
  timing.resolution = Duration(1);
  return timing;
}

TEST(LeaseRules, the_kept_offset_is_used_while_no_count_is_known) {
  EXPECT_EQ(kRules.next_offset(thousand(), tick_of_interval(10, 3, std::nullopt), Duration(321)),
            Duration(321));
}

// Index 1 of this tick among max(4, 2) members: 0.15 + 1.5 / 4 * 0.7 = 0.4125.
TEST(LeaseRules, the_next_slot_is_that_of_this_ticks_index) {
  EXPECT_EQ(kRules.next_offset(thousand(), tick_of_interval(10, 1, 4), Duration(321)),
            Duration(413));
}

// Slot 11,413 and a gap of 150: the store's clock shows 11,563 at the earliest when it advanced by
// 11,563 - 10,200 - 1 since the attempt of this tick was sent at 70.
TEST(LeaseRules, a_lease_ends_one_gap_past_the_next_slot_on_the_upper_estimate) {
  const ClockReading reading{StoreTime(10'200), LocalTime(70), LocalTime(95)};
  EXPECT_EQ(kRules.expiry(thousand(), reading, tick_of_interval(10, 1, 4)),
            LocalTime(70 + 11'563 - 10'200 - 1));
}

}  // namespace
}  // namespace nandi
