// Where the reports of a program's files go: a folder, JUnit, a summary for a job page.
#pragma once

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "nandi/reports/report.h"
#include "nandi/reports/run_folder.h"

namespace nandi::reports {

struct OutputRequest {
  std::string folder;  ///< empty: none. Several files: a folder in it for each
  std::size_t files = 1;
  bool junit = false;            ///< junit.xml in the folder
  std::string summary = "text";  ///< on the standard output: text or markdown
  [[nodiscard]] bool is_markdown() const { return summary == "markdown"; }
  [[nodiscard]] bool is_wanted() const { return !folder.empty() || is_markdown(); }
};

class ReportOutput {
 public:
  explicit ReportOutput(OutputRequest request) : request_(std::move(request)) {}
  /// Writes report.html and `files` where a folder is wanted. The report's seconds are those since
  /// the one before it, or since construction. Throws std::runtime_error.
  void add(Report report, std::vector<FolderFile> files);
  /// What is written once, for all reports. Throws std::runtime_error.
  void finish(std::ostream& out);

 private:
  [[nodiscard]] std::filesystem::path folder_of(const std::string& title);

  OutputRequest request_;
  std::vector<Report> reports_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::vector<std::string> used_names_;
};

}  // namespace nandi::reports
