// The network's and the server's bad days, seen from one store: late, lost and dripping replies,
// connections that are dead without saying so, a server that hangs, restarts, or is no Redis.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "delay_proxy.h"
#include "nandi/engine/redis/redis_store.h"
#include "redis/endpoint_source.h"
#include "redis/file_descriptor.h"
#include "redis/redis_driver.h"
#include "redis_server.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const RedisGroup kGroup{"{mail}", 3'600'000};

class RedisFaultTest : public testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    server = std::make_unique<RedisServer>();
    proxy = std::make_unique<DelayProxy>(server->port());
    options.url.host = "127.0.0.1";
    options.url.port = proxy->port();
    options.seed = 1;
  }

  std::string counter(const Tick& tick) {
    return server->ask({"GET", "{mail}:" + std::to_string(tick.interval)});
  }

  /// A store whose connection is up and whose script is loaded: one registration is counted.
  RedisStore warm_store() {
    RedisStore store(options, kGroup);
    EXPECT_NE(tick_in(register_once(store, 1, 5s)), nullptr);
    return store;
  }

  std::unique_ptr<RedisServer> server;
  std::unique_ptr<DelayProxy> proxy;
  RedisOptions options;
};

/// How long `attempt` took to fail, which has to be its allowance and little more.
std::chrono::milliseconds time_to_fail(RedisStore& store, AttemptId id,
                                       std::chrono::milliseconds allowance, std::string* detail) {
  const auto begin = std::chrono::steady_clock::now();
  const auto done = register_once(store, id, allowance);
  EXPECT_EQ(error_in(done), ErrorClass::timeout) << detail_in(done);
  if (detail != nullptr) *detail = detail_in(done);
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               begin);
}

TEST_F(RedisFaultTest, AReplyThatIsLateButInTimeIsATick) {
  RedisStore store = warm_store();
  proxy->replies({.delay = 200ms});
  const LocalTime sent = BootClock{}.now();
  const auto done = register_once(store, 2, 10s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_GE(done->received - sent, as_duration(200ms));
}

// Cases A01 and A03: the counter has counted, nobody heard of it.
TEST_F(RedisFaultTest, ALostReplyFailsAtItsDeadlineAndTheRetryCountsAgain) {
  RedisStore store = warm_store();
  proxy->replies({.swallow = true});
  std::string detail;
  const auto took = time_to_fail(store, 2, 150ms, &detail);
  EXPECT_GE(took, 150ms);
  EXPECT_LT(took, 3s);
  EXPECT_THAT(detail, HasSubstr("may still count"));
  proxy->replies({});
  const auto done = register_once(store, 3, 5s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(tick_in(done)->index, 2U) << "index 1 is a ghost";
  EXPECT_EQ(counter(*tick_in(done)), "3");
}

TEST_F(RedisFaultTest, AReplyHeldPastItsDeadlineNeverAnswersTheNextAttempt) {
  RedisStore store = warm_store();
  proxy->replies({.hold = true});
  time_to_fail(store, 2, 100ms, nullptr);
  proxy->replies({});
  const auto done = register_once(store, 3, 5s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(done->attempt, 3U);
  EXPECT_EQ(tick_in(done)->index, 2U) << "attempt 2 had index 1";
}

TEST_F(RedisFaultTest, AServerThatDripsDoesNotStretchADeadline) {
  RedisStore store = warm_store();
  // The reply has more than 40 bytes: it would take over four seconds.
  proxy->replies({.drip = 100ms});
  const auto took = time_to_fail(store, 2, 300ms, nullptr);
  EXPECT_GE(took, 300ms);
  EXPECT_LT(took, 2s);
  proxy->replies({});
  EXPECT_NE(tick_in(register_once(store, 3, 5s)), nullptr);
}

// Case A05: the second stall, on a connection made after the first, ends as the first did.
TEST_F(RedisFaultTest, AHalfOpenConnectionIsReplacedEachTime) {
  RedisStore store = warm_store();
  for (AttemptId id = 2; id <= 5; id += 2) {
    proxy->half_open();
    const auto took = time_to_fail(store, id, 150ms, nullptr);
    EXPECT_LT(took, 3s) << id;
    const auto done = register_once(store, id + 1, 5s);
    ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  }
  EXPECT_EQ(proxy->connections(), 3);
}

TEST_F(RedisFaultTest, AConnectionThatWasClosedWhileIdleIsNotedBeforeItIsNeeded) {
  RedisStore store = warm_store();
  proxy->cut();
  EXPECT_EQ(wait_completion(store, 300ms), std::nullopt) << "nobody waits, nobody is told";
  const auto done = register_once(store, 2, 5s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(tick_in(done)->index, 1U);
}

TEST_F(RedisFaultTest, AConnectionCutUnderARegistrationFailsAtOnceAndIsNotReplayed) {
  RedisStore store = warm_store();
  proxy->replies({.swallow = true});
  store.submit({2, BootClock{}.now() + as_duration(20s)});
  std::this_thread::sleep_for(100ms);
  proxy->cut();
  const auto begin = std::chrono::steady_clock::now();
  const auto lost = wait_completion(store, 10s);
  EXPECT_EQ(error_in(lost), ErrorClass::connection) << detail_in(lost);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s) << "not at the deadline";
  proxy->replies({});
  const auto done = register_once(store, 3, 5s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(counter(*tick_in(done)), "3") << "attempts 1, 2 and 3, each once";
}

// Case A02: whatever was not sent in time is gone; one registration per attempt, no queue.
TEST_F(RedisFaultTest, AnOutageIsNotFollowedByABurst) {
  RedisStore store = warm_store();
  server->kill();
  for (AttemptId id = 2; id <= 11; ++id) {
    const auto refused = register_once(store, id, 60ms);
    EXPECT_NE(error_in(refused), ErrorClass::none);
  }
  EXPECT_LE(store.counters().connects, 11U) << "at most one try per attempt";
  server->restart();
  const auto done = register_once(store, 12, 5s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(tick_in(done)->index, 0U) << "the data is gone with the server";
  EXPECT_TRUE(done->script_loaded);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(counter(*tick_in(done)), "1");
}

TEST_F(RedisFaultTest, TriesToConnectGrowRareWhileTheServerIsAway) {
  RedisStore store(options, kGroup);
  proxy->refuse(true);
  const auto end = std::chrono::steady_clock::now() + 2s;
  AttemptId id = 0;
  while (std::chrono::steady_clock::now() < end) {
    const auto refused = register_once(store, ++id, 400ms);
    EXPECT_EQ(error_in(refused), ErrorClass::connection) << detail_in(refused);
  }
  // Pauses of at least 5, 10, 20, 40, 80 and then 100 ms (half of half the allowance) each: no more
  // than 5 + (2000 - 155) / 100 + 1 tries, however eager the caller.
  EXPECT_LE(proxy->connections(), 25);
  EXPECT_GE(proxy->connections(), 3);
  proxy->refuse(false);
  EXPECT_NE(tick_in(register_once(store, ++id, 5s)), nullptr);
}

// A hanging server takes what is already on its way and nothing more: attempts on new connections
// wait for its greeting and are not counted when it wakes up.
TEST_F(RedisFaultTest, AServerThatHangsIsOwedAtMostOneGhost) {
  options = server->tcp();
  RedisStore store = warm_store();
  server->stop();
  for (AttemptId id = 2; id <= 7; ++id) time_to_fail(store, id, 80ms, nullptr);
  server->resume();
  const auto done = register_once(store, 8, 10s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(counter(*tick_in(done)), "3") << "attempts 1 and 8, and the ghost of 2";
  EXPECT_EQ(store.counters().registrations, 3U);
}

TEST_F(RedisFaultTest, TheGreetingHasADeadlineToo) {
  options.url.password = Secret("unused");
  proxy->requests({.hold = true});
  RedisStore store(options, kGroup);
  std::string detail;
  EXPECT_LT(time_to_fail(store, 1, 150ms, &detail), 3s);
  EXPECT_THAT(detail, HasSubstr("to answer AUTH"));
}

TEST_F(RedisFaultTest, ABacklogThatTakesNobodyEndsAtTheDeadline) {
  // A listener with a full queue drops what comes: the connection is never established.
  const redis::FileDescriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener.get(), 0), 0);
  getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  std::vector<redis::FileDescriptor> fillers;
  for (int i = 0; i < 4; ++i) {
    fillers.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    connect(fillers.back().get(), reinterpret_cast<sockaddr*>(&address), size);
  }
  options.url.port = ntohs(address.sin_port);
  RedisStore store(options, kGroup);
  std::string detail;
  EXPECT_LT(time_to_fail(store, 1, 150ms, &detail), 3s);
  EXPECT_THAT(detail, HasSubstr("127.0.0.1:"));
}

// Case A26: a name service that does not answer holds up nothing, not even the end of the store.
class SilentSource final : public redis::EndpointSource {
 public:
  void start(LocalTime, LocalTime) override {}
  std::optional<redis::Located> poll(LocalTime) override { return std::nullopt; }
  void cancel() override {}
  [[nodiscard]] int descriptor() const override { return -1; }
  [[nodiscard]] std::string step() const override { return "looking up nowhere"; }
};

TEST_F(RedisFaultTest, ANameThatIsNeverAnsweredEndsAtTheDeadline) {
  const RedisConnection connection(options, as_duration(1s), std::make_unique<SilentSource>());
  RedisStore store(connection, kGroup);
  std::string detail;
  EXPECT_LT(time_to_fail(store, 1, 150ms, &detail), 3s);
  EXPECT_THAT(detail, HasSubstr("looking up nowhere"));
}

TEST_F(RedisFaultTest, ANameThatDoesNotExistIsAResolveErrorOrALateOne) {
  options.url.host = "no-such-host.invalid";  // RFC 6761: never exists
  RedisStore store(options, kGroup);
  const auto refused = register_once(store, 1, 3s);
  const ErrorClass error = error_in(refused);
  EXPECT_TRUE(error == ErrorClass::resolve || error == ErrorClass::timeout) << detail_in(refused);
  EXPECT_THAT(detail_in(refused), HasSubstr("no-such-host.invalid"));
}

TEST_F(RedisFaultTest, ANameIsResolvedWithoutBlocking) {
  options = server->tcp();
  options.url.host = "localhost";
  RedisStore store(options, kGroup);
  const auto begin = std::chrono::steady_clock::now();
  store.submit({1, BootClock{}.now() + as_duration(10s)});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  const auto done = wait_completion(store, 10s);
  // The private server listens on 127.0.0.1 only; where localhost is ::1 first, that is refused and
  // the next address tried.
  EXPECT_NE(tick_in(done), nullptr) << detail_in(done);
}

TEST_F(RedisFaultTest, WritingToAServerThatIsGoneRaisesNoSignal) {
  options = server->unix_socket();
  RedisStore store = warm_store();
  server->kill();
  // The first write after the end of the other side is what SIGPIPE is for.
  const auto lost = register_once(store, 2, 5s);
  EXPECT_EQ(error_in(lost), ErrorClass::connection) << detail_in(lost);
}

TEST_F(RedisFaultTest, AStoreThatIsDestroyedWaitsForNothing) {
  RedisStore hanging = warm_store();
  server->stop();
  auto store = std::make_unique<RedisStore>(std::move(hanging));
  store->submit({2, BootClock{}.now() + as_duration(60s)});
  const auto begin = std::chrono::steady_clock::now();
  store.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  server->resume();
}

}  // namespace
}  // namespace nandi::test
