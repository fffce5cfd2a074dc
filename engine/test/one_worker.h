// One engine of hand-derived runs, with its diagnostics and shorthands in plain numbers.
#pragma once

#include <optional>
#include <vector>

#include "nandi/engine/lease_engine.h"

namespace nandi::test {

/// The interval is 1000 units, the timeout 125, the resolution 1; the gap is the default 0.15.
class OneWorker {
 public:
  OneWorker() {
    config.timing.interval = Duration(1000);
    config.timing.attempt_timeout = Duration(125);
    config.timing.resolution = Duration(1);
  }

  void start(std::int64_t first, std::int64_t kept_offset) {
    engine.start(LocalTime(first), Duration(kept_offset));
  }
  std::optional<Attempt> on_timer(std::int64_t now) {
    return engine.on_timer(config, LocalTime(now), sink());
  }
  /// The current attempt's reply, executed at `at`, read and delivered at `received`.
  void tick(std::int64_t at, std::uint32_t index, std::optional<std::uint32_t> previous,
            std::int64_t received, std::optional<std::int64_t> delivered = std::nullopt) {
    reply(engine.current_attempt(), at, index, previous, received, delivered.value_or(received));
  }
  void reply(AttemptId attempt, std::int64_t at, std::uint32_t index,
             std::optional<std::uint32_t> previous, std::int64_t received, std::int64_t now) {
    Tick tick;
    tick.interval = at / 1000;
    tick.index = index;
    tick.previous_count = previous;
    tick.at = StoreTime(at);
    engine.on_tick(config, attempt, tick, LocalTime(received), LocalTime(now), sink());
  }
  void fail(ErrorClass error, std::int64_t now) {
    engine.on_failure(config, engine.current_attempt(), error, LocalTime(now), sink());
  }
  void stop(std::int64_t now) { engine.on_stop(LocalTime(now), sink()); }

  /// Everything handed to the consumer when it asks at `now`.
  std::vector<HandOver> take_all(std::int64_t now) {
    std::vector<HandOver> all;
    while (const auto next = engine.take(config, LocalTime(now), sink())) all.push_back(*next);
    return all;
  }
  [[nodiscard]] std::optional<Pair> lease(std::int64_t now) const {
    return engine.lease(config, LocalTime(now));
  }
  [[nodiscard]] std::int64_t next_wakeup() const { return engine.next_wakeup(config).count(); }

  [[nodiscard]] std::vector<DiagnosticCode> codes() const {
    std::vector<DiagnosticCode> result;
    for (const Diagnostic& diagnostic : diagnostics) result.push_back(diagnostic.code);
    return result;
  }
  [[nodiscard]] const Diagnostic* last(DiagnosticCode code) const {
    const Diagnostic* found = nullptr;
    for (const Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.code == code) found = &diagnostic;
    }
    return found;
  }

  /// Alone in its group, up to the lease of interval 2: (0, 1), granted at 2503, ends at 3648.
  void reach_first_lease() {
    start(100, 300);
    on_timer(100);
    tick(110, 0, std::nullopt, 112);
    on_timer(1302);
    tick(1303, 0, 1, 1304);
    on_timer(2501);
    tick(2502, 0, 1, 2503);
  }

  LeaseConfig config;
  LeaseEngine engine;
  std::vector<Diagnostic> diagnostics;

 private:
  struct Sink {
    std::vector<Diagnostic>* all;
    void operator()(const Diagnostic& diagnostic) const { all->push_back(diagnostic); }
  };
  Sink sink() { return Sink{&diagnostics}; }
};

}  // namespace nandi::test
