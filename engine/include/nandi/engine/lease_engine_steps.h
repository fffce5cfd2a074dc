// Implementation of BasicLeaseEngine; include lease_engine.h.
#pragma once

#include "nandi/engine/lease_engine.h"

namespace nandi {

template <class Rules>
template <class Sink>
constexpr void BasicLeaseEngine<Rules>::report(Sink& sink, DiagnosticCode code, LocalTime now,
                                               const auto& fill_in) const {
  if constexpr (!std::is_same_v<std::remove_cvref_t<Sink>, IgnoreDiagnostics>) {
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.at = now;
    fill_in(diagnostic);
    sink(diagnostic);
  }
}

template <class Rules>
template <DiagnosticSink Sink>
constexpr std::optional<Attempt> BasicLeaseEngine<Rules>::on_timer(const Config& config,
                                                                   LocalTime now, Sink&& sink) {
  expire(config, unanswered(), now, sink);
  if (state_.in_flight && now >= state_.deadline) fail(config, ErrorClass::timeout, now, sink);
  if (state_.stopped || state_.in_flight || now < state_.due) return std::nullopt;
  state_.in_flight = true;
  ++state_.attempt;
  state_.sent = now;
  state_.due = LocalTime{};
  state_.deadline = now + config.timing.attempt_timeout;
  if (state_.has_lease && config.rules.expires()) {
    state_.deadline = std::min(state_.deadline, state_.expires);
  }
  return Attempt{state_.attempt, state_.deadline};
}

template <class Rules>
template <DiagnosticSink Sink>
constexpr void BasicLeaseEngine<Rules>::on_tick(const Config& config, AttemptId attempt,
                                                const Tick& tick, LocalTime received, LocalTime now,
                                                Sink&& sink) {
  const bool is_current = attempt != 0 && attempt == current_attempt();
  expire(config, is_current ? ErrorClass::none : unanswered(), now, sink);
  if (!is_current) return;
  const ClockReading reading{tick.at, state_.sent, received};
  report(sink, DiagnosticCode::registration_completed, now, [&](Diagnostic& d) {
    d.attempt = attempt;
    d.tick = tick;
  });
  const std::optional<Pair> implied = config.rules.implied_pair(held(), tick);
  const LocalTime expires = config.rules.expiry(config.timing, reading, tick);
  settle_ownership(config, tick, implied, expires, now, sink);

  state_.in_flight = false;
  state_.sent = LocalTime{};
  state_.deadline = LocalTime{};
  state_.failures = 0;
  state_.last_error = ErrorClass::none;
  state_.has_held = true;
  state_.interval = tick.interval;
  state_.index = tick.index;
  state_.has_remembered = implied.has_value();
  state_.remembered = implied.value_or(Pair{});
  schedule_next(config, tick, reading, expires, now, sink);
}

/// Grants, renews or withholds the lease by what this tick implies (rule 3).
template <class Rules>
template <class Sink>
constexpr void BasicLeaseEngine<Rules>::settle_ownership(const Config& config, const Tick& tick,
                                                         std::optional<Pair> implied,
                                                         LocalTime expires, LocalTime now,
                                                         Sink& sink) {
  const bool agreed = implied && config.rules.agrees(remembered(), *implied, tick);
  const DiagnosticCode outcome = agreed    ? DiagnosticCode::pair_agreed
                                 : implied ? DiagnosticCode::pair_disagreed
                                           : DiagnosticCode::no_pair_implied;
  report(sink, outcome, now, [&](Diagnostic& d) {
    d.pair = implied.value_or(Pair{});
    d.has_pair = implied.has_value();
    d.previous = state_.remembered;
    d.has_previous = state_.has_remembered;
    d.interval = tick.interval;
  });
  const bool ahead = now < expires || !config.rules.expires();
  if (!agreed || !ahead) {
    if (state_.has_lease) {
      drop_lease(DiagnosticCode::lease_released, why_lost(config, tick, implied, agreed), now,
                 sink);
    }
    return;
  }
  const bool renewed = state_.has_lease && state_.lease == *implied;
  if (state_.has_lease && !renewed) {
    // Only a broken variant gets here: two agreeing intervals cannot follow on another pair's
    // lease.
    drop_lease(DiagnosticCode::lease_released, LossCause::disagreed, now, sink);
  }
  state_.has_lease = true;
  state_.lease = *implied;
  state_.expires = expires;
  report(sink, renewed ? DiagnosticCode::lease_renewed : DiagnosticCode::lease_granted, now,
         [&](Diagnostic& d) {
           d.pair = *implied;
           d.has_pair = true;
           d.interval = tick.interval;
           d.expires = expires;
         });
}

template <class Rules>
constexpr LossCause BasicLeaseEngine<Rules>::why_lost(const Config& config, const Tick& tick,
                                                      std::optional<Pair> implied,
                                                      bool agreed) const {
  if (agreed) return LossCause::late;
  if (implied) {
    return implied->count != state_.remembered.count ? LossCause::count_changed
                                                     : LossCause::disagreed;
  }
  switch (config.rules.why_no_pair(held(), tick)) {
    case NoPair::no_previous: return LossCause::no_previous;
    case NoPair::index_out_of_range: return LossCause::index_out_of_range;
    case NoPair::not_consecutive:
    case NoPair::implied: break;
  }
  return LossCause::late;
}

template <class Rules>
template <class Sink>
constexpr void BasicLeaseEngine<Rules>::schedule_next(const Config& config, const Tick& tick,
                                                      const ClockReading& reading,
                                                      LocalTime expires, LocalTime now,
                                                      Sink& sink) {
  const Duration offset = config.rules.next_offset(config.timing, tick, state_.kept_offset);
  StoreTime slot = interval_begin(config.timing, tick.interval + 1) + offset;
  LocalTime due = certainly_reached(config.timing, reading, slot);
  if (due <= now) {
    // A process that stalled between the reply and this step: the slot is past, use the next one
    // that is not. How many intervals were slept through is computed, not stepped through.
    const std::int64_t interval = config.timing.interval.count();
    slot = slot + Duration(((now - due).count() / interval + 1) * interval);
    due = std::max(certainly_reached(config.timing, reading, slot), now + Duration(1));
  }
  state_.due = due;
  report(sink, DiagnosticCode::next_registration_scheduled, now, [&](Diagnostic& d) {
    d.delay = due - now;
    d.expires = expires;
    d.has_pair = state_.has_lease;
    d.interval = tick.interval;
  });
}

template <class Rules>
template <DiagnosticSink Sink>
constexpr void BasicLeaseEngine<Rules>::on_failure(const Config& config, AttemptId attempt,
                                                   ErrorClass error, LocalTime now, Sink&& sink) {
  const bool is_current = attempt != 0 && attempt == current_attempt();
  const bool refused = is_current && error != ErrorClass::timeout;
  expire(config, refused ? error : unanswered(), now, sink);
  if (is_current) fail(config, error, now, sink);
}

template <class Rules>
template <class Sink>
constexpr void BasicLeaseEngine<Rules>::fail(const Config& config, ErrorClass error, LocalTime now,
                                             Sink& sink) {
  constexpr std::uint8_t kLongestBackOff = 4;
  if (state_.failures < kLongestBackOff) ++state_.failures;
  state_.last_error = error;
  state_.due = std::max(state_.sent + retry_delay(config.timing, state_.failures), now);
  report(sink, DiagnosticCode::registration_failed, now, [&](Diagnostic& d) {
    d.attempt = state_.attempt;
    d.failures = state_.failures;
    d.error = error;
    d.delay = state_.due - now;
  });
  if (may_have_counted(error)) {
    report(sink, DiagnosticCode::registration_abandoned, now,
           [&](Diagnostic& d) { d.attempt = state_.attempt; });
  }
  state_.in_flight = false;
  state_.sent = LocalTime{};
  state_.deadline = LocalTime{};
}

/// Rule 5: on expiry the worker is where a restart would leave it, and goes on registering. `open`:
/// what is wrong with the attempt under way, if anything: no attempt outlives the lease that it
/// would renew, so one that is unanswered now has failed.
template <class Rules>
template <class Sink>
constexpr void BasicLeaseEngine<Rules>::expire(const Config& config, ErrorClass open, LocalTime now,
                                               Sink& sink) {
  if (!state_.has_lease || !is_over(config, now)) return;
  if (open != ErrorClass::none) state_.last_error = open;
  const bool failing = state_.last_error != ErrorClass::none;
  drop_lease(DiagnosticCode::lease_expired, failing ? LossCause::error : LossCause::late, now,
             sink);
  state_.has_held = false;
  state_.interval = 0;
  state_.index = 0;
  state_.has_remembered = false;
  state_.remembered = Pair{};
}

template <class Rules>
template <class Sink>
constexpr void BasicLeaseEngine<Rules>::drop_lease(DiagnosticCode code, LossCause cause,
                                                   LocalTime now, Sink& sink) {
  report(sink, code, now, [&](Diagnostic& d) {
    d.pair = state_.lease;
    d.has_pair = true;
    d.cause = cause;
    d.error = state_.last_error;
    d.interval = state_.interval;
    d.expires = state_.expires;
  });
  state_.has_lease = false;
  state_.lease = Pair{};
  state_.expires = LocalTime{};
  state_.last_loss = cause;
  if (state_.handed == Handed::pair) state_.lapsed = true;
}

template <class Rules>
template <DiagnosticSink Sink>
constexpr void BasicLeaseEngine<Rules>::on_stop(LocalTime now, Sink&& sink) {
  if (state_.stopped) return;
  if (state_.has_lease) {
    // A process that was stopped past the end of its lease did not give it up, it had lost it.
    const bool was_over = now >= state_.expires;
    if (was_over) state_.last_error = unanswered();
    const LossCause loss =
        state_.last_error != ErrorClass::none ? LossCause::error : LossCause::late;
    drop_lease(was_over ? DiagnosticCode::lease_expired : DiagnosticCode::lease_released,
               was_over ? loss : LossCause::aborted, now, sink);
  }
  if (state_.in_flight) {
    report(sink, DiagnosticCode::registration_abandoned, now,
           [&](Diagnostic& d) { d.attempt = state_.attempt; });
  }
  state_.stopped = true;
  state_.in_flight = false;
  state_.sent = LocalTime{};
  state_.deadline = LocalTime{};
  state_.due = LocalTime{};
}

template <class Rules>
template <DiagnosticSink Sink>
constexpr std::optional<HandOver> BasicLeaseEngine<Rules>::take(const Config& config, LocalTime now,
                                                                Sink&& sink) {
  expire(config, unanswered(), now, sink);
  std::optional<HandOver> next;
  if (state_.handed == Handed::pair && state_.lapsed) {
    next = HandOver{std::nullopt};
  } else if (state_.stopped && state_.handed != Handed::idle) {
    next = HandOver{std::nullopt};
  } else if (state_.has_lease && state_.handed != Handed::pair) {
    next = HandOver{state_.lease};
  }
  if (!next) return std::nullopt;
  state_.handed = next->pair ? Handed::pair : Handed::idle;
  state_.handed_pair = next->pair.value_or(Pair{});
  state_.lapsed = false;
  report(sink, DiagnosticCode::pair_handed, now, [&](Diagnostic& d) {
    d.pair = next->pair.value_or(Pair{});
    d.has_pair = next->pair.has_value();
  });
  return next;
}

}  // namespace nandi
