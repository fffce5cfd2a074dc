// Two nodes of a Redis Cluster of a test, one of which serves the hash slot of one key.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "redis_server.h"

namespace nandi::test {

class ClusterPair {
 public:
  /// a serves the slot of `key`, b another.
  explicit ClusterPair(const std::string& key) : slot_(a.ask({"CLUSTER", "KEYSLOT", key})) {
    for (RedisServer* node : {&a, &b}) {
      EXPECT_EQ(node->ask({"CONFIG", "SET", "cluster-require-full-coverage", "no"}), "OK");
    }
    // A node that is left without any slot becomes a replica: each keeps one of its own.
    const int slot = std::stoi(slot_);
    EXPECT_EQ(a.ask({"CLUSTER", "ADDSLOTS", slot_, std::to_string((slot + 1) % 16384)}), "OK");
    EXPECT_EQ(b.ask({"CLUSTER", "ADDSLOTS", std::to_string((slot + 2) % 16384)}), "OK");
    EXPECT_EQ(a.ask({"CLUSTER", "SET-CONFIG-EPOCH", "1"}), "OK");
    EXPECT_EQ(b.ask({"CLUSTER", "SET-CONFIG-EPOCH", "2"}), "OK");
    EXPECT_EQ(a.ask({"CLUSTER", "MEET", "127.0.0.1", std::to_string(b.port()), bus_b_}), "OK");
    for (RedisServer* node : {&a, &b}) {
      wait_until([&] {
        const std::string info = node->ask({"CLUSTER", "INFO"});
        return info.find("cluster_state:ok") != std::string::npos &&
               info.find("cluster_size:2") != std::string::npos;
      });
    }
  }

  /// From now on a asks for `to` for every key of the slot that it does not have.
  void begin_migration(RedisServer& from, RedisServer& to) const {
    EXPECT_EQ(to.ask({"CLUSTER", "SETSLOT", slot_, "IMPORTING", id(from)}), "OK");
    EXPECT_EQ(from.ask({"CLUSTER", "SETSLOT", slot_, "MIGRATING", id(to)}), "OK");
  }

  /// The slot is `to`'s, empty: what `from` had of it is lost.
  void end_migration(RedisServer& from, RedisServer& to) const {
    // In one step, so that no registration makes a key in between.
    from.ask({"MULTI"});
    from.ask({"FLUSHALL"});
    from.ask({"CLUSTER", "SETSLOT", slot_, "NODE", id(to)});
    EXPECT_EQ(from.ask({"EXEC"}), "OK OK");
    EXPECT_EQ(to.ask({"CLUSTER", "SETSLOT", slot_, "NODE", id(to)}), "OK");
  }

  [[nodiscard]] std::string url() const {
    return "redis+cluster://127.0.0.1:" + std::to_string(a.port()) +
           ",127.0.0.1:" + std::to_string(b.port());
  }

 private:
  [[nodiscard]] static std::string id(RedisServer& node) { return node.ask({"CLUSTER", "MYID"}); }

  template <class Condition>
  static void wait_until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_TRUE(condition()) << "the nodes do not become a cluster";
  }

  std::string bus_a_ = std::to_string(free_port());
  std::string bus_b_ = std::to_string(free_port());

 public:
  RedisServer a{{"--cluster-enabled", "yes", "--cluster-port", bus_a_}};
  RedisServer b{{"--cluster-enabled", "yes", "--cluster-port", bus_b_}};

 private:
  std::string slot_;
};

}  // namespace nandi::test
