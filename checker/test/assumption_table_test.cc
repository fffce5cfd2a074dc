#include "nandi/checker/assumption_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "lease_checks.h"
#include "nandi/checker/check_command.h"

namespace nandi::checker {
namespace {

using sim::Verdict;

/// Two workers that start once each, messages that take no time: a few thousand states.
LeaseCheck small_group(std::size_t workers = 2) {
  LeaseCheck check = small_check(workers);
  check.registrations = 3;
  check.request_delay = 0;
  check.reply_delay = 0;
  check.symmetry = true;
  check.properties = {"lease-exclusive"};
  return check;
}

AssumptionRow row_of(const LeaseCheck& base, const std::string& name,
                     std::uint64_t max_states = 2'000'000) {
  AssumptionOptions options;
  options.row = name;
  options.check.explore.bounds.max_states = max_states;
  const auto rows = explore_assumptions(base, options);
  EXPECT_EQ(rows.size(), 1U);
  EXPECT_EQ(row_name(rows.front()), name);
  return rows.front();
}

TEST(AssumptionTable, nothing_dropped_holds) {
  const AssumptionRow row = row_of(small_group(), "nothing");
  EXPECT_EQ(row.verdict(), Verdict::holds);
  EXPECT_EQ(row.trials.size(), 1U);
}

// One deletion gives both workers index 0 of a count of 1, once: in the next interval they register
// one after the other, and the pairs it implies differ. A second deletion there gives both index 0
// of 1 again, and that is agreement.
TEST(AssumptionTable, two_deleted_counters_break_two_workers) {
  const AssumptionRow row = row_of(small_group(), "del_open");
  ASSERT_EQ(row.verdict(), Verdict::violated);
  EXPECT_EQ(held_budgets(row), std::vector<std::uint8_t>{1});
  EXPECT_EQ(row.trials.back().budget, 2);
  EXPECT_EQ(row.trials.back().workers, 2U);
  EXPECT_EQ(row.violation->summary.violated, "lease-exclusive");
  EXPECT_FALSE(row.violation->story.empty());
}

// A closed counter that is gone is "no previous count": nobody is implied a pair by it.
TEST(AssumptionTable, the_closed_counter_may_be_deleted) {
  const AssumptionRow row = row_of(small_group(), "del_closed");
  EXPECT_EQ(row.verdict(), Verdict::holds);
  EXPECT_EQ(held_budgets(row), std::vector<std::uint8_t>{2});
}

TEST(AssumptionTable, a_pair_that_one_of_the_two_decides_is_left_out) {
  const AssumptionRow row = row_of(small_group(), "fork+other_gap");
  EXPECT_EQ(row.left_out, "fork alone decides it");
  EXPECT_TRUE(row.trials.empty());
}

// With one member counting from the reply a copy cannot have its original's settings.
TEST(AssumptionTable, what_a_group_cannot_have_is_said) {
  EXPECT_FALSE(row_of(small_group(), "mixed/fork").left_out.empty());
  EXPECT_FALSE(row_of(small_group(), "reply_delay").left_out.empty());
}

TEST(AssumptionTable, a_bound_ends_a_row_in_unknown) {
  const AssumptionRow row = row_of(small_group(), "nothing", 100);
  EXPECT_EQ(row.verdict(), Verdict::unknown);
}

// Two workers fit the bound with both budgets, three with none.
TEST(AssumptionTable, groups_of_a_size_that_was_unknown_are_not_tried_with_larger_budgets) {
  const std::uint64_t enough = row_of(small_group(), "del_closed").trials.back().states;
  const AssumptionRow row = row_of(small_group(3), "del_closed", enough);
  EXPECT_EQ(row.verdict(), Verdict::unknown);
  ASSERT_EQ(row.trials.size(), 3U);
  EXPECT_EQ(row.trials[1].workers, 3U);
  EXPECT_THAT(row.trials[1].why, testing::HasSubstr("bound on states reached"));
  EXPECT_EQ(row.trials[2].budget, 2);
  EXPECT_EQ(row.trials[2].workers, 2U);
  EXPECT_EQ(row.trials[2].verdict, Verdict::holds);
  EXPECT_EQ(row.trials[2].why, "");
}

TEST(AssumptionTable, an_interrupt_keeps_what_is_finished_and_leaves_the_rest_unknown) {
  std::atomic<bool> interrupt = false;
  AssumptionOptions options;
  options.check.explore.interrupt = &interrupt;
  options.finished = [&](const AssumptionRow&) { interrupt = true; };
  const auto rows = explore_assumptions(small_group(), options);
  ASSERT_GT(rows.size(), 30U);
  EXPECT_EQ(rows[0].verdict(), Verdict::holds);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    EXPECT_FALSE(rows[r].is_begun);
    EXPECT_EQ(rows[r].verdict(), Verdict::unknown);
  }
}

TEST(AssumptionTable, an_unknown_row_is_answered_with_the_nearest_one) {
  AssumptionOptions options;
  options.row = "del_opne";
  try {
    (void)explore_assumptions(small_group(), options);
    FAIL() << "it was taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean `del_open`?"));
  }
}

TEST(AssumptionTable, a_group_that_drops_something_itself_is_refused) {
  LeaseCheck check = small_group();
  check.faults.flush_all = 1;
  EXPECT_THROW((void)explore_assumptions(check, {}), std::invalid_argument);
}

// engine/bounds.h, largest_margin_from_reply_in_units: 5 + 2 - 3 - d - 1 >= 2 for d up to 1.
TEST(AssumptionTable, a_group_that_counts_from_the_reply_is_given_the_delay_that_it_covers) {
  EXPECT_EQ(group_check(small_group(), DeadlineGroup::send).reply_delay, 0);
  EXPECT_EQ(group_check(small_group(), DeadlineGroup::reply).reply_delay, 1);
  EXPECT_EQ(group_check(small_group(), DeadlineGroup::mixed).reply_delay, 1);
}

}  // namespace
}  // namespace nandi::checker
