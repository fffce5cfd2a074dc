// The study of group sizes against jitter. Expected figures are derived beside each test.
#include "nandi/sim/settling/settling_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "nandi/sim/yaml/document.h"

namespace nandi::sim {
namespace {

using ::testing::HasSubstr;

SettlingStudy read(const std::string& rest) {
  return load_settling_study(yaml::Document::parse("kind: settling\n" + rest, "s.yaml"));
}

std::string error_of(const std::string& rest) {
  try {
    read(rest);
  } catch (const yaml::LoadError& error) {
    return error.what();
  }
  return "no error";
}

const StudyProperty& property_of(const SettlingResult& result, const std::string& name) {
  for (const StudyProperty& property : result.properties) {
    if (property.name == name) return property;
  }
  throw std::invalid_argument(name);
}

// Each way takes nothing or 10 ms, so two delays differ by 20 ms in one case of eight and never by
// more, but for a microsecond of the clock. 700 ms hold 35 slots that are 20 ms apart, and 34 that
// are a microsecond further than that from each other: 34 workers never stand down. Of 35 the
// difference of 20 ms exceeds the distance whenever the clock adds to it, half the time: each
// worker stands down in one of sixteen intervals, sixty times too often.
const SettlingResult& sharp_edge() {
  static const SettlingResult result = run_settling_study(
      read("interval: 1s\nresolution: 1us\ndrift_bound: 0\nshapes: [two-point]\njitter: [20ms]\n"));
  return result;
}

TEST(SettlingStudy, MeasuresTheEdgeWhereTheDelaysPutIt) {
  ASSERT_EQ(sharp_edge().figures.size(), 1U);
  const SettlingFigures& figures = sharp_edge().figures[0];
  EXPECT_EQ(figures.bound, 34);
  EXPECT_EQ(figures.predicted, 34);
  ASSERT_EQ(figures.edges.size(), 6U);
  for (const SettlingEdge& edge : figures.edges) {
    EXPECT_EQ(edge.settles, 34U);
    EXPECT_EQ(edge.does_not, 35U);
    EXPECT_EQ(edge.at_bound, 0U);
    EXPECT_GE(edge.watched_bound, 50'000U);
    // Slots of 68 are 10.3 ms apart: nearly as often as of 35, each time over one neighbour.
    EXPECT_GT(edge.rate_at_twice, 0.05);
    EXPECT_LT(edge.rate_at_twice, 0.25);
  }
  EXPECT_EQ(figures.median, 34U);
  EXPECT_EQ(figures.low, 34U);
  EXPECT_EQ(figures.high, 34U);
  EXPECT_EQ(sharp_edge().verdict, Verdict::holds);
}

TEST(SettlingStudy, ShowsTheSameToPeopleAndPrograms) {
  const std::string text = settling_study_text(sharp_edge());
  EXPECT_THAT(text, HasSubstr("two-point  20.0 ms"));
  EXPECT_THAT(text, HasSubstr("[34, 34]"));
  EXPECT_THAT(text, HasSubstr("edge-as-predicted: holds (1 sizes as predicted)"));
  std::ostringstream out;
  yaml::write_json(settling_study_json(sharp_edge()), out);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["format"], "nandi-settling-study/1");
  EXPECT_EQ(json["verdict"], "holds");
  const auto& row = json["figures"][0];
  EXPECT_EQ(row["shape"], "two-point");
  EXPECT_EQ(row["jitter"], 20'000'000);
  EXPECT_EQ(row["bound"], 34);
  EXPECT_EQ(row["predicted"], 34);
  EXPECT_EQ(row["median"], 34);
  EXPECT_EQ(row["interval"], nlohmann::json::parse("[34, 34]"));
  EXPECT_EQ(row["seeds"].size(), 6U);
  EXPECT_EQ(row["seeds"][0]["does_not"], 35);
  EXPECT_EQ(row["seeds"][0]["stand_downs_at_bound"], 0);
}

// Of lognormal delays the rare long one passes several neighbours at once, which the prediction
// does not count: it lies a few per cent above what is measured.
TEST(SettlingStudy, APredictionThatIsOffByMoreThanTheToleranceIsAViolation) {
  SettlingStudy study =
      read("interval: 1s\nresolution: 1us\nshapes: [lognormal]\njitter: [2ms]\ntolerance: 1ppm\n");
  SettlingOptions two_threads;
  two_threads.jobs = 2;
  const SettlingResult strict = run_settling_study(study, two_threads);
  EXPECT_EQ(strict.figures[0].bound, std::nullopt);
  EXPECT_EQ(property_of(strict, "edge-as-predicted").verdict, Verdict::violated);
  EXPECT_THAT(property_of(strict, "edge-as-predicted").evidence, HasSubstr("lognormal, 2.00 ms: "));
  // Without an upper end of the delays there is no size up to which nobody ever stands down.
  EXPECT_EQ(property_of(strict, "none-within-the-bound").verdict, Verdict::unknown);
  EXPECT_EQ(property_of(strict, "unsettled-at-twice").verdict, Verdict::holds);
  EXPECT_EQ(strict.verdict, Verdict::violated);
  study.tolerance = Fraction(1, 5);
  EXPECT_EQ(property_of(run_settling_study(study), "edge-as-predicted").verdict, Verdict::holds);
}

TEST(SettlingStudy, AnInterruptedStudyIsUnknown) {
  const std::atomic<bool> stop{true};
  const SettlingResult result = run_settling_study(read("jitter: [1ms]\n"), {1, &stop});
  EXPECT_TRUE(result.figures.empty());
  EXPECT_EQ(result.verdict, Verdict::unknown);
  EXPECT_EQ(property_of(result, "finished").evidence, "interrupted after 0 of 1 jitters");
}

TEST(SettlingStudy, RefusesWhatItCannotMeasure) {
  EXPECT_THAT(error_of("interval: 5s\n"), HasSubstr("jitter"));
  EXPECT_THAT(error_of("jitter: []\n"), HasSubstr("s.yaml:2:"));
  EXPECT_THAT(error_of("jitter: [0s]\n"), HasSubstr("s.yaml:2:10"));
  EXPECT_THAT(error_of("jitter: [1ms]\nshapes: [unifrom]\n"), HasSubstr("uniform"));
  EXPECT_THAT(error_of("jitter: [1ms]\nseeds: 1..5\n"), HasSubstr("s.yaml:3:8: 5 seeds"));
  EXPECT_THAT(error_of("jitter: [1ms]\nshape: [uniform]\n"), HasSubstr("shapes"));
}

}  // namespace
}  // namespace nandi::sim
