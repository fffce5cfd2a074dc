// lease-exclusive and work-exclusive, each caught on a run that breaks it.
//
// With interval 1000 and gap 0.15 the slots of a group of two are 150 + (i + 1/2) / 2 * 700, that
// is 325 and 675 (protocol, rule 4). Agreement of one interval lets a neighbour's old index be
// taken up while the neighbour still holds it (article: "two mappings are live across the group").
#include <gtest/gtest.h>

#include "scripted_run.h"

namespace nandi::sim {
namespace {

AblatedRules agree_once() {
  AblatedRules rules;
  rules.agreement = 1;
  return rules;
}

/// Two workers swap their order in interval 2, because a request is slow; w1 comes in interval 3
/// with index 0.
template <class Rules>
void swap_in_interval_two(ScriptedRun<Rules>& run) {
  run.act(1000, ActionKind::join, 0, 325);
  run.act(1000, ActionKind::join, 1, 675);
  run.registers(1325, 0);
  run.registers(1675, 1);
  // A first tick with no previous count: both keep their offset of 500 in interval 2.
  EXPECT_EQ(run.wakeup(0), 2500);
  EXPECT_EQ(run.wakeup(1), 2500);
  run.act(2500, ActionKind::wake, 0);
  run.registers(2500, 1);
  run.hands_over(2500, 1);
  run.act(2600, ActionKind::execute, 0);
  run.act(2600, ActionKind::deliver, 0);
  run.hands_over(2600, 0);
  run.registers(3325, 1);
  run.hands_over(3325, 1);
}

TEST(LeaseExclusive, CatchesAnIndexTakenUpAfterOneAgreeingIntervalWhileItsOldHolderIsOnIt) {
  ScriptedRun<> run(2, agree_once());
  swap_in_interval_two(run);
  const auto& property = run.property<LeaseExclusive>();
  ASSERT_TRUE(property.first_violation());
  EXPECT_EQ(property.first_violation()->at, TrueTime(3325));
  EXPECT_EQ(property.first_violation()->workers, (std::vector<WorkerId>{1, 0}));
  EXPECT_EQ(property.first_violation()->text, "w1 holds index 0/2 while w0 holds 0/2");
  EXPECT_EQ(property.times_violated(), 1U);
  EXPECT_TRUE(LeaseExclusive::violated_in(run.configs(), run.world()));
}

TEST(LeaseExclusive, HoldsOnTheSameRunUnderTheProtocolsRules) {
  ScriptedRun<> run(2);
  swap_in_interval_two(run);
  EXPECT_EQ(run.property<LeaseExclusive>().times_violated(), 0U);
  EXPECT_FALSE(LeaseExclusive::violated_in(run.configs(), run.world()));
}

TEST(LeaseExclusive, IsNotReachedAsLongAsNoIndexPassesToAnotherWorker) {
  ScriptedRun<> run(1);
  run.act(1000, ActionKind::join, 0, 500);
  for (int n = 1; n < 6; ++n) run.registers(run.wakeup(0), 0);
  EXPECT_EQ(run.property<LeaseExclusive>().times_reached(), 0U);
}

TEST(WorkExclusive, CatchesTwoConsumersOnOneIndex) {
  ScriptedRun<> run(2, agree_once());
  swap_in_interval_two(run);
  const auto& property = run.property<WorkExclusive>();
  ASSERT_TRUE(property.first_violation());
  EXPECT_EQ(property.first_violation()->text, "w1 begins on index 0/2 while w0 still works on 0/2");
  EXPECT_TRUE(WorkExclusive::violated_in(run.configs(), run.world()));
}

TEST(WorkExclusive, CatchesACopyOfAWorkerThatWorks) {
  ScriptedRun<> run(2);
  run.act(1000, ActionKind::join, 0, 500);
  for (int n = 1; n <= 3; ++n) run.registers(run.wakeup(0), 0);
  EXPECT_EQ(run.property<WorkExclusive>().times_violated(), 0U);
  const std::int64_t at = run.wakeup(0) - 100;
  run.hands_over(at, 0);
  run.act(at, ActionKind::fork, 0, 1);
  EXPECT_EQ(run.property<WorkExclusive>().times_violated(), 1U);
  EXPECT_TRUE(WorkExclusive::violated_in(run.configs(), run.world()));
}

TEST(WorkExclusive, IsAllThatAStalledConsumerBreaks) {
  ScriptedRun<> run(2);
  run.act(1000, ActionKind::join, 0, 500);
  for (int n = 1; n <= 3; ++n) run.registers(run.wakeup(0), 0);
  run.hands_over(3500, 0);  // w0 works on 0/1
  run.act(3600, ActionKind::pause, 0);
  // w1 comes alone in intervals 5 to 7, takes up 0/1 while w0 is stalled on it.
  run.act(5000, ActionKind::join, 1, 500);
  for (int n = 5; n <= 7; ++n) run.registers(run.wakeup(1), 1);
  run.hands_over(7500, 1);
  EXPECT_EQ(run.property<WorkExclusive>().times_violated(), 1U);
  EXPECT_EQ(run.property<LeaseExclusive>().times_violated(), 0U);
  EXPECT_EQ(run.property<LeaseExclusive>().times_reached(), 1U);
}

// 0/1 and 1/2 differ in their index, and gcd(1, 2) = 1: every task of the second is the first's
// too.
TEST(WorkExclusive, CatchesConsumersOnOtherIndexesThatShareTasks) {
  ScriptedRun<> run(3);
  run.act(1000, ActionKind::join, 0, 500);
  for (int n = 1; n <= 3; ++n) run.registers(run.wakeup(0), 0);
  run.hands_over(3500, 0);  // w0 works on 0/1
  run.act(3600, ActionKind::pause, 0);
  run.act(5000, ActionKind::join, 1, 300);
  run.act(5000, ActionKind::join, 2, 700);
  for (int n = 5; n <= 7; ++n) {
    run.registers(run.wakeup(1), 1);
    run.registers(run.wakeup(2), 2);
  }
  EXPECT_FALSE(WorkExclusive::violated_in(run.configs(), run.world()));
  run.hands_over(7900, 2);
  const auto& property = run.property<WorkExclusive>();
  ASSERT_TRUE(property.first_violation());
  EXPECT_EQ(property.first_violation()->text, "w2 begins on index 1/2 while w0 still works on 0/1");
  EXPECT_TRUE(WorkExclusive::violated_in(run.configs(), run.world()));
  EXPECT_EQ(run.property<LeaseExclusive>().times_violated(), 0U);
}

}  // namespace
}  // namespace nandi::sim
