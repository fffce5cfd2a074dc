#include <fmt/format.h>

#include <algorithm>

#include "nandi/engine/bounds.h"
#include "nandi/engine/options.h"
#include "nandi/sim/draw.h"
#include "nandi/sim/histogram.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/sampler.h"
#include "nandi/sim/tune/tune.h"

namespace nandi::sim {
namespace {

constexpr std::uint64_t kSamples = 1U << 16U;
constexpr Duration kResolution(kNanosecondsPerMillisecond);

double seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

TuneBound time_bound(const char* name, Duration need, Duration have, const std::string& needs,
                     const std::string& has) {
  return {
      name, seconds(need), seconds(have), "s",
      fmt::format("{} take {}, {} is {}", needs, duration_text(need), has, duration_text(have))};
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
  Histogram jitter;
  std::uint64_t drawn = 0;
  // A worker aims at its slot from where its last reply put the store's clock, too early by what
  // that reply took and by the rounding of its time: what it is late by is those two, a pause and
  // the request's way.
  const auto lateness = [&] {
    const Duration request_took = to_store.sample(mix64(++drawn * kGolden));
    const Duration reply_took = back.sample(mix64(++drawn * kGolden));
    const Duration paused = pause.sample(mix64(++drawn * kGolden));
    const Duration rounding(static_cast<std::int64_t>(
        bounded(mix64(++drawn * kGolden), static_cast<std::uint64_t>(kResolution.count()))));
    round_trips.add(request_took + reply_took);
    pauses.add(paused);
    return request_took + reply_took + paused + rounding;
  };
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const Duration one = lateness();
    const Duration other = lateness();
    jitter.add(std::max(one, other) - std::min(one, other));
  }
  constexpr std::uint32_t kNinetyNine = 99;
  return {round_trips.percentile(50), round_trips.percentile(kNinetyNine),
          pauses.percentile(kNinetyNine), jitter.percentile(kNinetyNine)};
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
  bounds.push_back(time_bound("retry", renewal, slack - retry_delay(timing, 1),
                              "two round trips and a pause (p99)",
                              "what a first retry leaves of the gap"));
  bounds.push_back(
      time_bound("drain", request.drain, gap_margin(timing), "consumers' drains", "the gap"));
  const Fraction part(request.drift.numerator(), request.drift.denominator());
  const double ppm =
      1e6 * static_cast<double>(part.numerator()) / static_cast<double>(part.denominator());
  const double tolerated = 1e6 * static_cast<double>(setting.gap.numerator()) /
                               (4 * static_cast<double>(setting.gap.denominator())) -
                           1;
  bounds.push_back({"drift", ppm, tolerated, "ppm",
                    fmt::format("clocks differ by {:.0f} ppm, a quarter of the gap tolerates "
                                "{:.0f} ppm",
                                ppm, tolerated)});
  bounds.push_back(
      {"spacing", seconds(delays.jitter_p99), seconds(spacing), "s",
       fmt::format("neighbours among {} differ by {} (p99), their slots are {} apart", members,
                   duration_text(delays.jitter_p99), duration_text(spacing))});
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
  scenario.network.request = request.request;
  scenario.network.reply = request.reply;
  scenario.network.jitter.request = request.pause;
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
