// What a lease engine reports about itself: an enum and integers; whoever listens formats them.
//
// Messages and levels are those of the n-and-i README's table, so that lines of C++ and JavaScript
// workers group together; a few more say what that table leaves out (renewals, possible ghosts).
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "nandi/engine/tick.h"
#include "nandi/engine/time.h"

namespace nandi {

enum class DiagnosticCode : std::uint8_t {
  discover_started,
  discover_stopped,
  registration_completed,
  registration_failed,
  registration_abandoned,  ///< gave up waiting; it may still count as a member (a ghost)
  no_pair_implied,
  pair_agreed,
  pair_disagreed,
  lease_granted,
  lease_renewed,
  lease_released,
  lease_expired,
  next_registration_scheduled,
  pair_handed,
  // Reported by what drives the engine, not by the engine:
  script_loaded,     ///< the server did not know the script
  server_changed,    ///< another server counts now: the closed count is no evidence
  consumer_overran,  ///< the consumer came back later than a gap after its lease had ended
};

enum class Level : std::uint8_t { trace, debug, info, warn, error };

/// Why a lease was lost.
enum class LossCause : std::uint8_t {
  none,
  late,                ///< the worker was late itself: nothing failed and nothing was unanswered
  disagreed,           ///< the index of the closed interval changed
  count_changed,       ///< the number of members changed
  no_previous,         ///< the previous counter is gone
  index_out_of_range,  ///< the held index is not below the closed count
  error,               ///< registrations failed, or one was unanswered at the end (timeout);
                       ///< Diagnostic::error says how
  aborted,             ///< a stop was requested
};

[[nodiscard]] constexpr std::string_view to_string(LossCause cause) {
  switch (cause) {
    case LossCause::none: return "none";
    case LossCause::late: return "late";
    case LossCause::disagreed: return "disagreed";
    case LossCause::count_changed: return "count-changed";
    case LossCause::no_previous: return "no-previous";
    case LossCause::index_out_of_range: return "index-out-of-range";
    case LossCause::error: return "error";
    case LossCause::aborted: return "aborted";
  }
  return "none";
}

/// The constant text of a message.
[[nodiscard]] constexpr std::string_view message(DiagnosticCode code) {
  switch (code) {
    case DiagnosticCode::discover_started: return "discover started";
    case DiagnosticCode::discover_stopped: return "discover stopped";
    case DiagnosticCode::registration_completed: return "registration completed";
    case DiagnosticCode::registration_failed: return "registration failed";
    case DiagnosticCode::registration_abandoned: return "registration abandoned";
    case DiagnosticCode::no_pair_implied: return "no pair implied";
    case DiagnosticCode::pair_agreed: return "pair agreed";
    case DiagnosticCode::pair_disagreed: return "pair disagreed";
    case DiagnosticCode::lease_granted: return "lease granted";
    case DiagnosticCode::lease_renewed: return "lease renewed";
    case DiagnosticCode::lease_released: return "lease released";
    case DiagnosticCode::lease_expired: return "lease expired";
    case DiagnosticCode::next_registration_scheduled: return "next registration scheduled";
    case DiagnosticCode::pair_handed: return "pair handed to the loop";
    case DiagnosticCode::script_loaded: return "script loaded";
    case DiagnosticCode::server_changed: return "server changed";
    case DiagnosticCode::consumer_overran: return "consumer overran";
  }
  return "unknown";
}

[[nodiscard]] constexpr Level level(DiagnosticCode code) {
  switch (code) {
    case DiagnosticCode::registration_failed: return Level::error;
    case DiagnosticCode::lease_expired:
    case DiagnosticCode::server_changed:
    case DiagnosticCode::consumer_overran: return Level::warn;
    case DiagnosticCode::discover_started:
    case DiagnosticCode::discover_stopped: return Level::info;
    case DiagnosticCode::registration_abandoned:
    case DiagnosticCode::pair_disagreed:
    case DiagnosticCode::script_loaded: return Level::debug;
    default: return Level::trace;
  }
}

/// One report. Only the fields that the code's comment names carry meaning.
struct Diagnostic {
  DiagnosticCode code = DiagnosticCode::discover_started;
  LocalTime at;  ///< always: when, on the worker's clock
  /// Implied, agreed, granted, renewed, released, expired, handed; consumer_overran: kept too long.
  Pair pair;
  Pair previous;              ///< no_pair_implied, pair_disagreed: what the interval before implied
  bool has_pair = false;      ///< false: idle (pair_handed) or nothing
  bool has_previous = false;  ///< false: the interval before implied nothing
  Tick tick;                  ///< registration_completed: the reply
  AttemptId attempt = 0;      ///< registration_*: its number
  std::uint32_t failures = 0;           ///< registration_failed: failures in a row
  ErrorClass error = ErrorClass::none;  ///< registration_failed; lease_expired: the last failure
  LossCause cause = LossCause::none;    ///< lease_released, lease_expired, consumer_overran
  IntervalNumber interval = 0;          ///< lease_*: interval of the last completed registration
  /// registration_failed, next_registration_scheduled: until the next one. consumer_overran: from
  /// the lease's end until the consumer had let go.
  Duration delay;
  LocalTime expires;  ///< lease_granted, lease_renewed, next_registration_scheduled
};

template <class Sink>
concept DiagnosticSink = std::invocable<Sink&, const Diagnostic&>;

/// Listens to nothing; the engine then builds no Diagnostic at all.
struct IgnoreDiagnostics {
  void operator()(const Diagnostic&) const {}
};

}  // namespace nandi
