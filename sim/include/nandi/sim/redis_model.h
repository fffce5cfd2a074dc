// RedisModel: what the registration script does to a Redis server, and what it answers.
//
// Counters are kept by (group, interval number); names of keys are an adapter above this type.
// Keys expire on the server's own clock. Source of the behaviour: the script in engine's script.h
// and a redis-server 7.0 (the conformance tests drive both with the same histories).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "nandi/engine/schedule.h"
#include "nandi/engine/tick.h"
#include "nandi/sim/clock_model.h"

namespace nandi::sim {

/// Number of a worker group; groups have disjoint keys.
using GroupId = std::uint16_t;

/// One counter key.
struct Counter {
  IntervalNumber interval = 0;
  /// The last reading of the server's clock, in its resolution, at which the key is still there;
  /// StoreTime::max(): it has no expiry.
  StoreTime expires;
  std::uint32_t value = 0;
  GroupId group = 0;
  friend constexpr bool operator==(const Counter&, const Counter&) = default;
};

/// A list of counters of at most N entries, without a heap: for the checker.
template <std::size_t N>
class FixedCounters {
 public:
  [[nodiscard]] constexpr Counter* begin() { return entries_.data(); }
  [[nodiscard]] constexpr Counter* end() { return entries_.data() + size_; }
  [[nodiscard]] constexpr const Counter* begin() const { return entries_.data(); }
  [[nodiscard]] constexpr const Counter* end() const { return entries_.data() + size_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  constexpr void clear() { *this = FixedCounters{}; }
  constexpr void push_back(const Counter& counter) {
    if (size_ == N) throw std::length_error("more live counters than the model has room for");
    entries_[size_++] = counter;
  }
  /// Order is not kept.
  constexpr void erase(Counter* counter) {
    *counter = entries_[size_ - 1];
    entries_[--size_] = Counter{};
  }
  friend constexpr bool operator==(const FixedCounters&, const FixedCounters&) = default;

 private:
  std::array<Counter, N> entries_{};
  std::size_t size_ = 0;
};

/// The same on a heap, without a bound: for the simulator.
class HeapCounters {
 public:
  [[nodiscard]] Counter* begin() { return entries_.data(); }
  [[nodiscard]] Counter* end() { return entries_.data() + entries_.size(); }
  [[nodiscard]] const Counter* begin() const { return entries_.data(); }
  [[nodiscard]] const Counter* end() const { return entries_.data() + entries_.size(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }
  void push_back(const Counter& counter) { entries_.push_back(counter); }
  void erase(Counter* counter) {
    *counter = entries_.back();
    entries_.pop_back();
  }
  friend bool operator==(const HeapCounters&, const HeapCounters&) = default;

 private:
  std::vector<Counter> entries_;
};

template <class Counters>
class RedisModel {
 public:
  /// Keys live for this many intervals after the last INCR (protocol, "Wire format").
  static constexpr std::int64_t kKeyLifetime = 3;

  /// One run of the registration script at server time `now`; `number` is the interval that the
  /// script counts in (floor(now / interval), unless an ablation takes it from elsewhere). The
  /// returned Tick::at is `now` rounded down to the resolution.
  Tick register_worker(GroupId group, const LeaseTiming& timing, StoreTime now,
                       IntervalNumber number) {
    Tick tick;
    tick.interval = number;
    tick.at = rounded_down(now, timing.resolution);
    const StoreTime expires = tick.at + timing.interval * kKeyLifetime;
    Counter* open = nullptr;
    for (Counter* c = counters_.begin(); c != counters_.end();) {
      if (c->expires < tick.at) {
        counters_.erase(c);
        continue;  // another counter has taken this place
      }
      if (c->group == group) {
        if (c->interval == number) open = c;
        if (c->interval == number - 1) tick.previous_count = c->value;
      }
      ++c;
    }
    if (open == nullptr) {
      counters_.push_back(Counter{number, expires, 0, group});
      open = counters_.end() - 1;
    }
    tick.index = open->value++;
    open->expires = expires;
    return tick;
  }

  /// A counter key at server time `now`, if it exists. Where the server's clock is set back behind
  /// an expiry that had passed, a real server may have removed the key or not (it does so in the
  /// background, or when the key is next looked at); here it is gone from the next registration on.
  [[nodiscard]] std::optional<Counter> find(GroupId group, IntervalNumber number,
                                            const LeaseTiming& timing, StoreTime now) const {
    for (const Counter& c : counters_) {
      if (c.group != group || c.interval != number) continue;
      if (c.expires < rounded_down(now, timing.resolution)) return std::nullopt;
      return c;
    }
    return std::nullopt;
  }

  /// SET, or INCR by somebody else: the key has this value and this expiry from now on.
  void put(const Counter& counter) {
    erase(counter.group, counter.interval);
    counters_.push_back(counter);
  }

  /// DEL of one counter key, or its eviction.
  void erase(GroupId group, IntervalNumber number) { set_back(group, number, 0); }

  /// A counter key falls back to an earlier count, as on a server that has not seen the last
  /// writes; 0: it is gone. What it expires at stays.
  void set_back(GroupId group, IntervalNumber number, std::uint32_t count) {
    for (Counter* c = counters_.begin(); c != counters_.end(); ++c) {
      if (c->group != group || c->interval != number) continue;
      if (count == 0) {
        counters_.erase(c);
      } else {
        c->value = count;
      }
      return;
    }
  }

  void flush_all() { counters_.clear(); }

  /// Whether EVALSHA finds the script. Any EVAL of the source caches it; SCRIPT FLUSH, a restart
  /// and a failover to a server that never ran it forget it.
  [[nodiscard]] bool script_cached() const { return script_cached_; }
  void set_script_cached(bool cached) { script_cached_ = cached; }

  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] Counters& counters() { return counters_; }

  friend bool operator==(const RedisModel&, const RedisModel&) = default;

 private:
  static StoreTime rounded_down(StoreTime now, Duration resolution) {
    return StoreTime(static_cast<std::int64_t>(floor_div(now.count(), resolution.count())) *
                     resolution.count());
  }

  Counters counters_;
  bool script_cached_ = false;
};

}  // namespace nandi::sim
