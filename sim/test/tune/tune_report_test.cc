#include "nandi/sim/tune/tune_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace nandi::sim {
namespace {

using Json = nlohmann::json;

constexpr Duration kSecond{kNanosecondsPerSecond};

TuneResult example() {
  TuneResult result;
  result.request.intervals = {kSecond, kSecond * 2};
  result.request.gaps = {Fraction(3, 20)};
  TuneCell fails;
  fails.setting = {kSecond, Fraction(3, 20)};
  fails.status = TuneStatus::fails_bound;
  fails.reason = "retry: \"too late\"";
  fails.bounds = {{"retry", 0.5, 0.25, "s", "a text"}};
  TuneCell passes;
  passes.setting = {kSecond * 2, Fraction(3, 20)};
  passes.status = TuneStatus::passes;
  passes.on_front = true;
  passes.measures = TuneMeasures{};
  passes.measures->seeds = 64;
  passes.measures->ready_p50 = {4.5, 4.25, std::nullopt};
  passes.measures->closest_approach = 0.75;
  result.cells = {fails, passes};
  result.recommendation = TuneRecommendation{};
  result.recommendation->cell = 1;
  result.recommendation->sentence = "Use it.";
  result.recommendation->edges = {{TuneDirection::shorter_interval, 0, "retry"},
                                  {TuneDirection::larger_gap, std::nullopt, "the grid ends"}};
  result.by_members = {{3, 0, 64, {0.5, 0.25, 0.75}, {}}};
  result.warnings = {"a warning"};
  return result;
}

TEST(TuneReport, JsonHasEveryCellTheCurvesAndTheChoice) {
  const Json json = Json::parse(tune_json(example()));
  EXPECT_EQ(json["nandi_tune"], 1);
  ASSERT_EQ(json["cells"].size(), 2U);
  EXPECT_EQ(json["cells"][0]["status"], "fails-bound");
  EXPECT_EQ(json["cells"][0]["reason"], "retry: \"too late\"");
  EXPECT_FALSE(json["cells"][0]["bounds"][0]["holds"].get<bool>());
  EXPECT_TRUE(json["cells"][0]["measures"].is_null());
  EXPECT_EQ(json["cells"][1]["interval"], 2'000'000'000);
  EXPECT_EQ(json["cells"][1]["gap"], "0.15");
  EXPECT_EQ(json["cells"][1]["measures"]["ready_p50"]["low"], 4.25);
  EXPECT_TRUE(json["cells"][1]["measures"]["ready_p50"]["high"].is_null());
  EXPECT_EQ(json["recommendation"]["interval"], 2'000'000'000);
  EXPECT_EQ(json["recommendation"]["edges"][0]["interval"], 1'000'000'000);
  EXPECT_TRUE(json["recommendation"]["edges"][1]["interval"].is_null());
  EXPECT_EQ(json["by_members"][0]["owned_share"]["high"], 0.75);
  EXPECT_EQ(json["warnings"][0], "a warning");
}

TEST(TuneReport, EveryLineOfTheCsvHasAsManyColumnsAsItsHead) {
  std::istringstream lines(tune_csv(example()));
  std::string head;
  std::getline(lines, head);
  const auto commas = std::count(head.begin(), head.end(), ',');
  std::size_t cells = 0;
  for (std::string line; std::getline(lines, line); ++cells) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), commas) << line;
  }
  EXPECT_EQ(cells, 2U);
}

}  // namespace
}  // namespace nandi::sim
