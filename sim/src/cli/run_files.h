// What nandi-sim does with the files that it is given.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "nandi/sim/scenario.h"

namespace nandi::sim::cli {

/// Exit statuses besides those of a verdict (verdict.h).
inline constexpr int kUsage = 64;
inline constexpr int kBadFile = 65;
inline constexpr int kOwnBug = 70;

struct RunRequest {
  std::vector<std::filesystem::path> files;
  std::optional<SeedRange> seeds;  ///< instead of the file's
  unsigned jobs = 1;
  std::optional<Duration> length;  ///< instead of the file's
  std::string json;                ///< where to write; "-": standard output; empty: nowhere
  std::string trace;               ///< the same for the trace of one seed
  bool as_expected = false;
  bool check_determinism = false;
  bool quiet = false;
  std::function<std::int64_t()> lookup_clock;  ///< times the lookups of partition schemes
  bool draw_progress = false;                  ///< on the error stream
  bool use_colour = false;
  int width = 80;  ///< of the terminal, in columns
  std::string program = "nandi-sim";
  const std::atomic<bool>* stop = nullptr;
};

/// Where output goes.
struct Streams {
  std::ostream& text;  ///< for people
  std::ostream& data;  ///< JSON and traces that were asked for on the standard output
  std::ostream& err;
};

/// Runs each file and writes what came of it; the result is the exit status. Several files: the
/// worst verdict counts (violated, then unknown, then holds), a file that cannot be read before
/// all.
int run_files(const RunRequest& request, std::ostream& out, std::ostream& err);

}  // namespace nandi::sim::cli
