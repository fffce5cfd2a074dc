// What a server that refuses, loads or is blocked does to a group of real nandi-worker processes:
// everybody is idle on time, says why, and is back by itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "process_group.h"

namespace nandi {
namespace {

using namespace std::chrono_literals;
using test::covered_from;
using test::eventually;
using test::ProcessGroup;
using test::RedisServer;
using test::store_time_us;

constexpr auto kInterval = 300ms;

struct Trouble {
  const char* name;
  const char* error;  ///< the class that the workers have to name
  std::function<void(RedisServer&)> begin;
  std::function<void(RedisServer&)> end;
};
void PrintTo(const Trouble& trouble, std::ostream* out) { *out << trouble.name; }

class NandiWorkerRefusal : public testing::TestWithParam<Trouble> {};

/// `lines` of the class among the losses and failures of a log.
int count_of(const std::vector<nlohmann::json>& log, std::string_view message,
             std::string_view error) {
  int count = 0;
  for (const auto& line : log) {
    if (line["message"] == message && line.value("error", "") == error) ++count;
  }
  return count;
}

// Two workers: a server that refuses never extends a lease, both hear idle once and by slot plus
// gap, none ends; when it serves again, both are back.
TEST_P(NandiWorkerRefusal, idles_on_time_names_the_class_and_comes_back) {
  NANDI_NEEDS_REDIS();
  const Trouble& trouble = GetParam();
  RedisServer server;
  ProcessGroup workers(server.directory(), "redis+unix://" + server.socket_path(), {kInterval});
  workers.add(2);
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));
  const auto begin = std::chrono::steady_clock::now();
  trouble.begin(server);
  EXPECT_TRUE(eventually(20s, [&] { return workers.all_idle(); }));
  std::this_thread::sleep_until(begin + 5 * kInterval);
  EXPECT_TRUE(workers.none_ended());
  const long before = workers.count("lease granted");
  trouble.end(server);
  const std::int64_t ended = store_time_us(server.ask({"TIME"}));
  EXPECT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));
  workers.let_everybody_renew();
  EXPECT_GE(workers.count("lease granted"), before + 2);
  for (std::size_t w = 0; w < 2; ++w) {
    const auto log = workers[w].log();
    EXPECT_GE(count_of(log, "lease expired", trouble.error) +
                  count_of(log, "lease released", trouble.error),
              1)
        << workers[w].errors();
    // A refusal is tried again after an eighth, a quarter, a half of an interval and then once an
    // interval: in the five intervals and what the end may take, that is no storm.
    EXPECT_LE(count_of(log, "registration failed", trouble.error), 40);
  }
  workers.expect_expiries_on_time();
  const nlohmann::json audit = workers.audit();
  EXPECT_EQ(audit["verdict"], "holds") << audit["properties"].dump(2);
  const auto covered = covered_from(audit, 2, ended);
  ASSERT_TRUE(covered);
  std::printf("%s: covered again after %.2f intervals\n", trouble.name,
              static_cast<double>(*covered - ended) / (1000.0 * kInterval.count()));
}

void make_replica(RedisServer& server) {
  // Of nobody: it serves what it has and takes no writes.
  EXPECT_EQ(server.ask({"REPLICAOF", "127.0.0.1", std::to_string(test::free_port())}), "OK");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, NandiWorkerRefusal,
    testing::Values(
        // Case A07.
        Trouble{"a_replica", "readonly", make_replica,
                [](RedisServer& server) {
                  EXPECT_EQ(server.ask({"REPLICAOF", "NO", "ONE"}), "OK");
                }},
        // Case A15.
        Trouble{"out_of_memory", "oom",
                [](RedisServer& server) {
                  EXPECT_EQ(server.ask({"CONFIG", "SET", "maxmemory", "1"}), "OK");
                },
                [](RedisServer& server) {
                  EXPECT_EQ(server.ask({"CONFIG", "SET", "maxmemory", "0"}), "OK");
                }},
        // Case A19: refused inside the script.
        Trouble{"no_permission", "noperm",
                [](RedisServer& server) {
                  EXPECT_EQ(server.ask({"ACL", "SETUSER", "default", "-incr"}), "OK");
                },
                [](RedisServer& server) {
                  EXPECT_EQ(server.ask({"ACL", "SETUSER", "default", "+incr"}), "OK");
                }},
        // Case A13: it accepts connections and answers, but serves nobody for several intervals.
        Trouble{"loading", "loading",
                [](RedisServer& server) {
                  server.ask({"DEBUG", "POPULATE", "5000"});
                  server.ask({"SAVE"});
                  server.kill();
                  server.restart({"--key-load-delay", "400",
                                  "--loading-process-events-interval-bytes", "1024"});
                },
                [](RedisServer& server) {
                  EXPECT_TRUE(eventually(20s, [&] { return server.ask({"GET", "x"}) == "(nil)"; }));
                }},
        // Case A11: a script that can be killed.
        Trouble{"busy", "busy",
                [](RedisServer& server) {
                  server.ask({"CONFIG", "SET", "busy-reply-threshold", "20"});
                  server.client()->send({"EVAL", "while true do end", "0"});
                },
                [](RedisServer& server) {
                  // Its client is gone; the script is not.
                  EXPECT_TRUE(eventually(20s, [&] {
                    return server.ask({"SCRIPT", "KILL"}) == "OK";
                  }));
                  // It ends when it next looks, not with the reply.
                  EXPECT_TRUE(eventually(20s, [&] { return server.ask({"PING"}) == "PONG"; }));
                }}),
    [](const testing::TestParamInfo<Trouble>& of) { return std::string(of.param.name); });

// Case A12: a script that has written cannot be killed, and blocks the server for eight intervals.
TEST(NandiWorkerStall, a_script_that_cannot_be_killed_is_one_stall_of_the_server) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  ProcessGroup workers(server.directory(), "redis+unix://" + server.socket_path(), {kInterval});
  workers.add(3);
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));
  server.ask({"CONFIG", "SET", "busy-reply-threshold", "20"});
  const std::int64_t began = store_time_us(server.ask({"TIME"}));
  const auto blocker = server.client();
  blocker->send({"EVAL",
                 "redis.call('SET', 'x', 1) "
                 "local function now() "
                 "local time = redis.call('TIME') return time[1] * 1000 + time[2] / 1000 end "
                 "local start = now() repeat until now() - start > 2400",
                 "0"});
  std::string killed;
  EXPECT_TRUE(eventually(10s, [&] {
    killed = server.ask({"SCRIPT", "KILL"});
    return killed.find("UNKILLABLE") != std::string::npos;
  })) << killed;
  EXPECT_TRUE(eventually(10s, [&] { return workers.all_idle(); }));
  EXPECT_TRUE(workers.none_ended());
  blocker->read_reply();
  const std::int64_t ended = store_time_us(server.ask({"TIME"}));
  EXPECT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));
  workers.let_everybody_renew();
  workers.expect_expiries_on_time();
  const nlohmann::json audit = workers.audit();
  EXPECT_EQ(audit["verdict"], "holds") << audit["properties"].dump(2);
  // One stall, of the server, in which nobody was answered: not failures of three workers.
  int long_ones = 0;
  for (const auto& stall : audit["stalls"]) {
    const std::int64_t from = stall["from_us"][0];
    const std::int64_t until = stall["until_us"][1];
    if (until - from < 1000 * kInterval.count()) continue;
    ++long_ones;
    EXPECT_EQ(stall["workers"], 3);
    EXPECT_GE(from, began);
    EXPECT_GE(until, ended - 1000 * kInterval.count());
    EXPECT_GE(stall["failures"].value("busy", 0), 3) << stall;
  }
  EXPECT_EQ(long_ones, 1) << audit["stalls"].dump(2);
}

// Case A14: those who are in stay in; those who are not try once for each registration that is due.
TEST(NandiWorkerStall, a_worker_too_many_for_maxclients_waits_and_disturbs_nobody) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  // A wide gap, so that a busy machine costs no lease.
  ProcessGroup workers(server.directory(), "redis+unix://" + server.socket_path(),
                       {kInterval, 400});
  workers.add(2);
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));
  EXPECT_EQ(server.ask({"CONFIG", "SET", "maxclients", "3"}), "OK");  // they and this client
  const std::string handed = workers[0].output() + workers[1].output();
  const auto begin = std::chrono::steady_clock::now();
  workers.add();
  EXPECT_TRUE(eventually(20s, [&] { return workers[2].count("registration failed") >= 3; }));
  std::this_thread::sleep_until(begin + 6 * kInterval);
  const double intervals =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin) / kInterval;
  const auto log = workers[2].log();
  const int refusals = count_of(log, "registration failed", "max-clients");
  EXPECT_GE(refusals, 3) << workers[2].errors();
  EXPECT_LE(refusals, 4 + intervals) << "the back-off's first three, then one an interval";
  // The new one's connections come and go at the door: they reach nobody's registration.
  EXPECT_EQ(workers[0].output() + workers[1].output(), handed);
  EXPECT_EQ(server.ask({"CONFIG", "SET", "maxclients", "10"}), "OK");
  EXPECT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));
  workers.let_everybody_renew();
  EXPECT_EQ(workers.audit()["verdict"], "holds");
}

}  // namespace
}  // namespace nandi
