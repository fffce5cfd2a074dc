// Drives a store the way a worker does: submit, poll the descriptor, collect.
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

#include "nandi/engine/clock.h"
#include "nandi/engine/redis/redis_store.h"

namespace nandi {
inline void PrintTo(ErrorClass error, std::ostream* out) { *out << to_string(error); }
}  // namespace nandi

namespace nandi::test {

inline Duration as_duration(std::chrono::nanoseconds time) { return Duration(time.count()); }

/// Waits for one completion of `store`; nullopt when there is none by then.
inline std::optional<Completion> wait_completion(RedisStore& store,
                                                 std::chrono::milliseconds patience) {
  const BootClock clock;
  const LocalTime end = clock.now() + as_duration(patience);
  for (;;) {
    if (std::optional<Completion> completion = store.next_completion()) return completion;
    const LocalTime now = clock.now();
    if (now >= end) return std::nullopt;
    pollfd polled{store.descriptor(), POLLIN, 0};
    poll(&polled, 1, static_cast<int>((end - now).count() / kNanosecondsPerMillisecond) + 1);
  }
}

/// One registration from begin to end; the store answers by the deadline, so a missing answer
/// (after a generous delay for a loaded machine) is a defect.
inline std::optional<Completion> register_once(RedisStore& store, AttemptId id,
                                               std::chrono::milliseconds allowance) {
  store.submit({id, BootClock{}.now() + as_duration(allowance)});
  return wait_completion(store, allowance + std::chrono::seconds(5));
}

inline const Tick* tick_in(const std::optional<Completion>& completion) {
  return completion ? std::get_if<Tick>(&completion->outcome) : nullptr;
}

inline const Failure* failure_in(const std::optional<Completion>& completion) {
  return completion ? std::get_if<Failure>(&completion->outcome) : nullptr;
}

/// For messages of tests: why there is no tick.
inline std::string detail_in(const std::optional<Completion>& completion) {
  if (!completion) return "no completion";
  const Failure* failure = failure_in(completion);
  return failure == nullptr ? "a tick" : failure->detail;
}

/// The class of a failure; none for a tick, and other where there is no completion at all.
inline ErrorClass error_in(const std::optional<Completion>& completion) {
  if (!completion) return ErrorClass::other;
  const Failure* failure = failure_in(completion);
  return failure == nullptr ? ErrorClass::none : failure->error;
}

}  // namespace nandi::test
