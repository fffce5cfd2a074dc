// Two folders by hand, whose differences can be read off the figures in them.
#include "nandi/reports/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace nandi::reports {
namespace {

using ::testing::HasSubstr;

class Comparison : public ::testing::Test {
 protected:
  Comparison()
      : root_(std::filesystem::temp_directory_path() /
              ("nandi-comparison-test-" + std::to_string(getpid()))) {}
  ~Comparison() override { std::filesystem::remove_all(root_); }
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  std::filesystem::path folder(const std::string& name, const std::string& verdict) {
    std::filesystem::create_directories(root_ / name);
    std::ofstream(root_ / name / "verdict.json") << verdict;
    std::ofstream(root_ / name / "trace.ndjson")
        << "{\"nandi_trace\":1,\"scenario\":\"s\",\"seed\":7,\"unit\":\"ns\",\"interval\":100}\n"
           "{\"t\":900,\"end\":true,\"hash\":\"00\"}\n";
    return root_ / name;
  }

  std::filesystem::path root_;
};

std::string summary(const char* verdict, const char* readiness) {
  return std::string("{\"nandi_summary\": 1, \"scenario\": \"s\", \"evidence\": \"5 seeds\", ") +
         "\"verdict\": \"" + verdict + "\", \"statistics\": {\"start\": {\"samples\": 5, " +
         "\"median\": 2000000}}, \"by_seed\": {\"readiness\": " + readiness + "}}";
}

TEST_F(Comparison, AChangeHasTheIntervalThatBothMediansAllow) {
  const auto a = folder("a", summary("holds",
                                     "{\"median\": 5000000, \"median_interval\": "
                                     "[4000000, 6000000]}"));
  const auto b = folder("b", summary("violated",
                                     "{\"median\": 8000000, \"median_interval\": "
                                     "[7000000, 10000000]}"));
  const Report report = comparison_report({a, b}, "nandi-sim compare a b");
  EXPECT_EQ(report.verdict, sim::Verdict::violated) << "the worst of both";
  EXPECT_EQ(report.timelines.size(), 2U);
  const auto& chart = std::get<DifferenceChart>(report.sections.at(1).blocks.at(0));
  ASSERT_EQ(chart.rows.size(), 2U);
  // 7 - 6 = 1 ms at least, 10 - 4 = 6 ms at most; 8 - 5 = 3 ms between.
  EXPECT_EQ(chart.rows[0].text, "+3.00 ms (+1.00 ms to +6.00 ms)");
  EXPECT_DOUBLE_EQ(chart.rows[0].change, 3.0);
  EXPECT_DOUBLE_EQ(chart.rows[0].spread, 3.0);
  EXPECT_EQ(chart.rows[1].name, "start");
  EXPECT_EQ(chart.rows[1].text, "+0") << "no interval is known, and none is made up";
}

TEST_F(Comparison, AFolderWithoutARunIsRefusedByName) {
  const auto a = folder("a", summary("holds", "{}"));
  const auto b = folder("b", "[]");
  try {
    static_cast<void>(comparison_report({a, b}, ""));
    FAIL() << "a list is no summary";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("b/verdict.json: is no summary of version 1"));
  }
  EXPECT_THROW(static_cast<void>(comparison_report({a, root_ / "c"}, "")), std::runtime_error);
}

}  // namespace
}  // namespace nandi::reports
