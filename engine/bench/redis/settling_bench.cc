// From how many workers on a group on a real Redis stops settling: one process, one connection.
//
// Each benchmark is a group of some size at some interval. It has ten intervals to settle in; in
// those that are watched then, `stood_down` counts how often a worker lost its pair, per worker and
// interval. What the group should do is predicted from what its registrations took meanwhile, by
// drawing pairs of neighbours and looking how often they are later against each other than their
// slots are apart:
// - `predicted`, as this process works: one thread and one connection are a queue, in which
//   nothing overtakes, so that a late wake-up and a slow request change no order. What does is when
//   the reply before was read: by up to a round trip late, and of a server that tells the time in
//   whole milliseconds. `spread_us` is the 999th of a thousand such differences, `edge` the number
//   of workers whose slots are that far apart.
// - `independent`: as if each worker had a queue of its own, so that lags and requests count too.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>
#include <vector>

#include "fleet.h"
#include "nandi/engine/bounds.h"
#include "nandi/engine/options.h"
#include "redis_server.h"

namespace nandi::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kToSettle = 10;  // intervals
constexpr double kTolerated = 0.001;

LeaseTiming timing_of_interval(std::chrono::milliseconds interval) {
  Options options;
  options.name = "settling";
  options.interval = interval;
  return timing_of(options);
}

std::int64_t percentile(std::vector<std::int64_t> values, double share) {
  if (values.empty()) return 0;
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * last);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Drawn differences in lateness of two workers, in nanoseconds, without sign.
std::vector<std::int64_t> differences(const std::vector<RegistrationDelay>& delays,
                                      Duration resolution, bool has_one_queue) {
  constexpr int kPairs = 200'000;
  std::vector<std::int64_t> drawn;
  if (delays.empty()) return drawn;
  std::mt19937_64 random(1);
  const auto any = [&] { return delays[random() % delays.size()]; };
  const auto lateness = [&] {
    const std::int64_t reply = any().round_trip.count();
    const auto rounded =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(resolution.count()));
    if (has_one_queue) return reply + rounded;
    const RegistrationDelay now = any();
    return reply / 2 + rounded + now.lag.count() + now.round_trip.count() / 2;
  };
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::int64_t one = lateness();
    drawn.push_back(std::abs(one - lateness()));
  }
  return drawn;
}

/// Of the pairs, how many are further from each other than that.
double share_beyond(const std::vector<std::int64_t>& pairs, Duration apart) {
  if (pairs.empty()) return 0;
  const auto beyond = std::count_if(pairs.begin(), pairs.end(), [apart](std::int64_t difference) {
    return difference > apart.count();
  });
  return static_cast<double>(beyond) / static_cast<double>(pairs.size());
}

void settling(benchmark::State& state) {
  const auto workers = static_cast<std::size_t>(state.range(0));
  const std::chrono::milliseconds interval(state.range(1));
  const auto watched = state.range(2);
  const LeaseTiming timing = timing_of_interval(interval);
  const Duration apart = slot_spacing(timing, static_cast<std::uint32_t>(workers));
  for (auto _ : state) {
    test::RedisServer server;
    Fleet fleet(server.tcp(), workers, 1, interval);
    fleet.run_until([] { return false; }, kToSettle * interval);
    const std::uint64_t before = fleet.stand_downs();
    static_cast<void>(fleet.take_delays());
    fleet.run_until([] { return false; }, watched * interval);
    const auto stood_down = static_cast<double>(fleet.stand_downs() - before);
    const std::vector<RegistrationDelay> delays = fleet.take_delays();

    std::vector<std::int64_t> round_trips;
    std::vector<std::int64_t> lags;
    for (const RegistrationDelay& delay : delays) {
      round_trips.push_back(delay.round_trip.count());
      lags.push_back(delay.lag.count());
    }
    const std::vector<std::int64_t> pairs = differences(delays, timing.resolution, true);
    const std::int64_t spread = std::max<std::int64_t>(1, percentile(pairs, 1 - kTolerated));
    state.counters["apart_us"] = static_cast<double>(apart.count()) / 1e3;
    state.counters["round_trip_p99_us"] = static_cast<double>(percentile(round_trips, 0.99)) / 1e3;
    state.counters["lag_p99_us"] = static_cast<double>(percentile(lags, 0.99)) / 1e3;
    state.counters["spread_us"] = static_cast<double>(spread) / 1e3;
    state.counters["edge"] = static_cast<double>(largest_group(timing, Duration(spread)));
    state.counters["predicted"] = share_beyond(pairs, apart);
    state.counters["independent"] =
        share_beyond(differences(delays, timing.resolution, false), apart);
    state.counters["stood_down"] =
        stood_down / static_cast<double>(workers) / static_cast<double>(watched);
    state.counters["owners"] = static_cast<double>(fleet.owners());
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
  for (const auto& [interval_ms, watched] : {std::pair{1000, 40}, {2000, 30}, {5000, 20}}) {
    // Around the size at which slots are as far apart as the server's clock is coarse.
    const auto timing = timing_of_interval(std::chrono::milliseconds(interval_ms));
    const std::int64_t coarse = nandi::largest_group(timing, timing.resolution);
    for (const int percent : {25, 50, 70, 90, 100, 110, 140, 200}) {
      benchmark::RegisterBenchmark("settling", settling)
          ->ArgNames({"workers", "interval_ms", "watched"})
          ->Args({coarse * percent / 100, interval_ms, watched})
          ->Iterations(1)
          ->UseRealTime();
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 64;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
