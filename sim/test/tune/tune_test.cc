// The choice of interval and gap: bounds against figures worked out by hand, what is chosen and
// why, and that nothing but the request decides.
#include "nandi/sim/tune/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string_view>

#include "nandi/sim/campaign.h"
#include "nandi/sim/settling/settling_outlook.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/tune/tune_report.h"

namespace nandi::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Duration kMillisecond{kNanosecondsPerMillisecond};
constexpr Duration kSecond{kNanosecondsPerSecond};
constexpr Fraction kGap{3, 20};

/// Round trips of exactly 20 ms.
TuneRequest constant_request() {
  TuneRequest request;
  request.latency_source = "test";
  request.request = ConstantDelay{kMillisecond * 10};
  request.reply = ConstantDelay{kMillisecond * 10};
  request.members = 5;
  request.most_members = 5;
  request.intervals = {kSecond * 2, kSecond * 3};
  request.gaps = {kGap, Fraction(1, 5)};
  request.most_losses_per_day = Fraction(20, 1);  // soon shown
  return request;
}

TuneOptions with_jobs(unsigned jobs) {
  TuneOptions options;
  options.jobs = jobs;
  return options;
}

const TuneBound& bound_of(const std::vector<TuneBound>& bounds, const std::string& name) {
  return *std::find_if(bounds.begin(), bounds.end(),
                       [&](const TuneBound& bound) { return bound.name == name; });
}

// Interval 2 s, gap 0.15, drift 0.001: the gap is 300 ms; less 1 ms of resolution and four times
// 2 ms of drift that is a slack of 291 ms; less an eighth of the interval 41 ms for a retry, and
// two round trips take 40 ms. Slots of five are 1.4 s / 5 = 280 ms apart.
TEST(TuneBounds, AreWhatTheProtocolSaysOfTheNumbers) {
  const TuneRequest request = constant_request();
  const TuneDelays delays = tune_delays(request);
  EXPECT_NEAR(static_cast<double>(delays.round_trip_p99.count()), 20e6, 20e6 / 64);
  // Nothing varies but the rounding of the store's clock: a fraction of a millisecond, evenly
  // spread. Two of those differ by more than x ms with probability (1 - x)^2, 1 % at 0.9 ms.
  EXPECT_NEAR(static_cast<double>(delays.jitter_p99.count()), 0.9e6, 0.02e6);
  const auto bounds = tune_bounds(request, delays, {kSecond * 2, kGap}, 5);
  EXPECT_DOUBLE_EQ(bound_of(bounds, "attempt").have, 0.25);
  EXPECT_NEAR(bound_of(bounds, "attempt").need, 0.060, 0.001);
  EXPECT_DOUBLE_EQ(bound_of(bounds, "renewal").have, 0.291);
  EXPECT_NEAR(bound_of(bounds, "renewal").need, 0.040, 0.001);
  EXPECT_DOUBLE_EQ(bound_of(bounds, "retry").have, 0.041);
  EXPECT_DOUBLE_EQ(bound_of(bounds, "drain").have, 0.3);
  EXPECT_DOUBLE_EQ(bound_of(bounds, "spacing").have, 0.28);
  // Of (1 - x)^2 a thousandth is left at 0.968 ms; between slots 280 ms apart the drift of 0.001
  // adds less than 1 ms (settling_distance() has how much).
  EXPECT_NEAR(static_cast<double>(delays.jitter_settled.count()), 0.968e6, 0.02e6);
  EXPECT_GE(bound_of(bounds, "spacing").need, 0.95e-3);
  EXPECT_LT(bound_of(bounds, "spacing").need, 3e-3);
  EXPECT_NEAR(bound_of(bounds, "drift").have, 37'500, 1);
  for (const TuneBound& bound : bounds) EXPECT_TRUE(bound.holds()) << bound.text;
  // At 1 s the retry has 150 - 1 - 4 - 125 = 20 ms, at a gap of 0.125 never anything.
  EXPECT_FALSE(bound_of(tune_bounds(request, delays, {kSecond, kGap}, 5), "retry").holds());
  EXPECT_FALSE(
      bound_of(tune_bounds(request, delays, {kSecond * 3600, Fraction(1, 8)}, 5), "retry").holds());
}

TEST(Tune, TheFastestHandOverIsTheShortestIntervalThatPasses) {
  const TuneResult result = run_tune(constant_request(), with_jobs(1));
  ASSERT_TRUE(result.recommendation);
  const TuneCell& chosen = result.cells[result.recommendation->cell];
  EXPECT_EQ(chosen.setting.interval, kSecond * 2);
  EXPECT_EQ(result.recommendation->validated.violated_seeds, 0U);
  EXPECT_EQ(result.recommendation->validated.seeds, 10 * chosen.measures->seeds);
  // The protocol: a start takes at most 4 - g intervals, one more where two change places.
  EXPECT_LT(result.recommendation->validated.ready_p99.value, 2 * (5 - 0.15));
  EXPECT_GT(result.recommendation->validated.ready_p50.value, 2 * 2.0);
  // Five workers, one registration an interval each.
  EXPECT_NEAR(result.recommendation->validated.registrations_per_second.value, 2.5, 0.01);
  EXPECT_EQ(result.recommendation->validated.losses_per_day.value, 0);
}

TEST(Tune, TheLeastLoadIsTheLongestInterval) {
  TuneRequest request = constant_request();
  request.objective = TuneObjective::load;
  const TuneResult result = run_tune(request, with_jobs(1));
  ASSERT_TRUE(result.recommendation);
  EXPECT_EQ(result.cells[result.recommendation->cell].setting.interval, kSecond * 3);
}

// Gaps of 300, 400, 450 and 600 ms: a drain of 420 ms fits from 3 s on.
TEST(Tune, DrainsHaveToFitIntoTheGap) {
  TuneRequest request = constant_request();
  request.drain = kMillisecond * 420;
  const TuneResult result = run_tune(request, with_jobs(1));
  ASSERT_TRUE(result.recommendation);
  EXPECT_EQ(result.cells[result.recommendation->cell].setting.interval, kSecond * 3);
  const TuneEdge& shorter = result.recommendation->edges.front();
  EXPECT_EQ(shorter.direction, TuneDirection::shorter_interval);
  ASSERT_TRUE(shorter.cell);
  EXPECT_THAT(shorter.reason, StartsWith("drain"));
}

// A tuner that ignores drains would choose 2 s for a drain of 6 s; what it would choose breaks.
TEST(Tune, ASettingChosenWithoutTheDrainIsViolatedByIt) {
  TuneRequest request = constant_request();
  const TuneResult ignorant = run_tune(request, with_jobs(1));
  ASSERT_TRUE(ignorant.recommendation);
  const TuneSetting chosen = ignorant.cells[ignorant.recommendation->cell].setting;
  request.drain = kSecond * 6;
  EXPECT_FALSE(bound_of(tune_bounds(request, tune_delays(request), chosen, 5), "drain").holds());
  Scenario scenario = tune_scenario(request, chosen, 5);
  TimelineEvent join;
  join.at = chosen.interval * 12;
  join.event = Join{};
  scenario.timeline = {join};
  CampaignOptions options;
  options.seeds = {1, 20};
  EXPECT_GT(run_campaign(Simulator(scenario), options).runs_violated, 0U);
  scenario.consumer = {};
  EXPECT_EQ(run_campaign(Simulator(scenario), options).runs_violated, 0U);
}

TEST(Tune, ASettingThatLosesMoreLeasesThanAllowedFailsInSimulation) {
  TuneRequest request = constant_request();
  // 1 in 4,000 takes up to 1 s: of two neighbours' delays less than one pair in a thousand differs
  // by that much, so that no bound shows it. Slots are 420 ms apart.
  request.request =
      HistogramDelay{kMillisecond * 10, {{kMillisecond * 11, 3999}, {kMillisecond * 1000, 1}}};
  request.most_losses_per_day = Fraction(1, 1);
  request.intervals = {kSecond * 3, kSecond * 30};
  request.gaps = {kGap};
  const TuneResult result = run_tune(request, with_jobs(1));
  EXPECT_EQ(result.cells[0].status, TuneStatus::fails);
  EXPECT_THAT(result.cells[0].reason, StartsWith("losses"));
  EXPECT_EQ(result.cells[1].status, TuneStatus::passes);
  ASSERT_TRUE(result.recommendation);
  EXPECT_EQ(result.recommendation->cell, 1U);
}

TEST(Tune, WhereNothingPassesNothingIsRecommended) {
  TuneRequest request = constant_request();
  request.intervals = {kMillisecond * 100};
  const TuneResult result = run_tune(request, with_jobs(1));
  EXPECT_FALSE(result.recommendation);
  for (const TuneCell& cell : result.cells) EXPECT_EQ(cell.status, TuneStatus::fails_bound);
  EXPECT_THAT(tune_text(result), HasSubstr("No setting of this grid passes"));
}

TEST(Tune, TheResultDoesNotDependOnThreads) {
  EXPECT_EQ(run_tune(constant_request(), with_jobs(1)), run_tune(constant_request(), with_jobs(3)));
}

TEST(Tune, WhatIsStoppedAtOnceRecommendsNothing) {
  const std::atomic<bool> stop{true};
  TuneOptions options;
  options.stop = &stop;
  const TuneResult result = run_tune(constant_request(), options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.recommendation);
}

TEST(Tune, ABudgetThatIsUsedUpIsSaid) {
  TuneRequest request = constant_request();
  request.budget = 1;
  request.most_losses_per_day = Fraction(1, 1000);
  const TuneResult result = run_tune(request, with_jobs(1));
  EXPECT_TRUE(result.budget_used_up);
  ASSERT_FALSE(result.warnings.empty());
  EXPECT_THAT(result.warnings.front(), HasSubstr("budget of 1 registrations"));
}

// Five workers register once an interval: 12 times in the start, 44 times in it with the steady
// part, and 28 in it with the changes, where a sixth one joins (and so do the retries of nobody):
// 420 registrations at least, and below 500. Four settings with 16 seeds each are 27,000 to 32,000,
// whatever the budget; twice as much is the grid's second round.
TEST(Tune, SimulatesNoMoreThanItsBudgetAndAsMuchForTheValidation) {
  TuneRequest request = constant_request();
  request.most_losses_per_day = Fraction(1, 1000);  // never shown by so few seeds
  TuneOptions options;
  options.with_curves = false;
  for (const std::uint64_t budget : {1U, 40'000U, 100'000U, 300'000U}) {
    request.budget = budget;
    const TuneResult result = run_tune(request, options);
    EXPECT_TRUE(result.budget_used_up) << budget;
    EXPECT_LE(result.registrations, std::max<std::uint64_t>(32'000, budget) + budget) << budget;
    EXPECT_GE(result.registrations, 27'000U) << budget;
    const std::uint64_t seeds = result.cells[0].measures->seeds;
    EXPECT_EQ(seeds, budget < 60'000U ? 16U : budget < 120'000U ? 32U : 128U) << budget;
  }
}

// Without a loss 16 seeds of five workers and 32 intervals of 2 s, 0.059 worker-days, show that it
// is fewer than 62 a worker-day: all pass by them, which take 27,000 registrations at least. Ten
// times as many of one setting take 67,000.
TEST(Tune, AValidationThatTheBudgetCutsConfirmsNothing) {
  TuneRequest request = constant_request();
  request.most_losses_per_day = Fraction(100, 1);
  TuneOptions options;
  options.with_curves = false;
  request.budget = 60'000;
  const TuneResult cut = run_tune(request, options);
  EXPECT_TRUE(cut.budget_used_up);
  ASSERT_TRUE(cut.recommendation);
  EXPECT_FALSE(cut.recommendation->confirmed);
  EXPECT_EQ(tune_verdict(cut), Verdict::unknown);
  EXPECT_THAT(cut.recommendation->sentence,
              StartsWith("Not confirmed (the budget did not last for its validation)"));
  EXPECT_THAT(cut.warnings.front(), HasSubstr("before the validation was decided"));
  request.budget = 90'000;
  const TuneResult whole = run_tune(request, options);
  EXPECT_FALSE(whole.budget_used_up);
  ASSERT_TRUE(whole.recommendation);
  EXPECT_TRUE(whole.recommendation->confirmed);
}

// Where a simulation warns that a group does not settle, tuning refuses the setting: both go by one
// distance of slots.
TEST(Tune, NoSettingPassesThatASimulationWarnsOf) {
  TuneRequest request = constant_request();
  request.request = HistogramDelay{kMillisecond, {{kMillisecond * 2, 99}, {kMillisecond * 60, 1}}};
  const TuneDelays delays = tune_delays(request);
  bool is_any_refused = false;
  bool is_any_let_through = false;
  for (std::uint32_t members = 2; members <= 200; members += 3) {
    const TuneSetting setting{kSecond * 2, kGap};
    const TuneBound spacing = bound_of(tune_bounds(request, delays, setting, members), "spacing");
    const auto outlook = settling_outlook(tune_scenario(request, setting, members));
    ASSERT_TRUE(outlook);
    const bool is_warned = !settling_warning(*outlook).empty();
    EXPECT_NE(spacing.holds(), is_warned) << members;
    (is_warned ? is_any_refused : is_any_let_through) = true;
  }
  EXPECT_TRUE(is_any_refused);
  EXPECT_TRUE(is_any_let_through);
}

// Six changes an hour are one every 600 s, 300 intervals: the curve begins with as few at least.
TEST(Tune, TheCurveOverChangesReachesTheRequestsOwnRate) {
  TuneRequest request = constant_request();
  request.joins_per_hour = Fraction(3, 1);
  request.departures_per_hour = Fraction(3, 1);
  const TuneResult result = run_tune(request, with_jobs(2));
  ASSERT_FALSE(result.by_changes.empty());
  EXPECT_LE(result.by_changes.front().changes_per_hour, 6);
  EXPECT_GT(result.by_changes.front().changes_per_hour, 3);
}

TuneMeasures measured(Estimate ready, Estimate owned, double load) {
  TuneMeasures measures;
  measures.ready_p50 = ready;
  measures.owned_share = owned;
  measures.registrations_per_second = {load, load, load};
  return measures;
}

// What differs by less than the intervals of the estimates beats nothing: more seeds might turn it.
TEST(Tune, OneSettingBeatsAnotherOnlyWhereTheIntervalsLieApart) {
  const Estimate owned{0.9, 0.89, 0.91};
  const TuneMeasures base = measured({5, 4.8, 5.2}, owned, 2);
  EXPECT_FALSE(dominates(base, base));
  const TuneMeasures hardly_later = measured({5.3, 5.1, 5.5}, owned, 2);
  EXPECT_FALSE(dominates(base, hardly_later));
  EXPECT_FALSE(dominates(hardly_later, base));
  const TuneMeasures later = measured({6, 5.7, 6.3}, owned, 2);
  EXPECT_TRUE(dominates(base, later));
  EXPECT_FALSE(dominates(later, base));
  EXPECT_TRUE(dominates(base, measured({5, 4.8, 5.2}, {0.8, 0.79, 0.81}, 2)));
  // Better in one and worse in another; nothing known of the intervals.
  EXPECT_FALSE(dominates(base, measured({6, 5.7, 6.3}, owned, 1.9)));
  EXPECT_FALSE(dominates(base, measured({6, std::nullopt, std::nullopt}, owned, 2)));
}

// Interval 2 s, gap 0.15: slots share 1.4 s. Those of five are 280 ms apart, of six 233 ms, and a
// retry comes 250 ms late (scenarios/advice/refusal-among-five.yaml and -six.yaml).
TEST(Tune, FromSixWorkersOnARetryChangesTheOrderWhichIsSaid) {
  TuneRequest request = constant_request();
  request.intervals = {kSecond * 2};
  request.gaps = {kGap};
  TuneOptions options;
  options.with_curves = false;
  const auto says = [&](std::uint32_t members) {
    request.members = members;
    request.most_members = members;
    return tune_text(run_tune(request, options)).find("above 5 workers the retry") !=
           std::string::npos;
  };
  EXPECT_FALSE(says(5));
  EXPECT_TRUE(says(6));
}

TEST(Tune, WhatIsStoppedInTheValidationIsNotConfirmed) {
  std::atomic<bool> stop{false};
  TuneOptions options;
  options.stop = &stop;
  options.progress = [&](const TuneProgress& progress) {
    if (std::string_view(progress.phase) == "validation") stop = true;
  };
  const TuneResult result = run_tune(constant_request(), options);
  EXPECT_TRUE(result.interrupted);
  ASSERT_TRUE(result.recommendation);
  EXPECT_FALSE(result.recommendation->confirmed);
  EXPECT_EQ(result.recommendation->validated.seeds, 1U);
  EXPECT_EQ(tune_verdict(result), Verdict::unknown);
  EXPECT_THAT(tune_text(result), HasSubstr("Not confirmed ("));
  EXPECT_THAT(tune_text(result), HasSubstr("interrupted"));
}

TEST(Tune, AVerdictNeedsAConfirmedSettingOrTheFailureOfAll) {
  TuneResult result;
  result.cells.resize(2);
  result.cells[0].status = TuneStatus::fails;
  result.cells[1].status = TuneStatus::fails_bound;
  EXPECT_EQ(tune_verdict(result), Verdict::violated);
  result.cells[1].status = TuneStatus::undecided;
  EXPECT_EQ(tune_verdict(result), Verdict::unknown);
  result.recommendation = TuneRecommendation{};
  EXPECT_EQ(tune_verdict(result), Verdict::unknown);
  result.recommendation->confirmed = true;
  EXPECT_EQ(tune_verdict(result), Verdict::holds);
  result.interrupted = true;
  EXPECT_EQ(tune_verdict(result), Verdict::unknown);
}

TEST(Tune, LessIsOwnedTheMoreChanges) {
  const TuneResult result = run_tune(constant_request(), with_jobs(2));
  ASSERT_EQ(result.by_changes.size(), 7U);
  EXPECT_GT(result.by_changes.front().owned_share.value, 0.9);
  for (std::size_t p = 1; p < result.by_changes.size(); ++p) {
    EXPECT_GT(result.by_changes[p].changes_per_hour, result.by_changes[p - 1].changes_per_hour);
    EXPECT_LT(result.by_changes[p].owned_share.value, result.by_changes[p - 1].owned_share.value);
  }
  EXPECT_LT(result.by_changes.back().owned_share.value, 0.2);
}

}  // namespace
}  // namespace nandi::sim
