#include "fleet.h"

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "nandi/engine/options.h"
#include "nandi/engine/start_draw.h"

namespace nandi::bench {
namespace {

constexpr std::uint64_t kTimer = ~std::uint64_t{0};  // in place of a connection's number

}  // namespace

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
  epoll_event timer{};
  timer.events = EPOLLIN;
  timer.data.u64 = kTimer;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.descriptor(), &timer);
  const auto note_delay = [this](const Diagnostic& diagnostic, const ReportContext& context) {
    if (diagnostic.code != DiagnosticCode::registration_completed) return;
    delays_.push_back({context.reading->received - context.reading->sent, context.lag});
  };
  for (std::size_t i = 0; i < workers; ++i) {
    stores_.push_back(std::make_unique<RedisStore>(connections_[i % connections], group, i));
    workers_.push_back(std::make_unique<FleetWorker>(timing, draw_start(options, i), BootClock{},
                                                     *stores_[i], note_delay));
    planned_[i] = workers_[i]->next_wakeup();
    alarms_.push({planned_[i], i});
  }
}

void Fleet::step(std::size_t worker) {
  workers_[worker]->step();
  while (const auto hand_over = workers_[worker]->take()) {
    if (owns_[worker] != hand_over->pair.has_value()) hand_over->pair ? ++owners_ : --owners_;
    if (owns_[worker] && !hand_over->pair) ++stand_downs_;
    owns_[worker] = hand_over->pair.has_value();
  }
  if (const LocalTime next = workers_[worker]->next_wakeup(); next != planned_[worker]) {
    planned_[worker] = next;
    alarms_.push({next, worker});
  }
}

/// Workers whose time has come, in the order of their times; what they send to one connection
/// leaves in one write and in that order.
void Fleet::step_due() {
  const LocalTime now = clock_.now();
  if (alarms_.empty() || alarms_.top().when > now) return;
  for (RedisConnection& connection : connections_) connection.hold();
  while (!alarms_.empty() && alarms_.top().when <= now) {
    const Alarm alarm = alarms_.top();
    alarms_.pop();
    if (alarm.when != planned_[alarm.worker]) continue;
    planned_[alarm.worker] = LocalTime::max();
    step(alarm.worker);
  }
  for (RedisConnection& connection : connections_) connection.flush();
}

/// Handles the replies that arrive until then; returns early after some.
void Fleet::wait_until(LocalTime end) {
  if (end != armed_) timer_.arm(end);
  armed_ = end;
  epoll_event events[64];
  const int ready = epoll_wait(epoll_.get(), events, 64, -1);
  for (int i = 0; i < ready; ++i) {
    if (events[i].data.u64 == kTimer) {
      timer_.acknowledge();
      armed_ = LocalTime::max();
      continue;
    }
    RedisConnection& connection = connections_[static_cast<std::size_t>(events[i].data.u64)];
    while (const auto tag = connection.next_ready()) step(static_cast<std::size_t>(*tag));
  }
}

void Fleet::run_until(const std::function<bool()>& done, std::chrono::milliseconds limit) {
  const LocalTime end = clock_.now() + Duration(limit.count() * kNanosecondsPerMillisecond);
  constexpr Duration kLook(10 * kNanosecondsPerMillisecond);  // how often `done` is asked at least
  while (!done() && clock_.now() < end) {
    step_due();
    LocalTime next = std::min(end, clock_.now() + kLook);
    if (!alarms_.empty()) next = std::min(next, alarms_.top().when);
    wait_until(next);
  }
}

std::vector<std::optional<Pair>> Fleet::holdings() const {
  std::vector<std::optional<Pair>> held;
  const LocalTime now = clock_.now();
  for (const auto& worker : workers_) {
    const LeaseState& state = worker->state();
    const bool holds = state.has_lease && now < state.expires;
    held.push_back(holds ? std::optional(state.lease) : std::nullopt);
  }
  return held;
}

std::uint64_t Fleet::registrations() const {
  std::uint64_t sum = 0;
  for (const RedisConnection& connection : connections_) sum += connection.counters().registrations;
  return sum;
}

}  // namespace nandi::bench
