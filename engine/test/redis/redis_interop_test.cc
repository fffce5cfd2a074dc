// Workers of another make in our group: a client in Python over a raw socket, written from the
// protocol's description, with a script of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>

#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "nandi/engine/options.h"
#include "nandi/engine/redis/redis_store.h"
#include "nandi/engine/start_draw.h"
#include "nandi/engine/worker.h"
#include "redis/redis_driver.h"
#include "redis_server.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;

class RedisInteropTest : public testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    python = find_program("python3");
    if (!python) GTEST_SKIP() << "python3 is not installed";
    server = std::make_unique<RedisServer>();
  }

  std::vector<std::string> command(const std::string& key, long interval, const std::string& what) {
    return {*python, NANDI_INDEPENDENT_CLIENT, server->socket_path(),
            key,     std::to_string(interval), what};
  }

  std::string log_of(const std::string& name) {
    std::ifstream log(server->directory() + "/" + name + ".log");
    return {std::istreambuf_iterator<char>(log), std::istreambuf_iterator<char>()};
  }

  std::optional<std::string> python;
  std::unique_ptr<RedisServer> server;
};

TEST_F(RedisInteropTest, BothCountOnTheSameKeyWithTheSameLife) {
  constexpr long kHour = 3'600'000;
  RedisStore store(server->tcp(), RedisGroup{"app:{mail}", kHour});
  const auto first = register_once(store, 1, 5s);
  ASSERT_NE(tick_in(first), nullptr) << detail_in(first);
  const std::string key = "app:{mail}:" + std::to_string(tick_in(first)->interval);
  server->ask({"PEXPIRE", key, "1000000"});
  {
    ChildProcess other(command("app:{mail}", kHour, "register"), server->directory(), "other");
    ASSERT_EQ(other.wait(), 0) << log_of("other");
  }
  std::istringstream printed(log_of("other"));
  std::int64_t interval = 0;
  std::int64_t index = 0;
  printed >> interval >> index;
  EXPECT_EQ(interval, tick_in(first)->interval);
  EXPECT_EQ(index, 1) << "ours was 0";
  EXPECT_GT(std::stol(server->ask({"PTTL", key})), 3 * kHour - 60'000) << "renewed by the other";
  server->ask({"PEXPIRE", key, "1000000"});
  const auto third = register_once(store, 2, 5s);
  ASSERT_NE(tick_in(third), nullptr);
  EXPECT_EQ(tick_in(third)->index, 2U);
  EXPECT_GT(std::stol(server->ask({"PTTL", key})), 3 * kHour - 60'000) << "renewed by ours";
  EXPECT_EQ(server->ask({"GET", key}), "3");
  EXPECT_EQ(server->ask({"DBSIZE"}), "1");
}

/// Two of ours in one thread; whoever polls them sees what they were handed last.
struct OurWorker {
  RedisStore store;
  Worker<BootClock, RedisStore> worker;
  std::optional<Pair> pair;

  OurWorker(const RedisOptions& redis, const Options& options, std::uint64_t seed)
      : store(redis, RedisGroup{group_key(options), interval_ms(options)}),
        worker(timing_of(options), draw_start(options, seed), BootClock{}, store, Reporter{}) {}

  void step() {
    worker.step();
    while (const auto hand_over = worker.take()) pair = hand_over->pair;
  }
};

TEST_F(RedisInteropTest, WorkersOfBothMakesPartitionOneGroup) {
  Options options;
  options.name = "mail";
  options.interval = 1s;
  ChildProcess third(command("{mail}", 1000, "work"), server->directory(), "third");
  ChildProcess fourth(command("{mail}", 1000, "work"), server->directory(), "fourth");
  OurWorker first(server->tcp(), options, 1);
  OurWorker second(server->unix_socket(), options, 2);
  const auto last_line = [this](const std::string& name) {
    std::istringstream log(log_of(name));
    std::string line;
    std::string last = "idle";
    while (std::getline(log, line)) last = line;
    return last;
  };
  const auto written = [](const std::optional<Pair>& pair) {
    return pair ? std::to_string(pair->index) + "/" + std::to_string(pair->count) : "idle";
  };
  std::vector<std::string> held;
  // About five intervals where nothing is late; a loaded machine may cost it several starts.
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (std::chrono::steady_clock::now() < end) {
    pollfd polled[] = {{first.worker.descriptor(), POLLIN, 0},
                       {second.worker.descriptor(), POLLIN, 0}};
    poll(polled, 2, 5);
    first.step();
    second.step();
    held = {written(first.pair), written(second.pair), last_line("third"), last_line("fourth")};
    std::sort(held.begin(), held.end());
    if (held == std::vector<std::string>{"0/4", "1/4", "2/4", "3/4"}) break;
  }
  EXPECT_THAT(held, testing::ElementsAre("0/4", "1/4", "2/4", "3/4"))
      << log_of("third") << log_of("fourth");
}

}  // namespace
}  // namespace nandi::test
