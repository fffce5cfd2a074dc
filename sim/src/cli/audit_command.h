// nandi-sim audit LOG...: the verdicts of a real group.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace nandi::sim::cli {

struct AuditRequest {
  std::vector<std::string> logs;  ///< "-": the standard input
  std::string json;  ///< where to write; "-": standard output, instead of the text; empty: nowhere
  bool quiet = false;
};

/// The exit status: the verdict's, or 65 for a file that is no log.
int run_audit(const AuditRequest& request, std::istream& in, std::ostream& out, std::ostream& err);

}  // namespace nandi::sim::cli
