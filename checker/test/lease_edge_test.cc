// The edge of the stand-down margin, to the tick: violated at the edge, holds one tick below, where
// engine/bounds.h predicts it from the proof.
//
// Five ticks with gap 2: slots are ticks 2 and 3, so a lease that ends a margin M past a slot at 3
// reaches 3 + M, and the next but one interval grants from 5 + 2 on. In real time leases may touch,
// so M = 4 is exclusive and more is not; a lease whose end is counted from the reply is longer by
// the reply's delay, and by the tick of resolution that such an end does not allow for.
#include <gtest/gtest.h>

#include "lease_checks.h"
#include "nandi/checker/run_lease_check.h"

namespace nandi::checker {
namespace {

/// Checks with the margin, in ticks, and the deadline rule.
sim::Verdict verdict(LeaseCheck check, std::int64_t margin, sim::DeadlineFrom deadline) {
  for (CheckedMember& member : check.members) {
    member.rules.extra_margin = Duration(margin) - gap_margin(member.timing);
    member.rules.deadline_from = deadline;
  }
  check.properties = {"lease-exclusive"};
  check.symmetry = true;
  EXPECT_EQ(find_error(check).value_or("none"), "none");
  return run_lease_check(check).summary.verdict;
}

LeaseCheck two_workers(std::int64_t timeout) {
  LeaseCheck check = small_check(2);
  check.joins_in_all = false;
  check.registrations = 3;
  for (CheckedMember& member : check.members) member.timing.attempt_timeout = Duration(timeout);
  return check;
}

TEST(LeaseEdge, from_the_request_the_margin_is_an_interval_less_the_width_of_the_band) {
  EXPECT_EQ(verdict(two_workers(1), 4, sim::DeadlineFrom::send), sim::Verdict::holds);
  EXPECT_EQ(verdict(two_workers(1), 5, sim::DeadlineFrom::send), sim::Verdict::violated);
}

TEST(LeaseEdge, from_the_reply_it_is_less_by_the_replys_delay_and_the_resolution) {
  // An attempt is given up after its timeout, which therefore bounds the delay of its reply.
  EXPECT_EQ(verdict(two_workers(1), 2, sim::DeadlineFrom::reply), sim::Verdict::holds);
  EXPECT_EQ(verdict(two_workers(1), 3, sim::DeadlineFrom::reply), sim::Verdict::violated);
  EXPECT_EQ(verdict(two_workers(2), 1, sim::DeadlineFrom::reply), sim::Verdict::holds);
  EXPECT_EQ(verdict(two_workers(2), 2, sim::DeadlineFrom::reply), sim::Verdict::violated);
}

}  // namespace
}  // namespace nandi::checker
