// A counterexample as a scenario file that nandi-sim replays, its story in the header.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <string>

#include "nandi/checker/run_lease_check.h"

namespace nandi::checker {

/// Throws std::runtime_error, with what to do, where the file cannot be written.
template <class Write>
void write_file(const std::string& path, const Write& write) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (file) write(file);
  file.flush();
  if (!file) {
    throw std::runtime_error(
        fmt::format("cannot write {}; name a file in a directory that may be written", path));
  }
}

struct SavedCounterexample {
  bool is_confirmed = false;  ///< the simulator sees the same violation
};

/// Writes the violation in `result` to `path`. Where the simulator does not see it in any form of
/// the path, since the leases share no more than a tick, a path to one that is longer is sought
/// with `options`. `command`: how it was found, for the header.
/// Precondition: the result is a violation of `check`.
SavedCounterexample save_counterexample(const std::string& path, const std::string& name,
                                        const std::string& command, const LeaseCheck& check,
                                        const LeaseCheckResult& result,
                                        const LeaseCheckOptions& options);

}  // namespace nandi::checker
