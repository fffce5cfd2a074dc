// A small group of workers around one store, for properties of the engine alone: an event loop
// written for these tests, with the store's true time in view.
//
// True time is a whole number of ticks. The store's clock shows 1000 units a tick, worker w's clock
// origin + (1000 + rate) units a tick, so that both are exact and drift by rate / 1000. Everything
// that can go wrong is read from one list of choices; a list that is used up reads as zeros, which
// is the group in which nothing goes wrong, so that any prefix of a list is a valid run and a
// shorter list is a simpler one.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nandi/engine/lease_engine.h"

namespace nandi::test {

class Choices {
 public:
  explicit Choices(std::vector<std::uint16_t> list) : list_(std::move(list)) {}

  /// 0 .. bound - 1; 0 when the list is used up.
  std::int64_t below(std::int64_t bound) {
    if (next_ >= list_.size()) return 0;
    return list_[next_++] % bound;
  }
  /// True with a chance of one in `of`; never when the list is used up.
  bool one_in(std::int64_t of) { return below(of) == of - 1; }

 private:
  std::vector<std::uint16_t> list_;
  std::size_t next_ = 0;
};

/// What a run of a group broke, and how much of interest it did.
struct Findings {
  std::vector<std::string> broken;  ///< "property: story"; empty when all held
  int grants = 0;
  int renewals = 0;
  int losses = 0;
  int retries = 0;
  int late_replies = 0;

  [[nodiscard]] bool broke(std::string_view property) const {
    return std::any_of(broken.begin(), broken.end(),
                       [&](const std::string& text) { return text.starts_with(property); });
  }
};

/// Engine: LeaseEngine or a broken variant with the same operations.
template <class Engine>
class TestGroup {
 public:
  static constexpr std::int64_t kUnit = 1000;  // store units a tick
  static constexpr std::int64_t kInterval = 800 * kUnit;
  static constexpr std::int64_t kResolution = 4 * kUnit;
  static constexpr std::int64_t kIntervalTicks = kInterval / kUnit;

  TestGroup(std::vector<std::uint16_t> choices, int workers) : choices_(std::move(choices)) {
    config_.timing.interval = Duration(kInterval);
    config_.timing.gap = Fraction(3, 20);
    config_.timing.attempt_timeout = Duration(kInterval / 8);
    config_.timing.resolution = Duration(kResolution);
    config_.timing.drift = Fraction(1, 100);
    for (int w = 0; w < workers; ++w) add_worker();
  }

  Findings run(std::int64_t intervals) {
    const std::int64_t end = intervals * kIntervalTicks;
    while (!events_.empty()) {
      const auto first = events_.begin();
      const std::int64_t now = first->first.first;
      if (now >= end) break;
      const Event event = first->second;
      events_.erase(first);
      handle(now, event);
    }
    return std::move(findings_);
  }

 private:
  enum class Kind : std::uint8_t { wake, execute, reply, consume, stop, crash };
  struct Event {
    Kind kind = Kind::wake;
    std::size_t worker = 0;
    AttemptId attempt = 0;
    Tick tick;
    bool refused = false;
  };
  struct Worker {
    Engine engine;
    std::int64_t origin = 0;
    std::int64_t rate = 0;           // its clock gains this many thousandths
    std::int64_t stalled_until = 0;  // true ticks
    std::int64_t drains_until = 0;   // its consumer asks for nothing before
    bool alive = true;
    bool stopped = false;
    int failures = 0;               // in a row, as this test counts them
    LocalTime sent;                 // the last attempt
    LocalTime hold_ends;            // of the lease last issued
    std::optional<Pair> held;       // as last seen, to notice grants
    std::optional<Tick> last_tick;  // of the last completed registration
    std::vector<HandOver> handed;
    int lapses = 0;  // of leases that the consumer had been handed
    bool consumer_has_pair = false;
    bool lost_since_handed = false;
  };
  struct RingSink {
    TestGroup* group;
    std::size_t worker;
    std::int64_t now;
    void operator()(const Diagnostic& d) const { group->note(worker, now, d); }
  };

  [[nodiscard]] LocalTime local(const Worker& worker, std::int64_t tick) const {
    return LocalTime(worker.origin + tick * (kUnit + worker.rate));
  }
  /// The first tick at which the worker's clock shows at least `when`.
  [[nodiscard]] std::int64_t tick_of(const Worker& worker, LocalTime when) const {
    return static_cast<std::int64_t>(
        ceil_div(Int128{when.count()} - worker.origin, kUnit + worker.rate));
  }

  void push(std::int64_t tick, Event event) {
    events_.emplace(std::pair(tick, sequence_++), std::move(event));
  }
  void broken(std::string_view property, std::int64_t now, std::size_t worker,
              std::string_view story) {
    findings_.broken.push_back(
        fmt::format("{}: worker {} at {}: {}", property, worker, now, story));
  }

  void add_worker() {
    Worker worker;
    worker.origin = choices_.below(50'000) * 1000;
    worker.rate = choices_.below(19) - 9;  // 1 / 0.991 is still within 1 + 1/100
    const std::int64_t join = choices_.below(3) * choices_.below(3 * kIntervalTicks);
    const std::int64_t first = join + choices_.below(kIntervalTicks);
    const std::int64_t kept = 120 * kUnit + choices_.below(561) * kUnit;  // 0.15 to 0.85 of it
    worker.engine.start(local(worker, first), Duration(kept));
    const std::size_t index = workers_.size();
    workers_.push_back(std::move(worker));
    push(join, Event{Kind::wake, index, 0, {}, false});
    if (choices_.one_in(3)) {
      const std::int64_t leave = join + choices_.below(8 * kIntervalTicks);
      const Kind kind = choices_.one_in(2) ? Kind::crash : Kind::stop;
      push(leave, Event{kind, index, 0, {}, false});
    }
  }

  void handle(std::int64_t now, const Event& event) {
    if (event.kind == Kind::execute) return execute(now, event);
    Worker& worker = workers_[event.worker];
    if (!worker.alive) return;
    if (now < worker.stalled_until) return push(worker.stalled_until, event);
    if (choices_.one_in(60)) {  // it stalls just before it does anything about this
      worker.stalled_until = now + 1 + choices_.below(2 * kIntervalTicks);
      return push(worker.stalled_until, event);
    }
    const RingSink sink{this, event.worker, now};
    const LocalTime clock = local(worker, now);
    switch (event.kind) {
      case Kind::crash: worker.alive = false; return;
      case Kind::stop:
        worker.stopped = true;
        worker.engine.on_stop(clock, sink);
        break;
      case Kind::reply: deliver(now, event); break;
      case Kind::consume: consume(now, event.worker); return;
      case Kind::wake:
      case Kind::execute: break;
    }
    if (const auto attempt = worker.engine.on_timer(config_, clock, sink)) {
      send(now, event.worker, *attempt);
    }
    after_step(now, event.worker);
  }

  /// Sleeps until the engine's next wake-up, or a little longer, and lets the consumer come by.
  void after_step(std::int64_t now, std::size_t index) {
    Worker& worker = workers_[index];
    push(now + choices_.below(2) * choices_.below(kIntervalTicks),
         Event{Kind::consume, index, 0, {}, false});
    const LocalTime next = worker.engine.next_wakeup(config_);
    if (next == LocalTime::max()) return;
    const std::int64_t lag = choices_.one_in(8) ? choices_.below(200) : 0;
    push(std::max(tick_of(worker, next) + lag, now + 1), Event{Kind::wake, index, 0, {}, false});
  }

  void send(std::int64_t now, std::size_t index, const Attempt& attempt) {
    Worker& worker = workers_[index];
    check_send(now, index);
    worker.sent = local(worker, now);
    Event event{Kind::execute, index, attempt.id, {}, false};
    if (choices_.one_in(30)) {
      event.kind = Kind::reply;  // refused: no script ran
      event.refused = true;
      return push(now + choices_.below(40), event);
    }
    if (choices_.one_in(30)) return;  // the request is lost
    push(now + delay(), event);
  }

  std::int64_t delay() {
    const std::int64_t usual = choices_.below(12);
    return choices_.one_in(15) ? choices_.below(3 * kIntervalTicks) : usual;
  }

  void execute(std::int64_t now, const Event& event) {
    const std::int64_t store = now * kUnit;
    const std::int64_t interval = store / kInterval;
    Event reply = event;
    reply.kind = Kind::reply;
    reply.tick.interval = interval;
    reply.tick.index = counters_[interval]++;
    const auto previous = counters_.find(interval - 1);
    if (previous != counters_.end()) reply.tick.previous_count = previous->second;
    reply.tick.at = StoreTime(store / kResolution * kResolution);
    if (choices_.one_in(30)) return;  // the reply is lost
    push(now + delay(), reply);
  }

  void deliver(std::int64_t now, const Event& event) {
    Worker& worker = workers_[event.worker];
    const RingSink sink{this, event.worker, now};
    const LocalTime clock = local(worker, now);
    const bool current = event.attempt == worker.engine.current_attempt();
    const auto before = worker.engine.state();
    if (event.refused) {
      worker.engine.on_failure(config_, event.attempt, ErrorClass::busy, clock, sink);
      return;
    }
    if (current) worker.last_tick = event.tick;
    executed_ = event.tick.at;
    worker.engine.on_tick(config_, event.attempt, event.tick, clock, clock, sink);
    if (current) return;
    ++findings_.late_replies;
    // Only the end of a lease, which every call notices, may have changed.
    const bool expired = before.has_lease && clock >= before.expires;
    if (!expired && !(worker.engine.state() == before)) {
      broken("abandoned", now, event.worker, "a late reply changed the engine");
    }
  }

  void consume(std::int64_t now, std::size_t index) {
    Worker& worker = workers_[index];
    if (now < worker.drains_until) {
      return push(worker.drains_until, Event{Kind::consume, index, 0, {}, false});
    }
    const RingSink sink{this, index, now};
    if (const auto next = worker.engine.take(config_, local(worker, now), sink)) {
      check_hand_over(now, index, *next);
    } else if (worker.consumer_has_pair && worker.lost_since_handed) {
      broken("hand-over", now, index, "a lost lease was kept from the consumer");
    }
  }

  // --- The properties ---

  void note(std::size_t index, std::int64_t now, const Diagnostic& d) {
    Worker& worker = workers_[index];
    switch (d.code) {
      case DiagnosticCode::registration_completed: worker.failures = 0; break;
      case DiagnosticCode::registration_failed:
        ++worker.failures;
        worker.last_tick.reset();
        break;
      case DiagnosticCode::lease_expired:
      case DiagnosticCode::lease_released:
        ++findings_.losses;
        worker.held.reset();
        if (worker.consumer_has_pair && !worker.lost_since_handed) {
          worker.lost_since_handed = true;
          ++worker.lapses;
        }
        break;
      case DiagnosticCode::lease_granted:
        ++findings_.grants;
        check_issue(now, index, d);
        break;
      case DiagnosticCode::lease_renewed:
        ++findings_.renewals;
        check_issue(now, index, d);
        break;
      default: break;
    }
  }

  /// A lease was issued: it is alone on its index, shares no task with another, was issued by a
  /// tick that executed a gap or more into its interval, and ends a gap past the slot at the
  /// latest.
  void check_issue(std::int64_t now, std::size_t index, const Diagnostic& d) {
    Worker& worker = workers_[index];
    worker.held = d.pair;
    worker.hold_ends = d.expires;
    for (std::size_t other = 0; other < workers_.size(); ++other) {
      const Worker& holder = workers_[other];
      // A worker that is stalled still holds: nobody told it otherwise. One that crashed may have
      // a consumer that goes on until the end of the lease.
      if (other == index || !holder.held || local(holder, now) >= holder.hold_ends) continue;
      const std::uint32_t divisor = std::gcd(holder.held->count, d.pair.count);
      if (holder.held->index % divisor == d.pair.index % divisor) {
        broken("exclusive", now, index,
               fmt::format("issued ({}, {}) while worker {} holds ({}, {})", d.pair.index,
                           d.pair.count, other, holder.held->index, holder.held->count));
      }
    }
    // The true execution is in [at, at + resolution), so this is no stricter than the lemma.
    const std::int64_t into = executed_.count() + kResolution - 1 - d.interval * kInterval;
    if (into < kInterval * 3 / 20) {
      broken("lemma", now, index, fmt::format("a granting tick executed {} in", into));
    }
    // The last tick at which the worker still holds, on the store's true clock.
    const std::int64_t last = tick_of(worker, d.expires) - 1;
    const std::int64_t slot_end = (d.interval + 1) * kInterval;  // of the interval of the slot
    const std::int64_t latest = slot_end + latest_end(*worker.last_tick);
    // A variant without an end holds for longer than store units can count.
    if (Int128{last} * kUnit >= latest && last >= now) {
      broken("expiry", now, index,
             fmt::format("holds at tick {}, slot plus gap is {} of the store", last, latest));
    }
  }

  /// Slot plus gap, as an offset in its interval and rounded up: g + (i + 1/2) / m (1 - 2g) + g
  /// with g = 3/20, so (6 m + 7 (2 i + 1)) / (20 m) of the interval.
  static std::int64_t latest_end(const Tick& tick) {
    const std::int64_t i = tick.index;
    const std::int64_t m = std::max<std::int64_t>(tick.previous_count.value_or(0), i + 1);
    return (kInterval * (6 * m + 7 * (2 * i + 1)) + 20 * m - 1) / (20 * m);
  }

  /// Never before the slot on the store's true clock, never before the back-off is over.
  void check_send(std::int64_t now, std::size_t index) {
    const Worker& worker = workers_[index];
    if (worker.stopped) broken("stopped", now, index, "registers after a stop");
    if (worker.failures > 0) {
      ++findings_.retries;
      // I/8, I/4, I/2, then I, after the failed one was sent.
      const std::int64_t wait = kInterval / (8 >> std::min(worker.failures - 1, 3));
      if (local(worker, now) - worker.sent < Duration(wait)) {
        broken("back-off", now, index, fmt::format("retry {} came early", worker.failures));
      }
    } else if (worker.last_tick && worker.last_tick->previous_count) {
      const Tick& tick = *worker.last_tick;
      const std::int64_t slot =
          (tick.interval + 1) * kInterval + latest_end(tick) - kInterval * 3 / 20 - 1;
      if (now * kUnit < slot) {
        broken("early", now, index, fmt::format("registers at {} before {}", now * kUnit, slot));
      }
    }
  }

  /// Rule 7 as a consumer sees it.
  void check_hand_over(std::int64_t now, std::size_t index, const HandOver& next) {
    Worker& worker = workers_[index];
    if (next.pair && worker.consumer_has_pair) {
      broken("hand-over", now, index, "a pair follows a pair without idle between");
    }
    if (!next.pair && !worker.handed.empty() && !worker.handed.back().pair) {
      broken("hand-over", now, index, "idle follows idle");
    }
    if (!next.pair && worker.consumer_has_pair && !worker.lost_since_handed) {
      broken("hand-over", now, index, "idle without a loss");
    }
    if (!next.pair && !worker.consumer_has_pair && !worker.stopped) {
      broken("hand-over", now, index, "idle to a consumer that has nothing");
    }
    const bool in_force = worker.held && local(worker, now) < worker.hold_ends;
    if (next.pair && (!in_force || !(*next.pair == *worker.held))) {
      broken("hand-over", now, index, "a pair that is not in force");
    }
    worker.handed.push_back(next);
    worker.consumer_has_pair = next.pair.has_value();
    worker.lost_since_handed = false;
    if (choices_.one_in(4)) worker.drains_until = now + choices_.below(6 * kIntervalTicks);
  }

  Choices choices_;
  typename Engine::Config config_;
  std::vector<Worker> workers_;
  std::map<std::pair<std::int64_t, std::int64_t>, Event> events_;
  std::int64_t sequence_ = 0;
  std::map<std::int64_t, std::uint32_t> counters_;
  StoreTime executed_;
  Findings findings_;
};

}  // namespace nandi::test
