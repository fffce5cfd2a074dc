// The reports that nandi-sim writes: a folder a run, JUnit, a summary for a job page.
#pragma once

#include <atomic>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_files.h"
#include "nandi/reports/report.h"

namespace nandi::sim::cli {

struct ReportRequest {
  std::string folder;  ///< empty: none. Several files: a folder in it for each
  std::size_t files = 1;
  bool junit = false;            ///< junit.xml in the folder
  bool perfetto = false;         ///< trace.perfetto.json beside each trace
  bool csv = false;              ///< metrics.csv beside each verdict
  std::string summary = "text";  ///< on the standard output: text or markdown
  std::optional<Duration> length;
  const std::atomic<bool>* stop = nullptr;
  [[nodiscard]] bool is_markdown() const { return summary == "markdown"; }
};

class RunReports final : public RunObserver {
 public:
  explicit RunReports(ReportRequest request) : request_(std::move(request)) {}
  void on_lease(const FinishedLease& finished) override;
  void on_partition(const std::string& file, const std::string& command,
                    const PartitionResult& result) override;
  void on_keyspace(const std::string& file, const std::string& command,
                   const KeyspaceResult& result) override;
  /// What is written once, for all files. Throws std::runtime_error.
  void finish(std::ostream& out);

 private:
  [[nodiscard]] std::filesystem::path folder_of(const std::string& title);

  ReportRequest request_;
  std::vector<reports::Report> reports_;
  std::vector<std::string> used_names_;
};

}  // namespace nandi::sim::cli
