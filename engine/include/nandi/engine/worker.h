// The production driver: one LeaseEngine, one Store, one Clock, and nothing that waits.
//
// Whoever owns a Worker calls step() whenever the clock reaches next_wakeup() or descriptor() is
// readable (more often does no harm), and take() whenever its consumer is ready. From one thread,
// or under one lock. Registration never waits for the consumer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "nandi/engine/clock.h"
#include "nandi/engine/lease_engine.h"
#include "nandi/engine/reply_watch.h"
#include "nandi/engine/reporter.h"
#include "nandi/engine/start_draw.h"
#include "nandi/engine/store.h"

namespace nandi {

/// Somebody asked for it, or the consumer has left.
enum class StopReason : std::uint8_t { requested, closed };

template <Clock C, Store S>
class Worker {
 public:
  /// The store has to outlive the worker. Registers first at draw.first_delay from now.
  Worker(const LeaseTiming& timing, const StartDraw& draw, C clock, S& store, Reporter reporter)
      : config_{timing, {}}, clock_(std::move(clock)), store_(store), report_(std::move(reporter)) {
    const LocalTime now = clock_.now();
    engine_.start(now + draw.first_delay, draw.kept_offset);
    Diagnostic started;
    started.at = now;
    started.delay = draw.first_delay;
    report(started, {}, {});
  }

  /// Does what is due now: takes in replies, lets a lease end, gives up and starts attempts.
  void step() {
    while (std::optional<Completion> completion = store_.next_completion()) deliver(*completion);
    const LocalTime planned = engine_.next_wakeup(config_);
    const LocalTime now = clock_.now();
    const auto attempt = engine_.on_timer(config_, now, sink());
    if (under_way_ != 0 && under_way_ != engine_.current_attempt()) abandon();
    if (!attempt) return;
    lag_ = now - planned;
    under_way_ = attempt->id;
    store_.submit(*attempt);
  }

  /// The next change of ownership for the consumer, if there is one (protocol, rule 7).
  std::optional<HandOver> take() { return engine_.take(config_, clock_.now(), sink()); }

  /// Gives up the lease, registers no more and waits for nothing; take() then hands out idle last.
  void stop(StopReason reason = StopReason::requested) {
    if (engine_.state().stopped) return;
    const LocalTime now = clock_.now();
    engine_.on_stop(now, sink());
    if (under_way_ != 0) abandon();
    Diagnostic stopped;
    stopped.code = DiagnosticCode::discover_stopped;
    stopped.at = now;
    if (reason == StopReason::requested) stopped.cause = LossCause::aborted;
    report(stopped, {}, {});
  }

  /// When step() is to be called next, on the worker's clock; LocalTime::max() for never.
  [[nodiscard]] LocalTime next_wakeup() const { return engine_.next_wakeup(config_); }
  [[nodiscard]] int descriptor() const { return std::as_const(store_).descriptor(); }
  /// Whether take() would hand out something now.
  [[nodiscard]] bool has_hand_over() const { return engine_.has_hand_over(config_, clock_.now()); }
  [[nodiscard]] const LeaseState& state() const { return engine_.state(); }
  [[nodiscard]] const C& clock() const { return clock_; }

 private:
  void deliver(const Completion& completion) {
    if (completion.attempt == under_way_) under_way_ = 0;
    if (completion.script_loaded) {
      Diagnostic loaded;
      loaded.code = DiagnosticCode::script_loaded;
      loaded.at = completion.received;
      report(loaded, {}, {});
    }
    const LocalTime now = clock_.now();
    if (const auto* failure = std::get_if<Failure>(&completion.outcome)) {
      engine_.on_failure(config_, completion.attempt, failure->error, now, sink(failure->detail));
      return;
    }
    const Tick& tick = std::get<Tick>(completion.outcome);
    // An expiry that this call notices first belongs to the reading before.
    const ClockReading newest{tick.at, engine_.state().sent, completion.received};
    const auto sink_of_tick = [this, &newest](const Diagnostic& diagnostic) {
      ReplyWatch::Findings findings;
      if (diagnostic.code == DiagnosticCode::registration_completed) {
        reading_ = newest;
        findings = watch_.observe(config_.timing, newest);
      }
      report(diagnostic, {}, lag_, findings);
    };
    engine_.on_tick(config_, completion.attempt, tick, completion.received, now, sink_of_tick);
  }

  void abandon() { store_.abandon(std::exchange(under_way_, AttemptId{0})); }

  void report(const Diagnostic& diagnostic, std::string_view detail, Duration lag,
              ReplyWatch::Findings findings = {}) {
    if (report_) report_(diagnostic, ReportContext{reading_, detail, lag, findings});
  }
  auto sink(std::string_view detail = {}) {
    return [this, detail](const Diagnostic& diagnostic) { report(diagnostic, detail, lag_); };
  }

  LeaseConfig config_;
  LeaseEngine engine_;
  C clock_;
  S& store_;
  Reporter report_;
  std::optional<ClockReading> reading_;
  ReplyWatch watch_;
  AttemptId under_way_ = 0;  // submitted, not yet completed or abandoned
  Duration lag_;             // of the last attempt's sending
};

}  // namespace nandi
