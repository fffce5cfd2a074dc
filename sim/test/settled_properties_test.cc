// What is promised of a settled group and of a change of membership, on runs written out.
//
// Interval 1000, gap 0.15. Slots of a group of two: 325 and 675; of one: 500. Nothing takes any
// time here, so a settled group registers at its slots for ever.
#include <gtest/gtest.h>

#include "scripted_run.h"

namespace nandi::sim {
namespace {

constexpr std::int64_t kI = kTestInterval;

/// Serves the timers of the first `workers` workers in order of time until `end`.
template <class Rules>
void run_until(ScriptedRun<Rules>& run, std::int64_t end, WorkerId workers) {
  while (true) {
    WorkerId next = 0;
    for (WorkerId w = 1; w < workers; ++w) {
      if (run.wakeup(w) < run.wakeup(next)) next = w;
    }
    if (run.wakeup(next) > end) return;
    const std::int64_t at = run.wakeup(next);
    run.act(at, ActionKind::wake, next);
    if (run.world().worker(next).wire == Wire::requested) {
      run.act(at, ActionKind::execute, next);
      run.act(at, ActionKind::deliver, next);
    }
    run.hands_over(at, next);
  }
}

template <class Rules>
void start_two(ScriptedRun<Rules>& run) {
  run.act(kI, ActionKind::join, 0, 325, 325);
  run.act(kI, ActionKind::join, 1, 675, 675);
}

TEST(SettledStaysSettled, HoldsForTwoWorkersAtTheirSlots) {
  ScriptedRun<> run(2);
  start_two(run);
  run_until(run, 30 * kI, 2);
  EXPECT_GT(run.property<SettledStaysSettled>().times_reached(), 20U);
  EXPECT_EQ(run.property<SettledStaysSettled>().times_violated(), 0U);
  EXPECT_GT(run.property<CompleteWhenSettled>().times_reached(), 20U);
  EXPECT_EQ(run.property<CompleteWhenSettled>().times_violated(), 0U);
}

TEST(SettledStaysSettled, CatchesALeaseThatIsTooShortToBeRenewed) {
  // The lease ends one unit before its slot, so a worker loses it each time: -150 takes the gap
  // away.
  AblatedRules rules;
  rules.extra_margin = Duration(-150);
  ScriptedRun<> run(2, rules);
  start_two(run);
  run_until(run, 30 * kI, 2);
  EXPECT_GT(run.property<SettledStaysSettled>().times_violated(), 0U);
  EXPECT_GT(run.property<CompleteWhenSettled>().times_violated(), 0U);
}

TEST(SettledStaysSettled, ExcusesARegistrationThatIsLaterThanItsNeighboursSlot) {
  ScriptedRun<> run(2);
  start_two(run);
  run_until(run, 20 * kI, 2);
  // w0 is overtaken: its request takes 400, more than the 350 between the two slots.
  run.act(20325, ActionKind::wake, 0);
  run.registers(20675, 1);
  run.act(20725, ActionKind::execute, 0);
  run.act(20725, ActionKind::deliver, 0);
  run_until(run, 40 * kI, 2);
  EXPECT_EQ(run.property<SettledStaysSettled>().times_violated(), 0U);
}

TEST(NeverStandsDown, HoldsForTwoWorkersAtTheirSlots) {
  ScriptedRun<> run(2);
  start_two(run);
  run_until(run, 30 * kI, 2);
  EXPECT_GT(run.property<NeverStandsDown>().times_reached(), 20U);
  EXPECT_EQ(run.property<NeverStandsDown>().times_violated(), 0U);
}

TEST(NeverStandsDown, ExcusesNothing) {
  ScriptedRun<> run(2);
  start_two(run);
  run_until(run, 20 * kI, 2);
  // As above: w0 is overtaken and both stand down.
  run.act(20325, ActionKind::wake, 0);
  run.registers(20675, 1);
  run.act(20725, ActionKind::execute, 0);
  run.act(20725, ActionKind::deliver, 0);
  run_until(run, 22 * kI, 2);
  EXPECT_GT(run.property<NeverStandsDown>().times_violated(), 0U);
}

TEST(NeverStandsDown, SaysNothingBeforeAllHeldALease) {
  ScriptedRun<> run(2);
  start_two(run);
  run_until(run, 2 * kI + 800, 2);
  run.act(2 * kI + 900, ActionKind::crash, 1);  // leases come in interval 3 at the earliest
  run_until(run, 4 * kI, 1);
  EXPECT_EQ(run.property<NeverStandsDown>().times_violated(), 0U);
}

TEST(CompleteWhenSettled, IsNotReachedWhileMembershipKeepsChanging) {
  ScriptedRun<> run(20);
  for (WorkerId w = 0; w < 20; ++w) {
    const std::int64_t at = (5 * w + 1) * kI;
    if (w > 0) run.act(at - 1, ActionKind::crash, w - 1);
    run.act(at, ActionKind::join, w, 500);
    for (int n = 0; n < 4; ++n) run.registers(run.wakeup(w), w);
  }
  EXPECT_EQ(run.property<CompleteWhenSettled>().times_reached(), 0U);
}

TEST(ChangeTiming, SeesAJoinAndADepartureInTheIntervalsOfTheProtocol) {
  ScriptedRun<> run(3);
  start_two(run);
  run_until(run, 20 * kI, 2);
  run.act(20 * kI, ActionKind::join, 2, 900, 500);  // registers last in F = 20: nobody moves
  run_until(run, 22 * kI, 3);
  // Protocol: members stand down from their tick in F+1 ...
  EXPECT_FALSE(run.ledger().leases().entry(0).present);
  EXPECT_FALSE(run.ledger().leases().entry(1).present);
  run_until(run, 23 * kI, 3);  // ... to their tick in F+2, the newcomer comes in with them
  for (WorkerId w = 0; w < 3; ++w) EXPECT_TRUE(run.ledger().leases().entry(w).present) << w;
  run_until(run, 40 * kI, 3);
  EXPECT_EQ(run.property<ChangeTiming>().times_violated(), 0U);

  run.act(40 * kI, ActionKind::crash, 2);  // last registration in D = 39
  run_until(run, 41 * kI, 2);
  EXPECT_TRUE(run.ledger().leases().entry(0).present);
  run_until(run, 42 * kI, 2);  // stand down at their ticks in D+2 = 41
  EXPECT_FALSE(run.ledger().leases().entry(0).present);
  run_until(run, 43 * kI, 2);  // back in D+3
  EXPECT_TRUE(run.ledger().leases().entry(0).present);
  EXPECT_EQ(run.property<ChangeTiming>().times_violated(), 0U);
  EXPECT_EQ(run.property<ChangeTiming>().times_reached(), 4U);  // two members, two changes
  EXPECT_EQ(run.property<EarliestLease>().times_violated(), 0U);
}

/// After a change, agrees an interval late.
struct LateAgreement : ProtocolRules {
  bool agrees(const std::optional<Remembered>& remembered, const Pair& implied,
              const Tick& tick) const {
    return ProtocolRules::agrees(remembered, implied, tick) && tick.interval != 22;
  }
};

TEST(ChangeTiming, CatchesMembersThatComeBackAnIntervalLate) {
  ScriptedRun<LateAgreement> run(3);
  start_two(run);
  run_until(run, 20 * kI, 2);
  run.act(20 * kI, ActionKind::join, 2, 900, 500);  // F = 20, so members are back in 22
  run_until(run, 25 * kI, 3);
  EXPECT_EQ(run.property<ChangeTiming>().times_violated(), 2U);
}

/// Comes back an interval late: three intervals have to agree.
struct Hesitant : ProtocolRules {
  bool agrees(const std::optional<Remembered>& remembered, const Pair& implied,
              const Tick& tick) const {
    return ProtocolRules::agrees(remembered, implied, tick) && tick.interval % 3 == 0;
  }
};

TEST(EarliestLease, CatchesAFirstLeaseThatComesTooEarly) {
  AblatedRules rules;
  rules.agreement = 1;
  ScriptedRun<> run(1, rules);
  run.act(kI, ActionKind::join, 0, 500);
  run_until(run, 3 * kI, 1);
  EXPECT_EQ(run.property<EarliestLease>().times_violated(), 1U);
}

TEST(SettledStaysSettled, CatchesRulesThatAgreeOnlyNowAndThen) {
  ScriptedRun<Hesitant> run(2);
  start_two(run);
  run_until(run, 30 * kI, 2);
  EXPECT_GT(run.property<SettledStaysSettled>().times_violated(), 0U);
}

}  // namespace
}  // namespace nandi::sim
