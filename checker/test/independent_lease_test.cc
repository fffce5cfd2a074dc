// The lease model's counts and verdicts against those of independent_lease.py, which was written
// from the protocol's prose and shares nothing with the engine, the world or the model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "independent_model.h"
#include "lease_checks.h"
#include "nandi/checker/run_lease_check.h"

namespace nandi::checker {
namespace {

struct Answer {
  std::string verdict;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;
};

Answer independently(const std::string& settings) {
  Answer answer;
  std::istringstream in = ask_independently(NANDI_INDEPENDENT_LEASE, settings);
  in >> answer.verdict >> answer.states >> answer.transitions >> answer.depth;
  EXPECT_TRUE(in) << settings << ": " << in.str();
  return answer;
}

/// `settings`: those of the script beyond workers, interval, gap and slots.
void agrees(const LeaseCheck& check, const std::string& settings) {
  const LeaseTiming& timing = check.members.front().timing;
  const std::string all = fmt::format(
      "workers={} interval={} gap={}/{} slots={} pauses={} crashes={} joins={} abandoned={} {}",
      check.members.size(), timing.interval.count(), timing.gap.numerator(),
      timing.gap.denominator(), check.slots == Slots::free ? "free" : "engine", check.pauses,
      check.crashes ? 1 : 0, check.joins, check.abandoned, settings);
  SCOPED_TRACE(all);
  ASSERT_EQ(find_error(check).value_or("none"), "none");
  const Answer expected = independently(all);
  const LeaseCheckResult result = run_lease_check(check);
  EXPECT_EQ(sim::verdict_name(result.summary.verdict), expected.verdict);
  if (expected.verdict == "violated") {
    EXPECT_EQ(result.steps, expected.depth);
    return;
  }
  EXPECT_EQ(result.summary.counts.states, expected.states);
  EXPECT_EQ(result.summary.counts.transitions, expected.transitions);
  EXPECT_EQ(result.summary.counts.depth, expected.depth);
}

LeaseCheck one_worker(std::int64_t interval, Fraction gap, Slots slots) {
  LeaseCheck check = plain_check(1, interval, gap, slots);
  check.joins_in_all = false;
  check.crashes = true;
  check.abandoned = 1;
  return check;
}

TEST(IndependentLease, one_worker_has_the_same_graph_in_every_slot_mode_and_gap) {
  agrees(one_worker(5, Fraction(2, 5), Slots::free), "");
  agrees(one_worker(6, Fraction(1, 3), Slots::free), "");
  agrees(one_worker(6, Fraction(1, 3), Slots::engine), "");
  agrees(one_worker(8, Fraction(1, 4), Slots::engine), "");
}

TEST(IndependentLease, one_worker_that_stalls_or_is_refused_has_the_same_graph) {
  LeaseCheck check = one_worker(5, Fraction(2, 5), Slots::free);
  check.refusals = true;
  agrees(check, "refusals=1");
  check.refusals = false;
  check.crashes = false;
  check.abandoned = 0;
  check.pauses = 1;
  agrees(check, "");
}

TEST(IndependentLease, two_workers_have_the_same_graph_also_when_interchangeable) {
  LeaseCheck check = small_check(2);
  check.joins_in_all = false;
  check.registrations = 2;
  check.symmetry = true;
  agrees(check, "registrations=2 symmetry=1");
}

TEST(IndependentLease, broken_rules_are_caught_after_as_many_steps) {
  LeaseCheck check = small_check(2);
  check.joins_in_all = false;
  for (CheckedMember& member : check.members) member.rules.agreement = 1;
  check.registrations = 2;
  agrees(check, "agreement=1 registrations=2");
}

}  // namespace
}  // namespace nandi::checker
