#include "nandi/reports/report_output.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "nandi/reports/page.h"
#include "nandi/reports/summaries.h"

namespace nandi::reports {

/// One file has the folder to itself; several have one each, whatever they are called.
std::filesystem::path ReportOutput::folder_of(const std::string& title) {
  const std::filesystem::path folder = request_.folder;
  if (request_.files == 1) return folder;
  const std::string plain = file_name_of(title);
  std::string name = plain;
  for (int number = 2; std::find(used_names_.begin(), used_names_.end(), name) != used_names_.end();
       ++number) {
    name = plain + "-" + std::to_string(number);
  }
  used_names_.push_back(name);
  return folder / name;
}

void ReportOutput::add(Report report, std::vector<FolderFile> files) {
  const auto now = std::chrono::steady_clock::now();
  report.seconds = std::chrono::duration<double>(now - std::exchange(since_, now)).count();
  const Report& kept = reports_.emplace_back(std::move(report));
  if (request_.folder.empty()) return;
  files.push_back({"report.html", [&kept](std::ostream& out) { out << html_page(kept); }});
  write_folder(folder_of(kept.title), files);
}

void ReportOutput::finish(std::ostream& out) {
  if (request_.junit) {
    write_folder(request_.folder,
                 {{"junit.xml", [&](std::ostream& file) { file << junit_xml(reports_); }}});
  }
  if (request_.is_markdown()) out << markdown_summary(reports_);
}

}  // namespace nandi::reports
