#include "audit_command.h"

#include <filesystem>
#include <fstream>
#include <ostream>

#include "nandi/sim/audit.h"
#include "run_files.h"

namespace nandi::sim::cli {

int run_audit(const AuditRequest& request, std::istream& in, std::ostream& out, std::ostream& err) {
  AuditReader reader;
  try {
    for (const std::string& log : request.logs) {
      if (log == "-") {
        reader.add(in, "standard input");
      } else {
        reader.add(std::filesystem::path(log));
      }
    }
  } catch (const AuditError& error) {
    err << error.what() << "\n";
    return kBadFile;
  }
  const AuditedGroup group = reader.group();
  const AuditReport report = audit(group);
  if (request.json == "-") {
    write_audit_json(group, report, out);
    return exit_status(report.verdict);
  }
  if (!request.json.empty()) {
    std::ofstream file(request.json);
    write_audit_json(group, report, file);
    file.flush();
    if (!file) {
      err << request.json << ": cannot be written; check the folder and its permissions\n";
      return kBadFile;
    }
  }
  if (request.quiet) {
    out << verdict_name(report.verdict) << "\n";
  } else {
    write_audit_text(group, report, out);
  }
  return exit_status(report.verdict);
}

}  // namespace nandi::sim::cli
