#include "nandi/engine/start_draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

namespace nandi {
namespace {

using namespace std::chrono_literals;

Options options_for_test() {
  Options options;
  options.name = "g";
  options.interval = 1s;
  return options;
}

TEST(StartDraw, is_a_function_of_options_and_seed) {
  const StartDraw once = draw_start(options_for_test(), 7);
  const StartDraw again = draw_start(options_for_test(), 7);
  EXPECT_EQ(once.first_delay, again.first_delay);
  EXPECT_EQ(once.kept_offset, again.kept_offset);
}

TEST(StartDraw, stays_within_the_interval_and_the_band_and_fills_both) {
  const LeaseTiming timing = timing_of(options_for_test());
  constexpr int kTenths = 10;
  std::array<int, kTenths> first{};
  std::array<int, kTenths> kept{};
  const Duration width = band_end(timing) - band_begin(timing) + Duration(1);
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const StartDraw draw = draw_start(options_for_test(), seed);
    ASSERT_GE(draw.first_delay, Duration(0));
    ASSERT_LT(draw.first_delay, timing.interval);
    ASSERT_GE(draw.kept_offset, band_begin(timing));
    ASSERT_LE(draw.kept_offset, band_end(timing));
    ++first.at(
        static_cast<std::size_t>(draw.first_delay.count() * kTenths / timing.interval.count()));
    ++kept.at(static_cast<std::size_t>((draw.kept_offset - band_begin(timing)).count() * kTenths /
                                       width.count()));
  }
  // 10,000 draws over ten bins: 1000 each, standard deviation 30; six of those either way.
  for (const auto& bins : {first, kept}) {
    EXPECT_GT(*std::min_element(bins.begin(), bins.end()), 820);
    EXPECT_LT(*std::max_element(bins.begin(), bins.end()), 1180);
  }
}

TEST(StartDraw, a_spread_of_zero_registers_at_once) {
  Options options = options_for_test();
  options.first_spread = Fraction();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EXPECT_EQ(draw_start(options, seed).first_delay, Duration(0));
  }
}

TEST(StartDraw, equal_options_without_a_seed_draw_different_ones) {
  // 64 bits each: two equal ones among 100 would be a chance of 3e-16.
  std::set<std::uint64_t> seeds;
  for (int i = 0; i < 100; ++i) seeds.insert(seed_of(options_for_test()));
  EXPECT_EQ(seeds.size(), 100U);
  Options options = options_for_test();
  options.seed = 42;
  EXPECT_EQ(seed_of(options), 42U);
}

}  // namespace
}  // namespace nandi
