#include "nandi/reports/assumption_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sample_pages.h"

namespace nandi::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const Cell& cell(const Grid& grid, const std::string& row, const std::string& column) {
  const auto r = std::find_if(grid.rows.begin(), grid.rows.end(),
                              [&](const auto& entry) { return entry.first == row; });
  const auto c = std::find(grid.columns.begin(), grid.columns.end(), column);
  EXPECT_NE(r, grid.rows.end());
  EXPECT_NE(c, grid.columns.end());
  return r->second.at(static_cast<std::size_t>(c - grid.columns.begin()));
}

const Grid& alone(const Report& report) { return std::get<Grid>(report.sections[0].blocks[0]); }

// That two workers are broken by a second deletion of the open counter and not by one, and that
// the closed counter may go, is derived in checker/test/assumption_table_test.cc.
TEST(AssumptionReport, MarksTheSmallestBudgetThatBreaksARow) {
  const Report report = sample_assumptions();
  EXPECT_EQ(report.verdict, sim::Verdict::holds) << "every row was decided";
  const Cell& one = cell(alone(report), "del_open", "budget 1, 2 workers");
  EXPECT_EQ(one.text, "1 fault: holds");
  EXPECT_FALSE(one.is_marked);
  const Cell& two = cell(alone(report), "del_open", "budget 2, 2 workers");
  EXPECT_THAT(two.text, StartsWith("2 faults: broken in "));
  EXPECT_TRUE(two.is_marked);
  EXPECT_NE(two.tone, one.tone);
  EXPECT_EQ(cell(alone(report), "del_closed", "budget 2, 2 workers").text, "2 faults: holds");
  EXPECT_EQ(cell(alone(report), "nothing", "budget 1, 2 workers").text, "") << "not explored";
}

TEST(AssumptionReport, TellsTheStoryOfWhatBreaksAndTheCommandThatShowsIt) {
  const Report report = sample_assumptions();
  std::vector<std::string> told;
  for (const Block& block : report.sections[0].blocks) {
    const auto* table = std::get_if<Table>(&block);
    if (table == nullptr || table->header.front() != "when") continue;
    told.push_back(table->title);
    EXPECT_THAT(table->note, HasSubstr("--assumptions assumed.yaml --row "));
    EXPECT_FALSE(table->rows.empty());
  }
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0], StartsWith("del_open: "));
}

TEST(AssumptionReport, IsUnknownWhereARowMetItsBound) {
  checker::LeaseCheck base = checker::lease_check_of(sim::read_scenario(
      sim::yaml::Document::parse(kAssumed, "assumed.yaml"), sim::whole_language()));
  checker::AssumptionOptions options;
  options.row = "del_closed";
  options.check.explore.bounds.max_states = 100;
  const auto rows = explore_assumptions(base, options);
  const Report report = assumption_report({"assumed", "", "", base, rows});
  EXPECT_EQ(report.verdict, sim::Verdict::unknown);
  EXPECT_THAT(report.evidence, HasSubstr("1 are unknown"));
  EXPECT_EQ(cell(alone(report), "del_closed", "budget 1, 2 workers").text, "1 fault: unknown");
}

}  // namespace
}  // namespace nandi::reports
