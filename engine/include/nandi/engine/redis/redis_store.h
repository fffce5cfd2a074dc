// The registrations of one worker on a real Redis: a Store (store.h) over TCP, TLS or a unix
// socket.
//
// EVALSHA; the source follows once when the server does not know the script; nothing else is
// ever sent twice. Every failure is a Completion with its class and wording. engine/README.md,
// "Redis", says what each class does to the connection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "nandi/engine/redis/redis_connection.h"
#include "nandi/engine/redis/redis_options.h"
#include "nandi/engine/store.h"

namespace nandi {

/// Which counters a store registers with.
struct RedisGroup {
  std::string key;               ///< <prefix>{<name>}: group_key() of the options
  std::int64_t interval_ms = 0;  ///< > 0: interval_ms() of the options
};

class RedisStore {
 public:
  /// On a connection of its own. Errors: as RedisConnection.
  RedisStore(const RedisOptions& options, const RedisGroup& group);
  /// On a shared one, which lives as long as any of its stores. `tag`: what next_ready() names it.
  /// Errors: std::invalid_argument for a second group on a connection to a cluster.
  RedisStore(const RedisConnection& connection, const RedisGroup& group, std::uint64_t tag = 0);
  ~RedisStore();
  RedisStore(RedisStore&& other) noexcept;
  RedisStore& operator=(RedisStore&& other) noexcept;

  void submit(const Attempt& attempt);
  void abandon(AttemptId id);
  [[nodiscard]] std::optional<Completion> next_completion();
  [[nodiscard]] int descriptor() const;

  /// Of the connection.
  [[nodiscard]] RedisCounters counters() const;

 private:
  RedisStore(std::shared_ptr<redis::Exchange> exchange, const RedisGroup& group, std::uint64_t tag);
  void leave();

  std::shared_ptr<redis::Exchange> exchange_;
  std::uint32_t seat_ = 0;
};

static_assert(Store<RedisStore>);

}  // namespace nandi
