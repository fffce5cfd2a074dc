// A golden page for each kind of report: what a change of code changes on a page shows in its diff.
//
// The page's own style, script and patterns are left out, since they are the same on every page and
// have tests of their own. After a wanted change: NANDI_WRITE_GOLDEN=1 reports_golden_test.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "nandi/reports/page.h"
#include "page_assets.h"
#include "sample_pages.h"

namespace nandi::reports {
namespace {

std::string without(std::string text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at != std::string::npos) text.erase(at, part.size());
  return text;
}

std::string golden_of(const Report& report) {
  return without(without(without(html_page(report), kPageStyle), kPageScript), kPagePatterns);
}

/// The first line in which two texts differ, and its number.
std::string difference(const std::string& a, const std::string& b) {
  std::istringstream first(a);
  std::istringstream second(b);
  std::string x;
  std::string y;
  for (int line = 1;; ++line) {
    const bool more = static_cast<bool>(std::getline(first, x));
    const bool also = static_cast<bool>(std::getline(second, y));
    if (!more && !also) return "";
    if (more != also || x != y) {
      return "line " + std::to_string(line) + ":\n  golden  " + y.substr(0, 300) + "\n  now     " +
             x.substr(0, 300);
    }
  }
}

TEST(Golden, PagesAreByteForByteWhatTheyWere) {
  const bool is_writing = std::getenv("NANDI_WRITE_GOLDEN") != nullptr;
  for (const auto& [name, report] : sample_pages()) {
    const std::string path = std::string(NANDI_GOLDEN_DIR) + "/" + name + ".html";
    const std::string page = golden_of(report);
    if (is_writing) std::ofstream(path, std::ios::binary) << page;
    std::ifstream file(path, std::ios::binary);
    ASSERT_TRUE(file) << path;
    std::ostringstream golden;
    golden << file.rdbuf();
    EXPECT_TRUE(page == golden.str()) << name << ", " << difference(page, golden.str());
  }
}

}  // namespace
}  // namespace nandi::reports
