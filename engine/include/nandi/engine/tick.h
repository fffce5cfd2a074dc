// What a registration brings back: a tick, or the class of a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nandi/engine/time.h"

namespace nandi {

/// A share of the work: tasks with `id mod count == index`. 0 <= index < count.
struct Pair {
  std::uint32_t index = 0;
  std::uint32_t count = 0;
  friend constexpr bool operator==(Pair, Pair) = default;
};

/// Counters above this are refused as a bad reply: no group is that large, and a counter that is
/// was written by something else.
inline constexpr std::uint32_t kMaxCount = 1U << 30;

/// The reply to one registration, as the script returns it (protocol.md, "Wire format").
struct Tick {
  IntervalNumber interval = 0;  ///< N, from the store's clock
  std::uint32_t index = 0;      ///< the counter's value minus one
  /// Final value of interval N-1; absent when that key does not exist (never 0 in its place).
  std::optional<std::uint32_t> previous_count;
  /// The store's clock at execution, rounded down to the resolution: the true reading lies in
  /// [at, at + resolution).
  StoreTime at;
  friend constexpr bool operator==(const Tick&, const Tick&) = default;
};

/// Number of an attempt within one worker, from 1; 0 is no attempt.
using AttemptId = std::uint32_t;

/// Why an attempt failed. Each class has its own wording and handling in the store; for the engine
/// they are alike: a failure is retried with back-off and the lease ends on time.
enum class ErrorClass : std::uint8_t {
  none,
  timeout,       ///< the attempt's deadline passed without a reply
  connection,    ///< could not connect, or the connection broke
  resolve,       ///< the server's name could not be resolved
  tls,           ///< the TLS handshake or the certificate check failed
  noauth,        ///< authentication missing or wrong
  noperm,        ///< the ACL forbids the script or one of its commands
  readonly,      ///< a replica answered
  loading,       ///< the server is loading its data
  busy,          ///< another script blocks the server
  oom,           ///< the server refuses writes for lack of memory
  max_clients,   ///< the server accepts no more connections
  moved,         ///< the key's hash slot is served elsewhere
  cluster_down,  ///< the cluster serves no hash slots
  bad_reply,     ///< the reply is not what the script returns
  other,         ///< any other error reply
};

/// Whether an attempt that failed in this way may still have been counted as a member: its script
/// may have run, or run in part, or may do so later. The other classes refuse before it starts.
[[nodiscard]] constexpr bool may_have_counted(ErrorClass error) {
  switch (error) {
    case ErrorClass::timeout:
    case ErrorClass::connection:
    case ErrorClass::noperm:  // the ACL is checked command by command inside the script
    case ErrorClass::bad_reply:
    case ErrorClass::other: return true;
    default: return false;
  }
}

/// Stable lower-case name ("readonly", "max-clients"), used in logs, metrics and traces.
[[nodiscard]] constexpr std::string_view to_string(ErrorClass error) {
  switch (error) {
    case ErrorClass::none: return "none";
    case ErrorClass::timeout: return "timeout";
    case ErrorClass::connection: return "connection";
    case ErrorClass::resolve: return "resolve";
    case ErrorClass::tls: return "tls";
    case ErrorClass::noauth: return "noauth";
    case ErrorClass::noperm: return "noperm";
    case ErrorClass::readonly: return "readonly";
    case ErrorClass::loading: return "loading";
    case ErrorClass::busy: return "busy";
    case ErrorClass::oom: return "oom";
    case ErrorClass::max_clients: return "max-clients";
    case ErrorClass::moved: return "moved";
    case ErrorClass::cluster_down: return "cluster-down";
    case ErrorClass::bad_reply: return "bad-reply";
    case ErrorClass::other: return "other";
  }
  return "other";
}

}  // namespace nandi
