#include "nandi/engine/clock.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <ctime>
#include <fstream>
#include <utility>

#include "nandi/engine/boot_timer.h"

namespace nandi {
namespace {

bool readable(const BootTimer& timer, int timeout_ms) {
  pollfd entry{timer.descriptor(), POLLIN, 0};
  return poll(&entry, 1, timeout_ms) == 1;
}

constexpr Duration kMillisecond(kNanosecondsPerMillisecond);

TEST(BootClock, reads_nanoseconds_since_boot_suspend_included) {
  // /proc/uptime is the kernel's own statement of the time since boot, suspend included, in
  // seconds with two decimals, read before and after.
  const auto uptime = [] {
    double seconds = 0;
    std::ifstream("/proc/uptime") >> seconds;
    return seconds;
  };
  const double before = uptime();
  const double reading = static_cast<double>(BootClock{}.now().count()) / 1e9;
  const double after = uptime();
  EXPECT_GE(reading, before - 0.02);
  EXPECT_LE(reading, after + 0.02);
}

TEST(BootClock, never_goes_back) {
  const BootClock clock;
  LocalTime last = clock.now();
  for (int i = 0; i < 10'000; ++i) {
    const LocalTime now = clock.now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(BootTimer, fires_at_its_time_and_not_before) {
  BootTimer timer;
  const LocalTime when = BootClock{}.now() + 30 * kMillisecond;
  timer.arm(when);
  EXPECT_FALSE(readable(timer, 0));
  ASSERT_TRUE(readable(timer, 10'000));
  EXPECT_GE(BootClock{}.now(), when);
}

TEST(BootTimer, a_time_that_is_past_fires_at_once) {
  BootTimer timer;
  timer.arm(BootClock{}.now() - kMillisecond);
  EXPECT_TRUE(readable(timer, 10'000));
  timer.arm(LocalTime(0));
  EXPECT_TRUE(readable(timer, 10'000));
  timer.arm(LocalTime(-5));
  EXPECT_TRUE(readable(timer, 10'000));
}

TEST(BootTimer, never_is_never_and_stays_readable_until_acknowledged) {
  BootTimer timer;
  EXPECT_FALSE(readable(timer, 0));
  timer.arm(LocalTime(1));
  EXPECT_TRUE(readable(timer, 10'000));
  EXPECT_TRUE(readable(timer, 0));
  timer.acknowledge();
  EXPECT_FALSE(readable(timer, 0));
  timer.acknowledge();
  timer.arm(LocalTime(1));
  timer.arm(LocalTime::max());
  EXPECT_FALSE(readable(timer, 20));
}

}  // namespace
}  // namespace nandi
