// The edges of margin, gap and reply delay once more, by exhaustion: the explicit-state checker,
// which knows nothing of the formulas, finds no violation at the edge and one a tick past it.
#include <gtest/gtest.h>

#include <cstdint>

#include "nandi/checker/run_lease_check.h"
#include "nandi/engine/bounds.h"

namespace nandi::checker {
namespace {

using sim::Verdict;

LeaseCheck check_of(std::size_t workers, std::int64_t interval, Fraction gap, Slots slots) {
  CheckedMember member;
  member.timing.interval = Duration(interval);
  member.timing.gap = gap;
  member.timing.attempt_timeout = Duration(interval);
  member.timing.resolution = Duration(1);
  LeaseCheck check;
  check.members.assign(workers, member);
  check.slots = slots;
  check.pauses = 0;
  check.registrations = 3;
  check.request_delay = 0;
  check.joins_in_all = true;
  check.crashes = false;
  return check;
}

LeaseCheck with_margin(LeaseCheck check, Duration margin) {
  for (CheckedMember& member : check.members) {
    member.rules.extra_margin = margin - gap_margin(member.timing);
  }
  return check;
}

Verdict verdict_of(const LeaseCheck& check) {
  const auto error = find_error(check);
  EXPECT_FALSE(error) << error.value_or("");
  if (error) return Verdict::unknown;
  const LeaseCheckResult result = run_lease_check(check);
  EXPECT_NE(result.summary.verdict, Verdict::unknown)
      << result.bounds << ": " << result.summary.evidence;
  if (result.summary.verdict == Verdict::violated) {
    EXPECT_NE(result.summary.evidence.find("lease-exclusive"), std::string::npos)
        << result.summary.evidence;
  }
  return result.summary.verdict;
}

/// Ticks of a fraction of the interval: exact, or the test's numbers are wrong.
Duration in_ticks(Fraction fraction, std::int64_t interval) {
  const Duration ticks = multiply_floor(Duration(interval), fraction);
  EXPECT_EQ(ticks, multiply_ceil(Duration(interval), fraction));
  return ticks;
}

// Slots anywhere in the band stand for groups of any size: the formula without n. Replies may take
// any time here and below: a deadline counted from the request does not care.
TEST(ProofTicks, MarginHoldsAtTwiceTheGapAndIsViolatedOneTickPast) {
  const Fraction gap(1, 4);
  const LeaseCheck check = check_of(2, 4, gap, Slots::free);
  const Duration edge = in_ticks(largest_margin(whole_band(gap)), 4);
  EXPECT_EQ(edge, Duration(2));
  EXPECT_EQ(verdict_of(with_margin(check, edge)), Verdict::holds);
  EXPECT_EQ(verdict_of(with_margin(check, edge + Duration(1))), Verdict::violated);
}

// Where the engine puts two members' slots. A request may take as long as from the one slot to the
// other: that is how neighbours swap, which the violation needs.
TEST(ProofTicks, MarginEdgeOfTwoMembersIsOnTheirSlots) {
  const Fraction gap(1, 6);
  LeaseCheck check = check_of(2, 6, gap, Slots::engine);
  check.request_delay = 2;
  check.registrations = 2;  // the formula is that of two members: no ghost makes them three
  const Duration edge = in_ticks(largest_margin(slot_band(gap, 2)), 6);
  EXPECT_EQ(edge, Duration(4));
  EXPECT_EQ(edge, largest_margin_in_units(check.members.front().timing, 2));
  EXPECT_EQ(verdict_of(with_margin(check, edge)), Verdict::holds);
  EXPECT_EQ(verdict_of(with_margin(check, edge + Duration(1))), Verdict::violated);
}

// The same margin, the gap one tick smaller.
TEST(ProofTicks, GapHoldsAtHalfTheMarginAndIsViolatedOneTickLess) {
  const Duration margin(4);
  EXPECT_EQ(in_ticks(largest_margin(whole_band(Fraction(2, 6))), 6), margin);
  EXPECT_EQ(verdict_of(with_margin(check_of(2, 6, Fraction(2, 6), Slots::free), margin)),
            Verdict::holds);
  EXPECT_EQ(verdict_of(with_margin(check_of(2, 6, Fraction(1, 6), Slots::free), margin)),
            Verdict::violated);
}

// n-and-i's deadline, counted from the reply, does not allow for the tick's resolution: with a gap
// and a margin of one tick, 2 - 1 - 1 ticks are left to the reply. A third worker keeps the count
// equal while the late one's registration slips into the next interval.
TEST(ProofTicks, ReplyDelayHoldsAtTheEdgeAndIsViolatedOneTickPast) {
  const Fraction gap(1, 4);
  LeaseCheck check = check_of(3, 4, gap, Slots::free);
  check.registrations = 4;
  for (CheckedMember& member : check.members) {
    member.rules.deadline_from = sim::DeadlineFrom::reply;
  }
  const Duration resolution = check.members.front().timing.resolution;
  const Duration edge = in_ticks(largest_reply_delay(whole_band(gap), gap), 4) - resolution;
  EXPECT_EQ(edge, Duration(0));
  check.reply_delay = edge.count();
  EXPECT_EQ(verdict_of(check), Verdict::holds);
  check.reply_delay = edge.count() + 1;
  EXPECT_EQ(verdict_of(check), Verdict::violated);
}

}  // namespace
}  // namespace nandi::checker
