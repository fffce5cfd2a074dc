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
  /// The store has to outlive the worker; it may serve another worker after it. Registers first at
  /// draw.first_delay from now.
  Worker(const LeaseTiming& timing, const StartDraw& draw, C clock, S& store, Reporter reporter)
      : config_{timing, {}}, clock_(std::move(clock)), store_(store), report_(std::move(reporter)) {
    const LocalTime now = clock_.now();
    engine_.start(now + draw.first_delay, draw.kept_offset);
    Diagnostic started;
    started.at = now;
    started.delay = draw.first_delay;
    report(started, {}, {});
  }

  /// Whatever is under way is abandoned: a store that serves the next worker owes it no reply of
  /// this one's.
  ~Worker() {
    if (under_way_ != 0) abandon();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

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

  /// The next change of ownership for the consumer, if there is one (protocol, rule 7). The call
  /// says that the consumer has let go of what it was handed before: when that was idle and the
  /// lease before it had ended more than a gap ago, the consumer has overrun, which is reported.
  std::optional<HandOver> take() {
    const LocalTime now = clock_.now();
    if (loss_ && engine_.state().handed != Handed::pair) report_overrun(now);
    return engine_.take(config_, now, sink());
  }

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
    if (!completion.server_change.empty()) {
      Diagnostic changed;
      changed.code = DiagnosticCode::server_changed;
      changed.at = completion.received;
      report(changed, completion.server_change, {});
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
    const bool is_loss = diagnostic.code == DiagnosticCode::lease_released ||
                         diagnostic.code == DiagnosticCode::lease_expired;
    // A loss that the consumer never heard of, or one after the loss that it is still letting go
    // for, is none that it could overrun.
    if (is_loss && engine_.state().handed == Handed::pair && !loss_) {
      loss_ = Loss{
          diagnostic.pair, diagnostic.cause,
          diagnostic.code == DiagnosticCode::lease_expired ? diagnostic.expires : diagnostic.at,
          diagnostic.at};
    }
    if (report_) report_(diagnostic, ReportContext{reading_, detail, lag, findings});
  }
  auto sink(std::string_view detail = {}) {
    return [this, detail](const Diagnostic& diagnostic) { report(diagnostic, detail, lag_); };
  }

  /// How a lease that the consumer was handed ended.
  struct Loss {
    Pair pair;
    LossCause cause = LossCause::none;
    LocalTime end;
    LocalTime noticed;  // later than the end when the whole process was stopped
  };

  void report_overrun(LocalTime now) {
    const Loss loss = *std::exchange(loss_, std::nullopt);
    if (now - loss.noticed <= gap_margin(config_.timing)) return;
    Diagnostic overran;
    overran.code = DiagnosticCode::consumer_overran;
    overran.at = now;
    overran.pair = loss.pair;
    overran.has_pair = true;
    overran.cause = loss.cause;
    overran.delay = now - loss.end;
    report(overran, {}, {});
  }

  LeaseConfig config_;
  LeaseEngine engine_;
  C clock_;
  S& store_;
  Reporter report_;
  std::optional<ClockReading> reading_;
  ReplyWatch watch_;
  std::optional<Loss> loss_;  // of the pair handed last, until the consumer has let go of it
  AttemptId under_way_ = 0;   // submitted, not yet completed or abandoned
  Duration lag_;              // of the last attempt's sending
};

}  // namespace nandi
