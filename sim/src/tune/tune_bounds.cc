#include <fmt/format.h>

#include <algorithm>

#include "nandi/engine/bounds.h"
#include "nandi/engine/options.h"
#include "nandi/sim/draw.h"
#include "nandi/sim/histogram.h"
#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/sampler.h"
#include "nandi/sim/settling/settling_outlook.h"
#include "nandi/sim/tune/tune.h"

namespace nandi::sim {
namespace {

constexpr std::uint64_t kSamples = 1U << 16U;  // of round trips and pauses
constexpr Duration kResolution(kNanosecondsPerMillisecond);

double seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

TuneBound time_bound(const char* name, Duration need, Duration have, const std::string& needs,
                     const std::string& has) {
  return {
      name, seconds(need), seconds(have), "s",
      fmt::format("{} take {}, {} is {}", needs, duration_text(need), has, duration_text(have))};
}

/// Pauses are simulated as a part of the request's way.
NetworkSettings network_of(const TuneRequest& request) {
  NetworkSettings network;
  network.request = request.request;
  network.reply = request.reply;
  network.jitter.request = request.pause;
  return network;
}

}  // namespace

const std::vector<Fraction>& tune_gaps() {
  static const std::vector<Fraction> gaps{{1, 10}, {13, 100}, {3, 20}, {17, 100},
                                          {1, 5},  {1, 4},    {3, 10}, {7, 20}};
  return gaps;
}

LeaseTiming tune_timing(const TuneRequest& request, const TuneSetting& setting) {
  return {setting.interval, setting.gap, default_attempt_timeout(setting.interval), kResolution,
          request.drift};
}

TuneDelays tune_delays(const TuneRequest& request) {
  const Sampler to_store(request.request);
  const Sampler back(request.reply);
  const Sampler pause(request.pause);
  Histogram round_trips;
  Histogram pauses;
  std::uint64_t drawn = 0;
  const auto draw = [&](const Sampler& of) { return of.sample(mix64(++drawn * kGolden)); };
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const Duration request_took = draw(to_store);
    round_trips.add(request_took + draw(back));
    pauses.add(draw(pause));
  }
  const std::vector<Duration> differences = delay_differences(network_of(request), kResolution);
  constexpr std::uint32_t kNinetyNine = 99;
  return {round_trips.percentile(50), round_trips.percentile(kNinetyNine),
          pauses.percentile(kNinetyNine), differences[differences.size() * kNinetyNine / 100],
          settled_difference(differences)};
}

std::vector<TuneBound> tune_bounds(const TuneRequest& request, const TuneDelays& delays,
                                   const TuneSetting& setting, std::uint32_t members) {
  const LeaseTiming timing = tune_timing(request, setting);
  const Duration renewal = delays.round_trip_p99 * 2 + delays.pause_p99;
  const Duration slack = renewal_slack(timing) - multiply_ceil(timing.interval, request.drift) * 4;
  const Duration spacing = slot_spacing(timing, members);
  std::vector<TuneBound> bounds;
  constexpr std::int64_t kOfANewConnection = 3;
  bounds.push_back(time_bound("attempt", delays.round_trip_p99 * kOfANewConnection,
                              timing.attempt_timeout, "a new connection's three round trips (p99)",
                              "a registration's deadline"));
  bounds.push_back(time_bound("renewal", renewal, slack, "two round trips and a pause (p99)",
                              "the slack of a renewal"));
  const Duration left = slack - retry_delay(timing, 1);
  bounds.push_back(time_bound("retry", renewal, left, "two round trips and a pause (p99)",
                              "what a first retry leaves of the gap"));
  if (left <= Duration(0)) bounds.back().text = "a first retry leaves nothing of the gap";
  bounds.push_back(
      time_bound("drain", request.drain, gap_margin(timing), "consumers' drains", "the gap"));
  const Fraction part(request.drift.numerator(), request.drift.denominator());
  const double ppm =
      1e6 * static_cast<double>(part.numerator()) / static_cast<double>(part.denominator());
  const double tolerated = 1e6 * static_cast<double>(setting.gap.numerator()) /
                               (4 * static_cast<double>(setting.gap.denominator())) -
                           1;
  bounds.push_back({"drift", ppm, tolerated, "ppm",
                    fmt::format("clocks differ by {} ppm, a quarter of the gap tolerates {} ppm",
                                estimate_text(ppm), estimate_text(tolerated))});
  const Duration settles = settling_distance(timing, delays.jitter_settled);
  bounds.push_back(
      {"spacing", seconds(settles), seconds(spacing), "s",
       fmt::format("neighbours among {} differ by more than {} once in {} intervals, their slots "
                   "are {} apart",
                   grouped(members), duration_text(settles), grouped(kSettledIntervals),
                   duration_text(spacing))});
  return bounds;
}

Scenario tune_scenario(const TuneRequest& request, const TuneSetting& setting,
                       std::uint32_t members) {
  Scenario scenario;
  scenario.name = "tune-" + request.name;
  scenario.group.name = request.name;
  scenario.group.interval = setting.interval;
  scenario.group.gap = setting.gap;
  scenario.group.drift_bound = request.drift;
  WorkerSet workers;
  workers.count = members;
  scenario.workers = {workers};
  scenario.network = network_of(request);
  // The bound is on the rate of two clocks against each other; the store's runs true here.
  const Fraction drift = request.drift;
  scenario.clocks.workers.drift = {
      Fraction(-drift.numerator(), drift.denominator() + drift.numerator()),
      Fraction(drift.numerator(), drift.denominator() + drift.numerator())};
  if (request.drain > Duration(0)) {
    scenario.consumer.drain = ConstantDelay{request.drain};
    scenario.consumer.overrun = {true, request.drain};
  }
  scenario.expect.properties = {"lease-exclusive", "work-exclusive"};
  scenario.expect.vacuous_ok = scenario.expect.properties;
  constexpr std::int64_t kIntervals = 40;
  scenario.length = setting.interval * kIntervals;
  return scenario;
}

}  // namespace nandi::sim
