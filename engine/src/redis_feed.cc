#include "nandi/engine/redis_feed.h"

#include <stdexcept>
#include <utility>

#include "nandi/engine/discover.h"
#include "nandi/engine/redis/redis_store.h"

namespace nandi {

std::unique_ptr<PeerFeed> redis_feed(const RedisOptions& redis, const Options& options,
                                     Reporter reporter) {
  require_valid(options);
  auto store =
      std::make_unique<RedisStore>(redis, RedisGroup{group_key(options), interval_ms(options)});
  return std::make_unique<WorkerFeed<BootClock, RedisStore>>(options, BootClock{}, std::move(store),
                                                             std::move(reporter));
}

std::unique_ptr<PeerFeed> redis_feed(const std::string& redis_url, const Options& options,
                                     Reporter reporter) {
  auto url = parse_redis_url(redis_url);
  if (const auto* error = std::get_if<RedisUrlError>(&url)) {
    throw std::invalid_argument(to_string(*error));
  }
  RedisOptions redis;
  redis.url = std::get<RedisUrl>(std::move(url));
  return redis_feed(redis, options, std::move(reporter));
}

Discovery discover(const std::string& redis_url, const Options& options, std::stop_token stop,
                   Reporter reporter) {
  return Discovery(redis_feed(redis_url, options, std::move(reporter)), std::move(stop));
}

}  // namespace nandi
