#include "nandi/engine/redis/redis_connection.h"

#include <algorithm>

#include "redis/exchange.h"

namespace nandi {

RedisConnection::RedisConnection(const RedisOptions& options, Duration silence)
    : RedisConnection(options, silence, nullptr) {}

RedisConnection::RedisConnection(const RedisOptions& options, Duration silence,
                                 std::unique_ptr<redis::EndpointSource> source)
    : exchange_(std::make_shared<redis::Exchange>(options, std::max(silence, Duration(1)),
                                                  std::move(source))) {}

RedisConnection::~RedisConnection() = default;
RedisConnection::RedisConnection(RedisConnection&&) noexcept = default;
RedisConnection& RedisConnection::operator=(RedisConnection&&) noexcept = default;

int RedisConnection::descriptor() const { return exchange_->descriptor(); }
std::optional<std::uint64_t> RedisConnection::next_ready() { return exchange_->next_ready(); }
void RedisConnection::hold() { exchange_->hold(); }
void RedisConnection::flush() { exchange_->flush(); }
RedisCounters RedisConnection::counters() const { return exchange_->counters(); }

}  // namespace nandi
