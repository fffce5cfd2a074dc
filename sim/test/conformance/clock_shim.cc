// Loaded into a redis-server with LD_PRELOAD: its wall clock shows what the test has written into
// the file that NANDI_SERVER_CLOCK names, a number of microseconds since 1970. It stands still in
// between, so that no answer depends on how fast the test runs. Other clocks are left alone: the
// server's event loop runs on the monotonic one.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

using Shown = std::atomic<std::int64_t>;
static_assert(Shown::is_always_lock_free, "shared by two processes");

constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;

/// A server that is not given the time it asked for would make every answer a lie.
const Shown& shown() {
  static const Shown* const mapped = [] {
    const char* path = std::getenv("NANDI_SERVER_CLOCK");
    const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) std::abort();
    void* memory = mmap(nullptr, sizeof(Shown), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) std::abort();
    return static_cast<const Shown*>(memory);
  }();
  return *mapped;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  using Function = int (*)(clockid_t, timespec*);
  static const auto original = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
  if (clock != CLOCK_REALTIME) return original(clock, time);
  const std::int64_t now = shown().load();
  time->tv_sec = now / kMicrosecondsPerSecond;
  time->tv_nsec = now % kMicrosecondsPerSecond * 1000;
  return 0;
}

extern "C" int gettimeofday(timeval* time, void*) noexcept {
  const std::int64_t now = shown().load();
  time->tv_sec = now / kMicrosecondsPerSecond;
  time->tv_usec = now % kMicrosecondsPerSecond;
  return 0;
}
