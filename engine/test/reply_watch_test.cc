#include "nandi/engine/reply_watch.h"

#include <gtest/gtest.h>

namespace nandi {
namespace {

/// Interval 1000, gap 150, resolution 1.
LeaseTiming thousand() {
  LeaseTiming timing;
  timing.interval = Duration(1000);
  timing.resolution = Duration(1);
  return timing;
}

ClockReading reading(std::int64_t at, std::int64_t sent, std::int64_t received) {
  return {StoreTime(at), LocalTime(sent), LocalTime(received)};
}

TEST(ReplyWatch, finds_a_clock_that_stands_still_with_the_third_reading_and_says_so_once) {
  ReplyWatch watch;
  EXPECT_FALSE(watch.observe(thousand(), reading(500, 100, 101)).clock_frozen);
  EXPECT_FALSE(watch.observe(thousand(), reading(500, 1100, 1101)).clock_frozen);
  EXPECT_TRUE(watch.observe(thousand(), reading(500, 2100, 2101)).clock_frozen);
  EXPECT_FALSE(watch.observe(thousand(), reading(500, 3100, 3101)).clock_frozen);
  EXPECT_FALSE(watch.observe(thousand(), reading(900, 4100, 4101)).clock_frozen);
  EXPECT_FALSE(watch.observe(thousand(), reading(900, 5100, 5101)).clock_frozen);
  EXPECT_TRUE(watch.observe(thousand(), reading(900, 6100, 6101)).clock_frozen);
}

TEST(ReplyWatch, equal_readings_within_the_resolution_are_no_frozen_clock) {
  ReplyWatch watch;
  for (std::int64_t i = 0; i < 5; ++i) {
    // Each is sent two units after the last was read: the clock may still be in the same one.
    EXPECT_FALSE(watch.observe(thousand(), reading(500, 100 + 3 * i, 101 + 3 * i)).clock_frozen);
  }
}

TEST(ReplyWatch, finds_a_round_trip_above_half_the_gap_when_it_begins) {
  ReplyWatch watch;
  EXPECT_FALSE(watch.observe(thousand(), reading(500, 100, 175)).round_trip_slow);
  EXPECT_TRUE(watch.observe(thousand(), reading(1500, 1100, 1176)).round_trip_slow);
  EXPECT_FALSE(watch.observe(thousand(), reading(2500, 2100, 2300)).round_trip_slow);
  EXPECT_FALSE(watch.observe(thousand(), reading(3500, 3100, 3110)).round_trip_slow);
  EXPECT_TRUE(watch.observe(thousand(), reading(4500, 4100, 4200)).round_trip_slow);
}

}  // namespace
}  // namespace nandi
