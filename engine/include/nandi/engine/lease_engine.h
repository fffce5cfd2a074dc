// LeaseEngine: one worker's side of the lease protocol, as a sans-IO value.
//
// It performs no I/O, reads no clock, owns no thread and draws no random number: `now` is an
// argument, what it wants done is returned. The same code runs against a real Redis, in the
// simulator and in the model checker.
//
// Calling order (all times are readings of one local clock, never decreasing):
//   1. start() once.
//   2. Whenever the clock reaches next_wakeup(), or at any other moment: on_timer(). If it returns
//      an attempt, send one registration; `now` must have been read before the request can leave.
//   3. Each attempt returned by on_timer() is answered at most once, by on_tick() or on_failure();
//      answers to attempts that are no longer current are ignored. A driver that wakes up late may
//      deliver answers before or after on_timer().
//   4. Whenever the consumer is ready for the next change of ownership: take().
//   5. on_stop() once, at any moment after start(); take() then hands out idle last.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "nandi/engine/diagnostics.h"
#include "nandi/engine/lease_rules.h"
#include "nandi/engine/schedule.h"
#include "nandi/engine/tick.h"

namespace nandi {

/// Shared, immutable configuration of the engines of a group.
template <class Rules>
struct BasicLeaseConfig {
  LeaseTiming timing;
  [[no_unique_address]] Rules rules;
  friend constexpr bool operator==(const BasicLeaseConfig&, const BasicLeaseConfig&) = default;
};

/// A registration to send.
struct Attempt {
  AttemptId id = 0;
  LocalTime deadline;  ///< give up then; an attempt never outlives the lease it would renew
};

/// A change of ownership for the consumer: a pair, or idle.
struct HandOver {
  std::optional<Pair> pair;
  friend constexpr bool operator==(const HandOver&, const HandOver&) = default;
};

/// What was last handed to the consumer.
enum class Handed : std::uint8_t { nothing, idle, pair };

/// Everything an engine remembers. Fields guarded by a flag hold zeros while it is off, so that
/// equal situations are equal values.
struct LeaseState {
  IntervalNumber interval = 0;  ///< of the last completed registration (has_held)
  LocalTime expires;            ///< end of the lease (has_lease)
  LocalTime due;                ///< next registration (not in_flight)
  LocalTime sent;               ///< the current attempt (in_flight)
  LocalTime deadline;           ///< its deadline (in_flight)
  Duration kept_offset;         ///< slot while no count is known; drawn once
  Pair remembered;              ///< pair implied by the last tick (has_remembered)
  Pair lease;                   ///< pair in force (has_lease)
  Pair handed_pair;             ///< pair the consumer was last handed (handed == pair)
  std::uint32_t index = 0;      ///< index of the last completed registration (has_held)
  AttemptId attempt = 0;        ///< number of the last attempt sent
  std::uint8_t failures = 0;    ///< in a row, saturating at 4, where the back-off is longest
  ErrorClass last_error = ErrorClass::none;  ///< of the last failure since a completed one
  LossCause last_loss = LossCause::none;     ///< why the last lease was lost
  Handed handed = Handed::nothing;
  bool has_held = false;
  bool has_remembered = false;
  bool has_lease = false;
  bool in_flight = false;
  bool lapsed = false;  ///< the pair handed last was lost since
  bool stopped = false;
  friend constexpr bool operator==(const LeaseState&, const LeaseState&) = default;
};

template <class Rules>
class BasicLeaseEngine {
 public:
  using Config = BasicLeaseConfig<Rules>;

  constexpr BasicLeaseEngine() = default;
  /// Resumes a remembered state (the checker's search stores states in packed form).
  constexpr explicit BasicLeaseEngine(const LeaseState& state) : state_(state) {}

  /// `first_registration`: when to register first; spread over one interval by whoever starts
  /// fleets. `kept_offset`: the slot's offset while no count is known, in [gap, 1 - gap] of the
  /// interval. Both are drawn by the caller.
  constexpr void start(LocalTime first_registration, Duration kept_offset) {
    state_ = LeaseState{};
    state_.due = first_registration;
    state_.kept_offset = kept_offset;
  }

  /// Lets a lease end and an overdue attempt fail, then starts an attempt if one is due.
  template <DiagnosticSink Sink>
  constexpr std::optional<Attempt> on_timer(const Config& config, LocalTime now, Sink&& sink);

  /// The reply to `attempt`, fully read at `received` <= now. Ignored unless it is current.
  template <DiagnosticSink Sink>
  constexpr void on_tick(const Config& config, AttemptId attempt, const Tick& tick,
                         LocalTime received, LocalTime now, Sink&& sink);

  /// `attempt` was refused or its connection failed. Ignored unless it is current.
  template <DiagnosticSink Sink>
  constexpr void on_failure(const Config& config, AttemptId attempt, ErrorClass error,
                            LocalTime now, Sink&& sink);

  /// Gives up the lease and registers no more.
  template <DiagnosticSink Sink>
  constexpr void on_stop(LocalTime now, Sink&& sink);

  /// The next thing to hand to the consumer, if any: ownership changes only, idle first, the
  /// newest only, a stand-down never left out (protocol, rule 7). Checks the expiry at `now`.
  template <DiagnosticSink Sink>
  constexpr std::optional<HandOver> take(const Config& config, LocalTime now, Sink&& sink);

  /// Whether take() would return something at `now`.
  [[nodiscard]] constexpr bool has_hand_over(const Config& config, LocalTime now) const {
    const bool has_lease = state_.has_lease && !is_over(config, now);
    if (state_.handed == Handed::pair) {
      return state_.lapsed || state_.stopped || (state_.has_lease && !has_lease);
    }
    return has_lease || (state_.stopped && state_.handed != Handed::idle);
  }

  /// When on_timer() is to be called next; LocalTime::max() for never.
  [[nodiscard]] constexpr LocalTime next_wakeup(const Config& config) const {
    LocalTime next = state_.in_flight ? state_.deadline : state_.due;
    if (state_.stopped) next = LocalTime::max();
    if (state_.has_lease && config.rules.expires()) next = std::min(next, state_.expires);
    return next;
  }

  /// The pair in force at `now`, whether or not the engine has been woken for its end.
  [[nodiscard]] constexpr std::optional<Pair> lease(const Config& config, LocalTime now) const {
    if (!state_.has_lease || is_over(config, now)) return std::nullopt;
    return state_.lease;
  }

  /// Number of the attempt under way; 0 for none.
  [[nodiscard]] constexpr AttemptId current_attempt() const {
    return state_.in_flight ? state_.attempt : 0;
  }

  [[nodiscard]] constexpr const LeaseState& state() const { return state_; }
  friend constexpr bool operator==(const BasicLeaseEngine&, const BasicLeaseEngine&) = default;

 private:
  [[nodiscard]] constexpr bool is_over(const Config& config, LocalTime now) const {
    return config.rules.expires() && now >= state_.expires;
  }
  template <class Sink>
  constexpr void report(Sink& sink, DiagnosticCode code, LocalTime now, const auto& fill_in) const;
  template <class Sink>
  constexpr void expire(const Config& config, ErrorClass open, LocalTime now, Sink& sink);
  template <class Sink>
  constexpr void fail(const Config& config, ErrorClass error, LocalTime now, Sink& sink);
  template <class Sink>
  constexpr void drop_lease(DiagnosticCode code, LossCause cause, LocalTime now, Sink& sink);
  template <class Sink>
  constexpr void settle_ownership(const Config& config, const Tick& tick,
                                  std::optional<Pair> implied, LocalTime expires, LocalTime now,
                                  Sink& sink);
  /// What is wrong with the attempt under way at the end of the lease. What failed before it says
  /// more than that it hangs.
  [[nodiscard]] constexpr ErrorClass unanswered() const {
    if (!state_.in_flight || state_.last_error != ErrorClass::none) return state_.last_error;
    return ErrorClass::timeout;
  }
  [[nodiscard]] constexpr std::optional<Held> held() const {
    return state_.has_held ? std::optional(Held{state_.interval, state_.index}) : std::nullopt;
  }
  [[nodiscard]] constexpr std::optional<Remembered> remembered() const {
    return state_.has_remembered ? std::optional(Remembered{state_.interval, state_.remembered})
                                 : std::nullopt;
  }
  [[nodiscard]] constexpr LossCause why_lost(const Config& config, const Tick& tick,
                                             std::optional<Pair> implied, bool agreed) const;
  template <class Sink>
  constexpr void schedule_next(const Config& config, const Tick& tick, const ClockReading& reading,
                               LocalTime expires, LocalTime now, Sink& sink);

  LeaseState state_;
};

/// The production engine.
using LeaseConfig = BasicLeaseConfig<ProtocolRules>;
using LeaseEngine = BasicLeaseEngine<ProtocolRules>;
static_assert(sizeof(LeaseEngine) <= 128, "a group of ten thousand should stay in the cache");
static_assert(std::is_trivially_copyable_v<LeaseEngine>);

}  // namespace nandi

#include "nandi/engine/lease_engine_steps.h"
