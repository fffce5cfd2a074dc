#include <ctime>

#include "nandi/engine/clock.h"

namespace nandi {

LocalTime BootClock::now() const {
  timespec reading{};
  // Cannot fail: the clock exists since Linux 2.6.39 and the pointer is valid.
  clock_gettime(CLOCK_BOOTTIME, &reading);
  return LocalTime(std::int64_t{reading.tv_sec} * kNanosecondsPerSecond + reading.tv_nsec);
}

}  // namespace nandi
