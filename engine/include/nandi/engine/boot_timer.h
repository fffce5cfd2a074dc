// A timer of the worker's clock that can be polled.
#pragma once

#include "nandi/engine/time.h"

namespace nandi {

/// A timerfd on CLOCK_BOOTTIME. A time that passes in suspend fires on resume. What it announces
/// is only that a time has come: whoever wakes up reads the clock again.
class BootTimer {
 public:
  /// Errors: std::system_error when the process has no descriptors left.
  BootTimer();
  ~BootTimer();
  BootTimer(const BootTimer&) = delete;
  BootTimer& operator=(const BootTimer&) = delete;

  /// Fires once BootClock shows `when`, at once when that is past, never for LocalTime::max().
  /// Replaces the time set before and makes the descriptor unreadable until then.
  void arm(LocalTime when);

  /// Makes the descriptor unreadable again after it fired.
  void acknowledge();

  /// Readable once the time has come, until acknowledge() or arm().
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace nandi
