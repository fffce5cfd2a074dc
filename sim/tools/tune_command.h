// `nandi-sim tune [FILE]`: chooses interval and gap. tune --help describes it.
#pragma once

#include <atomic>

namespace nandi::sim::cli {

/// `program`: as the user named it, for the command that a report shows; argv[0] is "tune".
/// Returns the exit status: of tune_verdict(), 64 usage, 65 a bad file.
int run_tune_tool(const char* program, int argc, char** argv, const std::atomic<bool>& stop);

}  // namespace nandi::sim::cli
