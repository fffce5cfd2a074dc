// The page assumptions.md, and what nandi-check finds now, for the tests that compare them. The
// last column of its tables is a time and left out.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "nandi/checker/assumption_command.h"

namespace nandi::checker {
inline const std::filesystem::path kPage =
    std::filesystem::path(NANDI_CHECKER_DIR) / "assumptions.md";
inline const std::filesystem::path kScenarios =
    std::filesystem::path(NANDI_CHECKER_DIR).parent_path() / "scenarios" / "assumptions";
inline const std::string kBegin = "<!-- generated: table -->\n";
inline const std::string kEnd = "<!-- end of generated -->";

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

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

inline std::string fresh_table(const std::string& row) {
  std::string name = (std::filesystem::temp_directory_path() / "nandi_page_XXXXXX").string();
  const std::filesystem::path directory = mkdtemp(name.data());
  AssumptionRequest request;
  request.check.files = {kScenarios / "table.yaml"};
  request.row = row;
  request.markdown = (directory / "table.md").string();
  std::ostringstream out;
  std::ostringstream err;
  const int status = run_assumptions(request, out, err);
  EXPECT_LE(status, 2) << err.str();
  std::string table = text_of(request.markdown);
  std::filesystem::remove_all(directory);
  return table;
}

inline std::string shipped_table() {
  const std::string page = text_of(kPage);
  const auto from = page.find(kBegin);
  const auto to = page.find(kEnd);
  if (from == std::string::npos || to == std::string::npos) return "";
  return page.substr(from + kBegin.size(), to - from - kBegin.size());
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
