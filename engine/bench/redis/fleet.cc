#include "fleet.h"

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "nandi/engine/options.h"
#include "nandi/engine/start_draw.h"

namespace nandi::bench {

std::int64_t processor_time_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * std::int64_t{1'000'000} +
         usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

std::int64_t allocated_bytes() {
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

Fleet::Fleet(const RedisOptions& redis, std::size_t workers, std::size_t connections,
             std::chrono::milliseconds interval)
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), planned_(workers), owns_(workers, false) {
  Options options;
  options.name = "fleet-" + std::to_string(workers) + "-" + std::to_string(connections);
  options.interval = interval;
  const RedisGroup group{group_key(options), interval_ms(options)};
  const LeaseTiming timing = timing_of(options);
  connections_.reserve(connections);
  for (std::size_t i = 0; i < connections; ++i) {
    connections_.emplace_back(redis, gap_margin(timing));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connections_.back().descriptor(), &event);
  }
  for (std::size_t i = 0; i < workers; ++i) {
    stores_.push_back(std::make_unique<RedisStore>(connections_[i % connections], group, i));
    workers_.push_back(std::make_unique<FleetWorker>(timing, draw_start(options, i), BootClock{},
                                                     *stores_[i], Reporter{}));
    planned_[i] = workers_[i]->next_wakeup();
    alarms_.push({planned_[i], i});
  }
}

void Fleet::step(std::size_t worker) {
  workers_[worker]->step();
  while (const auto hand_over = workers_[worker]->take()) {
    if (owns_[worker] != hand_over->pair.has_value()) hand_over->pair ? ++owners_ : --owners_;
    owns_[worker] = hand_over->pair.has_value();
  }
  if (const LocalTime next = workers_[worker]->next_wakeup(); next != planned_[worker]) {
    planned_[worker] = next;
    alarms_.push({next, worker});
  }
}

void Fleet::run_until(const std::function<bool()>& done, std::chrono::milliseconds limit) {
  const LocalTime end = clock_.now() + Duration(limit.count() * kNanosecondsPerMillisecond);
  while (!done()) {
    LocalTime now = clock_.now();
    if (now >= end) return;
    while (!alarms_.empty() && alarms_.top().when <= now) {
      const Alarm alarm = alarms_.top();
      alarms_.pop();
      if (alarm.when == planned_[alarm.worker]) {
        planned_[alarm.worker] = LocalTime::max();
        step(alarm.worker);
      }
    }
    LocalTime next = end;
    if (!alarms_.empty()) next = std::min(next, alarms_.top().when);
    now = clock_.now();
    const auto wait = std::max<std::int64_t>((next - now).count(), 0) / kNanosecondsPerMillisecond;
    epoll_event events[64];
    const int ready = epoll_wait(epoll_.get(), events, 64, static_cast<int>(wait) + 1);
    for (int i = 0; i < ready; ++i) {
      RedisConnection& connection = connections_[static_cast<std::size_t>(events[i].data.u64)];
      while (const auto tag = connection.next_ready()) step(static_cast<std::size_t>(*tag));
    }
  }
}

std::uint64_t Fleet::registrations() const {
  std::uint64_t sum = 0;
  for (const RedisConnection& connection : connections_) sum += connection.counters().registrations;
  return sum;
}

}  // namespace nandi::bench
