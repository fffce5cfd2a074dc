// The reports that nandi-check writes: a folder a check, JUnit, a summary for a job page.
#pragma once

#include <iosfwd>
#include <string>

#include "nandi/checker/assumption_command.h"
#include "nandi/checker/check_command.h"
#include "nandi/reports/report_output.h"

namespace nandi::checker {

class CheckReports final : public CheckObserver {
 public:
  /// `program`: as the user named it.
  CheckReports(reports::OutputRequest request, std::string program)
      : output_(std::move(request)), program_(std::move(program)) {}
  void on_check(const CheckedFile& checked) override;
  void on_table(const FinishedTable& table);
  /// What is written once, for all files. Throws std::runtime_error.
  void finish(std::ostream& out) { output_.finish(out); }

 private:
  reports::ReportOutput output_;
  std::string program_;
};

}  // namespace nandi::checker
