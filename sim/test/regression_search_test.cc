// --regressions looks at further failing seeds where the first stays long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_files.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/shrink.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/yaml/document.h"
#include "schedule_line.h"
#include "shrink_run.h"

namespace nandi::sim::cli {
namespace {

using ::testing::HasSubstr;

/// The open counter is deleted: rare, and long to tell.
constexpr const char* kDeleted = R"(name: del-open
group:
  name: mail-sender
  interval: 5s
workers: 2
network:
  request: {lognormal: {median: 2ms, p99: 20ms}}
  reply: {lognormal: {median: 2ms, p99: 20ms}}
consumer:
  drain: {uniform: {from: 50ms, to: 400ms}}
timeline:
  - at: 50s
    del: {interval: open}
  - at: 50300ms
    join: {workers: 1, first_spread: 0}
  - at: 53500ms
    crash: {workers: [1]}
for: 80s
seeds: 1..400
expect:
  verdict: violated
  property: work-exclusive
  properties: [work-exclusive]
)";
constexpr const char* kProperty = "work-exclusive";
constexpr std::size_t kMostFollowed = 12;  ///< lines, as the page of the simulator says
constexpr std::size_t kMostFailing = 8;    ///< the first and seven further ones

Scenario deleted() { return read_scenario(yaml::Document::parse(kDeleted, "deleted.yaml")); }

/// How many lines of each failing seed remain by itself, from seed `first` on, for `count` of them.
std::vector<std::size_t> lines_alone(std::uint64_t first, std::size_t count) {
  const Scenario scenario = deleted();
  const Simulator simulator(scenario);
  std::vector<std::size_t> lines;
  for (std::uint64_t seed = first; lines.size() < count && seed <= scenario.seeds.last; ++seed) {
    if (simulator.run(seed, {}).properties[property_place(kProperty)].violated == 0) continue;
    lines.push_back(shrink(scenario, seed, kProperty, {}).lines);
  }
  return lines;
}

/// The text of the one regression file of a campaign of these seeds.
std::string regression(std::uint64_t first, std::uint64_t last) {
  const std::filesystem::path directory = std::filesystem::temp_directory_path() /
                                          ("nandi-regression-test-" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  RunRequest request;
  request.files = {directory / "deleted.yaml"};
  std::ofstream(request.files.front()) << kDeleted;
  request.seeds = SeedRange{first, last};
  request.regressions = directory / "found";
  request.quiet = true;
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_files(request, out, err), 1) << out.str() << err.str();
  std::ostringstream text;
  for (const auto& entry : std::filesystem::directory_iterator(request.regressions)) {
    text << std::ifstream(entry.path()).rdbuf();
  }
  std::filesystem::remove_all(directory);
  return text.str();
}

std::size_t lines_in(const std::string& text) {
  return lines_of(read_scenario(yaml::Document::parse(text, "found.yaml")).schedule).size();
}

TEST(RegressionSearch, TriesFurtherFailingSeedsUntilOneIsShortEnough) {
  const std::vector<std::size_t> alone = lines_alone(17, kMostFailing);
  ASSERT_EQ(alone.size(), kMostFailing);
  EXPECT_GT(*std::min_element(alone.begin(), alone.end() - 1), kMostFollowed);
  ASSERT_LE(alone.back(), kMostFollowed) << "the eighth, seed 81, is the first that is short";
  const std::string found = regression(17, 400);
  EXPECT_EQ(lines_in(found), alone.back());
  EXPECT_THAT(found, HasSubstr("seed 81 of "));
}

TEST(RegressionSearch, KeepsTheShortestOfTheFirstEightFailingSeeds) {
  const std::vector<std::size_t> alone = lines_alone(105, kMostFailing + 4);
  ASSERT_EQ(alone.size(), kMostFailing + 4);
  const std::size_t shortest = *std::min_element(alone.begin(), alone.begin() + kMostFailing);
  EXPECT_GT(shortest, kMostFollowed);
  EXPECT_LT(shortest, alone.front()) << "the first is not the shortest";
  EXPECT_LE(alone.back(), kMostFollowed) << "a later one would be shorter still";
  EXPECT_EQ(lines_in(regression(105, 400)), shortest);
}

TEST(RegressionSearch, LooksAtNoSeedPastTheLastOfTheCampaign) {
  const std::vector<std::size_t> alone = lines_alone(17, kMostFailing - 1);
  EXPECT_EQ(lines_in(regression(17, 80)), *std::min_element(alone.begin(), alone.end()));
}

}  // namespace
}  // namespace nandi::sim::cli
