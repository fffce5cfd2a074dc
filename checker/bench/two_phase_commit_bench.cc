// Two-phase commit with 8 resource managers: the generic explorers next to a search written by hand
// for this one model, the bound of what they could reach.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>

#include "models/bare_two_phase_commit.h"
#include "models/two_phase_commit.h"
#include "nandi/checker/explorer.h"

namespace nandi::checker {
namespace {

void report(benchmark::State& state, std::uint64_t states, std::uint64_t bytes) {
  if (states != kStates) {
    throw std::logic_error("the benchmark explored another graph");
  }
  state.counters["states/cpu_s"] = benchmark::Counter(
      static_cast<double>(states), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/state"] = static_cast<double>(bytes) / static_cast<double>(states);
}

void by_hand(benchmark::State& state) {
  std::uint64_t states = 0;
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    BareTwoPhaseCommit search;
    states = search.run();
    bytes = search.bytes();
    if (search.violated()) {
      throw std::logic_error("the benchmark's model is wrong");
    }
  }
  report(state, states, bytes);
}

void explorer(benchmark::State& state, SearchOrder order) {
  const models::TwoPhaseCommit model(kManagers);
  Counts counts;
  for (auto _ : state) {
    counts = explore(model, order, {}).summary.counts;
  }
  report(state, counts.states, counts.bytes);
}

BENCHMARK(by_hand)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explorer, breadth_first, SearchOrder::breadth_first)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explorer, depth_first, SearchOrder::depth_first)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nandi::checker

BENCHMARK_MAIN();
