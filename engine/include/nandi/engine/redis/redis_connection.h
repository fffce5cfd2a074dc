// A connection to a Redis that the stores of many workers may share.
//
// It is opened when a registration needs it and opened again, after a growing, jittered pause, when
// it was lost. Nothing is queued for later: a registration that is not sent by its deadline has
// failed. At most one attempt to connect is made per registration submitted.
//
// Replies belong to requests by their order on the connection. A shared connection therefore
// keeps the place of a registration that nobody waits for any more and discards its reply; it is
// dropped only when nothing at all was answered on it for `silence`. An unshared one is dropped
// with its abandoned registration.
//
// A connection to a cluster goes to the node that serves the group's hash slot, wherever that
// moves, so that all stores on it are of one group.
//
// Used from one thread, together with all stores on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "nandi/engine/redis/redis_options.h"
#include "nandi/engine/time.h"

namespace nandi {

namespace redis {
class EndpointSource;
class Exchange;
}  // namespace redis

/// Totals since the connection was made.
struct RedisCounters {
  std::uint64_t connects = 0;       ///< sockets opened
  std::uint64_t connections = 0;    ///< that became usable
  std::uint64_t registrations = 0;  ///< EVALSHA sent
  std::uint64_t sources = 0;        ///< EVAL sent, as the server did not know the script
  std::uint64_t discarded = 0;      ///< replies that came when nobody waited for them any more
  friend bool operator==(const RedisCounters&, const RedisCounters&) = default;
};

class RedisConnection {
 public:
  /// `silence`: how long a server may leave everything on the connection unanswered; the gap of the
  /// groups on it suits. Nothing is connected yet.
  /// Errors: std::invalid_argument for TLS files that cannot be used; std::system_error when the
  /// process has no descriptors left.
  RedisConnection(const RedisOptions& options, Duration silence);
  /// The same, with the address from elsewhere than the URL.
  RedisConnection(const RedisOptions& options, Duration silence,
                  std::unique_ptr<redis::EndpointSource> source);
  ~RedisConnection();
  RedisConnection(RedisConnection&&) noexcept;
  RedisConnection& operator=(RedisConnection&&) noexcept;

  /// Readable when next_ready() may have something to do; that of every store on the connection.
  [[nodiscard]] int descriptor() const;

  /// For a loop over many stores: does the I/O that is ready, without blocking, and names one store
  /// (by the tag it was made with) whose next_completion() has a completion; it never has two.
  /// nullopt: nothing more for now.
  [[nodiscard]] std::optional<std::uint64_t> next_ready();

  /// From hold() to flush(), submitted registrations are gathered and then leave in one write.
  void hold();
  void flush();

  [[nodiscard]] RedisCounters counters() const;

 private:
  friend class RedisStore;
  std::shared_ptr<redis::Exchange> exchange_;
};

}  // namespace nandi
