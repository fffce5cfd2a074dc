// The page assumptions.md, and what nandi-check finds now, for the tests that compare them. The
// last column of its tables is a time and left out.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "command_fixture.h"
#include "nandi/checker/assumption_command.h"

namespace nandi::checker {
inline const std::filesystem::path kPage =
    std::filesystem::path(NANDI_CHECKER_DIR) / "assumptions.md";
inline const std::filesystem::path kScenarios =
    std::filesystem::path(NANDI_CHECKER_DIR).parent_path() / "scenarios" / "assumptions";

/// One of the page's tables.
struct PageTable {
  std::string name;            ///< in the comment before it
  std::filesystem::path file;  ///< the group that it is of

  [[nodiscard]] std::string begin() const { return "<!-- generated: " + name + " -->\n"; }
  [[nodiscard]] std::string end() const { return "<!-- end of generated: " + name + " -->"; }
};
inline std::ostream& operator<<(std::ostream& out, const PageTable& table) {
  return out << table.name;
}
inline const PageTable kTwoWorkers = {"two workers", kScenarios / "table.yaml"};
inline const PageTable kThreeWorkers = {"three workers", kScenarios / "three" / "table.yaml"};

inline std::string without_times(const std::string& table) {
  std::istringstream in(table);
  std::string text;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with(" |")) {
      line.erase(line.size() - 2);
      line.erase(line.rfind('|'));
    }
    text += line + '\n';
  }
  return text;
}

class AssumptionsPage : public CommandFixture {
 protected:
  /// As the page would have it: all, or that of one row.
  std::string fresh_table(const PageTable& table, const std::string& row) {
    AssumptionRequest request;
    request.check.files = {table.file};
    request.row = row;
    request.markdown = (directory_ / "table.md").string();
    const int status = run_assumptions(request, out_, err_);
    EXPECT_LE(status, 2) << err_.str();
    std::string text = text_of(request.markdown);
    // Its links are relative to where it was written.
    const auto link_from = [&](const std::filesystem::path& place) {
      return "](" + std::filesystem::relative(table.file.parent_path(), place).string() + "/";
    };
    const std::string here = link_from(directory_);
    const std::string there = link_from(kPage.parent_path());
    for (auto at = text.find(here); at != std::string::npos; at = text.find(here, at + 1)) {
      text.replace(at, here.size(), there);
    }
    return text;
  }
};

inline std::string shipped_table(const PageTable& table) {
  const std::string page = text_of(kPage);
  const auto from = page.find(table.begin());
  const auto to = page.find(table.end());
  if (from == std::string::npos || to == std::string::npos) return "";
  return page.substr(from + table.begin().size(), to - from - table.begin().size());
}

/// The line of a row, of a table with others.
inline std::string line_of(const std::string& table, const std::string& row) {
  std::istringstream in(table);
  for (std::string line; std::getline(in, line);) {
    if (line.find("`" + row + "`") != std::string::npos) return line;
  }
  return "";
}

}  // namespace nandi::checker
