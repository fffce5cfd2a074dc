// Cost of one lookup by scheme and number of servers, in one run. Items are hashed beforehand:
// the time is the scheme's own. Memory is reported beside it (bytes counter).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "nandi/engine/partition/hash_ring.h"
#include "nandi/engine/partition/maglev_table.h"
#include "nandi/engine/partition/rendezvous.h"
#include "nandi/engine/partition/scheme.h"

namespace nandi::partition {
namespace {

// Too many for branch prediction to learn by heart.
constexpr std::size_t kHashes = 1U << 20U;

std::vector<std::uint64_t> random_hashes() {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(kHashes);
  for (std::uint64_t i = 0; i < kHashes; ++i) hashes.push_back(splitmix64(1, i));
  return hashes;
}

std::vector<Server> fleet(std::int64_t count, bool weighted = false) {
  std::vector<Server> servers;
  for (std::int64_t i = 0; i < count; ++i) {
    servers.push_back(
        {"server-" + std::to_string(i), weighted ? static_cast<std::uint32_t>(1 + i % 3) : 1U});
  }
  return servers;
}

template <class Lookup>
void run_lookups(benchmark::State& state, std::size_t bytes, Lookup lookup) {
  const std::vector<std::uint64_t> hashes = random_hashes();
  std::size_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(lookup(hashes[at]));
    at = (at + 1) % kHashes;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
  state.counters["bytes"] = static_cast<double>(bytes);
}

void modulo(benchmark::State& state) {
  const auto n = static_cast<std::uint32_t>(state.range(0));
  run_lookups(state, 0, [n](std::uint64_t hash) { return modulo_index(hash, n); });
}

void jump(benchmark::State& state) {
  const auto n = static_cast<std::uint32_t>(state.range(0));
  run_lookups(state, 0, [n](std::uint64_t hash) { return jump_hash(hash, n); });
}

void rendezvous_by_number(benchmark::State& state) {
  const auto n = static_cast<std::uint32_t>(state.range(0));
  run_lookups(state, 0, [n](std::uint64_t hash) { return rendezvous_index(hash, n); });
}

void rendezvous_by_name(benchmark::State& state) {
  const Rendezvous placement(fleet(state.range(0)));
  run_lookups(state, placement.memory_bytes(),
              [&](std::uint64_t hash) { return placement.owner(hash); });
}

void weighted_rendezvous(benchmark::State& state) {
  const WeightedRendezvous placement(fleet(state.range(0), true));
  run_lookups(state, placement.memory_bytes(),
              [&](std::uint64_t hash) { return placement.owner(hash); });
}

void ring(benchmark::State& state) {
  const HashRing placement(fleet(state.range(0)), static_cast<std::uint32_t>(state.range(1)));
  run_lookups(state, placement.memory_bytes(),
              [&](std::uint64_t hash) { return placement.owner(hash); });
}

void maglev(benchmark::State& state) {
  const MaglevTable placement(fleet(state.range(0)), static_cast<std::uint32_t>(state.range(1)));
  run_lookups(state, placement.memory_bytes(),
              [&](std::uint64_t hash) { return placement.owner(hash); });
}

void hash_integer_id(benchmark::State& state) {
  std::int64_t id = -1000;
  for (auto _ : state) benchmark::DoNotOptimize(item_hash(id++));
}

void hash_string_id(benchmark::State& state) {
  const std::string id(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(item_hash(id));
}

BENCHMARK(modulo)->Arg(10)->Arg(1000);
BENCHMARK(jump)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(rendezvous_by_number)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(rendezvous_by_name)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(weighted_rendezvous)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(ring)
    ->Args({10, 100})
    ->Args({100, 100})
    ->Args({1000, 100})
    ->Args({10, 1})
    ->Args({10, 1000});
BENCHMARK(maglev)->Args({10, 65537})->Args({1000, 65537})->Args({1000, 655373});
BENCHMARK(hash_integer_id);
BENCHMARK(hash_string_id)->Arg(16)->Arg(64);

}  // namespace
}  // namespace nandi::partition

BENCHMARK_MAIN();
