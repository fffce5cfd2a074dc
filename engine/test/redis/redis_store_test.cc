#include "nandi/engine/redis/redis_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "nandi/engine/script.h"
#include "redis_driver.h"
#include "redis_server.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::int64_t kHour = 3'600'000;

RedisGroup group(const std::string& name, std::int64_t interval_ms = kHour) {
  return {"{" + name + "}", interval_ms};
}

class RedisStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    server = std::make_unique<RedisServer>();
  }
  std::unique_ptr<RedisServer> server;
};

TEST_F(RedisStoreTest, CountsOnThePlainKeysOfTheWireFormat) {
  for (const RedisOptions& options : {server->tcp(), server->unix_socket()}) {
    server->ask({"FLUSHALL"});
    RedisStore first(options, group("mail"));
    RedisStore second(options, group("mail"));
    const auto one = register_once(first, 1, 2s);
    const auto two = register_once(second, 1, 2s);
    ASSERT_NE(tick_in(one), nullptr);
    ASSERT_NE(tick_in(two), nullptr) << (two ? std::get<Failure>(two->outcome).detail : "none");
    EXPECT_EQ(tick_in(one)->index, 0U);
    EXPECT_EQ(tick_in(two)->index, 1U);
    EXPECT_EQ(tick_in(two)->previous_count, std::nullopt);
    const std::string key = "{mail}:" + std::to_string(tick_in(two)->interval);
    EXPECT_EQ(server->ask({"GET", key}), "2");
    const long ttl = std::stol(server->ask({"PTTL", key}));
    EXPECT_GT(ttl, 3 * kHour - 60'000);
    EXPECT_LE(ttl, 3 * kHour);
    EXPECT_EQ(server->ask({"DBSIZE"}), "1");
  }
}

}  // namespace
}  // namespace nandi::test
