// Golden vectors: the first outputs of SplitMix64 from state 1234567, as published with the
// generator's reference implementation (S. Vigna, splitmix64.c; also Rosetta Code).
#include "nandi/sim/draw.h"

#include <gtest/gtest.h>

#include <set>

namespace nandi::sim {
namespace {

TEST(Draw, IsSplitMix64) {
  constexpr std::uint64_t kPublished[] = {6457827717110365317U, 3203168211198807973U,
                                          9817491932198370423U, 4593380528125082431U,
                                          16408922859458223821U};
  for (std::uint64_t i = 0; i < std::size(kPublished); ++i) {
    EXPECT_EQ(split_mix(1234567, i), kPublished[i]) << i;
  }
}

TEST(Draw, IsTheGeneratorOfItsWorkerAtItsCounter) {
  // Written out again: three rounds from the seed to the draw.
  const auto step = [](std::uint64_t state, std::uint64_t n) {
    std::uint64_t z = state + (n + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  };
  std::uint64_t mixed = 42;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  mixed ^= mixed >> 31;
  EXPECT_EQ(Draws(42)(Stream::reply_latency, 7, 11), step(step(step(mixed, 4), 7), 11));
}

TEST(Draw, OneStreamTakenFromAnotherSeedLeavesTheOthersAsTheyWere) {
  Draws changed(1);
  changed.set_seed(Stream::choice, 2);
  EXPECT_EQ(changed(Stream::choice, 3, 4), Draws(2)(Stream::choice, 3, 4));
  for (std::size_t s = 0; s < kStreams; ++s) {
    const auto stream = static_cast<Stream>(s);
    if (stream == Stream::choice) continue;
    EXPECT_EQ(changed(stream, 3, 4), Draws(1)(stream, 3, 4)) << s;
  }
}

TEST(Draw, DiffersBetweenStreamsWorkersCountersAndSeeds) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Draws draws(seed);
    for (std::size_t s = 0; s < kStreams; ++s) {
      for (std::uint64_t w = 0; w < 20; ++w) {
        for (std::uint64_t c = 0; c < 20; ++c) seen.insert(draws(static_cast<Stream>(s), w, c));
      }
    }
  }
  EXPECT_EQ(seen.size(), 4 * kStreams * 20 * 20);
}

TEST(Draw, BoundedDrawsStayBelowTheirBoundAndReachBothEnds) {
  EXPECT_EQ(bounded(0, 10), 0U);
  EXPECT_EQ(bounded(~std::uint64_t{0}, 10), 9U);
  // Each tenth of the draws gives one value: 2^64 / 10 = 1844674407370955161.6.
  EXPECT_EQ(bounded(1844674407370955161U, 10), 0U);
  EXPECT_EQ(bounded(1844674407370955162U, 10), 1U);
}

TEST(Draw, SomethingHappensAsOftenAsItsProbabilitySays) {
  const Draws draws(3);
  int happened = 0;
  for (std::uint64_t c = 0; c < 100'000; ++c) {
    if (happens(draws(Stream::request_loss, 0, c), Fraction(3, 100))) ++happened;
  }
  // Binomial with mean 3,000 and deviation 54: five deviations.
  EXPECT_NEAR(happened, 3000, 270);
  EXPECT_FALSE(happens(0, Fraction(0, 1)));
  EXPECT_TRUE(happens(~std::uint64_t{0}, Fraction(1, 1)));
}

}  // namespace
}  // namespace nandi::sim
