// Groups of real nandi-worker processes on a private Redis. Bounds in wall time are wide, as the
// machine may be loaded; exclusivity is checked from the logs' bounds on the server's clock.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "process_group.h"

namespace nandi {
namespace {

using namespace std::chrono_literals;
using test::covered_from;
using test::eventually;
using test::first_stand_down;
using test::ProcessGroup;
using test::ProcessTiming;
using test::RedisServer;
using test::store_time_us;
using test::WorkerProcess;

constexpr auto kInterval = 1000ms;

/// `size` workers on a server of their own.
class WorkerGroup {
 public:
  explicit WorkerGroup(int size, ProcessTiming timing = {}, std::vector<std::string> more = {})
      : workers(server.directory(), "redis+unix://" + server.socket_path(), timing,
                std::move(more)) {
    workers.add(size);
  }

  RedisServer server;
  ProcessGroup workers;
};

/// How one run of an experiment went that may be disturbed by what else the machine does.
struct Run {
  std::vector<double> intervals;  ///< from each change until the work was covered again
  std::string disturbance;        ///< what kept the run from being as undisturbed as the bound asks
};

/// Runs the experiment until it went undisturbed, a few times at most. The bound follows from the
/// rules only where nobody is late; every run has to keep the promise, which is for it to check.
void expect_within_four_intervals(const std::function<Run()>& experiment) {
  std::string disturbance;
  for (int i = 0; i < 3; ++i) {
    const Run run = experiment();
    if (testing::Test::HasFatalFailure()) return;
    const auto worst = std::max_element(run.intervals.begin(), run.intervals.end());
    ASSERT_NE(worst, run.intervals.end());
    if (*worst <= 4) return;
    disturbance = run.disturbance;
    ASSERT_NE(disturbance, "") << *worst << " intervals although nobody was late";
  }
  GTEST_SKIP() << "the machine was too busy each time, such as " << disturbance;
}

/// The test's `since`, `n` members: intervals until they cover the work, by the audit.
double intervals_to_cover(const nlohmann::json& audit, int n, std::int64_t since_us) {
  const auto covered = covered_from(audit, n, since_us);
  EXPECT_TRUE(covered) << audit.dump();
  const double intervals =
      static_cast<double>(covered.value_or(0) - since_us) / (1000.0 * kInterval.count());
  std::printf("%d workers cover the work %.2f intervals after the change\n", n, intervals);
  return intervals;
}

// Three workers go at one moment T, in interval N at its fraction r. Each has registered last in
// N-1 or in N, so that the counts of N-1, N and N+1 may be 5, 3 and 2, and only the ticks of N+2
// and N+3 agree on 2: the survivors have leases by their slots in N+3, at 3 + (1 - g) - r intervals
// after T at the latest. Who was stopped registers at once when it goes on, in F; the count of F
// and F+1 is 3 and everybody has a lease by its slot in F+2: at 2 + (1 - g) - r intervals.
Run run_departures() {
  WorkerGroup group(5);
  ProcessGroup& workers = group.workers;
  EXPECT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));
  const std::int64_t changed = store_time_us(group.server.ask({"TIME"}));
  const auto changed_here = std::chrono::steady_clock::now();
  workers[0].process().signal(SIGKILL);
  workers[1].process().signal(SIGTERM);
  workers[2].process().signal(SIGSTOP);
  EXPECT_EQ(workers[1].process().wait(), 0);
  EXPECT_EQ(workers[1].output_lines().back(), R"({"i":null,"n":null})");
  std::this_thread::sleep_until(changed_here + 3 * kInterval);
  const std::int64_t resumed = store_time_us(group.server.ask({"TIME"}));
  workers[2].process().signal(SIGCONT);
  // It has to see that it is idle before anything else.
  EXPECT_TRUE(eventually(10s, [&] { return !workers[2].pair(); }));
  EXPECT_TRUE(eventually(30s, [&] { return workers.partitioned({2, 3, 4}); }));
  workers.let_everybody_renew();
  const nlohmann::json audit = workers.audit();
  EXPECT_EQ(audit["verdict"], "holds") << audit["properties"].dump(2);
  EXPECT_EQ(audit["repeated_indexes"], 0);
  workers.expect_expiries_on_time();
  return {{intervals_to_cover(audit, 2, changed), intervals_to_cover(audit, 3, resumed)},
          workers.disturbance(changed)};
}

TEST(NandiWorkerGroup, survives_a_kill_a_termination_and_a_stop_without_an_overlap) {
  NANDI_NEEDS_REDIS();
  expect_within_four_intervals(run_departures);
}

// A group whose leases have all run out begins anew when the server is back, at the fraction r of
// an interval: each retries once an interval, so all have registered within one, the first of them
// in F. Nobody finds a count in F, so that all register at offsets of their own in F+1, in a new
// order; the counts of F+1 and F+2 are the group's, their order the same, and by their slots in F+3
// all have leases: at 3 + (1 - g) - r intervals. (Who registers first in F+1 finds a count and
// keeps its place in F+2.) What the server had taken in before it hung counts in F only.
Run run_server_hang() {
  WorkerGroup group(3);
  ProcessGroup& workers = group.workers;
  EXPECT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));
  const std::int64_t stopped = store_time_us(group.server.ask({"TIME"}));
  const auto stopped_here = std::chrono::steady_clock::now();
  group.server.stop();
  std::this_thread::sleep_until(stopped_here + 5 * kInterval);
  EXPECT_TRUE(workers.all_idle()) << "slot plus gap is at most two intervals after any moment";
  EXPECT_TRUE(workers.none_ended());
  group.server.resume();
  const std::int64_t resumed = store_time_us(group.server.ask({"TIME"}));
  EXPECT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));
  workers.let_everybody_renew();
  const nlohmann::json audit = workers.audit();
  EXPECT_EQ(audit["verdict"], "holds") << audit["properties"].dump(2);
  workers.expect_expiries_on_time();
  EXPECT_GE(workers.count("lease expired"), 3);
  EXPECT_EQ(audit["stalls"].size(), 1U) << audit["stalls"].dump(2);
  if (audit["stalls"].size() == 1) {
    EXPECT_GE(audit["stalls"][0]["from_us"][0].get<std::int64_t>(), stopped);
    EXPECT_EQ(audit["stalls"][0]["workers"], 3);
  }
  return {{intervals_to_cover(audit, 3, resumed)}, workers.disturbance(resumed)};
}

TEST(NandiWorkerGroup, is_idle_on_time_while_the_server_hangs_and_comes_back_by_itself) {
  NANDI_NEEDS_REDIS();
  expect_within_four_intervals(run_server_hang);
}

TEST(NandiWorkerGroup, ends_within_a_second_of_sigterm_while_the_server_hangs) {
  NANDI_NEEDS_REDIS();
  WorkerGroup group(1);
  WorkerProcess& worker = group.workers[0];
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
  WorkerGroup group(2, {kInterval, 400});
  ASSERT_TRUE(eventually(30s, [&] { return group.workers.partitioned(); }));
  const auto handed = group.workers[0].output() + group.workers[1].output();
  EXPECT_EQ(group.server.ask({"SCRIPT", "FLUSH"}), "OK");
  std::this_thread::sleep_for(4 * kInterval);
  EXPECT_GE(group.workers.count("script loaded"), 2);
  EXPECT_EQ(group.workers[0].output() + group.workers[1].output(), handed);
  EXPECT_EQ(group.workers.audit()["verdict"], "holds");
}

// A server that is killed and started again without its data counts from 1: the previous counter is
// absent or short, so every lease lapses or is released, and the group is whole again once two
// intervals agree. It takes the assumption "a counter repeats no value within an interval" away for
// the interval of the restart; that this run shows no overlap is not a promise.
TEST(NandiWorkerGroup, comes_back_after_a_restart_without_data) {
  NANDI_NEEDS_REDIS();
  WorkerGroup group(3);
  ASSERT_TRUE(eventually(30s, [&] { return group.workers.partitioned(); }));
  group.server.kill();
  std::this_thread::sleep_for(2 * kInterval);
  EXPECT_TRUE(eventually(10s, [&] { return group.workers.all_idle(); }));
  group.server.restart();
  EXPECT_TRUE(eventually(30s, [&] { return group.workers.partitioned(); }));
  EXPECT_TRUE(group.workers.none_ended());
  group.workers.expect_expiries_on_time();
}

// FLUSHALL within an interval makes the counter begin again: the count is too small, the previous
// one may be absent. Leases are released for it and everything is whole again without help.
TEST(NandiWorkerGroup, comes_back_after_flushall_in_mid_interval) {
  NANDI_NEEDS_REDIS();
  WorkerGroup group(3);
  ASSERT_TRUE(eventually(30s, [&] { return group.workers.partitioned(); }));
  EXPECT_EQ(group.server.ask({"FLUSHALL"}), "OK");
  EXPECT_TRUE(eventually(10s, [&] {
    for (std::size_t w = 0; w < group.workers.size(); ++w) {
      const WorkerProcess& worker = group.workers[w];
      if (worker.count("lease released") + worker.count("lease expired") == 0) return false;
    }
    return true;
  }));
  EXPECT_TRUE(eventually(30s, [&] { return group.workers.partitioned(); }));
  EXPECT_TRUE(group.workers.none_ended());
}

// What the tests above measure with, on an audit with known answers.
TEST(CoveredFrom, is_the_first_moment_at_which_all_indexes_are_held_for_certain) {
  const auto held = [](int i, int n, std::int64_t from, std::int64_t until) {
    return nlohmann::json{{"i", i},
                          {"n", n},
                          {"from_us", {from - 5, from}},
                          {"until_us", {until, until + 5}},
                          {"cause", "late"}};
  };
  nlohmann::json audit{{"holdings", {held(0, 2, 100, 300), held(1, 2, 300, 500)}}};
  EXPECT_EQ(covered_from(audit, 2, 0), std::nullopt) << "one ends as the other begins";
  audit["holdings"].push_back(held(1, 2, 150, 200));
  EXPECT_EQ(covered_from(audit, 2, 0), 150);
  EXPECT_EQ(covered_from(audit, 2, 180), 180);
  EXPECT_EQ(covered_from(audit, 2, 200), std::nullopt);
  EXPECT_EQ(covered_from(audit, 1, 0), std::nullopt) << "another count";
  EXPECT_EQ(first_stand_down(audit, 0), 200);
  EXPECT_EQ(first_stand_down(audit, 201), 300);
  EXPECT_EQ(store_time_us("1700000000 000042"), 1'700'000'000'000'042);
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
