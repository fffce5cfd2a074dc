// Campaigns add up the same whatever the threads, and judgements say what their evidence is.
#include "nandi/sim/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nandi/sim/judgement.h"
#include "nandi/sim/properties.h"

namespace nandi::sim {
namespace {

constexpr std::int64_t kSecond = kNanosecondsPerSecond;

Scenario group_of(std::uint32_t workers) {
  Scenario scenario;
  scenario.name = "test";
  scenario.group.interval = Duration(kSecond);
  WorkerSet set;
  set.count = workers;
  scenario.workers = {set};
  scenario.network.request = LognormalDelay{Duration(kSecond / 1000), Duration(kSecond / 200)};
  scenario.length = Duration(20 * kSecond);
  return scenario;
}

template <class E>
void at(Scenario& scenario, std::int64_t time, E event) {
  TimelineEvent timed;
  timed.at = Duration(time);
  timed.event = std::move(event);
  scenario.timeline.push_back(std::move(timed));
}

CampaignResult campaign(const Scenario& scenario, std::uint64_t last, unsigned jobs) {
  CampaignOptions options;
  options.seeds = {1, last};
  options.jobs = jobs;
  return run_campaign(Simulator(scenario), options);
}

TEST(Campaign, IsTheSameInOneThreadAndInThree) {
  Scenario scenario = group_of(4);
  scenario.rules.agreement = 1;  // some seeds violate
  const CampaignResult one = campaign(scenario, 60, 1);
  const CampaignResult three = campaign(scenario, 60, 3);
  EXPECT_EQ(one.runs, 60U);
  EXPECT_EQ(one.trace_hash, three.trace_hash);
  EXPECT_EQ(one.statistics, three.statistics);
  EXPECT_EQ(one.failing_seeds, three.failing_seeds);
  EXPECT_EQ(one.runs_violated, three.runs_violated);
  EXPECT_EQ(one.events, three.events);
  for (std::size_t p = 0; p < one.properties.size(); ++p) {
    EXPECT_EQ(one.properties[p].reached, three.properties[p].reached);
    EXPECT_EQ(one.properties[p].first_seed, three.properties[p].first_seed);
  }
  EXPECT_GT(one.runs_violated, 0U);
}

TEST(Campaign, StoppedInBetweenKeepsWhatItHasAndSaysSo) {
  std::atomic<bool> stop{false};
  CampaignOptions options;
  options.seeds = {1, 1'000'000};
  options.stop = &stop;
  options.progress = [&](const CampaignProgress& progress) {
    if (progress.done == 10) stop = true;
  };
  const Scenario scenario = group_of(2);
  const CampaignResult result = run_campaign(Simulator(scenario), options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(result.runs, 10U);
  EXPECT_LT(result.runs, 1'000U);
  EXPECT_EQ(judge(scenario, result).verdict, Verdict::unknown);
}

Verdict verdict_of_property(const Judgement& judgement, std::string_view name) {
  for (const Finding& finding : judgement.properties) {
    if (finding.name == name) return finding.verdict;
  }
  ADD_FAILURE() << "no property " << name;
  return Verdict::unknown;
}

TEST(Judgement, APropertyThatWasNeverPutToTheTestMakesTheRunUnknown) {
  // One worker alone: no index ever passes to another.
  Scenario scenario = group_of(1);
  scenario.expect.properties = {"lease-exclusive"};
  const CampaignResult result = campaign(scenario, 3, 1);
  const Judgement judgement = judge(scenario, result);
  EXPECT_EQ(verdict_of_property(judgement, "lease-exclusive"), Verdict::unknown);
  EXPECT_EQ(judgement.verdict, Verdict::unknown);
  EXPECT_THAT(judgement.evidence, ::testing::HasSubstr("lease-exclusive"));

  scenario.expect.vacuous_ok = {"lease-exclusive"};
  EXPECT_EQ(judge(scenario, result).verdict, Verdict::holds);
}

TEST(Judgement, AFaultThatNeverStruckMakesTheRunUnknown) {
  Scenario scenario = group_of(3);
  scenario.expect.properties = {"lease-exclusive"};
  scenario.expect.vacuous_ok = {"lease-exclusive"};
  WorkerChoice nobody;
  nobody.kind = WorkerChoice::Kind::ids;
  nobody.ids = {17};
  at(scenario, 10 * kSecond, Crash{nobody});
  EXPECT_EQ(judge(scenario, campaign(scenario, 3, 1)).verdict, Verdict::unknown);
  scenario.expect.vacuous_ok.emplace_back("crash");
  EXPECT_EQ(judge(scenario, campaign(scenario, 3, 1)).verdict, Verdict::holds);
}

TEST(Judgement, EventsOfOneKindAreToldApartByTheirOrdinal) {
  Scenario scenario = group_of(3);
  at(scenario, 5 * kSecond, Join{});
  at(scenario, 8 * kSecond, Leave{});
  at(scenario, 11 * kSecond, Join{});
  const Judgement judgement = judge(scenario, campaign(scenario, 1, 1));
  ASSERT_EQ(judgement.faults.size(), 3U);
  EXPECT_EQ(judgement.faults[0].name, "join 1");
  EXPECT_EQ(judgement.faults[1].name, "leave");
  EXPECT_EQ(judgement.faults[2].name, "join 2");
}

TEST(Judgement, AViolationIsExpectedOnlyOfThePropertyThatTheScenarioNames) {
  Scenario scenario = group_of(4);
  scenario.rules.agreement = 1;
  scenario.expect.properties = {"lease-exclusive"};
  scenario.expect.verdict = Verdict::violated;
  scenario.expect.property = "lease-exclusive";
  const CampaignResult result = campaign(scenario, 20, 1);
  EXPECT_EQ(judge(scenario, result).verdict, Verdict::violated);
  EXPECT_TRUE(judge(scenario, result).as_expected);
  scenario.expect.verdict = Verdict::holds;
  EXPECT_FALSE(judge(scenario, result).as_expected);
  scenario.expect.verdict = Verdict::violated;
  scenario.expect.property = "something-else";
  EXPECT_FALSE(judge(scenario, result).as_expected);
}

TEST(Judgement, ABoundIsJudgedExactlyOnTheWorstSample) {
  Scenario scenario = group_of(3);
  scenario.expect.properties = {"lease-exclusive"};
  scenario.expect.vacuous_ok = {"lease-exclusive"};
  CampaignResult result = campaign(scenario, 1, 1);
  result.statistics.readiness.plain = Histogram{};
  result.statistics.readiness.plain.add(Duration(2 * kSecond));
  result.statistics.readiness.plain.add(Duration(3 * kSecond));
  const auto verdict = [&](std::optional<Fraction> least, std::optional<Fraction> most) {
    scenario.expect.bounds = {{Measure::readiness, least, most}};
    return judge(scenario, result).bounds.front().verdict;
  };
  EXPECT_EQ(verdict({}, Fraction(3, 1)), Verdict::holds);
  EXPECT_EQ(verdict({}, Fraction(2'999'999, 1'000'000)), Verdict::violated);
  EXPECT_EQ(verdict(Fraction(2, 1), {}), Verdict::holds);
  EXPECT_EQ(verdict(Fraction(2'000'001, 1'000'000), {}), Verdict::violated);
  scenario.expect.bounds = {{Measure::recovery, {}, Fraction(1, 1)}};
  EXPECT_EQ(judge(scenario, result).verdict, Verdict::unknown)
      << "no fault, nothing to recover from";
}

TEST(Histogram, PercentilesAreWithinABucketOfTheValueAndExtremesAreExact) {
  Histogram histogram;
  for (std::int64_t v = 1; v <= 100'000; ++v) histogram.add(Duration(v * 1'000));
  EXPECT_EQ(histogram.least(), Duration(1'000));
  EXPECT_EQ(histogram.most(), Duration(100'000'000));
  EXPECT_EQ(histogram.mean(), Duration(50'000'500));
  // Buckets are at most 1/64 of their value wide.
  for (const std::uint32_t percent : {1U, 25U, 50U, 90U, 99U, 100U}) {
    const std::int64_t exact = std::int64_t{percent} * 1'000'000;
    EXPECT_GE(histogram.percentile(percent).count(), exact) << percent;
    EXPECT_LE(histogram.percentile(percent).count(), exact + exact / 64) << percent;
  }
}

TEST(Histogram, MergesToWhatAddingEverythingToOneGives) {
  Histogram a;
  Histogram b;
  Histogram all;
  for (std::int64_t v = -5; v < 5'000; v += 7) {
    (v % 3 == 0 ? a : b).add(Duration(v * v * v));
    all.add(Duration(v * v * v));
  }
  a.merge(b);
  EXPECT_EQ(a, all);
}

}  // namespace
}  // namespace nandi::sim
