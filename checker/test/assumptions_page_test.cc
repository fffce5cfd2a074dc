// Rows of assumptions.md that take no time to find again.
#include "assumptions_page.h"

namespace nandi::checker {
namespace {

struct PageRow {
  PageTable table;
  std::string row;
};
std::ostream& operator<<(std::ostream& out, const PageRow& row) {
  return out << row.row << " of " << row.table;
}

class QuickRow : public AssumptionsPage, public testing::WithParamInterface<PageRow> {};

TEST_P(QuickRow, is_as_the_page_shows_it) {
  const auto& [table, row] = GetParam();
  const std::string shown = line_of(without_times(shipped_table(table)), row);
  EXPECT_NE(shown, "");
  EXPECT_EQ(line_of(without_times(fresh_table(table, row)), row), shown);
}

std::vector<PageRow> quick_rows() {
  std::vector<PageRow> rows;
  for (const char* row :
       {"del_open", "failover_lost_writes", "fork", "no_expiry", "mixed/other_gap"}) {
    rows.push_back({kTwoWorkers, row});
  }
  for (const char* row : {"nothing", "del_open", "reply/failover_lost_writes"}) {
    rows.push_back({kThreeWorkers, row});
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(AssumptionsPage, QuickRow, testing::ValuesIn(quick_rows()));

}  // namespace
}  // namespace nandi::checker
