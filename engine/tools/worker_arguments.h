// The command line of nandi-worker.
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "group_arguments.h"
#include "nandi/engine/diagnostics.h"
#include "nandi/engine/options.h"
#include "nandi/engine/redis/redis_options.h"

namespace nandi::tools {

struct WorkerArguments {
  RedisOptions redis;
  Options options;
  std::chrono::milliseconds drain{5000};
  Level log_level = Level::info;
  std::string command;                ///< --exec; empty: none
  std::string metrics;                ///< --metrics; empty: none
  std::vector<std::string> warnings;  ///< of the options, one sentence each
};

/// Reads the command line, the files and environment variables it names, and checks the options.
/// A password found in argv is overwritten there, so that `ps` does not show it for longer than
/// the start takes.
[[nodiscard]] std::variant<WorkerArguments, EarlyExit> parse_arguments(int argc, char** argv);

}  // namespace nandi::tools
