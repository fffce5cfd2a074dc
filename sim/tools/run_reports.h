// The reports that nandi-sim writes: a folder a run, JUnit, a summary for a job page.
#pragma once

#include <atomic>
#include <iosfwd>
#include <optional>
#include <string>

#include "cli/run_files.h"
#include "nandi/reports/report_output.h"

namespace nandi::sim::cli {

struct ReportRequest {
  reports::OutputRequest output;
  bool perfetto = false;  ///< trace.perfetto.json beside each trace
  bool csv = false;       ///< metrics.csv beside each verdict
  std::optional<Duration> length;
  const std::atomic<bool>* stop = nullptr;
};

class RunReports final : public RunObserver {
 public:
  explicit RunReports(ReportRequest request)
      : request_(std::move(request)), output_(request_.output) {}
  void on_lease(const FinishedLease& finished) override;
  void on_partition(const std::string& file, const std::string& command,
                    const PartitionResult& result) override;
  void on_keyspace(const std::string& file, const std::string& command,
                   const KeyspaceResult& result) override;
  void on_settling(const std::string& file, const std::string& command,
                   const SettlingResult& result) override;
  /// What is written once, for all files. Throws std::runtime_error.
  void finish(std::ostream& out) { output_.finish(out); }

 private:
  ReportRequest request_;
  reports::ReportOutput output_;
};

}  // namespace nandi::sim::cli
