// How fast the simulator is, next to the least that any event-driven simulator does: a bare
// std::priority_queue loop with as many pending timers, doing as many pops and pushes.
//
// An event is one pop and one apply; all properties and statistics are on, no trace is written.
// Counters are per second of CPU time. `of_bare` is events per second over the bare loop's in the
// same process, measured just before.
//
// The interval grows with the group, so that slots stay 14 ms apart, twice the jitter of the
// network here, and each of the groups settles: what is compared is the same work, done for more
// workers. `bytes/worker` is the most that one run has on the heap at once (operator new, with what
// malloc rounds up), over its workers; scenario and plan, which all runs share, are not in it.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

#include "heap_use.h"
#include "nandi/sim/draw.h"
#include "nandi/sim/simulator.h"

namespace nandi::sim {
namespace {

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Timer {
  std::int64_t at;
  std::uint64_t sequence;
  std::uint32_t worker;
  std::uint32_t generation;
  friend bool operator<(const Timer& a, const Timer& b) {
    return a.at != b.at ? a.at > b.at : a.sequence > b.sequence;
  }
};

class BareLoop {
 public:
  explicit BareLoop(std::size_t pending) {
    for (std::size_t w = 0; w < pending; ++w) push(0);
  }
  void turn() {
    const Timer timer = queue_.top();
    queue_.pop();
    push(timer.at);
  }
  [[nodiscard]] std::int64_t now() const { return queue_.top().at; }

 private:
  void push(std::int64_t now) {
    constexpr std::uint64_t kInterval = 1'000'000'000;
    const auto delay = static_cast<std::int64_t>(bounded(split_mix(1, sequence_), kInterval));
    queue_.push({now + delay, sequence_++, 0, 0});
  }
  std::priority_queue<Timer> queue_;
  std::uint64_t sequence_ = 0;
};

void bare_queue(benchmark::State& state) {
  BareLoop loop(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) loop.turn();
  benchmark::DoNotOptimize(loop.now());
  state.SetItemsProcessed(state.iterations());
}

double bare_rate(std::size_t pending) {
  constexpr int kTurns = 2'000'000;
  BareLoop loop(pending);
  const double start = cpu_seconds();
  for (int i = 0; i < kTurns; ++i) loop.turn();
  benchmark::DoNotOptimize(loop.now());
  return kTurns / (cpu_seconds() - start);
}

Scenario settled_group(std::uint32_t workers) {
  constexpr std::int64_t kRegistrations = 200'000;
  Scenario scenario;
  constexpr Duration kForEach(20 * kNanosecondsPerMillisecond);
  scenario.group.interval =
      std::max(Duration(kNanosecondsPerSecond), kForEach * std::int64_t{workers});
  WorkerSet set;
  set.count = workers;
  scenario.workers = {set};
  const LognormalDelay latency{Duration(500'000), Duration(3'000'000)};
  scenario.network.request = latency;
  scenario.network.reply = latency;
  scenario.length = scenario.group.interval * (kRegistrations / workers);
  return scenario;
}

void simulated_group(benchmark::State& state) {
  const auto workers = static_cast<std::uint32_t>(state.range(0));
  const Simulator simulator(settled_group(workers));
  const double bare = bare_rate(workers);
  std::uint64_t seed = 0;
  std::uint64_t events = 0;
  std::uint64_t registrations = 0;
  HeapUse& heap = heap_use();
  const std::int64_t heap_before = heap.now;
  heap.most = heap_before;
  const double start = cpu_seconds();
  for (auto _ : state) {
    const RunResult run = simulator.run(++seed);
    events += run.events;
    registrations += run.statistics.registrations;
  }
  const double elapsed = cpu_seconds() - start;
  const double rate = static_cast<double>(events) / elapsed;
  state.counters["events/s"] = rate;
  state.counters["registrations/s"] = static_cast<double>(registrations) / elapsed;
  state.counters["bare/s"] = bare;
  state.counters["of_bare"] = rate / bare;
  state.counters["bytes/worker"] =
      static_cast<double>(heap.most - heap_before) / static_cast<double>(workers);
}

BENCHMARK(bare_queue)->Arg(10)->Arg(100)->Arg(1'000)->Arg(10'000);
BENCHMARK(simulated_group)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nandi::sim

BENCHMARK_MAIN();
