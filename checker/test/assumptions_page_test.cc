// Rows of assumptions.md that take no time to find again.
#include "assumptions_page.h"

namespace nandi::checker {
namespace {

class QuickRow : public testing::TestWithParam<std::string> {};

TEST_P(QuickRow, is_as_the_page_shows_it) {
  const std::string shown = line_of(without_times(shipped_table()), GetParam());
  EXPECT_NE(shown, "");
  EXPECT_EQ(line_of(without_times(fresh_table(GetParam())), GetParam()), shown);
}

INSTANTIATE_TEST_SUITE_P(AssumptionsPage, QuickRow,
                         testing::Values("del_open", "failover_lost_writes", "flushall", "fork",
                                         "no_expiry", "reply/del_open", "mixed/reply_delay"));

}  // namespace
}  // namespace nandi::checker
