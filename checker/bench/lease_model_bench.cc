// The lease model with three workers, explored up to two million states: the production engine and
// the simulated world at every transition, next to a search written by hand for a small model.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <stdexcept>

#include "lease_checks.h"
#include "models/bare_two_phase_commit.h"
#include "nandi/checker/explorer.h"
#include "nandi/checker/lease_model.h"

namespace nandi::checker {
namespace {

constexpr std::uint64_t kLeaseStates = 2'000'000;

void report(benchmark::State& state, std::uint64_t states, std::uint64_t bytes) {
  state.counters["states/cpu_s"] = benchmark::Counter(
      static_cast<double>(states), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/state"] = static_cast<double>(bytes) / static_cast<double>(states);
}

void two_phase_commit_by_hand(benchmark::State& state) {
  std::uint64_t bytes = 0;
  for (auto _ : state) {
    BareTwoPhaseCommit search;
    if (search.run() != kStates) throw std::logic_error("the benchmark explored another graph");
    bytes = search.bytes();
  }
  report(state, kStates, bytes);
}

/// Three workers with unbounded delays that crash and start again, the engine's slots.
template <class Rules>
void lease_model(benchmark::State& state) {
  LeaseCheck check = plain_check(3, 12, Fraction(1, 4), Slots::engine);
  check.joins_in_all = false;
  check.crashes = true;
  check.abandoned = 1;
  const LeaseModel<Rules, 3> model(check);
  ExploreOptions options;
  options.bounds.max_states = kLeaseStates;
  Counts counts;
  for (auto _ : state) {
    const auto exploration = explore_breadth_first(model, options);
    if (exploration.summary.reason != StopReason::max_states) {
      throw std::logic_error("the benchmark explored another graph");
    }
    counts = exploration.summary.counts;
  }
  state.counters["transitions/state"] =
      static_cast<double>(counts.transitions) / static_cast<double>(counts.states);
  report(state, counts.states, counts.bytes);
}

BENCHMARK(two_phase_commit_by_hand)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(lease_model, ProtocolRules)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(lease_model, sim::AblatedRules)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace nandi::checker

BENCHMARK_MAIN();
