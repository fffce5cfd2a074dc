// The contract between a worker and the store that counts its group.
//
// A Store performs the registrations of one worker: one server-side script each, one atomic action
// on the server (README.md, "The protocol"). It is asynchronous and is used from one thread; what
// waits for it polls descriptor(). Nothing remote is ever thrown: a server that is away, refuses or
// talks nonsense is a Failure in a Completion. Exceptions are left for what makes the object itself
// unusable (no memory, no descriptors).
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <variant>

#include "nandi/engine/lease_engine.h"
#include "nandi/engine/tick.h"
#include "nandi/engine/time.h"

namespace nandi {

/// Why a registration did not bring a tick.
struct Failure {
  ErrorClass error = ErrorClass::other;  ///< never ErrorClass::none
  std::string detail;  ///< for logs: what, where, what to do; never contains a password
  friend bool operator==(const Failure&, const Failure&) = default;
};

/// What became of one attempt.
struct Completion {
  AttemptId attempt = 0;
  std::variant<Tick, Failure> outcome;
  LocalTime received;  ///< of a tick: read after its reply was fully parsed. Of a failure: when
                       ///< it was noticed
  bool script_loaded = false;  ///< the server did not know the script and was sent its source
  /// Another server than the one that answered this store's last registration: its names, old and
  /// new. The outcome's previous count is then left out, as what one server counted of an interval
  /// and what another did may repeat each other's values. Empty: the same server.
  std::string server_change = {};
};

/// The operations, with S& store:
///
/// submit(attempt)    Starts one registration. Returns at once; whatever it takes (resolving,
///                    connecting, AUTH) counts against attempt.deadline, absolute on the worker's
///                    LocalTime. The driver has read attempt's sending time before the call, so a
///                    request may leave at any moment after it. Precondition: the attempt before
///                    was completed or abandoned. A registration is sent at most once, except that
///                    a NOSCRIPT reply is followed by the source once.
/// abandon(id)        Nobody waits for `id` any more: its completion is never reported, whenever
///                    its reply comes, and its reply never answers a later attempt. Unknown or
///                    completed ids are ignored. Never blocks.
/// next_completion()  Does the I/O that is ready and that of passed deadlines, without blocking,
///                    and returns one completion; nullopt when there is nothing more for now.
///                    Every submitted attempt that is not abandoned is reported exactly once, with
///                    ErrorClass::timeout at its deadline at the latest.
/// descriptor()       A file descriptor that is readable (level-triggered) whenever a call of
///                    next_completion() may have something to do, timers of the store's own
///                    included; the same for the store's whole life. -1: there is none (an
///                    in-process store), whoever waits is told otherwise.
///
/// Destroying a store closes its connections and waits for nothing.
template <class S>
concept Store = requires(S& store, const S& constant, const Attempt& attempt, AttemptId id) {
  { store.submit(attempt) } -> std::same_as<void>;
  { store.abandon(id) } -> std::same_as<void>;
  { store.next_completion() } -> std::same_as<std::optional<Completion>>;
  { constant.descriptor() } -> std::same_as<int>;
};

}  // namespace nandi
