// One scenario of kind `lease`, run and reported.
#pragma once

#include <optional>

#include "nandi/sim/verdict.h"
#include "nandi/sim/yaml/tree.h"
#include "run_files.h"

namespace nandi::sim::cli {

struct FileOutcome {
  Verdict verdict = Verdict::unknown;
  bool as_expected = false;
  std::optional<yaml::Tree> json;
};

/// `shown` is the file as the user named it. Throws std::runtime_error where a trace cannot be
/// written or two runs of one seed differ.
FileOutcome run_lease(const Scenario& scenario, const std::string& shown, const RunRequest& request,
                      const Streams& streams);

}  // namespace nandi::sim::cli
