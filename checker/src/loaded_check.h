// A scenario file with its check, and the options of exploring it.
#pragma once

#include <filesystem>
#include <iosfwd>

#include "nandi/checker/check_command.h"
#include "nandi/checker/run_lease_check.h"
#include "nandi/sim/scenario.h"

namespace nandi::checker {

struct LoadedCheck {
  sim::Scenario scenario;
  LeaseCheck check;
};

/// The file's check as the command line changes it, its settings too. Throws sim::yaml::LoadError,
/// with the place, where the file cannot be checked.
[[nodiscard]] LoadedCheck load_check(const std::filesystem::path& path,
                                     const CheckRequest& request);

/// What the command line says, or else the file; `settings` are those of load_check. Progress goes
/// to `err`, which must outlive them.
[[nodiscard]] LeaseCheckOptions options_of(const CheckRequest& request,
                                           const sim::CheckSettings& settings, std::ostream& err);

}  // namespace nandi::checker
