// A store that is led to the server in charge: by a cluster's nodes, by sentinels. The nodes are
// real; the sentinels here are scripted, as they have to disagree (nandi_worker_failover_test.cc
// has real ones).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "nandi/engine/redis/redis_store.h"
#include "redis/cluster_pair.h"
#include "redis/redis_driver.h"
#include "redis_server.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const RedisGroup kGroup{"{mail}", 3'600'000};

RedisOptions options_of(const std::string& url) {
  RedisOptions options;
  options.url = std::get<RedisUrl>(parse_redis_url(url));
  options.seed = 1;
  return options;
}

class RedisClusterTest : public testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    cluster = std::make_unique<ClusterPair>("{mail}");
  }
  /// The counter of a tick's interval at a node, in spite of where the slot is.
  static std::string counter(RedisServer& node, const Tick& tick) {
    const std::string key = "{mail}:" + std::to_string(tick.interval);
    return node.ask({"KEYS", key}) == key ? "there" : "absent";
  }
  std::unique_ptr<ClusterPair> cluster;
};

TEST_F(RedisClusterTest, AnyNodeLeadsToTheOneThatServesTheKey) {
  for (RedisServer* seed : {&cluster->a, &cluster->b}) {
    RedisStore store(options_of(fmt::format("redis+cluster://127.0.0.1:{}", seed->port())), kGroup);
    const auto done = register_once(store, 1, 5s);
    ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
    EXPECT_EQ(done->server_change, "");
    EXPECT_EQ(store.counters().registrations, 1U) << "only the right node was asked to count";
    EXPECT_EQ(counter(cluster->a, *tick_in(done)), "there");
    EXPECT_EQ(counter(cluster->b, *tick_in(done)), "absent");
  }
}

TEST_F(RedisClusterTest, ANodeThatIsAwayCostsTheOthersNothing) {
  RedisStore store(options_of(fmt::format("redis+cluster://127.0.0.1:{},127.0.0.1:{}", free_port(),
                                          cluster->b.port())),
                   kGroup);
  const auto done = register_once(store, 1, 5s);
  EXPECT_NE(tick_in(done), nullptr) << detail_in(done);
}

TEST_F(RedisClusterTest, AMovedRegistrationCountsOnceAndItsClosedCountIsNoEvidence) {
  RedisStore store(options_of(cluster->url()), kGroup);
  const auto first = register_once(store, 1, 5s);
  ASSERT_NE(tick_in(first), nullptr) << detail_in(first);
  const auto before = [&](RedisServer& node, const char* count) {
    node.ask({"SET", "{mail}:" + std::to_string(tick_in(first)->interval - 1), count});
  };
  before(cluster->a, "5");
  const auto second = register_once(store, 2, 5s);
  ASSERT_NE(tick_in(second), nullptr) << detail_in(second);
  EXPECT_EQ(tick_in(second)->previous_count, 5U);
  EXPECT_EQ(tick_in(second)->index, 1U);

  cluster->begin_migration(cluster->a, cluster->b);
  cluster->end_migration(cluster->a, cluster->b);
  before(cluster->b, "7");
  const auto moved = register_once(store, 3, 5s);
  ASSERT_NE(tick_in(moved), nullptr) << detail_in(moved);
  EXPECT_EQ(tick_in(moved)->index, 0U) << "the open counter was left behind: it repeats values";
  EXPECT_EQ(tick_in(moved)->previous_count, std::nullopt);
  EXPECT_THAT(moved->server_change, HasSubstr(std::to_string(cluster->a.port())));
  EXPECT_THAT(moved->server_change, HasSubstr(std::to_string(cluster->b.port())));

  const auto after = register_once(store, 4, 5s);
  ASSERT_NE(tick_in(after), nullptr) << detail_in(after);
  EXPECT_EQ(tick_in(after)->index, 1U) << "the moved one was counted once";
  EXPECT_EQ(tick_in(after)->previous_count, 7U) << "the same server again";
  EXPECT_EQ(after->server_change, "");
}

TEST_F(RedisClusterTest, AskIsFollowedWithAskingForAsLongAsTheSlotIsOnItsWay) {
  RedisStore store(options_of(cluster->url()), kGroup);
  ASSERT_NE(tick_in(register_once(store, 1, 5s)), nullptr);
  cluster->begin_migration(cluster->a, cluster->b);
  for (AttemptId id = 2; id <= 4; ++id) {
    const auto asked = register_once(store, id, 5s);
    ASSERT_NE(tick_in(asked), nullptr) << detail_in(asked);
    EXPECT_EQ(tick_in(asked)->index, id - 2) << "b counts from 1";
    EXPECT_EQ(asked->server_change.empty(), id != 2);
  }
  EXPECT_THAT(cluster->b.ask({"INFO", "commandstats"}), HasSubstr("cmdstat_asking:calls="));
  // Given up: a has the slot all along, and b says so.
  EXPECT_EQ(cluster->b.ask(
                {"CLUSTER", "SETSLOT", cluster->b.ask({"CLUSTER", "KEYSLOT", "{mail}"}), "STABLE"}),
            "OK");
  EXPECT_EQ(cluster->a.ask(
                {"CLUSTER", "SETSLOT", cluster->a.ask({"CLUSTER", "KEYSLOT", "{mail}"}), "STABLE"}),
            "OK");
  const auto back = register_once(store, 5, 5s);
  ASSERT_NE(tick_in(back), nullptr) << detail_in(back);
  EXPECT_EQ(tick_in(back)->index, 1U) << "a had counted the first";
  EXPECT_NE(back->server_change, "");
}

TEST_F(RedisClusterTest, ASharedConnectionServesOneKey) {
  RedisConnection connection(options_of(cluster->url()), as_duration(1s));
  {
    const RedisStore first(connection, kGroup);
    const RedisStore second(connection, kGroup);
    EXPECT_THROW(RedisStore(connection, RedisGroup{"{other}", 1000}), std::invalid_argument);
  }
  EXPECT_NO_THROW(RedisStore(connection, RedisGroup{"{other}", 1000})) << "once nobody else is";
}

/// Listens on a loopback port and answers as a sentinel that always says the same.
class ScriptedSentinel {
 public:
  /// `answer` to SENTINEL MASTER; an empty one: never.
  explicit ScriptedSentinel(std::string answer)
      : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedSentinel() {
    stop_ = true;
    thread_.join();
    close(listener_);
  }
  ScriptedSentinel(const ScriptedSentinel&) = delete;
  ScriptedSentinel& operator=(const ScriptedSentinel&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  void say(std::string answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }

  /// What a sentinel of Redis 7 says, less the members that nobody reads.
  static std::string word(std::uint16_t port, int epoch) {
    const auto bulk = [](const std::string& text) {
      return fmt::format("${}\r\n{}\r\n", text.size(), text);
    };
    return "*10\r\n" + bulk("name") + bulk("main") + bulk("ip") + bulk("127.0.0.1") + bulk("port") +
           bulk(std::to_string(port)) + bulk("flags") + bulk("master") + bulk("config-epoch") +
           bulk(std::to_string(epoch));
  }

 private:
  void serve() {
    std::vector<int> connections;
    while (!stop_) {
      std::vector<pollfd> polled{{listener_, POLLIN, 0}};
      for (const int connection : connections) polled.push_back({connection, POLLIN, 0});
      poll(polled.data(), polled.size(), 20);
      for (std::size_t i = 1; i < polled.size(); ++i) {
        if (polled[i].revents == 0) continue;
        std::array<char, 4096> bytes{};
        const ssize_t size = recv(polled[i].fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
        const std::string_view text(bytes.data(),
                                    static_cast<std::size_t>(std::max(size, ssize_t{0})));
        std::string reply;
        if (text.find("PING") != std::string_view::npos) reply = "+PONG\r\n";
        if (text.find("SENTINEL") != std::string_view::npos) {
          const std::lock_guard lock(mutex_);
          reply += answer_;
        }
        if (!reply.empty()) send(polled[i].fd, reply.data(), reply.size(), MSG_NOSIGNAL);
        if (size == 0) {
          close(polled[i].fd);
          std::erase(connections, polled[i].fd);
        }
      }
      if (polled[0].revents != 0) connections.push_back(accept(listener_, nullptr, nullptr));
    }
    for (const int connection : connections) close(connection);
  }

  std::mutex mutex_;
  std::string answer_;  ///< guarded by mutex_
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class RedisSentinelTest : public testing::Test {
 protected:
  void SetUp() override { NANDI_NEEDS_REDIS(); }

  static RedisOptions asking(const std::vector<const ScriptedSentinel*>& sentinels) {
    std::string hosts;
    for (const ScriptedSentinel* sentinel : sentinels) {
      hosts += fmt::format("{}127.0.0.1:{}", hosts.empty() ? "" : ",", sentinel->port());
    }
    return options_of("redis+sentinel://" + hosts + "/main");
  }
};

TEST_F(RedisSentinelTest, TheNewestWordIsBelievedWhoeverSaysIt) {
  RedisServer old_primary;
  RedisServer new_primary;
  const ScriptedSentinel stale(ScriptedSentinel::word(old_primary.port(), 3));
  const ScriptedSentinel fresh(ScriptedSentinel::word(new_primary.port(), 4));
  for (const auto& order : {std::vector{&stale, &fresh, &stale}, {&fresh, &stale}}) {
    RedisStore store(asking(order), kGroup);
    const auto done = register_once(store, 1, 5s);
    ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  }
  EXPECT_EQ(old_primary.ask({"DBSIZE"}), "0") << "nobody registered there";
  EXPECT_EQ(new_primary.ask({"DBSIZE"}), "1");
}

TEST_F(RedisSentinelTest, ASentinelThatHangsTakesHalfOfTheTimeAtMost) {
  RedisServer primary;
  const ScriptedSentinel silent("");
  const ScriptedSentinel good(ScriptedSentinel::word(primary.port(), 1));
  RedisStore store(asking({&silent, &good}), kGroup);
  const LocalTime begin = BootClock{}.now();
  const auto done = register_once(store, 1, 1s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_GE(done->received - begin, as_duration(500ms));
  EXPECT_LT(done->received - begin, as_duration(1s));
}

// The role is looked at before anything is registered.
TEST_F(RedisSentinelTest, AReplicaThatIsCalledThePrimaryIsNotRegisteredAt) {
  RedisServer primary;
  RedisServer replica({"--replicaof", "127.0.0.1 " + std::to_string(primary.port())});
  const ScriptedSentinel wrong(ScriptedSentinel::word(replica.port(), 1));
  RedisStore store(asking({&wrong}), kGroup);
  const auto refused = register_once(store, 1, 3s);
  EXPECT_EQ(error_in(refused), ErrorClass::readonly) << detail_in(refused);
  EXPECT_EQ(store.counters().registrations, 0U);
  replica.ask({"REPLICAOF", "NO", "ONE"});
  const auto done = register_once(store, 2, 3s);
  EXPECT_NE(tick_in(done), nullptr) << detail_in(done);
}

TEST_F(RedisSentinelTest, WhatTheSentinelsCannotSayIsAFailureThatNamesThem) {
  const ScriptedSentinel unknown("-ERR No such master with that name\r\n");
  {
    RedisStore store(asking({&unknown}), kGroup);
    const auto refused = register_once(store, 1, 3s);
    EXPECT_EQ(error_in(refused), ErrorClass::resolve);
    EXPECT_THAT(detail_in(refused), HasSubstr("knows no primary 'main'"));
  }
  const ScriptedSentinel silent("");
  {
    RedisStore store(asking({&silent}), kGroup);
    const auto late = register_once(store, 1, 200ms);
    EXPECT_EQ(error_in(late), ErrorClass::timeout) << detail_in(late);
  }
  RedisStore store(options_of(fmt::format("redis+sentinel://127.0.0.1:{}/main", free_port())),
                   kGroup);
  const auto refused = register_once(store, 1, 3s);
  EXPECT_EQ(error_in(refused), ErrorClass::connection) << detail_in(refused);
}

TEST_F(RedisSentinelTest, AnotherPrimaryMakesTheClosedCountNoEvidence) {
  RedisServer first;
  RedisServer second;
  ScriptedSentinel sentinel(ScriptedSentinel::word(first.port(), 1));
  RedisStore store(asking({&sentinel}), kGroup);
  const auto before = register_once(store, 1, 5s);
  ASSERT_NE(tick_in(before), nullptr) << detail_in(before);
  const std::string previous = "{mail}:" + std::to_string(tick_in(before)->interval - 1);
  second.ask({"SET", previous, "9"});
  sentinel.say(ScriptedSentinel::word(second.port(), 2));
  first.kill();
  std::optional<Completion> done;
  AttemptId id = 1;
  while (tick_in(done) == nullptr && id < 20) done = register_once(store, ++id, 1s);
  ASSERT_NE(tick_in(done), nullptr) << detail_in(done);
  EXPECT_EQ(tick_in(done)->previous_count, std::nullopt);
  EXPECT_THAT(done->server_change, HasSubstr(std::to_string(second.port())));
  const auto next = register_once(store, ++id, 5s);
  ASSERT_NE(tick_in(next), nullptr) << detail_in(next);
  EXPECT_EQ(tick_in(next)->previous_count, 9U);
  RedisStore fresh(asking({&sentinel}), kGroup);
  const auto other = register_once(fresh, 1, 5s);
  ASSERT_NE(tick_in(other), nullptr) << detail_in(other);
  EXPECT_EQ(tick_in(other)->previous_count, 9U) << "a new worker has nothing to doubt";
}

}  // namespace
}  // namespace nandi::test
