// The command line of nandi-worker.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

/// What to print and how to exit instead of working.
struct EarlyExit {
  int status = 0;
  std::string text;  ///< to standard output when status is 0, else to standard error
};

/// Reads the command line, the files and environment variables it names, and checks the options.
/// A password found in argv is overwritten there, so that `ps` does not show it for longer than
/// the start takes.
[[nodiscard]] std::variant<WorkerArguments, EarlyExit> parse_arguments(int argc, char** argv);

/// "300ms", "1.5s", "2m", "1h": a number and a unit (us, ms, s, m, h), exact. nullopt for anything
/// else, what is not a whole number of nanoseconds or above a thousand years included.
[[nodiscard]] std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

}  // namespace nandi::tools
