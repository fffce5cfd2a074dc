// What is said in advance of whether a group settles. Expected figures are derived beside each
// test.
#include "nandi/sim/settling/settling_outlook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace nandi::sim {
namespace {

using ::testing::HasSubstr;

constexpr double kMillisecond = 1e6;

Scenario read(const std::string& rest) {
  return read_scenario(
      yaml::Document::parse("name: x\ngroup: {interval: 1s}\n" + rest, "settling.yaml"),
      whole_language());
}

double spread_of(const std::string& rest) {
  return static_cast<double>(settling_outlook(read("workers: 9\n" + rest))->spread.count());
}

/// What a drift of 1/1000 adds: (1 - d) / (1 - 2d).
constexpr double kPassedOn = 999.0 / 998.0;

// |difference| of two uniform values on [0, a] exceeds x with probability (1 - x/a)^2: one in a
// thousand at x = a (1 - sqrt(1/1000)).
TEST(SettlingOutlook, TheClockAloneSpreadsByItsResolution) {
  const double one_in_a_thousand = 1 - std::sqrt(0.001);
  EXPECT_NEAR(spread_of(""), kMillisecond * one_in_a_thousand * kPassedOn, 0.01 * kMillisecond);
  // What is always the same spreads nothing.
  EXPECT_EQ(spread_of("network: {request: {constant: 40ms}, reply: {constant: 10ms}}\n"),
            spread_of(""));
}

TEST(SettlingOutlook, EachPartOfTheWayCounts) {
  const double wanted = 80 * kMillisecond * (1 - std::sqrt(0.001)) * kPassedOn;
  const std::string uniform = "{uniform: {from: 20ms, to: 100ms}}";
  for (const std::string& network :
       {"{request: " + uniform + "}", "{reply: " + uniform + "}",
        "{jitter: {request: " + uniform + "}}", "{jitter: {reply: " + uniform + "}}"}) {
    EXPECT_NEAR(spread_of("network: " + network + "\n"), wanted, 0.01 * wanted) << network;
  }
}

// Either way takes 0 or 30 ms, so two delays differ by 60 ms in one case of eight and never by
// more, but for the millisecond of the clock.
TEST(SettlingOutlook, TheRequestAndTheReplyBeforeItAddUp) {
  const std::string either =
      "{histogram: {buckets: [{to: 1ns, count: 1}, {to: 30ms, count: 0}, {to: 30000001ns, count: "
      "1}]}}";
  const double spread = spread_of("network: {request: " + either + ", reply: " + either + "}\n");
  EXPECT_GT(spread, 60 * kMillisecond);
  EXPECT_LT(spread, 61 * kMillisecond * kPassedOn);
}

TEST(SettlingOutlook, TheWidestOfSeveralNetworksCounts) {
  const std::string sets =
      "workers: [{count: 3}, {count: 2, network: {request: {uniform: {from: 0s, to: 80ms}}}}]\n";
  EXPECT_EQ(settling_outlook(read(sets))->spread,
            settling_outlook(read("workers: 5\nnetwork: {request: {uniform: {from: 0s, to: "
                                  "80ms}}}\n"))
                ->spread);
}

TEST(SettlingOutlook, CountsTheMostWorkersAtAnyOneTime) {
  const auto workers = [](const std::string& timeline) {
    return settling_outlook(read("workers: 10\ntimeline: [" + timeline + "]\n"))->workers;
  };
  EXPECT_EQ(workers("{at: 9s, join: {workers: 5}}"), 15U);
  EXPECT_EQ(workers("{at: 5s, crash: {workers: 4}}, {at: 9s, join: {workers: 5}}"), 11U);
  EXPECT_EQ(workers("{at: 5s, leave: {workers: all}}, {at: 9s, join: {workers: 5}}"), 10U);
  EXPECT_EQ(workers("{at: 5s, leave: {workers: [1, 2]}}, {at: 9s, join: {workers: 5}}"), 13U);
  EXPECT_EQ(workers("{at: 5s, restart: {workers: all}}"), 10U);
  EXPECT_EQ(workers("{at: 5s, fork: {workers: 1}}"), 11U);
}

TEST(SettlingOutlook, SaysNothingWhereTheQuestionMakesNoSense) {
  EXPECT_FALSE(settling_outlook(read("workers: 1\n")));
  EXPECT_FALSE(settling_outlook(read("workers: [{count: 2}, {count: 2, interval: 2s}]\n")));
  EXPECT_FALSE(settling_outlook(read("workers: 5\nrules: {spread: off}\n")));
  EXPECT_FALSE(settling_outlook(read("workers: 5\nswarm: {workers: 2..6}\n")));
}

// 0.7 s for n workers: 700 / 14 = 50 are 14 ms apart, 51 less.
TEST(SettlingOutlook, WarnsFromOneWorkerMoreThanTheLargestGroupOn) {
  SettlingOutlook outlook{50, Duration(14'000'000), Duration(14'000'000), 50};
  EXPECT_FALSE(outlook.is_beyond());
  EXPECT_EQ(settling_warning(outlook), "");
  outlook.workers = 51;
  outlook.slots_apart = Duration(13'725'490);
  EXPECT_TRUE(outlook.is_beyond());
  EXPECT_THAT(settling_warning(outlook),
              HasSubstr("above 50 workers neighbours' slots are closer than the jitter"));
  EXPECT_THAT(settling_warning(outlook), HasSubstr("of 51 the slots are 13.7 ms apart"));
  EXPECT_THAT(settling_warning(outlook), HasSubstr("above 14.0 ms"));
  // 14 / 13.725490 = 1.02, and a little
  EXPECT_THAT(settling_warning(outlook), HasSubstr("an interval 1.03 times as long would do"));
}

TEST(SettlingOutlook, ANetworkVariesByTheSumOfItsPartsOrWithoutEnd) {
  NetworkSettings network;
  EXPECT_EQ(network_variation(network), Duration(0));
  network.request = UniformDelay{Duration(5), Duration(25)};
  network.reply = ConstantDelay{Duration(70)};
  network.jitter.reply = NormalDelay{Duration(6), Duration(1), Duration(3), Duration(9)};
  network.jitter.request = HistogramDelay{Duration(2), {{Duration(4), 1}, {Duration(9), 1}}};
  EXPECT_EQ(network_variation(network), Duration(20 + 0 + 6 + 7));
  network.jitter.request = ExponentialDelay{Duration(1)};
  EXPECT_EQ(network_variation(network), std::nullopt);
}

}  // namespace
}  // namespace nandi::sim
