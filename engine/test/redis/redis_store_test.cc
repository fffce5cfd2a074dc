// The store on a sound server: what it sends, what it counts, and what it does when it is told to
// stop waiting. Expected counters are read back through an independent client.
#include "nandi/engine/redis/redis_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "nandi/engine/script.h"
#include "redis/redis_driver.h"
#include "redis_server.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kHour = 3'600'000;

RedisGroup group(const std::string& name) { return {"{" + name + "}", kHour}; }

std::string counter_of(RedisServer& server, const Tick& tick, const std::string& name) {
  return server.ask({"GET", "{" + name + "}:" + std::to_string(tick.interval)});
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
    const auto one = register_once(first, 1, 5s);
    const auto two = register_once(second, 1, 5s);
    ASSERT_NE(tick_in(one), nullptr) << detail_in(one);
    ASSERT_NE(tick_in(two), nullptr) << detail_in(two);
    EXPECT_EQ(tick_in(one)->index, 0U);
    EXPECT_EQ(tick_in(two)->index, 1U);
    EXPECT_EQ(tick_in(two)->previous_count, std::nullopt);
    EXPECT_EQ(counter_of(*server, *tick_in(two), "mail"), "2");
    const std::string key = "{mail}:" + std::to_string(tick_in(two)->interval);
    const long ttl = std::stol(server->ask({"PTTL", key}));
    EXPECT_GT(ttl, 3 * kHour - 60'000);
    EXPECT_LE(ttl, 3 * kHour);
    EXPECT_EQ(server->ask({"DBSIZE"}), "1");
  }
}

TEST_F(RedisStoreTest, TheTickCarriesTheServersTimeAndThePreviousCount) {
  RedisStore store(server->tcp(), group("mail"));
  const auto one = register_once(store, 1, 5s);
  ASSERT_NE(tick_in(one), nullptr);
  server->ask({"SET", "{mail}:" + std::to_string(tick_in(one)->interval - 1), "7"});
  const auto two = register_once(store, 2, 5s);
  ASSERT_NE(tick_in(two), nullptr);
  EXPECT_EQ(tick_in(two)->previous_count, 7U);
  const std::string time = server->ask({"TIME"});
  const std::int64_t seconds = std::stoll(time.substr(0, time.find(' ')));
  const std::int64_t at = tick_in(two)->at.count() / kNanosecondsPerSecond;
  EXPECT_GE(at, seconds - 30);
  EXPECT_LE(at, seconds + 1);
  EXPECT_EQ(tick_in(two)->interval, tick_in(two)->at.count() / 1'000'000 / kHour);
}

// Cases A08 and A09: a flushed script costs a second request and nothing else.
TEST_F(RedisStoreTest, AForgottenScriptIsSentOnceAndCountsOnce) {
  RedisStore store(server->tcp(), group("mail"));
  const auto fresh = register_once(store, 1, 5s);
  ASSERT_NE(tick_in(fresh), nullptr) << detail_in(fresh);
  EXPECT_TRUE(fresh->script_loaded) << "a new server does not know the script";
  const auto warm = register_once(store, 2, 5s);
  EXPECT_FALSE(warm->script_loaded);
  server->ask({"SCRIPT", "FLUSH"});
  const auto flushed = register_once(store, 3, 5s);
  ASSERT_NE(tick_in(flushed), nullptr) << detail_in(flushed);
  EXPECT_TRUE(flushed->script_loaded);
  EXPECT_EQ(tick_in(flushed)->index, 2U) << "three attempts, three counts";
  EXPECT_EQ(counter_of(*server, *tick_in(flushed), "mail"), "3");
  const RedisCounters expected{1, 1, 3, 2, 0};
  EXPECT_EQ(store.counters(), expected);
}

TEST_F(RedisStoreTest, UsesTheDatabaseAndTheUserOfTheUrl) {
  server->ask({"ACL", "SETUSER", "mailer", "on", ">s3cret", "~{mail}*", "+evalsha", "+eval",
               "+time", "+incr", "+pexpire", "+get", "+select"});
  RedisOptions options = server->tcp();
  options.url.user = "mailer";
  options.url.password = Secret("s3cret");
  options.url.database = 3;
  RedisStore store(options, group("mail"));
  const auto done = register_once(store, 1, 5s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(server->ask({"DBSIZE"}), "0");
  EXPECT_THAT(server->ask({"INFO", "keyspace"}), HasSubstr("db3:keys=1"));
}

TEST_F(RedisStoreTest, AnAbandonedAttemptIsNeverReportedNorAnswersTheNext) {
  RedisStore store(server->tcp(), group("mail"));
  ASSERT_NE(tick_in(register_once(store, 1, 5s)), nullptr);
  server->stop();
  store.submit({2, BootClock{}.now() + as_duration(20s)});
  store.abandon(2);
  server->resume();
  EXPECT_EQ(wait_completion(store, 100ms), std::nullopt);
  const auto next = register_once(store, 3, 5s);
  ASSERT_NE(tick_in(next), nullptr) << detail_in(next);
  EXPECT_EQ(next->attempt, 3U);
  // The abandoned one may have counted before this one or not at all; its reply was index 1, so an
  // answer that was mixed up would be the server's first count of attempt 2 under attempt 3's name.
  EXPECT_EQ(counter_of(*server, *tick_in(next), "mail"), std::to_string(tick_in(next)->index + 1));
  EXPECT_EQ(store.counters().connections, 2U) << "its connection was given up";
}

TEST_F(RedisStoreTest, ACompletionThatWasNotFetchedIsGoneOnceAbandoned) {
  RedisStore store(server->tcp(), group("mail"));
  store.submit({1, LocalTime(0)});  // long past: it fails at once
  store.abandon(1);
  EXPECT_EQ(store.next_completion(), std::nullopt);
  store.abandon(1);
  store.abandon(77);
  EXPECT_NE(tick_in(register_once(store, 2, 5s)), nullptr);
}

TEST_F(RedisStoreTest, AnAttemptThatIsOverBeforeItBeganSendsNothing) {
  RedisStore store(server->tcp(), group("mail"));
  const auto late = register_once(store, 1, 0ms);
  EXPECT_EQ(error_in(late), ErrorClass::timeout);
  EXPECT_EQ(store.counters().registrations, 0U);
  EXPECT_EQ(server->ask({"DBSIZE"}), "0");
}

TEST_F(RedisStoreTest, TheDescriptorIsReadableUntilACompletionIsFetched) {
  RedisStore store(server->tcp(), group("mail"));
  store.submit({1, LocalTime(0)});
  pollfd polled{store.descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&polled, 1, 1000), 1) << "the failure of submit() itself";
  ASSERT_TRUE(store.next_completion());
  while (store.next_completion()) {
  }
  EXPECT_EQ(poll(&polled, 1, 0), 0) << "nothing more to do";
  ASSERT_NE(tick_in(register_once(store, 2, 5s)), nullptr);
  while (store.next_completion()) {
  }
  EXPECT_EQ(poll(&polled, 1, 50), 0) << "a settled store does not keep its loop awake";
}

TEST_F(RedisStoreTest, ReceivedLiesBetweenSubmitAndNow) {
  RedisStore store(server->tcp(), group("mail"));
  const LocalTime before = BootClock{}.now();
  const auto done = register_once(store, 1, 5s);
  const LocalTime after = BootClock{}.now();
  ASSERT_NE(tick_in(done), nullptr);
  EXPECT_GE(done->received, before);
  EXPECT_LE(done->received, after);
}

TEST_F(RedisStoreTest, AStoreThatMovesKeepsItsAttempt) {
  RedisStore first(server->tcp(), group("mail"));
  first.submit({1, BootClock{}.now() + as_duration(5s)});
  RedisStore second(std::move(first));
  const auto done = wait_completion(second, 5s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(done->attempt, 1U);
}

TEST(RedisStoreArguments, AnIntervalThatIsNoneIsRefused) {
  EXPECT_THROW(RedisStore(RedisOptions{}, RedisGroup{"{mail}", 0}), std::invalid_argument);
  EXPECT_THROW(RedisStore(RedisOptions{}, RedisGroup{"{mail}", -5}), std::invalid_argument);
}

}  // namespace
}  // namespace nandi::test
