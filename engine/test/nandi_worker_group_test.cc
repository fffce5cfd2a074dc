// Groups of real nandi-worker processes on a private Redis. Bounds in wall time are wide, as the
// machine may be loaded; exclusivity is checked from the logs' bounds on the server's clock.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "worker_process.h"

namespace nandi {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::RedisServer;
using test::WorkerProcess;

constexpr auto kInterval = 1000ms;
constexpr std::int64_t kIntervalUs = 1'000'000;
constexpr std::int64_t kGapUs = 150'000;

class WorkerGroup {
 public:
  explicit WorkerGroup(int size, std::vector<std::string> more = {}) : more_(std::move(more)) {
    for (int i = 0; i < size; ++i) add();
  }

  WorkerProcess& add() {
    std::vector<std::string> arguments{
        "--redis",    "redis+unix://" + server.socket_path(), "--name", "g",
        "--interval", fmt::format("{}ms", kInterval.count()), "--log",  "trace"};
    arguments.insert(arguments.end(), more_.begin(), more_.end());
    workers.push_back(std::make_unique<WorkerProcess>(arguments, server.directory(),
                                                      fmt::format("worker{}", workers.size())));
    return *workers.back();
  }
  /// Whether these workers own exactly (0, n) .. (n - 1, n), n their number.
  [[nodiscard]] bool partitioned(const std::vector<std::size_t>& which) const {
    std::set<std::pair<int, int>> pairs;
    for (const std::size_t w : which) {
      if (const auto pair = workers[w]->pair()) pairs.insert(*pair);
    }
    const int n = static_cast<int>(which.size());
    if (pairs.size() != which.size()) return false;
    return pairs.begin()->second == n && pairs.rbegin()->second == n && pairs.begin()->first == 0 &&
           pairs.rbegin()->first == n - 1;
  }
  [[nodiscard]] bool all_idle() const {
    for (const auto& worker : workers) {
      if (worker->pair() || worker->output().empty()) return false;
    }
    return true;
  }
  [[nodiscard]] std::string overlap() const {
    std::vector<test::Holding> all;
    for (const auto& worker : workers) {
      const auto some = test::holdings_of(worker->log());
      all.insert(all.end(), some.begin(), some.end());
    }
    return test::first_overlap(all);
  }
  /// Every expiry of every log is within slot plus gap of the interval after the lease's tick: at
  /// the latest (1 - g) + g of it, so before that interval's end.
  void expect_expiries_on_time() const {
    for (const auto& worker : workers) {
      for (const auto& line : worker->log()) {
        if (line["message"] != "lease expired") continue;
        const std::int64_t next = line["interval"].get<std::int64_t>() + 1;
        EXPECT_LE(line["store_us"][1].get<std::int64_t>(), (next + 1) * kIntervalUs) << line;
        EXPECT_GE(line["store_us"][0].get<std::int64_t>(), next * kIntervalUs + kGapUs) << line;
      }
    }
  }
  [[nodiscard]] bool none_ended() const {
    for (const auto& worker : workers) {
      if (worker->process().ended()) return false;
    }
    return true;
  }

  RedisServer server;
  std::vector<std::unique_ptr<WorkerProcess>> workers;

 private:
  std::vector<std::string> more_;
};

TEST(NandiWorkerGroup, survives_a_kill_a_termination_and_a_stop_without_an_overlap) {
  NANDI_NEEDS_REDIS();
  WorkerGroup group(5);
  ASSERT_TRUE(eventually(30s, [&] { return group.partitioned({0, 1, 2, 3, 4}); }));
  group.workers[0]->process().signal(SIGKILL);
  group.workers[1]->process().signal(SIGTERM);
  group.workers[2]->process().signal(SIGSTOP);
  const auto changed = std::chrono::steady_clock::now();
  EXPECT_EQ(group.workers[1]->process().wait(), 0);
  EXPECT_EQ(group.workers[1]->output_lines().back(), R"({"i":null,"n":null})");
  std::this_thread::sleep_until(changed + 3 * kInterval);
  group.workers[2]->process().signal(SIGCONT);
  // It has to see that it is idle before anything else.
  EXPECT_TRUE(eventually(10s, [&] { return !group.workers[2]->pair(); }));
  const auto resumed = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually(30s, [&] { return group.partitioned({2, 3, 4}); }));
  const auto took = std::chrono::steady_clock::now() - resumed;
  std::printf("three survivors cover the work again after %.2f intervals\n",
              std::chrono::duration<double>(took) / kInterval);
  // A join takes up to four intervals; on a loaded machine neighbours may swap once besides.
  EXPECT_LT(took, 6 * kInterval);
  EXPECT_EQ(group.overlap(), "");
  group.expect_expiries_on_time();
}

TEST(NandiWorkerGroup, is_idle_on_time_while_the_server_hangs_and_comes_back_by_itself) {
  NANDI_NEEDS_REDIS();
  WorkerGroup group(3);
  ASSERT_TRUE(eventually(30s, [&] { return group.partitioned({0, 1, 2}); }));
  group.server.stop();
  // Slot plus gap is at most two intervals after any moment.
  EXPECT_TRUE(eventually(2 * kInterval + 2s, [&] { return group.all_idle(); }));
  std::this_thread::sleep_for(3 * kInterval);
  EXPECT_TRUE(group.none_ended());
  group.server.resume();
  const auto resumed = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually(30s, [&] { return group.partitioned({0, 1, 2}); }));
  const auto took = std::chrono::steady_clock::now() - resumed;
  std::printf("the group covers the work again %.2f intervals after the server\n",
              std::chrono::duration<double>(took) / kInterval);
  EXPECT_EQ(group.overlap(), "");
  group.expect_expiries_on_time();
  for (const auto& worker : group.workers) {
    EXPECT_GE(worker->count("registration failed"), 1);
    EXPECT_GE(worker->count("lease expired"), 1);
  }
}

TEST(NandiWorkerGroup, ends_within_a_second_of_sigterm_while_the_server_hangs) {
  NANDI_NEEDS_REDIS();
  WorkerGroup group(1);
  WorkerProcess& worker = *group.workers[0];
  ASSERT_TRUE(eventually(30s, [&] { return worker.pair().has_value(); }));
  group.server.stop();
  std::this_thread::sleep_for(kInterval / 2);
  const auto before = std::chrono::steady_clock::now();
  worker.process().signal(SIGTERM);
  EXPECT_EQ(worker.process().wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 1s);
  EXPECT_EQ(worker.output_lines().back(), R"({"i":null,"n":null})");
  group.server.resume();
}

// SCRIPT FLUSH: the next EVALSHA of somebody is answered NOSCRIPT and the source follows in the
// same attempt, so that no lease is lost and nobody is counted twice.
TEST(NandiWorkerGroup, loses_nothing_to_a_script_flush) {
  NANDI_NEEDS_REDIS();
  // A wide gap, so that a busy machine costs no lease either.
  WorkerGroup group(2, {"--gap", "0.4"});
  ASSERT_TRUE(eventually(30s, [&] { return group.partitioned({0, 1}); }));
  const auto handed = group.workers[0]->output() + group.workers[1]->output();
  EXPECT_EQ(group.server.ask({"SCRIPT", "FLUSH"}), "OK");
  std::this_thread::sleep_for(4 * kInterval);
  EXPECT_GE(group.workers[0]->count("script loaded") + group.workers[1]->count("script loaded"), 2);
  EXPECT_EQ(group.workers[0]->output() + group.workers[1]->output(), handed);
  EXPECT_EQ(group.overlap(), "");
}

// A server that is killed and started again without its data counts from 1: the previous counter is
// absent or short, so every lease lapses or is released, and the group is whole again once two
// intervals agree. It takes the assumption "a counter repeats no value within an interval" away for
// the interval of the restart; that this run shows no overlap is not a promise.
TEST(NandiWorkerGroup, comes_back_after_a_restart_without_data) {
  NANDI_NEEDS_REDIS();
  WorkerGroup group(3);
  ASSERT_TRUE(eventually(30s, [&] { return group.partitioned({0, 1, 2}); }));
  group.server.kill();
  std::this_thread::sleep_for(2 * kInterval);
  EXPECT_TRUE(eventually(10s, [&] { return group.all_idle(); }));
  group.server.restart();
  EXPECT_TRUE(eventually(30s, [&] { return group.partitioned({0, 1, 2}); }));
  EXPECT_TRUE(group.none_ended());
  group.expect_expiries_on_time();
}

// FLUSHALL within an interval makes the counter begin again: the count is too small, the previous
// one may be absent. Leases are released for it and everything is whole again without help.
TEST(NandiWorkerGroup, comes_back_after_flushall_in_mid_interval) {
  NANDI_NEEDS_REDIS();
  WorkerGroup group(3);
  ASSERT_TRUE(eventually(30s, [&] { return group.partitioned({0, 1, 2}); }));
  EXPECT_EQ(group.server.ask({"FLUSHALL"}), "OK");
  EXPECT_TRUE(eventually(10s, [&] {
    for (const auto& worker : group.workers) {
      if (worker->count("lease released") + worker->count("lease expired") == 0) return false;
    }
    return true;
  }));
  EXPECT_TRUE(eventually(30s, [&] { return group.partitioned({0, 1, 2}); }));
  EXPECT_TRUE(group.none_ended());
}

// The check that the tests above rely on, against logs with and without an overlap.
TEST(Holdings, are_read_from_a_log_and_an_overlap_of_two_workers_is_found) {
  const auto line = [](const char* worker, const char* message, int index, std::int64_t at,
                       std::int64_t end) {
    return nlohmann::json{
        {"worker", worker}, {"message", message},       {"i", index},
        {"n", 2},           {"store_us", {at, at + 1}}, {"expires_us", {end - 1, end}}};
  };
  const std::vector<nlohmann::json> first{line("a", "lease granted", 0, 100, 200),
                                          line("a", "lease renewed", 0, 190, 300),
                                          line("a", "lease released", 0, 250, 0)};
  const std::vector<test::Holding> of_first = test::holdings_of(first);
  ASSERT_EQ(of_first.size(), 1U);
  EXPECT_EQ(of_first[0].from, 100);
  EXPECT_EQ(of_first[0].until, 251);
  const auto with_second = [&](int index, std::int64_t at) {
    std::vector<test::Holding> all = of_first;
    // Killed: its log ends with the grant, so it is held until the end of that.
    const auto second = test::holdings_of({line("b", "lease granted", index, at, at + 50)});
    all.insert(all.end(), second.begin(), second.end());
    return test::first_overlap(all);
  };
  EXPECT_EQ(with_second(0, 251), "");
  EXPECT_NE(with_second(0, 250), "");
  EXPECT_NE(with_second(0, 60), "");
  EXPECT_EQ(with_second(0, 50), "");
  EXPECT_EQ(with_second(1, 200), "") << "another index of the same count";
}

// An ACL without +time refuses inside the script, and one without the right key before it: the
// worker stays, idle, and says which.
TEST(NandiWorkerGroup, a_refused_user_stays_idle_and_says_why) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  EXPECT_EQ(server.ask({"ACL", "SETUSER", "w", "on", ">pw", "~{g}*", "+eval", "+evalsha", "+incr",
                        "+pexpire", "+get"}),
            "OK");
  WorkerProcess worker({"--redis", "redis+unix://w:pw@" + server.socket_path(), "--name", "g",
                        "--interval", "300ms", "--first-spread", "0"},
                       server.directory(), "worker");
  EXPECT_TRUE(eventually(20s, [&] {
    int refusals = 0;
    for (const auto& line : worker.log()) {
      if (line["message"] == "registration failed" && line["error"] == "noperm") ++refusals;
    }
    return refusals >= 2;
  })) << worker.errors();
  EXPECT_FALSE(worker.process().ended());
  EXPECT_EQ(server.ask({"ACL", "SETUSER", "w", "+time"}), "OK");
  EXPECT_TRUE(eventually(30s, [&] { return worker.pair().has_value(); }));
}

}  // namespace
}  // namespace nandi
