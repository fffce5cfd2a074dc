#include "nandi/reports/tune_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nandi/reports/page.h"
#include "sample_pages.h"

namespace nandi::reports {
namespace {

using ::testing::HasSubstr;

template <class Block>
std::vector<Block> blocks(const Report& report) {
  std::vector<Block> found;
  for (const Section& section : report.sections) {
    for (const auto& block : section.blocks) {
      if (const auto* one = std::get_if<Block>(&block)) found.push_back(*one);
    }
  }
  return found;
}

// The grid of sample_tuning(): rows 1 s and 2 s, columns 0.1 and 0.15.
TEST(TuneReport, EveryCellOfAHeatMapSaysWhatBecameOfItsSetting) {
  const Report report = tune_report("", "", sample_tuning());
  const std::vector<Grid> maps = blocks<Grid>(report);
  ASSERT_EQ(maps.size(), 5U) << "readiness, a change, losses, share, load";
  for (const Grid& map : maps) {
    ASSERT_EQ(map.columns.size(), 2U);
    ASSERT_EQ(map.rows.size(), 2U);
    EXPECT_TRUE(map.is_ordered);
    EXPECT_EQ(map.rows[0].second[0].text, "retry") << "not simulated: no figure and no shade";
    EXPECT_EQ(map.rows[0].second[0].tone, 0);
    EXPECT_THAT(map.rows[0].second[1].text, HasSubstr("✗"));
    EXPECT_THAT(map.rows[1].second[0].text, HasSubstr("?"));
    EXPECT_THAT(map.rows[1].second[1].text, HasSubstr("✓"));
    EXPECT_TRUE(map.rows[1].second[1].is_marked);
    EXPECT_FALSE(map.rows[1].second[0].is_marked);
  }
  // 99 % of the starts are whole after 4 intervals in the sample; more is darker.
  EXPECT_EQ(maps[0].rows[0].second[1].text, "4 ✗");
  EXPECT_EQ(maps[0].rows[1].second[1].text, "8 ✓");
  EXPECT_LT(maps[0].rows[0].second[1].tone, maps[0].rows[1].second[1].tone);
}

TEST(TuneReport, DrawsBothCurvesWithTheirIntervals) {
  const std::vector<Curve> curves = blocks<Curve>(tune_report("", "", sample_tuning()));
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].points[1].label, "30");
  EXPECT_DOUBLE_EQ(curves[0].points[1].value, 97);
  EXPECT_DOUBLE_EQ(curves[0].points[1].low, 96);
  EXPECT_DOUBLE_EQ(curves[0].points[1].high, 98);
  EXPECT_EQ(curves[1].points[1].label, "8");
}

TEST(TuneReport, VerdictIsWhetherASettingIsRecommended) {
  sim::TuneResult result = sample_tuning();
  EXPECT_EQ(tune_report("", "", result).verdict, sim::Verdict::holds);
  result.recommendation.reset();
  EXPECT_EQ(tune_report("", "", result).verdict, sim::Verdict::unknown);
  for (sim::TuneCell& cell : result.cells) cell.status = sim::TuneStatus::fails;
  EXPECT_EQ(tune_report("", "", result).verdict, sim::Verdict::violated);
  result.interrupted = true;
  EXPECT_EQ(tune_report("", "", result).verdict, sim::Verdict::unknown);
}

// A grid whose settings all break a bound has no figure to draw.
TEST(TuneReport, AGridWithoutFiguresIsStillAPage) {
  sim::TuneResult result = sample_tuning();
  result.recommendation.reset();
  result.by_members.clear();
  result.by_changes.clear();
  for (sim::TuneCell& cell : result.cells) {
    cell.measures.reset();
    cell.status = sim::TuneStatus::fails_bound;
  }
  EXPECT_THAT(html_page(tune_report("", "", result)), HasSubstr("No setting of this grid"));
}

}  // namespace
}  // namespace nandi::reports
