// All of assumptions.md.
#include <cstdlib>

#include "assumptions_page.h"

namespace nandi::checker {
namespace {

class WholeTable : public AssumptionsPage, public testing::WithParamInterface<PageTable> {};

// With NANDI_WRITE_GENERATED set, the page is written instead of compared.
TEST_P(WholeTable, is_as_the_page_shows_it) {
  const PageTable& table = GetParam();
  const std::string fresh = fresh_table(table, "");
  if (std::getenv("NANDI_WRITE_GENERATED") != nullptr) {
    const std::string page = text_of(kPage);
    const auto from = page.find(table.begin()) + table.begin().size();
    std::ofstream(kPage) << page.substr(0, from) << fresh << page.substr(page.find(table.end()));
    return;
  }
  EXPECT_EQ(without_times(shipped_table(table)), without_times(fresh));
}

INSTANTIATE_TEST_SUITE_P(AssumptionsPage, WholeTable, testing::Values(kTwoWorkers, kThreeWorkers));

}  // namespace
}  // namespace nandi::checker
