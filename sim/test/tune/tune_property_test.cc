// What a choice of interval and gap owes to every request: properties over drawn requests.
#include <gtest/gtest.h>
#include <rapidcheck.h>
// After gtest.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "nandi/sim/tune/tune.h"
#include "nandi/sim/tune/tune_report.h"

namespace nandi::sim {
namespace {

constexpr std::int64_t kMs = kNanosecondsPerMillisecond;

Duration ms(std::int64_t count) { return Duration(count * kMs); }

/// Latencies that are always the same lose nothing, so that a few seeds decide; `spread` > 0: all
/// values from there up to that much more alike.
TuneRequest draw_request(std::int64_t spread) {
  TuneRequest request;
  request.latency_source = "drawn";
  const auto way = [&] {
    const std::int64_t from = *rc::gen::inRange<std::int64_t>(0, 40);
    if (spread == 0) return DelayDistribution(ConstantDelay{ms(from)});
    return DelayDistribution(UniformDelay{ms(from), ms(from + spread)});
  };
  request.request = way();
  request.reply = way();
  request.pause = ConstantDelay{ms(*rc::gen::inRange<std::int64_t>(0, 30))};
  request.members = *rc::gen::inRange<std::uint32_t>(2, 5);
  request.most_members = request.members;
  request.drift = Fraction(*rc::gen::inRange<std::int64_t>(0, 20), 1000);
  request.drain = ms(*rc::gen::inRange<std::int64_t>(0, 400));
  request.joins_per_hour = Fraction(*rc::gen::inRange<std::int64_t>(0, 60), 1);
  request.objective =
      *rc::gen::element(TuneObjective::handover, TuneObjective::idle, TuneObjective::load);
  request.most_losses_per_day = Fraction(1000, 1);
  const std::int64_t shortest = *rc::gen::inRange<std::int64_t>(2, 20);
  request.intervals = {ms(shortest * 100), ms(shortest * 150)};
  request.gaps = {Fraction(13, 100), Fraction(1, 4)};
  return request;
}

/// So many members that, where the gap leaves little of the interval for slots, neighbours change
/// places now and then: that gap owns less and is whole later at the same load.
TuneRequest draw_crowded_request() {
  TuneRequest request;
  request.latency_source = "drawn";
  request.members = *rc::gen::inRange<std::uint32_t>(4, 7);
  request.most_members = request.members;
  const Duration interval = ms(*rc::gen::inRange<std::int64_t>(6, 20) * 100);
  request.intervals = {interval};
  request.gaps = {Fraction(1, 5), Fraction(21, 50)};
  const Duration spacing = interval * 4 / 25 / request.members;
  const Duration spread = spacing * *rc::gen::inRange<std::int64_t>(40, 70) / 100;
  request.request = UniformDelay{Duration(0), spread};
  request.reply = request.request;
  request.joins_per_hour = Fraction(*rc::gen::inRange<std::int64_t>(0, 60), 1);
  request.objective =
      *rc::gen::element(TuneObjective::handover, TuneObjective::idle, TuneObjective::load);
  request.most_losses_per_day = Fraction(1'000'000, 1);
  return request;
}

TuneResult tune(const TuneRequest& request, unsigned jobs = 1) {
  TuneOptions options;
  options.jobs = jobs;
  options.with_curves = false;  // most of the time, and nothing that is judged here
  return run_tune(request, options);
}

Duration value_of(const DelayDistribution& delay) { return std::get<ConstantDelay>(delay).value; }

Duration part(Duration of, Fraction share) {
  return Duration(of.count() * share.numerator() / share.denominator());
}

/// A bound that a setting breaks, worked out from the protocol for latencies that are always the
/// same; "" where all hold. Percentiles are read from a histogram, which is coarser than they are
/// by a 32nd: within that, the bounds of latencies are not judged.
std::string broken(const TuneRequest& request, const TuneSetting& setting) {
  const Duration round_trip = value_of(request.request) + value_of(request.reply);
  const Duration two = round_trip * 2 + value_of(request.pause);
  const Duration gap = part(setting.interval, setting.gap);
  const Duration slack = gap - ms(1) - part(setting.interval * 4, request.drift);
  const auto is_clear = [](Duration need) { return need - need / 32; };
  if (is_clear(round_trip * 3) > setting.interval / 8) return "attempt";
  if (is_clear(two) > slack) return "renewal";
  if (is_clear(two) > slack - setting.interval / 8) return "retry";
  if (request.drain > gap) return "drain";
  if (part(setting.interval * 4, request.drift) >= gap) return "drift";
  return "";
}

RC_GTEST_PROP(TuneProperty, WhatPassesBreaksNoBoundOfTheProtocol, ()) {
  const TuneRequest request = draw_request(0);
  const TuneResult result = tune(request);
  std::size_t passed = 0;
  for (const TuneCell& cell : result.cells) {
    if (cell.status != TuneStatus::passes) continue;
    ++passed;
    RC_ASSERT(broken(request, cell.setting) == "");
  }
  RC_TAG(passed);
}

/// The settings that pass.
std::vector<TuneSetting> passing(const TuneResult& result) {
  std::vector<TuneSetting> settings;
  for (const TuneCell& cell : result.cells) {
    if (cell.status == TuneStatus::passes) settings.push_back(cell.setting);
  }
  return settings;
}

RC_GTEST_PROP(TuneProperty, LongerLatenciesNeverLetMoreSettingsPass, ()) {
  TuneRequest request = draw_request(0);
  const std::vector<TuneSetting> before = passing(tune(request));
  request.request =
      ConstantDelay{value_of(request.request) + ms(*rc::gen::inRange<std::int64_t>(0, 60))};
  request.pause =
      ConstantDelay{value_of(request.pause) + ms(*rc::gen::inRange<std::int64_t>(0, 60))};
  for (const TuneSetting& setting : passing(tune(request))) {
    RC_ASSERT(std::find(before.begin(), before.end(), setting) != before.end());
  }
}

// The closed bounds alone, for latencies that vary: scaled up, every percentile rises.
RC_GTEST_PROP(TuneProperty, LongerLatenciesNeverRepairABound, ()) {
  const auto spread = *rc::gen::inRange<std::int64_t>(1, 200);
  TuneRequest request = draw_request(spread);
  const auto scaled = [times = *rc::gen::inRange<std::int64_t>(1, 4)](const DelayDistribution& of) {
    const auto& uniform = std::get<UniformDelay>(of);
    return DelayDistribution(UniformDelay{uniform.from * times, uniform.to * times});
  };
  TuneRequest wider = request;
  wider.request = scaled(request.request);
  wider.reply = scaled(request.reply);
  const TuneDelays delays = tune_delays(request);
  const TuneDelays wider_delays = tune_delays(wider);
  for (const Duration interval : request.intervals) {
    for (const Fraction gap : request.gaps) {
      const TuneSetting setting{interval, gap};
      const auto narrow = tune_bounds(request, delays, setting, request.members);
      const auto wide = tune_bounds(wider, wider_delays, setting, request.members);
      for (std::size_t b = 0; b < narrow.size(); ++b) {
        RC_ASSERT(narrow[b].name == wide[b].name);
        RC_ASSERT(narrow[b].holds() || !wide[b].holds());
      }
    }
  }
}

/// Readiness, owned share and load, less being better.
using Figures = std::array<Estimate, 3>;
Figures figures(const TuneCell& cell) {
  const Estimate& owned = cell.measures->owned_share;
  Estimate idle{-owned.value, std::nullopt, std::nullopt};
  if (owned.high) idle.low = -*owned.high;
  if (owned.low) idle.high = -*owned.low;
  return {cell.measures->ready_p50, idle, cell.measures->registrations_per_second};
}

/// From the definition in words: nowhere worse, and better beyond doubt somewhere.
bool beats(const TuneCell& a, const TuneCell& b) {
  const Figures as = figures(a);
  const Figures bs = figures(b);
  bool is_apart = false;
  for (std::size_t f = 0; f < as.size(); ++f) {
    if (as[f].value > bs[f].value) return false;
    is_apart = is_apart || (as[f].high && bs[f].low && *as[f].high < *bs[f].low);
  }
  return is_apart;
}

RC_GTEST_PROP(TuneProperty, TheRecommendedOneIsOnTheFrontWhichNothingBeats, ()) {
  const TuneResult result = tune(draw_crowded_request(), 2);
  std::size_t beaten = 0;
  for (const TuneCell& cell : result.cells) {
    const bool passes = cell.status == TuneStatus::passes;
    const bool is_beaten =
        passes && std::any_of(result.cells.begin(), result.cells.end(), [&](const TuneCell& other) {
          return other.status == TuneStatus::passes && beats(other, cell);
        });
    RC_ASSERT(cell.on_front == (passes && !is_beaten));
    beaten += is_beaten ? 1U : 0U;
  }
  RC_TAG(beaten);
  RC_PRE(result.recommendation.has_value());
  RC_ASSERT(result.recommendation->confirmed);
  RC_ASSERT(result.cells[result.recommendation->cell].on_front);
}

RC_GTEST_PROP(TuneProperty, TheResultDoesNotDependOnThreads, ()) {
  const TuneRequest request = draw_request(*rc::gen::inRange<std::int64_t>(0, 60));
  const TuneResult one = tune(request, 1);
  const TuneResult four = tune(request, 4);
  RC_ASSERT(one == four);
  RC_ASSERT(tune_json(one) == tune_json(four));
}

/// The cells on the way from the recommended one, nearest first.
std::vector<std::size_t> way(const TuneResult& result, TuneDirection direction) {
  const auto& request = result.request;
  const auto at = static_cast<std::ptrdiff_t>(result.recommendation->cell);
  const auto gaps = static_cast<std::ptrdiff_t>(request.gaps.size());
  const std::ptrdiff_t down =
      direction == TuneDirection::shorter_interval || direction == TuneDirection::smaller_gap ? -1
                                                                                              : 1;
  const bool is_interval =
      direction == TuneDirection::shorter_interval || direction == TuneDirection::longer_interval;
  std::vector<std::size_t> cells;
  for (std::ptrdiff_t i = at / gaps, g = at % gaps;;) {
    (is_interval ? i : g) += down;
    if (i < 0 || g < 0 || g >= gaps || i >= static_cast<std::ptrdiff_t>(request.intervals.size())) {
      return cells;
    }
    cells.push_back(static_cast<std::size_t>(i * gaps + g));
  }
}

RC_GTEST_PROP(TuneProperty, TheFirstThatFailsInADirectionFailsAndNothingNearerDoes, ()) {
  TuneRequest request = draw_request(0);
  const Duration shortest = request.intervals.front();
  request.intervals = {shortest / 2, shortest, shortest * 3 / 2};
  request.gaps = {Fraction(1, 10), Fraction(13, 100), Fraction(1, 4)};
  const TuneResult result = tune(request);
  RC_PRE(result.recommendation.has_value());
  RC_ASSERT(result.recommendation->edges.size() == 4U);
  for (const TuneEdge& edge : result.recommendation->edges) {
    bool is_found = false;
    for (const std::size_t c : way(result, edge.direction)) {
      const TuneCell& cell = result.cells[c];
      if (edge.cell && *edge.cell == c) {
        is_found = true;
        // Nothing is lost and nothing overlaps here: what fails breaks a bound, the named one
        // first.
        RC_ASSERT(cell.status == TuneStatus::fails_bound);
        RC_ASSERT(edge.reason == cell.reason);
        RC_ASSERT(std::any_of(cell.bounds.begin(), cell.bounds.end(), [&](const TuneBound& bound) {
          return bound.need > bound.have && edge.reason.rfind(bound.name + ": ", 0) == 0;
        }));
        break;
      }
      RC_ASSERT(cell.status != TuneStatus::fails_bound);
      RC_ASSERT(cell.status != TuneStatus::fails);
    }
    RC_ASSERT(is_found == edge.cell.has_value());
  }
}

}  // namespace
}  // namespace nandi::sim
