// The closed bound of settling, held against the simulator on both sides: for any timing and any
// bounded jitter, within it no worker of a settled group ever stands down, just above it some do.
#include <gtest/gtest.h>

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "nandi/engine/bounds.h"
#include "nandi/sim/settling/settling_outlook.h"
#include "nandi/sim/settling/settling_study.h"

namespace nandi::sim {
namespace {

constexpr std::int64_t kWatched = 25;

/// Nothing or `most`, alike.
DelayDistribution either(Duration most) {
  if (most < Duration(2)) return ConstantDelay{};
  return HistogramDelay{Duration(0), {{Duration(1), 1}, {most - Duration(1), 0}, {most, 1}}};
}

struct Group {
  LeaseTiming timing;
  std::uint32_t workers = 2;
  Duration jitter;  ///< the most that keeps so many in order
};

/// A group so large that two round trips of such a jitter take less than its gap, so that nothing
/// but a change of places can cost a lease.
Group draw_group() {
  Group group;
  group.timing.interval = Duration(*rc::gen::inRange<std::int64_t>(1, 20) * 500'000'000);
  group.timing.gap = *rc::gen::element(Fraction(1, 10), Fraction(3, 20), Fraction(1, 4));
  group.timing.resolution = Duration(*rc::gen::element<std::int64_t>(1'000, 1'000'000));
  group.timing.drift = *rc::gen::element(Fraction(0, 1), Fraction(1, 1000), Fraction(1, 200));
  const Fraction gap = group.timing.gap;
  const std::int64_t least = 5 * (gap.denominator() - 2 * gap.numerator()) / gap.numerator() + 1;
  group.workers = static_cast<std::uint32_t>(*rc::gen::inRange<std::int64_t>(least, least + 40));
  // settling_distance(J + resolution) <= spacing, solved for J.
  const Int128 u = group.timing.drift.numerator();
  const Int128 v = group.timing.drift.denominator();
  const Duration apart = slot_spacing(group.timing, group.workers);
  const Duration spread(static_cast<std::int64_t>(floor_div(apart.count() * (v - 2 * u), v - u)));
  group.jitter = spread - group.timing.resolution;
  return group;
}

Scenario scenario_of(const LeaseTiming& timing, std::uint32_t workers) {
  Scenario scenario;
  scenario.name = "settling";
  scenario.group.interval = timing.interval;
  scenario.group.gap = timing.gap;
  scenario.group.resolution = timing.resolution;
  scenario.group.drift_bound = timing.drift;
  WorkerSet set;
  set.count = workers;
  scenario.workers = {set};
  scenario.length = timing.interval * (kIntervalsBeforeWatch + kWatched);
  return scenario;
}

std::uint64_t stand_downs(const Scenario& scenario, std::uint64_t seed) {
  const TrueTime from = TrueTime(0) + scenario.group.interval * kIntervalsBeforeWatch;
  return count_stand_downs(Simulator(scenario), seed, from);
}

RC_GTEST_PROP(SettlingBound, within_it_no_worker_ever_stands_down, ()) {
  const Group group = draw_group();
  Scenario scenario = scenario_of(group.timing, group.workers);
  const Duration request = group.jitter * *rc::gen::inRange<std::int64_t>(0, 101) / 100;
  const Duration reply = group.jitter - request;
  scenario.network.request = either(request);
  if (*rc::gen::arbitrary<bool>()) {
    scenario.network.reply = either(reply);
  } else {
    scenario.network.jitter.reply = UniformDelay{Duration(0), reply};
  }
  RC_ASSERT(*network_variation(scenario.network) <= group.jitter);
  RC_ASSERT(stand_downs(scenario, *rc::gen::arbitrary<std::uint64_t>()) == 0U);
}

// Either way has half of it, so that two delays differ by all of it in one case of eight. Slots are
// closer than that by a tenth of the clock's resolution or more, so the clock lets most of these
// cases through: of 25 intervals and dozens of workers, each stands down in one of sixteen at
// least.
RC_GTEST_PROP(SettlingBound, just_above_it_some_do, ()) {
  const Group group = draw_group();
  const Duration half = group.jitter / 2;
  const Duration closer = group.timing.resolution / 10 + Duration(10);
  const auto workers =
      static_cast<std::uint32_t>(largest_group(group.timing, half * 2 - closer) + 1);
  Scenario scenario = scenario_of(group.timing, workers);
  scenario.network.request = either(half);
  scenario.network.reply = either(half);
  RC_ASSERT(stand_downs(scenario, *rc::gen::arbitrary<std::uint64_t>()) > 0U);
}

// Each term of the bound is needed: the request, the reply before it, the rounding of its time.
TEST(SettlingBound, WithoutOneOfItsTermsItWouldBeTooKind) {
  LeaseTiming timing;
  timing.interval = Duration(5 * kNanosecondsPerSecond);
  timing.resolution = Duration(kNanosecondsPerMillisecond);
  const Duration jitter(20 * kNanosecondsPerMillisecond);
  const auto kind = [&](Duration spread) {
    return static_cast<std::uint32_t>(largest_group(timing, settling_distance(timing, spread)));
  };
  Scenario scenario = scenario_of(timing, kind(jitter + timing.resolution));
  scenario.network.request = either(jitter);
  scenario.network.reply = either(jitter);
  EXPECT_GT(stand_downs(scenario, 1), 0U);
  scenario.network.reply = ConstantDelay{};
  EXPECT_EQ(stand_downs(scenario, 1), 0U);
  scenario.network.request = ConstantDelay{};
  scenario.network.reply = either(jitter);
  EXPECT_EQ(stand_downs(scenario, 1), 0U);

  scenario = scenario_of(timing, kind(timing.resolution));
  EXPECT_EQ(stand_downs(scenario, 1), 0U);
  scenario = scenario_of(timing, kind(timing.resolution / 2));
  EXPECT_GT(stand_downs(scenario, 1), 0U);
}

// Slots of twenty are 175 ms apart, and half of the workers are always 200 ms later than the
// others. They change places until they are last, one place an interval, and then no more.
TEST(SettlingBound, DelaysThatAlwaysDifferByTheSameCostOnlyTheTimeToSort) {
  LeaseTiming timing;
  timing.interval = Duration(5 * kNanosecondsPerSecond);
  timing.resolution = Duration(kNanosecondsPerMillisecond);
  Scenario scenario = scenario_of(timing, 10);
  scenario.workers.push_back(scenario.workers[0]);
  scenario.workers[1].network.request = ConstantDelay{Duration(200 * kNanosecondsPerMillisecond)};
  scenario.length = timing.interval * 60;
  const Simulator simulator(scenario);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto after = [&](std::int64_t intervals) {
      return count_stand_downs(simulator, seed, TrueTime(0) + timing.interval * intervals);
    };
    EXPECT_GT(after(0), 0U) << seed;
    EXPECT_EQ(after(30), 0U) << seed;
  }
}

}  // namespace
}  // namespace nandi::sim
