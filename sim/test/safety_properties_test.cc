// The safety properties on single leases and hand-overs, each caught on a run that breaks it.
//
// Interval 1000, gap 0.15: a group of one has its slot at 500, and a lease issued in N ends at
// 650 of N + 1 (rule 5). With resolution 1 and no delay, the worker lets go one unit earlier.
#include <gtest/gtest.h>

#include "scripted_run.h"

namespace nandi::sim {
namespace {

constexpr std::int64_t kI = kTestInterval;

/// w0 comes alone in interval 1 and is granted 0/1 in interval 3.
template <class Run>
void grow_alone(Run& run) {
  run.act(kI, ActionKind::join, 0, 500);
  for (int n = 1; n <= 3; ++n) run.registers(run.wakeup(0), 0);
}

/// Counts the moments that it is shown; claims nothing.
template <bool kSeesQuiet>
class Spectator : public Property {
 public:
  static constexpr PropertyInfo kInfo{"spectator", "nothing", "never", PropertyKind::on_request,
                                      kSeesQuiet};
  explicit Spectator(const RunFacts&) {}
  template <class World>
  void observe(const Moment<World>&) {
    ++shown_;
  }
  [[nodiscard]] int shown() const { return shown_; }

 private:
  int shown_ = 0;
};

TEST(PropertySet, ShowsQuietMomentsToThoseThatAskForThem) {
  using Everything = Spectator<true>;
  using WhatChanges = Spectator<false>;
  ScriptedRun<AblatedRules, PropertySet<Everything, WhatChanges>> run(1);
  grow_alone(run);  // a join and three times wake, execute and deliver
  EXPECT_EQ(run.property<Everything>().shown(), 10);
  EXPECT_EQ(run.property<WhatChanges>().shown(), 4);
  // A registration as those before, but this timer also finds that the lease has run out.
  run.act(4649, ActionKind::wake, 0);
  EXPECT_EQ(run.property<Everything>().shown(), 11);
  EXPECT_EQ(run.property<WhatChanges>().shown(), 5);
}

TEST(HeldWithinExpiry, HoldsForALeaseThatEndsOneGapPastItsSlot) {
  ScriptedRun<> run(1);
  grow_alone(run);
  EXPECT_EQ(run.ledger().leases().entry(0).ends, TrueTime(4649));
  EXPECT_EQ(run.property<HeldWithinExpiry>().times_reached(), 1U);
  EXPECT_EQ(run.property<HeldWithinExpiry>().times_violated(), 0U);
}

TEST(HeldWithinExpiry, CatchesALeaseThatNeverEnds) {
  AblatedRules rules;
  rules.does_expire = false;
  ScriptedRun<> run(1, rules);
  grow_alone(run);
  EXPECT_EQ(run.property<HeldWithinExpiry>().times_violated(), 1U);
}

TEST(HeldWithinExpiry, CatchesAMarginOfTwoUnitsMore) {
  // One unit more is still within the slot and a gap, since the resolution takes one away.
  AblatedRules rules;
  rules.extra_margin = Duration(1);
  ScriptedRun<> within(1, rules);
  grow_alone(within);
  EXPECT_EQ(within.property<HeldWithinExpiry>().times_violated(), 0U);
  rules.extra_margin = Duration(2);
  ScriptedRun<> beyond(1, rules);
  grow_alone(beyond);
  EXPECT_EQ(beyond.property<HeldWithinExpiry>().times_violated(), 1U);
}

TEST(HeldWithinExpiry, CatchesADeadlineThatCountsFromTheReply) {
  AblatedRules rules;
  rules.deadline_from = DeadlineFrom::reply;
  ScriptedRun<> run(1, rules);
  run.act(kI, ActionKind::join, 0, 500);
  for (int n = 1; n <= 3; ++n) {
    const std::int64_t at = run.wakeup(0);
    run.registers(at, at, at + 20, 0);
  }
  EXPECT_GE(run.property<HeldWithinExpiry>().times_violated(), 1U);
}

TEST(IndexBelowCount, CatchesThePairingOfTheOpenIndexOnlyWhereItIsOutOfRange) {
  ScriptedRun<> run(1);
  grow_alone(run);
  EXPECT_EQ(run.property<IndexBelowCount>().times_reached(), 1U);
  EXPECT_EQ(run.property<IndexBelowCount>().times_violated(), 0U);
}

/// Pairs the open index with the closed count, in range or not.
struct UncheckedIndex : ProtocolRules {
  std::optional<Pair> implied_pair(const std::optional<Held>&, const Tick& tick) const {
    if (!tick.previous_count) return std::nullopt;
    return Pair{tick.index, *tick.previous_count};
  }
  bool agrees(const std::optional<Remembered>&, const Pair&, const Tick&) const { return true; }
};

TEST(IndexBelowCount, CatchesAnIndexBeyondTheClosedCount) {
  ScriptedRun<UncheckedIndex> run(2);
  run.act(kI, ActionKind::join, 0, 500);
  run.registers(1500, 0);
  run.registers(2500, 0);
  run.act(2600, ActionKind::join, 1, 0);
  run.registers(2600, 1);  // index 1, the interval before had one member
  EXPECT_EQ(run.property<IndexBelowCount>().times_violated(), 1U);
}

TEST(HandOverOrder, HoldsWhenIdleComesBetweenTwoPairsAndLast) {
  ScriptedRun<> run(1);
  grow_alone(run);
  run.hands_over(3500, 0);
  run.act(4649, ActionKind::wake, 0);  // the lease ends, and the slot is past: it registers
  run.hands_over(4649, 0);
  run.act(4700, ActionKind::leave, 0);
  EXPECT_EQ(run.property<HandOverOrder>().times_reached(), 1U);
  EXPECT_EQ(run.property<HandOverOrder>().times_violated(), 0U);
}

// The engine hands over in order whatever the rules are, so a broken order is shown to the property
// directly: what take() would have done, told for one worker again and again.
class BrokenHandOver {
 public:
  BrokenHandOver() : run_(1), property_(RunFacts{1, 1, {}}) {
    grow_alone(run_);
    run_.hands_over(3500, 0);
  }
  void pair() {
    tell([](Applied& applied) { applied.work_begun = true; });
  }
  void idle() {
    tell([](Applied& applied) { applied.handed_idle = true; });
  }
  void gone() {
    tell([](Applied& applied) { applied.departed = true; }, ActionKind::drained);
  }
  [[nodiscard]] std::uint64_t violations() const { return property_.times_violated(); }

 private:
  template <class Fill>
  void tell(Fill&& fill, ActionKind kind = ActionKind::take) {
    Action action;
    action.kind = kind;
    Applied applied;
    fill(applied);
    property_.observe(Moment<ScriptedRun<>::WorldType>{
        run_.world().now(), action, applied, run_.world(), run_.configs(), run_.ledger()});
  }
  ScriptedRun<> run_;
  HandOverOrder property_;
};

TEST(HandOverOrder, CatchesTwoPairsWithoutIdleBetweenThem) {
  BrokenHandOver told;
  told.pair();
  EXPECT_EQ(told.violations(), 0U);
  told.pair();
  EXPECT_EQ(told.violations(), 1U);
}

TEST(HandOverOrder, CatchesIdleHandedTwiceInARow) {
  BrokenHandOver told;
  told.pair();
  told.idle();
  EXPECT_EQ(told.violations(), 0U);
  told.idle();
  EXPECT_EQ(told.violations(), 1U);
}

TEST(HandOverOrder, CatchesAWorkerThatGoesWithoutIdleLast) {
  BrokenHandOver told;
  told.pair();
  told.gone();
  EXPECT_EQ(told.violations(), 1U);
}

TEST(OneCount, CatchesTwoCountsAtOnce) {
  AblatedRules rules;
  rules.agreement = 1;
  ScriptedRun<> run(2, rules);
  run.act(kI, ActionKind::join, 0, 500);
  run.registers(1500, 0);
  run.act(2000, ActionKind::join, 1, 0);
  run.registers(2000, 1);  // index 0 of interval 2
  run.registers(2500, 0);  // 0/1 of interval 1, index 1 of interval 2
  // In interval 3, w1 takes up 0/2 while w0 still holds 0/1.
  run.registers(run.wakeup(1), 1);
  const auto& property = run.property<OneCount>();
  ASSERT_TRUE(property.first_violation());
  EXPECT_EQ(property.first_violation()->text, "w1 holds 0/2 while w0 holds 0/1");
  EXPECT_EQ(property.times_reached(), 1U);
  EXPECT_EQ(run.property<TasksDisjoint>().times_violated(), 1U);
}

TEST(TasksDisjoint, CountsPairsAsSharingExactlyWhenSomeIdBelongsToBoth) {
  // The definition itself, over one period of lcm(n, m) ids.
  for (std::uint32_t n = 1; n <= 8; ++n) {
    for (std::uint32_t m = 1; m <= 8; ++m) {
      for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t j = 0; j < m; ++j) {
          bool shares = false;
          for (std::uint32_t id = 0; id < n * m; ++id) shares |= id % n == i && id % m == j;
          EXPECT_EQ(share_a_task({i, n}, {j, m}), shares) << i << "/" << n << " " << j << "/" << m;
        }
      }
    }
  }
}

}  // namespace
}  // namespace nandi::sim
