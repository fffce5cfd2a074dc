// Every way in which a real server refuses a registration: its class, what it does to the
// connection, and that registering works again once the cause is gone. Causes are set up on the
// server itself, through an independent client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nandi/engine/redis/redis_store.h"
#include "redis/endpoint_source.h"
#include "redis/redis_driver.h"
#include "redis_server.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const RedisGroup kGroup{"{mail}", 3'600'000};

/// Registers until the answer is `wanted`, for at most 20 s; the last answer.
std::optional<Completion> register_until(RedisStore& store, ErrorClass wanted) {
  std::optional<Completion> done;
  const auto end = std::chrono::steady_clock::now() + 20s;
  for (AttemptId id = 1000; std::chrono::steady_clock::now() < end; ++id) {
    done = register_once(store, id, 3s);
    if (error_in(done) == wanted) return done;
    std::this_thread::sleep_for(20ms);
  }
  return done;
}

/// Answers like another source and counts the questions.
class CountingSource final : public redis::EndpointSource {
 public:
  CountingSource(const RedisUrl& url, int& asked)
      : source_(redis::make_url_source(url)), asked_(asked) {}
  void start(LocalTime now, LocalTime deadline) override {
    ++asked_;
    source_->start(now, deadline);
  }
  std::optional<redis::Located> poll(LocalTime now) override { return source_->poll(now); }
  void cancel() override { source_->cancel(); }
  [[nodiscard]] int descriptor() const override { return source_->descriptor(); }
  [[nodiscard]] std::string step() const override { return source_->step(); }

 private:
  std::unique_ptr<redis::EndpointSource> source_;
  int& asked_;
};

class RedisRefusalTest : public testing::Test {
 protected:
  void SetUp() override { NANDI_NEEDS_REDIS(); }
};

// Case A07.
TEST_F(RedisRefusalTest, AReplicaIsReadonlyAndItsAddressIsLookedUpAgain) {
  RedisServer primary;
  RedisServer replica({"--replicaof", "127.0.0.1 " + std::to_string(primary.port())});
  int asked = 0;
  RedisConnection connection(replica.tcp(), as_duration(1s),
                             std::make_unique<CountingSource>(replica.tcp().url, asked));
  RedisStore store(connection, kGroup);
  const auto refused = register_until(store, ErrorClass::readonly);
  ASSERT_EQ(error_in(refused), ErrorClass::readonly) << detail_in(refused);
  const int before = asked;
  const std::uint64_t connections = connection.counters().connections;
  const auto again = register_once(store, 1, 3s);
  EXPECT_EQ(error_in(again), ErrorClass::readonly) << detail_in(again);
  EXPECT_EQ(asked, before + 1);
  EXPECT_EQ(connection.counters().connections, connections + 1) << "the connection was closed";
  replica.ask({"REPLICAOF", "NO", "ONE"});
  const auto done = register_once(store, 2, 3s);
  EXPECT_NE(tick_in(done), nullptr) << detail_in(done);
}

// Case A11.
TEST_F(RedisRefusalTest, BusyIsTransientAndKeepsTheConnection) {
  RedisServer server({"--busy-reply-threshold", "50"});
  RedisStore store(server.tcp(), kGroup);
  ASSERT_NE(tick_in(register_once(store, 1, 5s)), nullptr);
  const auto blocker = server.client();
  blocker->send({"EVAL", "while true do end", "0"});
  std::this_thread::sleep_for(20ms);
  const auto refused = register_until(store, ErrorClass::busy);
  EXPECT_EQ(error_in(refused), ErrorClass::busy) << detail_in(refused);
  EXPECT_THAT(detail_in(refused), HasSubstr("SCRIPT KILL"));
  server.ask({"SCRIPT", "KILL"});
  blocker->read_reply();
  const auto done = register_once(store, 2, 5s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(store.counters().connections, 1U);
}

// Case A13: a server that listens is not yet one that serves.
TEST_F(RedisRefusalTest, LoadingIsItsOwnClassUntilTheServerServes) {
  RedisServer server;
  server.ask({"DEBUG", "POPULATE", "1000"});
  server.ask({"SAVE"});
  server.kill();
  server.restart({"--key-load-delay", "400", "--loading-process-events-interval-bytes", "1024"});
  RedisStore store(server.tcp(), kGroup);
  const auto refused = register_once(store, 1, 3s);
  EXPECT_EQ(error_in(refused), ErrorClass::loading) << detail_in(refused);
  EXPECT_EQ(store.counters().registrations, 0U) << "it is not asked to count before it can";
  const auto done = register_until(store, ErrorClass::none);
  EXPECT_NE(tick_in(done), nullptr) << detail_in(done);
}

// Case A14: one attempt to connect per registration, and those who are in stay in.
TEST_F(RedisRefusalTest, ANewConnectionTooManyIsRefusedAndTheOthersStay) {
  RedisServer server({"--maxclients", "4"});
  server.ask({"PING"});  // the fixture's own connection is the fourth
  std::vector<std::unique_ptr<RedisStore>> stores;
  for (int i = 0; i < 5; ++i) {
    stores.push_back(std::make_unique<RedisStore>(server.tcp(), kGroup));
  }
  for (AttemptId round = 1; round <= 3; ++round) {
    for (std::size_t i = 0; i < stores.size(); ++i) {
      const auto done = register_once(*stores[i], round, 2s);
      EXPECT_EQ(error_in(done), i < 3 ? ErrorClass::none : ErrorClass::max_clients)
          << i << ": " << detail_in(done);
      EXPECT_LE(stores[i]->counters().connects, round);
    }
  }
  EXPECT_EQ(stores[0]->counters().connections, 1U);
}

// Case A15.
TEST_F(RedisRefusalTest, OutOfMemoryIsRefusedAndRecovers) {
  RedisServer server;
  RedisStore store(server.tcp(), kGroup);
  server.ask({"CONFIG", "SET", "maxmemory", "1"});
  for (AttemptId id = 1; id <= 2; ++id) {  // by EVAL, then by EVALSHA
    const auto refused = register_once(store, id, 3s);
    EXPECT_EQ(error_in(refused), ErrorClass::oom) << detail_in(refused);
  }
  server.ask({"CONFIG", "SET", "maxmemory", "0"});
  const auto done = register_once(store, 3, 3s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(tick_in(done)->index, 0U) << "the refused ones did not count";
  EXPECT_EQ(store.counters().connections, 1U);
}

// Case A19: the key pattern has to cover the declared key, and the commands inside count too.
TEST_F(RedisRefusalTest, AnAclThatLacksAnythingIsNoperm) {
  RedisServer server;
  RedisOptions options = server.tcp();
  options.url.user = "mailer";
  options.url.password = Secret("s3cret");
  const std::vector<std::string> all{"~{mail}*", "+evalsha", "+eval", "+time",
                                     "+incr",    "+pexpire", "+get"};
  const auto set_user = [&server](const std::vector<std::string>& rules) {
    std::vector<std::string> command{"ACL", "SETUSER", "mailer", "reset", "on", ">s3cret"};
    command.insert(command.end(), rules.begin(), rules.end());
    ASSERT_EQ(server.ask(command), "OK");
  };
  set_user(all);
  {
    RedisStore store(options, kGroup);
    EXPECT_NE(tick_in(register_once(store, 1, 3s)), nullptr) << "exactly these rights suffice";
  }
  for (std::size_t missing = 0; missing < all.size(); ++missing) {
    std::vector<std::string> rules = all;
    rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(missing));
    if (missing == 0) rules.push_back("~{mail}:*");
    set_user(rules);
    if (all[missing] == "+eval") server.ask({"SCRIPT", "FLUSH"});
    RedisStore store(options, kGroup);
    const auto refused = register_once(store, 1, 3s);
    EXPECT_EQ(error_in(refused), ErrorClass::noperm) << all[missing] << ": " << detail_in(refused);
    EXPECT_THAT(detail_in(refused), HasSubstr("+evalsha +eval +time")) << all[missing];
  }
}

TEST_F(RedisRefusalTest, AWrongLoginIsNoauthAndShowsNoPassword) {
  RedisServer server({"--requirepass", "right"});
  RedisOptions options = server.tcp();
  {
    RedisStore store(options, kGroup);
    const auto refused = register_once(store, 1, 3s);
    EXPECT_EQ(error_in(refused), ErrorClass::noauth) << detail_in(refused);
  }
  options.url.password = Secret("hunter2");
  {
    RedisStore store(options, kGroup);
    for (AttemptId id = 1; id <= 2; ++id) {
      const auto refused = register_once(store, id, 3s);
      EXPECT_EQ(error_in(refused), ErrorClass::noauth) << detail_in(refused);
      EXPECT_THAT(detail_in(refused), Not(HasSubstr("hunter2")));
    }
    EXPECT_EQ(store.counters().registrations, 0U);
  }
  options.url.password = Secret("right");
  RedisStore store(options, kGroup);
  EXPECT_NE(tick_in(register_once(store, 1, 3s)), nullptr);
}

TEST_F(RedisRefusalTest, APasswordForAServerWithoutOneIsNoauth) {
  RedisServer server;
  RedisOptions options = server.tcp();
  options.url.password = Secret("hunter2");
  RedisStore store(options, kGroup);
  const auto refused = register_once(store, 1, 3s);
  EXPECT_EQ(error_in(refused), ErrorClass::noauth) << detail_in(refused);
  EXPECT_THAT(detail_in(refused), HasSubstr("the server has none"));
}

TEST_F(RedisRefusalTest, AServerThatEchoesArgumentsDoesNotGiveAwayThePassword) {
  RedisServer server({"--rename-command", "AUTH", ""});
  RedisOptions options = server.tcp();
  options.url.password = Secret("hunter2");
  RedisStore store(options, kGroup);
  const auto refused = register_once(store, 1, 3s);
  ASSERT_NE(failure_in(refused), nullptr);
  EXPECT_THAT(detail_in(refused), HasSubstr("unknown command"));
  EXPECT_THAT(detail_in(refused), Not(HasSubstr("hunter2")));
}

TEST_F(RedisRefusalTest, ADatabaseThatIsNotThereIsSaidSo) {
  RedisServer server({"--databases", "2"});
  RedisOptions options = server.tcp();
  options.url.database = 2;
  RedisStore store(options, kGroup);
  const auto refused = register_once(store, 1, 3s);
  EXPECT_EQ(error_in(refused), ErrorClass::other);
  EXPECT_THAT(detail_in(refused), HasSubstr("'databases' setting"));
}

TEST_F(RedisRefusalTest, AKeyOfAnotherTypeIsAnErrorThatNamesIt) {
  RedisServer server;
  RedisStore store(server.tcp(), kGroup);
  const auto first = register_once(store, 1, 3s);
  ASSERT_NE(tick_in(first), nullptr);
  const std::string key = "{mail}:" + std::to_string(tick_in(first)->interval);
  server.ask({"DEL", key});
  server.ask({"LPUSH", key, "x"});
  const auto refused = register_once(store, 2, 3s);
  EXPECT_EQ(error_in(refused), ErrorClass::other);
  EXPECT_THAT(detail_in(refused), HasSubstr("WRONGTYPE"));
  server.ask({"DEL", key});
  server.ask({"SET", key, "2000000000"});
  EXPECT_EQ(error_in(register_once(store, 3, 3s)), ErrorClass::bad_reply)
      << "no group counts to two thousand million";
}

TEST_F(RedisRefusalTest, AClusterNodeWithoutTheHashSlotSaysWhere) {
  const std::string bus_a = std::to_string(free_port());
  const std::string bus_b = std::to_string(free_port());
  RedisServer a({"--cluster-enabled", "yes", "--cluster-port", bus_a});
  RedisStore store(a.tcp(), kGroup);
  const auto down = register_once(store, 1, 3s);
  EXPECT_EQ(error_in(down), ErrorClass::cluster_down) << detail_in(down);
  RedisServer b({"--cluster-enabled", "yes", "--cluster-port", bus_b});
  const std::string slot = a.ask({"CLUSTER", "KEYSLOT", "{mail}"});
  for (RedisServer* node : {&a, &b}) {
    node->ask({"CONFIG", "SET", "cluster-require-full-coverage", "no"});
  }
  b.ask({"CLUSTER", "ADDSLOTS", slot});
  a.ask({"CLUSTER", "ADDSLOTS", slot == "0" ? "1" : "0"});
  a.ask({"CLUSTER", "SET-CONFIG-EPOCH", "1"});
  b.ask({"CLUSTER", "SET-CONFIG-EPOCH", "2"});
  a.ask({"CLUSTER", "MEET", "127.0.0.1", std::to_string(b.port()), bus_b});
  const auto moved = register_until(store, ErrorClass::moved);
  EXPECT_EQ(error_in(moved), ErrorClass::moved) << detail_in(moved);
  EXPECT_THAT(detail_in(moved), HasSubstr("MOVED " + slot + " "));
}

}  // namespace
}  // namespace nandi::test
