#include "nandi/sim/latency_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "nandi/sim/sampler.h"
#include "nandi/sim/scenario.h"

namespace nandi::sim {
namespace {

using ::testing::HasSubstr;

constexpr const char* kProfile = R"(latency_profile: 1
server: Redis 7.0.15
samples: 100
failures: 2
round_trip: {from: 40us, buckets: [{to: 50us, count: 90}, {to: 100us, count: 0},
  {to: 2ms, count: 10}]}
directions:
  known_to: 20us
  request: {from: 10us, buckets: [{to: 20us, count: 100}]}
  reply: {from: 30us, buckets: [{to: 31us, count: 100}]}
)";

LatencyProfile read(const std::string& text) {
  return read_latency_profile(yaml::Document::parse(text, "p.yaml"));
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(read(text));
  } catch (const yaml::LoadError& error) {
    return error.what();
  }
  return "no error";
}

std::string without(std::string text, const std::string& line) {
  const std::size_t at = text.find(line);
  return text.erase(at, text.find('\n', at) + 1 - at);
}

TEST(LatencyProfile, a_file_is_read_as_it_stands) {
  const LatencyProfile profile = read(kProfile);
  EXPECT_EQ(profile.samples, 100U);
  EXPECT_EQ(profile.failures, 2U);
  EXPECT_EQ(profile.round_trip.from, Duration(40'000));
  ASSERT_EQ(profile.round_trip.buckets.size(), 3U);
  EXPECT_EQ(profile.round_trip.buckets[2], (HistogramBucket{Duration(2'000'000), 10}));
  ASSERT_TRUE(profile.directions);
  EXPECT_EQ(profile.directions->known_to, Duration(20'000));
  EXPECT_EQ(profile.request_delay(), DelayDistribution(profile.directions->request));
  EXPECT_EQ(profile.reply_delay(), DelayDistribution(profile.directions->reply));
}

TEST(LatencyProfile, without_directions_the_request_takes_the_round_trip) {
  const std::string text(kProfile);
  const LatencyProfile profile = read(text.substr(0, text.find("directions:")));
  EXPECT_EQ(profile.request_delay(), DelayDistribution(profile.round_trip));
  EXPECT_EQ(profile.reply_delay(), DelayDistribution(ConstantDelay{}));
}

TEST(LatencyProfile, what_is_written_loads_back_equal) {
  const LatencyProfile profile = read(kProfile);
  std::ostringstream written;
  write_latency_profile(profile, written);
  EXPECT_EQ(read(written.str()), profile);
}

TEST(LatencyProfile, a_file_that_is_no_profile_is_refused_with_its_place) {
  EXPECT_THAT(error_of(std::string(kProfile) + "mood: good\n"),
              HasSubstr("unknown key `mood` in latency_profile"));
  EXPECT_THAT(error_of(std::string(kProfile) + "samples: 7\n"), HasSubstr("duplicate key"));
  EXPECT_THAT(error_of(without(kProfile, "samples")), HasSubstr("missing key `samples`"));
  EXPECT_THAT(error_of("latency_profile: 2\nserver: x\nsamples: 1\nfailures: 0\n"
                       "round_trip: {buckets: [{to: 1ms, count: 1}]}\n"),
              HasSubstr("p.yaml:1:18: this is format 2 of a latency profile; this program reads "
                        "format 1"));
  EXPECT_THAT(error_of("latency_profile: 1\nserver: x\nsamples: 1\nfailures: 0\n"
                       "round_trip: {buckets: [{to: 2ms, count: 1}, {to: 1ms, count: 1}]}\n"),
              HasSubstr("does not end after the one before it"));
}

// The ends are the measured ones; a bucket from 64 us on is at most 4 us (1/16) wide.
TEST(LatencyProfile, a_histogram_becomes_the_distribution_of_what_was_measured) {
  Histogram measured;
  for (std::int64_t us = 64; us < 128; ++us) measured.add(Duration(us * 1000));
  for (int i = 0; i < 64; ++i) measured.add(Duration(10'000'000));
  const HistogramDelay delay = histogram_delay(measured);
  EXPECT_EQ(delay.from, Duration(64'000));
  EXPECT_EQ(delay.buckets.back().to, Duration(10'000'001));
  std::uint64_t count = 0;
  for (const HistogramBucket& bucket : delay.buckets) count += bucket.count;
  EXPECT_EQ(count, 128U);
  const Sampler sampler{DelayDistribution(delay)};
  const auto at = [&](std::uint64_t eighths) { return sampler.sample(eighths << 61).count(); };
  EXPECT_EQ(at(0), 64'000);
  for (std::uint64_t eighths = 1; eighths < 4; ++eighths) {
    const auto exact = static_cast<std::int64_t>(64'000 + eighths * 16'000);
    EXPECT_NEAR(static_cast<double>(at(eighths)), static_cast<double>(exact), 8'000) << eighths;
  }
  EXPECT_GT(at(5), 9'300'000);
  EXPECT_LE(sampler.sample(~std::uint64_t{0}), Duration(10'000'000));
}

class ProfileInScenario : public ::testing::Test {
 protected:
  ProfileInScenario() {
    directory_ =
        std::filesystem::temp_directory_path() / ("nandi-profile-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_ / "latency");
    std::ofstream(directory_ / "latency" / "p.yaml") << kProfile;
  }
  ~ProfileInScenario() override { std::filesystem::remove_all(directory_); }
  ProfileInScenario(const ProfileInScenario&) = delete;
  ProfileInScenario& operator=(const ProfileInScenario&) = delete;

  Scenario load(const std::string& rest) const {
    const auto path = directory_ / "s.yaml";
    std::ofstream(path) << "name: x\ngroup: {interval: 5s}\n" + rest;
    return load_scenario(path);
  }
  std::string error_of(const std::string& rest) const {
    try {
      static_cast<void>(load(rest));
    } catch (const yaml::LoadError& error) {
      return error.what();
    }
    return "no error";
  }
  std::filesystem::path directory_;
};

TEST_F(ProfileInScenario, is_found_beside_the_scenario_and_gives_both_ways) {
  const LatencyProfile profile = read(kProfile);
  const Scenario scenario = load(
      "workers: [{network: {profile: latency/p.yaml}}]\n"
      "network: {profile: latency/p.yaml, loss: {reply: 1%}}\n");
  EXPECT_EQ(scenario.network.request, profile.request_delay());
  EXPECT_EQ(scenario.network.reply, profile.reply_delay());
  EXPECT_EQ(scenario.network.loss.reply, Fraction(1, 100));
  EXPECT_EQ(scenario.workers.front().network.request, profile.request_delay());
  // What is written stands alone.
  std::ostringstream written;
  write_scenario(scenario, written);
  EXPECT_EQ(read_scenario(yaml::Document::parse(written.str(), "elsewhere.yaml")), scenario);
}

TEST_F(ProfileInScenario, is_refused_where_it_is_wrong) {
  EXPECT_THAT(error_of("workers: 2\nnetwork: {profile: latency/none.yaml}\n"),
              HasSubstr("s.yaml:4:20"));
  EXPECT_THAT(error_of("workers: 2\nnetwork: {profile: latency/p.yaml, reply: {constant: 1ms}}\n"),
              HasSubstr("`reply` stands beside `profile`"));
  std::ofstream(directory_ / "latency" / "bad.yaml") << "latency_profile: 1\nserve: x\n";
  EXPECT_THAT(error_of("workers: 2\nnetwork: {profile: latency/bad.yaml}\n"),
              HasSubstr("bad.yaml:2:1: unknown key `serve`"));
}

}  // namespace
}  // namespace nandi::sim
