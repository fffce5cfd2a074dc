// A store and a clock inside the test's own process: the counters of one group, with replies that
// can be held back, lost or refused.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "nandi/engine/clock.h"
#include "nandi/engine/store.h"

namespace nandi::test {

/// A clock that a test moves by hand; copies show the same time.
class HandClock {
 public:
  [[nodiscard]] LocalTime now() const { return LocalTime(now_->load()); }
  void set(LocalTime now) const { now_->store(now.count()); }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> now_ = std::make_shared<std::atomic<std::int64_t>>(0);
};
static_assert(Clock<HandClock>);

/// The counters, shared by the stores of a group, which may be on several threads.
class InProcessCounters {
 public:
  explicit InProcessCounters(Duration interval) : interval_(interval) {}

  /// Registers once; the store's clock shows the same as the workers' (nobody relies on it), to the
  /// millisecond.
  Tick register_at(LocalTime now) {
    const std::scoped_lock lock(mutex_);
    if (frozen_at) now = *frozen_at;
    const IntervalNumber n = now.count() / interval_.count();
    Tick tick;
    tick.interval = n;
    tick.index = counters_[n]++;
    const auto previous = counters_.find(n - 1);
    if (previous != counters_.end()) tick.previous_count = previous->second;
    tick.at = StoreTime(now.count() / kNanosecondsPerMillisecond * kNanosecondsPerMillisecond);
    return tick;
  }

  /// While true, registrations are counted but not answered.
  std::atomic<bool> hangs{false};
  /// While not none, registrations are refused with this class and not counted.
  std::atomic<ErrorClass> refuses{ErrorClass::none};
  /// Set before use: what the store's clock shows, always.
  std::optional<LocalTime> frozen_at;

 private:
  Duration interval_;
  std::mutex mutex_;
  std::map<IntervalNumber, std::uint32_t> counters_;
};

/// Answers at once (unless told otherwise), by way of its descriptor.
template <Clock C>
class InProcessStore {
 public:
  InProcessStore(std::shared_ptr<InProcessCounters> counters, C clock)
      : counters_(std::move(counters)),
        clock_(std::move(clock)),
        descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~InProcessStore() { close(descriptor_); }
  InProcessStore(const InProcessStore&) = delete;
  InProcessStore& operator=(const InProcessStore&) = delete;

  void submit(const Attempt& attempt) {
    submitted.push_back(attempt.id);
    if (const ErrorClass error = counters_->refuses; error != ErrorClass::none) {
      completions_.push_back(
          {attempt.id, Failure{error, "refused by the test"}, clock_.now(), false});
    } else {
      const Tick tick = counters_->register_at(clock_.now());
      if (counters_->hangs) return;
      completions_.push_back({attempt.id, tick, clock_.now(), submitted.size() == 1});
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(descriptor_, &one, sizeof one);
  }
  void abandon(AttemptId id) { abandoned.push_back(id); }
  std::optional<Completion> next_completion() {
    if (completions_.empty()) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto bytes = read(descriptor_, &count, sizeof count);
      return std::nullopt;
    }
    Completion next = std::move(completions_.front());
    completions_.pop_front();
    next.received = clock_.now();
    return next;
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }

  std::vector<AttemptId> submitted;
  std::vector<AttemptId> abandoned;

 private:
  std::shared_ptr<InProcessCounters> counters_;
  C clock_;
  int descriptor_;
  std::deque<Completion> completions_;
};
static_assert(Store<InProcessStore<HandClock>>);

}  // namespace nandi::test
