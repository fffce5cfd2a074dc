// Each misconfiguration of a server is planted on a server of the test's own and found, and nothing
// else is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <thread>

#include "doctor_case.h"
#include "private_cluster.h"
#include "scripted_server.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using tools::examine;
using tools::exit_status;

TEST(DoctorServer, finds_nothing_on_a_sound_server) {
  NANDI_NEEDS_REDIS();
  RedisServer server(kSound);
  const auto report = examine(request_for(server.tcp()));
  EXPECT_EQ(found_in(report), "");
  EXPECT_EQ(exit_status(report), 0);
  EXPECT_THAT(report.server, HasSubstr("Redis "));
  EXPECT_EQ(found_on(server.unix_socket()), "");
  // Its own keys go away by themselves: they were made with 1 s intervals, so live for 3 s.
  EXPECT_THAT(server.ask({"EVAL",
                          "local worst = 0 for _, key in ipairs(redis.call('KEYS', '*')) do local "
                          "left = redis.call('PTTL', key) if left < 0 or left > 3000 then worst = "
                          "left end end return worst",
                          "0"}),
              "0");
}

TEST(DoctorServer, eviction_is_an_error_once_there_is_a_limit) {
  NANDI_NEEDS_REDIS();
  RedisServer server(sound_and({"--maxmemory-policy", "volatile-ttl"}));
  EXPECT_EQ(found_on(server.unix_socket()), "warning eviction");
  server.ask({"CONFIG", "SET", "maxmemory", "100mb"});
  const auto report = examine(request_for(server.unix_socket()));
  EXPECT_EQ(found_in(report), "error eviction");
  EXPECT_EQ(exit_status(report), 1);
  EXPECT_THAT(first_words(report), HasSubstr("volatile-ttl"));
  EXPECT_THAT(first_words(report), HasSubstr("noeviction"));
}

TEST(DoctorServer, a_full_server_is_an_error_and_one_that_is_nearly_full_a_warning) {
  NANDI_NEEDS_REDIS();
  RedisServer server(kSound);
  server.ask({"SET", "filler", std::string(40'000'000, 'x')});
  // The buffer that the command came in is of the same size and is given back a while later.
  std::int64_t used = 0;
  for (int left = 200; left > 0 && (used == 0 || used > 60'000'000); --left) {
    const std::string memory = server.ask({"INFO", "memory"});
    used = std::stoll(memory.substr(memory.find("used_memory:") + 12));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ASSERT_LT(used, 60'000'000);
  server.ask({"CONFIG", "SET", "maxmemory", std::to_string(used / 95 * 100)});
  EXPECT_EQ(found_on(server.unix_socket()), "warning memory");
  server.ask({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_EQ(found_on(server.unix_socket()), "error memory");
}

TEST(DoctorServer, a_server_that_forgets_at_a_restart_is_warned_about) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  const auto report = examine(request_for(server.unix_socket()));
  EXPECT_EQ(found_in(report), "warning persistence");
  EXPECT_EQ(exit_status(report), 2);
}

TEST(DoctorServer, connections_that_run_out_are_warned_about) {
  NANDI_NEEDS_REDIS();
  RedisServer server(sound_and({"--maxclients", "10"}));
  std::vector<std::unique_ptr<RedisClient>> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(server.client());
  for (auto& client : clients) client->ask({"PING"});
  EXPECT_EQ(found_on(server.unix_socket()), "warning clients");
}

TEST(DoctorServer, a_replica_is_no_place_to_register) {
  NANDI_NEEDS_REDIS();
  RedisServer server(kSound);
  server.ask({"REPLICAOF", "127.0.0.1", std::to_string(free_port())});
  EXPECT_EQ(found_on(server.unix_socket()), "error replica");
}

TEST(DoctorServer, a_replica_that_keeps_up_is_no_finding_and_one_that_lags_is) {
  NANDI_NEEDS_REDIS();
  RedisServer primary(kSound);
  RedisServer replica(kSound);
  replica.ask({"REPLICAOF", "127.0.0.1", std::to_string(primary.port())});
  const auto info = [&] { return primary.ask({"INFO", "replication"}); };
  const auto patience = std::chrono::steady_clock::now() + 60s;
  while (info().find("state=online") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), patience) << info();
    std::this_thread::sleep_for(50ms);
  }
  auto request = request_for(primary.tcp());
  const auto healthy = examine(request);
  EXPECT_EQ(found_in(healthy), "");
  EXPECT_THAT(tools::report_text(healthy), HasSubstr("ahead of the primary's"));
  // Twice a second of silence, a gap of 150 ms, and a moment.
  request.group.interval = 1s;
  replica.stop();
  while (info().find("lag=3") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), patience) << info();
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_THAT(found_in(examine(request)), HasSubstr("warning replica-lag"));
  replica.resume();
}

TEST(DoctorServer, a_script_command_that_was_taken_away_is_an_error) {
  NANDI_NEEDS_REDIS();
  RedisServer server(sound_and({"--rename-command", "EVALSHA", ""}));
  EXPECT_EQ(found_on(server.unix_socket()), "error script");
}

TEST(DoctorServer, a_missing_password_is_an_error_and_no_server_is_not_reached) {
  NANDI_NEEDS_REDIS();
  RedisServer server(sound_and({"--requirepass", "secret"}));
  EXPECT_EQ(found_on(server.unix_socket()), "error login");
  RedisOptions nobody;
  nobody.url.host = "127.0.0.1";
  nobody.url.port = free_port();
  EXPECT_EQ(exit_status(examine(request_for(nobody))), 69);
}

/// A server whose clock is what the test says.
class TimedServer {
 public:
  TimedServer() : file_(directory_.path() + "/clock") {
    show(1'700'000'000'000'000);
    server_ = std::make_unique<RedisServer>(
        kSound,
        std::vector<std::string>{find_program("env").value(), "LD_PRELOAD=" NANDI_CLOCK_SHIM,
                                 "NANDI_SERVER_CLOCK=" + file_});
  }
  void show(std::int64_t microseconds) const {
    std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
    if (!file) file.open(file_, std::ios::binary | std::ios::out);
    file.write(reinterpret_cast<const char*>(&microseconds), sizeof microseconds);
  }
  [[nodiscard]] RedisOptions options() const { return server_->unix_socket(); }

 private:
  ScratchDirectory directory_;
  std::string file_;
  std::unique_ptr<RedisServer> server_;
};

TEST(DoctorServer, a_clock_that_stands_still_is_an_error) {
  NANDI_NEEDS_REDIS();
  const TimedServer server;
  EXPECT_EQ(found_on(server.options()), "error clock-frozen");
}

TEST(DoctorServer, a_clock_that_runs_at_half_the_rate_is_an_error) {
  NANDI_NEEDS_REDIS();
  const TimedServer server;
  std::atomic<bool> is_over = false;
  std::thread ticking([&] {
    const auto begin = std::chrono::steady_clock::now();
    while (!is_over) {
      const auto since = std::chrono::steady_clock::now() - begin;
      const auto us = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
      server.show(1'700'000'000'000'000 + us / 2);
      std::this_thread::sleep_for(1ms);
    }
  });
  EXPECT_EQ(found_on(server.options()), "error clock-rate");
  is_over = true;
  ticking.join();
}

// The words of Redis 4.0's scripting.c and of Dragonfly's interpreter.
TEST(DoctorServer, servers_that_cannot_run_the_script_are_named) {
  const std::string old_info = "redis_version:4.0.14\r\naof_enabled:1\r\nrole:master\r\n";
  const auto bulk = [](const std::string& text) {
    return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
  };
  const std::string noscript = "-NOSCRIPT No matching script. Please use EVAL.\r\n";
  {
    const ScriptedServer server(
        {{"INFO", bulk(old_info)},
         {"EVALSHA", noscript},
         {"EVAL",
          "-ERR Error running script (call to f_a21c5eb8dd26c923830176a2a3c913f0cf905f53): "
          "@user_script:6: Write commands not allowed after non deterministic commands. Call "
          "redis.replicate_commands() at the start of your script in order to switch to single "
          "commands replication mode.\r\n"}});
    auto request = request_for(server.options());
    request.has_group = false;
    EXPECT_EQ(found_in(examine(request)), "error version");
  }
  const std::string fly_info =
      "redis_version:7.4.0\r\ndragonfly_version:df-v1.27.1\r\nrole:master\r\n";
  const ScriptedServer server({{"INFO", bulk(fly_info)},
                               {"EVALSHA", noscript},
                               {"EVAL", "-ERR script tried accessing undeclared key\r\n"}});
  auto request = request_for(server.options());
  request.has_group = false;
  const auto report = examine(request);
  EXPECT_EQ(found_in(report), "error undeclared-keys");
  EXPECT_THAT(report.server, HasSubstr("Dragonfly df-v1.27.1"));
}

class DoctorCluster : public ::testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    if (!find_program("redis-cli")) GTEST_SKIP() << "redis-cli is not installed";
  }
};

TEST_F(DoctorCluster, follows_the_hash_slot_and_sees_it_move) {
  PrivateCluster cluster(3);
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    cluster[i].ask({"CONFIG", "SET", "appendonly", "yes"});
    EXPECT_EQ(found_on(cluster[i].tcp()), "");
  }
  // "{grp}" is in 3671 (CLUSTER KEYSLOT of redis-server 7.0.15), so with the first of three nodes.
  ASSERT_EQ(cluster[0].ask({"CLUSTER", "KEYSLOT", "{grp}:7"}), "3671");
  const std::string other = cluster[1].ask({"CLUSTER", "MYID"});
  cluster[0].ask({"CLUSTER", "SETSLOT", "9", "MIGRATING", other});
  EXPECT_EQ(found_on(cluster[0].tcp()), "warning resharding");
  cluster[0].ask({"CLUSTER", "SETSLOT", "3671", "MIGRATING", other});
  EXPECT_EQ(found_on(cluster[2].tcp()), "error slot-moving");
}

TEST_F(DoctorCluster, a_cluster_that_serves_nothing_is_an_error) {
  RedisServer server(
      sound_and({"--cluster-enabled", "yes", "--cluster-port", std::to_string(free_port())}));
  EXPECT_EQ(found_on(server.tcp()), "error cluster-down");
}

}  // namespace
}  // namespace nandi::test
