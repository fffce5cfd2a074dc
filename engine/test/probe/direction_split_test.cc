#include "probe/direction_split.h"

#include <gtest/gtest.h>

namespace nandi::tools {
namespace {

constexpr std::int64_t kUs = 1000;

/// A trial of which the test knows what the command cannot: when it executed, and by how much the
/// server's clock is ahead.
Trial trial(std::int64_t sent_us, std::int64_t request_us, std::int64_t reply_us,
            std::int64_t offset_us) {
  const LocalTime sent(sent_us * kUs);
  const LocalTime received((sent_us + request_us + reply_us) * kUs);
  return {sent, received, received, StoreTime((sent_us + request_us + offset_us) * kUs)};
}

TEST(DirectionSplit, ways_that_are_alike_at_their_best_are_told_apart_whatever_the_offset) {
  for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{-7'000'000}, std::int64_t{123}}) {
    const std::vector<Trial> trials{trial(0, 100, 100, offset), trial(1000, 900, 100, offset),
                                    trial(2000, 100, 400, offset)};
    const auto split = split_directions(trials);
    ASSERT_TRUE(split);
    // The reading of whole microseconds costs half of one.
    EXPECT_NEAR(static_cast<double>(split->requests[0].count()), 100e3, 1e3);
    EXPECT_NEAR(static_cast<double>(split->requests[1].count()), 900e3, 1e3);
    EXPECT_NEAR(static_cast<double>(split->requests[2].count()), 100e3, 1e3);
    EXPECT_NEAR(static_cast<double>(split->known_to.count()), 100e3, 1e3);
  }
}

TEST(DirectionSplit, a_constant_difference_of_the_ways_stays_within_what_is_said_to_be_known) {
  const std::vector<Trial> trials{trial(0, 300, 20, 0), trial(1000, 300, 50, 0)};
  const auto split = split_directions(trials);
  ASSERT_TRUE(split);
  for (const Duration request : split->requests) {
    EXPECT_LE(std::abs(request.count() - 300 * kUs), split->known_to.count() + kUs);
  }
}

TEST(DirectionSplit, clocks_that_drift_apart_are_followed_window_by_window) {
  std::vector<Trial> trials;
  for (std::int64_t i = 0; i < 1000; ++i) trials.push_back(trial(i * 1000, 100, 100, i / 2));
  const auto split = split_directions(trials, 100);
  ASSERT_TRUE(split);
  // Within a window the clocks part by 50 us.
  for (const Duration request : split->requests) {
    EXPECT_NEAR(static_cast<double>(request.count()), 100e3, 52e3);
  }
}

TEST(DirectionSplit, a_clock_that_was_stepped_leaves_the_directions_unknown) {
  const std::vector<Trial> trials{trial(0, 100, 100, 0), trial(1000, 100, 100, 5000)};
  EXPECT_FALSE(split_directions(trials));
  EXPECT_TRUE(split_directions(trials, 1));  // not within a window
}

}  // namespace
}  // namespace nandi::tools
