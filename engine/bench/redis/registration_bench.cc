// Registrations on a real Redis, next to the same script driven by redis-benchmark in the same run.
//
// Everything runs on one machine, server included: the figures are of client and server together
// unless they say "cpu_us", which is this process's processor time per registration. What other
// programs do meanwhile shows; the closing lines compare medians of rounds taken in turn.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fleet.h"
#include "nandi/engine/redis/redis_store.h"
#include "nandi/engine/script.h"
#include "redis/file_descriptor.h"
#include "redis_server.h"

namespace nandi::bench {
namespace {

using Clock = std::chrono::steady_clock;

const RedisGroup kGroup{"{bench}", 3'600'000};

test::RedisServer& server() {
  static test::RedisServer instance({"--maxclients", "4000"});
  return instance;
}

RedisOptions options_of(bool tcp) { return tcp ? server().tcp() : server().unix_socket(); }
const char* name_of(bool tcp) { return tcp ? "tcp" : "unix"; }

/// Registrations per second of the rounds that are compared, by who and transport.
std::map<std::string, std::map<int, double>>& rates() {
  static std::map<std::string, std::map<int, double>> instance;
  return instance;
}

/// Workers that register back to back: as soon as one is answered, it registers again.
class BackToBack {
 public:
  BackToBack(bool tcp, std::size_t workers, std::size_t connections) {
    if (connections < workers) {
      shared_.reserve(connections);
      for (std::size_t i = 0; i < connections; ++i) {
        shared_.emplace_back(options_of(tcp), Duration(5 * kNanosecondsPerSecond));
        watch(shared_.back().descriptor(), i);
      }
    }
    for (std::size_t i = 0; i < workers; ++i) {
      if (shared_.empty()) {
        stores_.emplace_back(options_of(tcp), kGroup);
        watch(stores_.back().descriptor(), i);
      } else {
        stores_.emplace_back(shared_[i % connections], kGroup, i);
      }
    }
    attempts_.resize(workers);
    for (std::size_t i = 0; i < workers; ++i) submit(i);
  }

  /// Waits once and handles what has arrived; the number of registrations completed.
  std::int64_t turn() {
    epoll_event events[64];
    const int ready = epoll_wait(epoll_.get(), events, 64, 1000);
    std::int64_t completed = 0;
    for (int i = 0; i < ready; ++i) {
      const auto index = static_cast<std::size_t>(events[i].data.u64);
      if (shared_.empty()) {
        completed += collect(index);
        continue;
      }
      shared_[index].hold();
      while (const auto tag = shared_[index].next_ready()) {
        completed += collect(static_cast<std::size_t>(*tag));
      }
      shared_[index].flush();
    }
    return completed;
  }

  [[nodiscard]] std::int64_t failures() const { return failures_; }

 private:
  void watch(int descriptor, std::size_t index) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event);
  }

  void submit(std::size_t i) {
    stores_[i].submit({++attempts_[i], clock_.now() + Duration(5 * kNanosecondsPerSecond)});
  }

  std::int64_t collect(std::size_t i) {
    const std::optional<Completion> done = stores_[i].next_completion();
    if (!done) return 0;
    if (!std::holds_alternative<Tick>(done->outcome)) ++failures_;
    submit(i);
    return 1;
  }

  BootClock clock_;
  redis::FileDescriptor epoll_{epoll_create1(EPOLL_CLOEXEC)};
  std::vector<RedisConnection> shared_;
  std::vector<RedisStore> stores_;
  std::vector<AttemptId> attempts_;
  std::int64_t failures_ = 0;
};

void back_to_back(benchmark::State& state, int round) {
  const bool tcp = state.range(2) != 0;
  BackToBack group(tcp, static_cast<std::size_t>(state.range(0)),
                   static_cast<std::size_t>(state.range(1)));
  for (int i = 0; i < 200; ++i) group.turn();
  constexpr std::int64_t kBatch = 2000;
  const std::int64_t cpu = processor_time_us();
  std::int64_t completed = 0;
  const auto begin = Clock::now();
  while (state.KeepRunningBatch(kBatch)) {
    std::int64_t batch = 0;
    while (batch < kBatch) batch += group.turn();
    completed += batch;
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (group.failures() > 0) state.SkipWithError("a registration failed");
  state.SetLabel(name_of(tcp));
  const auto count = static_cast<double>(completed);
  state.counters["registrations/s"] = count / seconds;
  state.counters["cpu_us"] = static_cast<double>(processor_time_us() - cpu) / count;
  // Called several times with growing numbers of iterations: the last one is the round's.
  if (round >= 0) rates()[fmt::format("ours, {}", name_of(tcp))][round] = count / seconds;
}

/// The same script at the same number of connections by redis-benchmark, unpipelined.
void redis_benchmark(benchmark::State& state, int round) {
  const bool tcp = state.range(1) != 0;
  const auto program = test::find_program("redis-benchmark");
  if (!program) {
    state.SkipWithError("redis-benchmark is not installed");
    return;
  }
  server().ask({"SCRIPT", "LOAD", std::string(kRegistrationScript)});
  std::vector<std::string> command{*program, "-c",     std::to_string(state.range(0)),
                                   "-n",     "100000", "--csv"};
  if (tcp) {
    command.insert(command.end(), {"-p", std::to_string(server().port())});
  } else {
    command.insert(command.end(), {"-s", server().socket_path()});
  }
  command.insert(command.end(),
                 {"EVALSHA", std::string(kRegistrationScriptSha1), "1", "{bench}", "3600000"});
  double rate = 0;
  for (auto _ : state) {
    std::remove((server().directory() + "/redis-benchmark.log").c_str());
    test::ChildProcess child(command, server().directory(), "redis-benchmark");
    if (child.wait() != 0) state.SkipWithError("redis-benchmark failed");
    std::ifstream log(server().directory() + "/redis-benchmark.log");
    std::string line;
    std::getline(log, line);  // the header
    std::getline(log, line);  // "EVALSHA ...","57000.00",...
    const std::size_t quote = line.find("\",\"");
    rate = quote == std::string::npos ? 0 : std::stod(line.substr(quote + 3));
  }
  state.SetLabel(name_of(tcp));
  state.counters["registrations/s"] = rate;
  rates()[fmt::format("redis-benchmark, {}", name_of(tcp))][round] = rate;
}

/// Workers at their own pace: each registers once per interval, in its slot. After the first moment
/// at which all own a pair (or 8 intervals), `stood_down` counts how often a worker lost its pair
/// in the next 6, per worker and interval; `worker_cpu_us` is processor time per worker and second.
void settled_group(benchmark::State& state) {
  const auto workers = static_cast<std::size_t>(state.range(0));
  const std::chrono::milliseconds interval(state.range(1));
  const auto connections = static_cast<std::size_t>(state.range(2));
  constexpr int kWatched = 6;
  for (auto _ : state) {
    const std::int64_t memory = allocated_bytes();
    Fleet fleet(server().tcp(), workers, connections, interval);
    const auto begin = Clock::now();
    fleet.run_until([&] { return fleet.owners() == workers; }, 8 * interval);
    const double settled = std::chrono::duration<double>(Clock::now() - begin) / interval;
    state.counters["intervals_to_own"] = fleet.owners() == workers ? settled : -1;
    state.counters["bytes_per_worker"] =
        static_cast<double>(allocated_bytes() - memory) / static_cast<double>(workers);
    const std::int64_t cpu = processor_time_us();
    const std::uint64_t before = fleet.registrations();
    const std::uint64_t stood_down = fleet.stand_downs();
    const auto watched = Clock::now();
    const auto until = watched + kWatched * interval;
    fleet.run_until([&] { return Clock::now() >= until; }, (kWatched + 1) * interval);
    const double seconds = std::chrono::duration<double>(Clock::now() - watched).count();
    const auto used = static_cast<double>(processor_time_us() - cpu);
    const auto fleet_size = static_cast<double>(workers);
    state.counters["cpu_us"] = used / static_cast<double>(fleet.registrations() - before);
    state.counters["worker_cpu_us"] = used / fleet_size / seconds;
    state.counters["stood_down"] =
        static_cast<double>(fleet.stand_downs() - stood_down) / fleet_size / kWatched;
    state.counters["owners"] = static_cast<double>(fleet.owners());
  }
}

void print_comparison() {
  const auto median = [](const std::map<int, double>& rounds) {
    std::vector<double> values;
    for (const auto& [round, rate] : rounds) values.push_back(rate);
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  for (const char* transport : {"tcp", "unix"}) {
    const double theirs = median(rates()[fmt::format("redis-benchmark, {}", transport)]);
    const double ours = median(rates()[fmt::format("ours, {}", transport)]);
    if (theirs > 0 && ours > 0) {
      fmt::print("50 connections over {}: {:.0f} registrations/s, redis-benchmark {:.0f}: {:.2f}\n",
                 transport, ours, theirs, ours / theirs);
    }
  }
}

}  // namespace
}  // namespace nandi::bench

int main(int argc, char** argv) {
  using namespace nandi::bench;
  if (!nandi::test::RedisServer::installed()) {
    fmt::print("skipped: redis-server is not installed\n");
    return 0;
  }
  // In turn, so that a busy moment of the machine does not meet one side only.
  for (int round = 0; round < 3; ++round) {
    for (const int tcp : {1, 0}) {
      const std::string suffix = fmt::format("/round:{}", round);
      benchmark::RegisterBenchmark(("back_to_back" + suffix).c_str(), back_to_back, round)
          ->Args({50, 50, tcp})
          ->UseRealTime();
      benchmark::RegisterBenchmark(("redis_benchmark" + suffix).c_str(), redis_benchmark, round)
          ->Args({50, tcp})
          ->Iterations(1)
          ->UseRealTime();
    }
  }
  for (const int tcp : {1, 0}) {
    for (const int workers : {1, 50, 500, 1000}) {
      benchmark::RegisterBenchmark("back_to_back", back_to_back, -1)
          ->Args({workers, workers, tcp})
          ->UseRealTime();
      if (workers == 1) continue;
      benchmark::RegisterBenchmark("back_to_back_shared", back_to_back, -1)
          ->Args({workers, 1, tcp})
          ->UseRealTime();
    }
  }
  for (const auto& [workers, interval, connections] : {std::tuple{5, 300, 5},
                                                       {50, 1000, 50},
                                                       {50, 1000, 1},
                                                       {500, 1000, 2},
                                                       {1000, 2000, 4},
                                                       {2000, 5000, 1},
                                                       {10000, 5000, 1},
                                                       {10000, 5000, 4},
                                                       {10000, 20000, 1}}) {
    benchmark::RegisterBenchmark("settled_group", settled_group)
        ->ArgNames({"workers", "interval_ms", "connections"})
        ->Args({workers, interval, connections})
        ->Iterations(1)
        ->UseRealTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 64;
  benchmark::RunSpecifiedBenchmarks();
  print_comparison();
  benchmark::Shutdown();
  return 0;
}
