// Groups of real nandi-worker processes while the server that counts becomes another one, or is
// reached anew: a Sentinel failover, a hash slot that moves, TLS connections that break. The logs
// are audited; stand-down and recovery are printed in intervals.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "delay_proxy.h"
#include "process_group.h"
#include "redis/cluster_pair.h"
#include "tls_files.h"

namespace nandi {
namespace {

using namespace std::chrono_literals;
using test::ChildProcess;
using test::eventually;
using test::ProcessGroup;
using test::ProcessTiming;
using test::RedisClient;
using test::RedisServer;
using test::ScratchDirectory;
using test::store_time_us;

// A wide gap and time for an attempt, as finding a server takes several round trips and the machine
// may be busy.
constexpr ProcessTiming kTiming{500ms, 300};
const std::vector<std::string> kPatience{"--timeout", "140ms"};

/// When the group's first registration from `since_us` on was answered, by the server's clock.
std::optional<std::int64_t> first_answer(ProcessGroup& workers, std::int64_t since_us) {
  std::optional<std::int64_t> first;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    for (const auto& line : workers[w].log()) {
      if (line["message"] != "registration completed") continue;
      const std::int64_t at = line["store_us"][0];
      if (at >= since_us && (!first || at < *first)) first = at;
    }
  }
  return first;
}

/// Prints how long the group stood down and what it took to cover the work again, from `changed_us`
/// and from the first registration that the server in charge answered after it.
void report(const char* what, ProcessGroup& workers, const nlohmann::json& audit,
            std::int64_t changed_us) {
  const auto down = test::first_stand_down(audit, changed_us);
  const auto answered = first_answer(workers, changed_us);
  const int n = static_cast<int>(workers.size());
  const auto covered = down ? test::covered_from(audit, n, *down) : std::nullopt;
  ASSERT_TRUE(down && answered && covered) << audit["holdings"].dump(1);
  const auto intervals = [](std::int64_t us) {
    return static_cast<double>(us) / static_cast<double>(kTiming.interval_us());
  };
  std::printf(
      "%s: first stand-down after %.2f intervals, first registration after %.2f, covered again "
      "after "
      "%.2f; %d repeated indexes\n",
      what, intervals(*down - changed_us), intervals(*answered - changed_us),
      intervals(*covered - changed_us), audit["repeated_indexes"].get<int>());
}

class Sentinel {
 public:
  Sentinel(const std::string& name, std::uint16_t primary_port)
      : port_(test::free_port()), socket_(directory_.path() + "/sentinel.sock") {
    const std::string file = directory_.path() + "/sentinel.conf";
    std::ofstream(file) << fmt::format(
        "port {}\nbind 127.0.0.1\nunixsocket {}\ndir {}\nloglevel warning\n"
        "sentinel monitor main 127.0.0.1 {} 2\n"
        "sentinel down-after-milliseconds main 700\n"
        "sentinel failover-timeout main 4000\n",
        port_, socket_, directory_.path(), primary_port);
    process_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{test::find_program("redis-sentinel").value(), file},
        directory_.path(), name);
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string ask(const std::vector<std::string>& words) const {
    try {
      return RedisClient(socket_).ask(words);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }
  void stop() const { process_->signal(SIGSTOP); }
  void resume() const { process_->signal(SIGCONT); }

 private:
  ScratchDirectory directory_;
  std::uint16_t port_;
  std::string socket_;
  std::unique_ptr<ChildProcess> process_;
};

std::string evalsha_calls(RedisServer& server) {
  const std::string stats = server.ask({"INFO", "commandstats"});
  const std::size_t at = stats.find("cmdstat_evalsha:calls=");
  return at == std::string::npos ? "0" : stats.substr(at, stats.find(',', at) - at);
}

// The primary hangs, and one of three sentinels with it; the others make the replica the primary.
// When the two are back, the old primary still calls itself that, and its sentinel agrees: nobody
// goes back to them. Whoever comes to the new primary takes no count for evidence that the old one
// began, so a lease needs the counts of two intervals that the new one saw from beginning to end.
TEST(NandiWorkerFailover, a_sentinel_failover_leaves_no_overlap_and_nobody_behind) {
  NANDI_NEEDS_REDIS();
  if (!test::find_program("redis-sentinel")) GTEST_SKIP() << "redis-sentinel is not installed";
  RedisServer first;
  RedisServer second({"--replicaof", fmt::format("127.0.0.1 {}", first.port())});
  ASSERT_TRUE(eventually(20s, [&] {
    return second.ask({"INFO", "replication"}).find("master_link_status:up") != std::string::npos;
  }));
  const Sentinel stopped("sentinel0", first.port());
  const Sentinel one("sentinel1", first.port());
  const Sentinel two("sentinel2", first.port());
  for (const Sentinel* sentinel : {&stopped, &one, &two}) {
    ASSERT_TRUE(eventually(30s, [&] {
      const std::string master = sentinel->ask({"SENTINEL", "MASTER", "main"});
      return master.find("num-slaves 1") != std::string::npos &&
             master.find("num-other-sentinels 2") != std::string::npos;
    })) << sentinel->ask({"SENTINEL", "MASTER", "main"});
  }
  const ScratchDirectory directory;
  ProcessGroup workers(directory.path(),
                       fmt::format("redis+sentinel://127.0.0.1:{},127.0.0.1:{},127.0.0.1:{}/main",
                                   stopped.port(), one.port(), two.port()),
                       kTiming, kPatience);
  workers.add(3);
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); })) << workers[0].errors();

  const std::int64_t changed = store_time_us(first.ask({"TIME"}));
  first.stop();
  stopped.stop();
  ASSERT_TRUE(eventually(10s, [&] { return workers.all_idle(); }));
  ASSERT_TRUE(eventually(40s, [&] { return workers.partitioned(); })) << workers[0].errors();
  workers.let_everybody_renew();
  report("sentinel failover", workers, workers.audit(), changed);

  first.resume();
  stopped.resume();
  const std::string role = first.ask({"ROLE"});
  std::printf("the old primary, back, calls itself %s\n", role.substr(0, role.find(' ')).c_str());
  const std::string calls = evalsha_calls(first);
  std::this_thread::sleep_for(4 * kTiming.interval);
  EXPECT_EQ(evalsha_calls(first), calls) << "nobody registers at the old primary";
  EXPECT_TRUE(workers.none_ended());
  for (std::size_t w = 0; w < workers.size(); ++w) {
    EXPECT_GE(workers[w].count("server changed"), 1) << "worker " << w;
  }
  workers.expect_expiries_on_time();
  const nlohmann::json audit = workers.audit();
  EXPECT_EQ(audit["verdict"], "holds") << audit["properties"].dump(2);
}

// The group's hash slot goes to another node while it works: first on its way (ASK), with a counter
// that begins again at 1 in mid-interval, and then for good, back to the first node, without its
// keys (MOVED). Everybody who is led elsewhere takes nothing for evidence that was counted before.
TEST(NandiWorkerFailover, a_hash_slot_that_moves_in_mid_interval_leaves_no_overlap) {
  NANDI_NEEDS_REDIS();
  test::ClusterPair cluster("{g}");
  const ScratchDirectory directory;
  ProcessGroup workers(directory.path(), cluster.url(), kTiming, kPatience);
  workers.add(3);
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); })) << workers[0].errors();
  const auto all_changed = [&](long times) {
    for (std::size_t w = 0; w < workers.size(); ++w) {
      if (workers[w].count("server changed") < times) return false;
    }
    return true;
  };

  const std::int64_t asked = store_time_us(cluster.a.ask({"TIME"}));
  cluster.begin_migration(cluster.a, cluster.b);
  ASSERT_TRUE(eventually(20s, [&] { return all_changed(1); })) << workers[0].errors();
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); })) << workers[0].errors();
  workers.let_everybody_renew();
  report("hash slot on its way (ASK)", workers, workers.audit(), asked);
  cluster.end_migration(cluster.a, cluster.b);

  const std::int64_t moved = store_time_us(cluster.a.ask({"TIME"}));
  cluster.begin_migration(cluster.b, cluster.a);
  cluster.end_migration(cluster.b, cluster.a);
  ASSERT_TRUE(eventually(20s, [&] { return all_changed(2); })) << workers[0].errors();
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); })) << workers[0].errors();
  workers.let_everybody_renew();
  const nlohmann::json audit = workers.audit();
  report("hash slot moved (MOVED)", workers, audit, moved);
  EXPECT_EQ(audit["verdict"], "holds") << audit["properties"].dump(2);
  EXPECT_TRUE(workers.none_ended());
  workers.expect_expiries_on_time();
}

// TLS connections that are reset are made anew, handshake and all, within the slack of one
// registration: no lease is lost to it. Then the server itself goes and comes back without data.
TEST(NandiWorkerFailover, broken_tls_connections_are_made_anew_and_a_restart_is_survived) {
  NANDI_NEEDS_REDIS();
  if (!test::TlsFiles::can_be_made()) GTEST_SKIP() << "openssl is not installed";
  const test::TlsFiles files;
  const std::uint16_t port = test::free_port();
  RedisServer server(files.settings(port, "yes"));
  test::DelayProxy proxy(port);
  std::vector<std::string> more{"--tls-ca",   files.file("ca.pem"),
                                "--tls-cert", files.file("client.pem"),
                                "--tls-key",  files.file("client.key")};
  more.insert(more.end(), kPatience.begin(), kPatience.end());
  ProcessGroup workers(server.directory(), fmt::format("rediss://127.0.0.1:{}", proxy.port()),
                       kTiming, more);
  workers.add(3);
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); })) << workers[0].errors();

  const std::int64_t cut = store_time_us(server.ask({"TIME"}));
  const std::string handed = workers[0].output() + workers[1].output() + workers[2].output();
  const int connections = proxy.connections();
  proxy.cut();
  ASSERT_TRUE(eventually(20s, [&] { return proxy.connections() >= connections + 3; }));
  workers.let_everybody_renew();
  const std::string disturbance = workers.disturbance(cut);
  if (disturbance.empty()) {
    EXPECT_EQ(workers[0].output() + workers[1].output() + workers[2].output(), handed)
        << "a connection was made anew in time, so no lease is lost";
  }
  std::printf("TLS reconnect: %s\n", disturbance.empty() ? "no stand-down" : disturbance.c_str());
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); }));

  const std::int64_t changed = store_time_us(server.ask({"TIME"}));
  server.kill();
  ASSERT_TRUE(eventually(10s, [&] { return workers.all_idle(); }));
  server.restart();
  ASSERT_TRUE(eventually(30s, [&] { return workers.partitioned(); })) << workers[0].errors();
  workers.let_everybody_renew();
  const nlohmann::json audit = workers.audit();
  report("TLS server restarted", workers, audit, changed);
  EXPECT_EQ(audit["verdict"], "holds") << audit["properties"].dump(2);
  EXPECT_TRUE(workers.none_ended());
  workers.expect_expiries_on_time();
}

}  // namespace
}  // namespace nandi
