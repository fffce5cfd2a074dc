// All of assumptions.md.
#include <cstdlib>

#include "assumptions_page.h"

namespace nandi::checker {
namespace {

// With NANDI_WRITE_GENERATED set, the page is written instead of compared.
TEST(AssumptionsPage, the_whole_table_is_as_the_page_shows_it) {
  const std::string fresh = fresh_table("");
  if (std::getenv("NANDI_WRITE_GENERATED") != nullptr) {
    const std::string page = text_of(kPage);
    const auto from = page.find(kBegin) + kBegin.size();
    std::ofstream(kPage) << page.substr(0, from) << fresh << page.substr(page.find(kEnd));
    return;
  }
  EXPECT_EQ(without_times(shipped_table()), without_times(fresh));
}

}  // namespace
}  // namespace nandi::checker
