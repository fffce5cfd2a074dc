// Settings of checks: what is refused, and how a scenario becomes one.
#include "nandi/checker/lease_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lease_checks.h"
#include "nandi/checker/run_lease_check.h"

namespace nandi::checker {
namespace {

using testing::HasSubstr;

std::string error_of(const LeaseCheck& check) { return find_error(check).value_or("none"); }

TEST(LeaseCheck, a_gap_between_two_ticks_is_refused_with_the_next_interval) {
  // 3/20 of 8 is 1.2; the next multiple of 20 is 20.
  const LeaseCheck check = plain_check(2, 8, Fraction(3, 20), Slots::free);
  EXPECT_THAT(error_of(check), HasSubstr("ticks: with 8"));
  EXPECT_THAT(error_of(check), HasSubstr("give 20"));
  EXPECT_EQ(error_of(plain_check(2, 20, Fraction(3, 20), Slots::free)), "none");
}

TEST(LeaseCheck, slots_between_two_ticks_are_refused_where_the_engine_chooses_them) {
  // Gap 1/3 of 6 is 2. One member's slot is 3, two members' would be 2.5 and 3.5: so 12.
  EXPECT_EQ(error_of(plain_check(1, 6, Fraction(1, 3), Slots::engine)), "none");
  EXPECT_THAT(error_of(plain_check(2, 6, Fraction(1, 3), Slots::engine)), HasSubstr("give 12"));
  EXPECT_EQ(error_of(plain_check(2, 12, Fraction(1, 3), Slots::engine)), "none");
  EXPECT_EQ(error_of(plain_check(2, 6, Fraction(1, 3), Slots::free)), "none");
}

TEST(LeaseCheck, clocks_that_count_intervals_neither_drift_nor_see_the_stores_clock_step) {
  LeaseCheck check = small_check(2);
  for (CheckedMember& member : check.members) member.interval_from_worker_clock = true;
  EXPECT_EQ(error_of(check), "none");
  check.drift = 1;
  EXPECT_THAT(error_of(check), HasSubstr("drift"));
  check.drift = 0;
  check.faults.store_step = 1;
  check.step_forward = 1;
  EXPECT_THAT(error_of(check), HasSubstr("faults.clock_step"));
}

TEST(LeaseCheck, members_that_count_intervals_by_different_clocks_are_not_interchangeable) {
  LeaseCheck check = small_check(2);
  check.symmetry = true;
  EXPECT_EQ(error_of(check), "none");
  check.members.back().interval_from_worker_clock = true;
  EXPECT_THAT(error_of(check), HasSubstr("symmetry"));
}

TEST(LeaseCheck, settings_that_make_no_sense_are_refused_by_name) {
  const LeaseCheck good = small_check(2);
  EXPECT_EQ(error_of(good), "none");
  LeaseCheck check = good;
  check.members.clear();
  EXPECT_THAT(error_of(check), HasSubstr("workers: 0"));
  check = good;
  check.members.resize(5, good.members.front());
  EXPECT_THAT(error_of(check), HasSubstr("workers: 5"));
  check = good;
  check.joins = 0;
  EXPECT_THAT(error_of(check), HasSubstr("joins"));
  check = good;
  check.registrations = 16;
  EXPECT_THAT(error_of(check), HasSubstr("registrations: 16"));
  check = good;
  check.members.front().timing.resolution = Duration(2);
  EXPECT_THAT(error_of(check), HasSubstr("resolution"));
  check = good;
  check.members.front().timing.attempt_timeout = Duration(0);
  EXPECT_THAT(error_of(check), HasSubstr("attempt_timeout"));
  check = good;
  check.members.front().timing.interval = Duration(10);
  EXPECT_THAT(error_of(check), HasSubstr("all members"));
  check = good;
  check.properties = {"lease-exclusive", "no-such-property"};
  EXPECT_THAT(error_of(check), HasSubstr("no-such-property"));
}

TEST(LeaseCheck, members_that_differ_are_neither_interchangeable_nor_duplicated) {
  LeaseCheck check = small_check(2);
  check.members.back().rules.deadline_from = sim::DeadlineFrom::reply;
  EXPECT_EQ(error_of(check), "none");
  check.symmetry = true;
  EXPECT_THAT(error_of(check), HasSubstr("symmetry"));
  check.symmetry = false;
  check.faults.fork = 1;
  EXPECT_THAT(error_of(check), HasSubstr("fork"));
}

sim::Scenario scenario_with(const sim::CheckSettings& settings) {
  sim::Scenario scenario;
  scenario.name = "test";
  scenario.group.interval = Duration(5'000'000'000);
  scenario.group.gap = Fraction(2, 5);
  scenario.check = settings;
  return scenario;
}

std::string refusal_of(const sim::Scenario& scenario) {
  try {
    static_cast<void>(lease_check_of(scenario));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(LeaseCheck, a_scenario_says_everything_about_its_check) {
  sim::CheckSettings settings;
  settings.ticks = 10;
  settings.workers = 3;
  settings.slots = sim::SlotChoice::free;
  settings.joins = 2;
  settings.crashes = 2;
  settings.pauses = 1;
  settings.drift = 1;
  settings.request_delay = 4;
  settings.faults = {{"clock_step", 1, 7}, {"flushall", 2, {}}};
  sim::Scenario scenario = scenario_with(settings);
  scenario.rules.agreement = 1;
  scenario.rules.margin = Fraction(1, 5);
  const LeaseCheck check = lease_check_of(scenario);
  ASSERT_EQ(check.members.size(), 3U);
  EXPECT_EQ(check.members[2].timing.interval, Duration(10));
  EXPECT_EQ(check.members[2].timing.gap, Fraction(2, 5));
  EXPECT_EQ(check.members[2].timing.attempt_timeout, Duration(1));
  EXPECT_EQ(check.members[2].rules.agreement, 1);
  EXPECT_EQ(check.members[2].rules.extra_margin, Duration(2));
  EXPECT_EQ(check.slots, Slots::free);
  EXPECT_EQ(check.joins, 2);
  EXPECT_FALSE(check.joins_in_all);
  EXPECT_TRUE(check.crashes);
  EXPECT_EQ(check.pauses, 1);
  EXPECT_EQ(check.drift, 1);
  EXPECT_EQ(check.request_delay, 4);
  EXPECT_FALSE(check.reply_delay);
  EXPECT_EQ(check.faults.store_step, 1);
  EXPECT_EQ(check.step_forward, 7);
  EXPECT_EQ(check.faults.flush_all, 2);
  EXPECT_TRUE(check.checks("lease-exclusive"));
  EXPECT_FALSE(check.checks("never-stands-down"));
}

TEST(LeaseCheck, a_scenario_without_a_check_or_with_one_that_cannot_be_is_refused) {
  sim::Scenario none = scenario_with({});
  none.check.reset();
  EXPECT_THAT(refusal_of(none), HasSubstr("no `check` section"));
  sim::CheckSettings settings;
  settings.ticks = 6;  // gap 2/5 is 2.4
  settings.slots = sim::SlotChoice::free;
  EXPECT_THAT(refusal_of(scenario_with(settings)), HasSubstr("check.ticks: with 6"));
  settings.ticks = 5;
  EXPECT_EQ(refusal_of(scenario_with(settings)), "none");
  settings.crashes = 1;
  EXPECT_THAT(refusal_of(scenario_with(settings)), HasSubstr("check.crashes"));
  settings.crashes = 0;
  settings.faults = {{"maxclients", 1, {}}};
  EXPECT_THAT(refusal_of(scenario_with(settings)), HasSubstr("maxclients"));
}

TEST(LeaseCheck, a_scenario_names_the_properties_to_check) {
  sim::CheckSettings settings;
  settings.ticks = 5;
  settings.slots = sim::SlotChoice::free;
  sim::Scenario scenario = scenario_with(settings);
  scenario.expect.properties = {"work-exclusive", "one-count"};
  EXPECT_TRUE(lease_check_of(scenario).checks("one-count"));
  EXPECT_FALSE(lease_check_of(scenario).checks("lease-exclusive"));
  scenario.expect.properties = {"work-exclusive"};
  EXPECT_THAT(refusal_of(scenario), HasSubstr("expect.properties"));
  scenario.expect.properties = {"never-stands-down"};
  EXPECT_TRUE(lease_check_of(scenario).settled);
}

}  // namespace
}  // namespace nandi::checker
