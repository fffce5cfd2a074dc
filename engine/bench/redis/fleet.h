// Many workers of one group in one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "nandi/engine/boot_timer.h"
#include "nandi/engine/clock.h"
#include "nandi/engine/redis/redis_store.h"
#include "nandi/engine/worker.h"
#include "redis/file_descriptor.h"

namespace nandi::bench {

/// Of this process, user and system.
[[nodiscard]] std::int64_t processor_time_us();
/// On the heap, in use.
[[nodiscard]] std::int64_t allocated_bytes();

/// What one registration took on top of nothing at all.
struct RegistrationDelay {
  Duration round_trip;  ///< sent to received
  Duration lag;         ///< sent later than planned
};

class Fleet {
 public:
  /// `connections` at least 1; with as many connections as workers, each has its own.
  Fleet(const RedisOptions& redis, std::size_t workers, std::size_t connections,
        std::chrono::milliseconds interval);

  /// Drives all workers until `done` says so or the time is up.
  void run_until(const std::function<bool()>& done, std::chrono::milliseconds limit);

  /// Workers that were handed a pair last.
  [[nodiscard]] std::size_t owners() const { return owners_; }
  /// Times that a worker was handed idle after a pair.
  [[nodiscard]] std::uint64_t stand_downs() const { return stand_downs_; }
  /// What each worker holds at this moment.
  [[nodiscard]] std::vector<std::optional<Pair>> holdings() const;
  [[nodiscard]] std::uint64_t registrations() const;

  /// Of the registrations completed since the last call, in the order of their replies.
  [[nodiscard]] std::vector<RegistrationDelay> take_delays() { return std::exchange(delays_, {}); }

 private:
  using FleetWorker = Worker<BootClock, RedisStore>;
  struct Alarm {
    LocalTime when;
    std::size_t worker = 0;
    friend bool operator>(const Alarm& a, const Alarm& b) { return a.when > b.when; }
  };

  void step(std::size_t worker);
  void step_due();
  void wait_until(LocalTime end);

  BootClock clock_;
  redis::FileDescriptor epoll_;
  std::vector<RedisConnection> connections_;
  std::vector<std::unique_ptr<RedisStore>> stores_;
  std::vector<std::unique_ptr<FleetWorker>> workers_;
  std::vector<LocalTime> planned_;
  std::vector<bool> owns_;
  std::priority_queue<Alarm, std::vector<Alarm>, std::greater<>> alarms_;
  BootTimer timer_;
  LocalTime armed_ = LocalTime::max();
  std::size_t owners_ = 0;
  std::uint64_t stand_downs_ = 0;
  std::vector<RegistrationDelay> delays_;
};

}  // namespace nandi::bench
