#include "nandi/engine/boot_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <system_error>

namespace nandi {

BootTimer::BootTimer() : descriptor_(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), "creating a timer");
  }
}

BootTimer::~BootTimer() { close(descriptor_); }

void BootTimer::arm(LocalTime when) {
  itimerspec setting{};
  if (when != LocalTime::max()) {
    // Zero would mean "off" to the kernel, and a negative time is an error to it.
    const std::int64_t count = std::max(when.count(), std::int64_t{1});
    setting.it_value.tv_sec = static_cast<std::time_t>(count / kNanosecondsPerSecond);
    setting.it_value.tv_nsec = static_cast<long>(count % kNanosecondsPerSecond);
  }
  if (timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &setting, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "setting a timer");
  }
}

void BootTimer::acknowledge() {
  std::uint64_t expirations = 0;
  // EAGAIN when it has not fired: nothing to acknowledge.
  [[maybe_unused]] const auto bytes = read(descriptor_, &expirations, sizeof expirations);
}

}  // namespace nandi
