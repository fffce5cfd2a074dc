// A line on a terminal that says how far a long job is, drawn over itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace nandi::sim::cli {

/// Drawn ten times a second at most. Not for several threads at once.
class ProgressLine {
 public:
  explicit ProgressLine(std::ostream& err) : err_(err) {}

  /// "NAME: 120 of 1,000 seeds, 60/s, 15 s left", and `more` behind it. `before` of `done` were
  /// there already when this began: they say nothing of the rate. Another name, or fewer done than
  /// before, begins another job, with a rate of its own.
  void draw(const std::string& name, std::uint64_t done, std::uint64_t total,
            std::uint64_t before = 0, const std::string& more = "");
  /// Leaves nothing behind.
  void remove();

 private:
  using Clock = std::chrono::steady_clock;

  std::ostream& err_;
  std::string name_;
  std::uint64_t done_ = 0;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point drawn_;
  bool is_there_ = false;
};

}  // namespace nandi::sim::cli
