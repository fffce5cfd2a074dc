// Elapsed time of one exploration: its bound, and when progress is due.
#pragma once

#include <chrono>

#include "nandi/checker/exploration.h"

namespace nandi::checker {

enum class StopwatchEvent { nothing, progress_due, time_is_up };

class Stopwatch {
 public:
  explicit Stopwatch(const ExploreOptions& options);

  StopwatchEvent look();
  double seconds() const;
  // Sets the progress's time and its rate, that since the last call.
  void fill(Progress& progress);

 private:
  std::chrono::steady_clock::time_point start_;
  double max_seconds_;
  double progress_seconds_;
  double next_progress_;
  double last_seconds_ = 0;
  std::uint64_t last_states_ = 0;
};

}  // namespace nandi::checker
