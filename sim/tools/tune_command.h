// `nandi-sim tune [FILE]`: chooses interval and gap. tune --help describes it.
#pragma once

#include <atomic>

namespace nandi::sim::cli {

/// Returns the exit status: 0 a setting is recommended, 1 none passes, 2 interrupted before one was
/// found, 64 usage, 65 a bad file.
int run_tune_tool(int argc, char** argv, const std::atomic<bool>& stop);

}  // namespace nandi::sim::cli
