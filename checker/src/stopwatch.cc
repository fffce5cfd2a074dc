#include "nandi/checker/stopwatch.h"

#include <limits>

namespace nandi::checker {

Stopwatch::Stopwatch(const ExploreOptions& options)
    : start_(std::chrono::steady_clock::now()),
      max_seconds_(options.bounds.max_seconds),
      progress_seconds_(options.progress_seconds),
      next_progress_(options.progress ? options.progress_seconds
                                      : std::numeric_limits<double>::infinity()) {}

StopwatchEvent Stopwatch::look() {
  const double now = seconds();
  if (now >= max_seconds_) {
    return StopwatchEvent::time_is_up;
  }
  if (now >= next_progress_) {
    next_progress_ = now + progress_seconds_;
    return StopwatchEvent::progress_due;
  }
  return StopwatchEvent::nothing;
}

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Stopwatch::fill(Progress& progress) {
  progress.seconds = seconds();
  const double elapsed = progress.seconds - last_seconds_;
  if (elapsed > 0) {
    progress.states_per_second = static_cast<double>(progress.states - last_states_) / elapsed;
  }
  last_seconds_ = progress.seconds;
  last_states_ = progress.states;
}

}  // namespace nandi::checker
