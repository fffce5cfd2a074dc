#include "nandi/engine/redis/redis_store.h"

#include "redis/exchange.h"

namespace nandi {

RedisStore::RedisStore(const RedisOptions& options, const RedisGroup& group)
    : RedisStore(std::make_shared<redis::Exchange>(options, Duration(0), nullptr), group, 0) {}

RedisStore::RedisStore(const RedisConnection& connection, const RedisGroup& group,
                       std::uint64_t tag)
    : RedisStore(connection.exchange_, group, tag) {}

RedisStore::RedisStore(std::shared_ptr<redis::Exchange> exchange, const RedisGroup& group,
                       std::uint64_t tag)
    : exchange_(std::move(exchange)), seat_(exchange_->join(group, tag)) {}

RedisStore::~RedisStore() { leave(); }

RedisStore::RedisStore(RedisStore&& other) noexcept
    : exchange_(std::move(other.exchange_)), seat_(other.seat_) {}

RedisStore& RedisStore::operator=(RedisStore&& other) noexcept {
  if (this != &other) {
    leave();
    exchange_ = std::move(other.exchange_);
    seat_ = other.seat_;
  }
  return *this;
}

void RedisStore::leave() {
  if (exchange_) exchange_->leave(seat_);
}

void RedisStore::submit(const Attempt& attempt) { exchange_->submit(seat_, attempt); }
void RedisStore::abandon(AttemptId id) { exchange_->abandon(seat_, id); }
std::optional<Completion> RedisStore::next_completion() {
  return exchange_->next_completion(seat_);
}
int RedisStore::descriptor() const { return exchange_->descriptor(); }
RedisCounters RedisStore::counters() const { return exchange_->counters(); }

}  // namespace nandi
