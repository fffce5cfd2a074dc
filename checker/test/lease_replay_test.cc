// What the checker finds in its model happens again in the simulator: every counterexample, as the
// scenario that --save writes, violates the same property there.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "lease_checks.h"
#include "nandi/checker/run_lease_check.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/simulator.h"

namespace nandi::checker {
namespace {

/// The scenario as --save writes it, read again.
sim::Scenario written_and_read(const sim::Scenario& scenario) {
  std::ostringstream text;
  sim::write_scenario(scenario, text);
  return sim::read_scenario(sim::yaml::Document::parse(text.str(), "saved.yaml"));
}

bool violates(const sim::RunResult& run, std::string_view property) {
  const auto infos = sim::property_infos();
  for (std::size_t p = 0; p < infos.size(); ++p) {
    if (infos[p].name == property) return run.properties[p].violated > 0;
  }
  ADD_FAILURE() << "the simulator has no property " << property;
  return false;
}

void replays(LeaseCheck check, const std::string& property = "lease-exclusive") {
  check.properties = {property};
  SCOPED_TRACE(describe_bounds(check));
  ASSERT_EQ(find_error(check).value_or("none"), "none");
  const LeaseCheckResult result = run_lease_check(check);
  ASSERT_EQ(result.summary.verdict, sim::Verdict::violated) << result.summary.evidence;
  EXPECT_LE(result.story.size(), 12U) << to_text(result.story);
  const ReplayableScenario found =
      replayable_scenario(check, "replay", result.summary.violated, result.schedules);
  EXPECT_TRUE(found.is_confirmed);
  const sim::Scenario scenario = written_and_read(found.scenario);
  const sim::RunResult run = sim::Simulator(scenario).run(1);
  EXPECT_TRUE(violates(run, property)) << to_text(result.story) << result.path;
}

LeaseCheck two_workers() {
  LeaseCheck check = small_check(2);
  check.joins_in_all = false;
  check.registrations = 3;
  return check;
}

template <class Change>
LeaseCheck broken(LeaseCheck check, const Change& change) {
  for (CheckedMember& member : check.members) change(member);
  return check;
}

TEST(LeaseReplay, agreement_of_one) {
  replays(broken(two_workers(), [](CheckedMember& m) { m.rules.agreement = 1; }));
}

TEST(LeaseReplay, index_of_the_open_interval) {
  replays(broken(two_workers(), [](CheckedMember& m) {
    m.rules.agreement = 1;
    m.rules.index_from = sim::IndexFrom::open;
  }));
}

TEST(LeaseReplay, no_expiry_with_a_worker_in_the_place_of_one_that_crashed) {
  LeaseCheck check = broken(two_workers(), [](CheckedMember& m) { m.rules.does_expire = false; });
  check.crashes = true;
  replays(check);
}

TEST(LeaseReplay, deadline_from_the_reply) {
  replays(broken(two_workers(), [](CheckedMember& m) {
    m.rules.deadline_from = sim::DeadlineFrom::reply;
    m.timing.attempt_timeout = Duration(2);
  }));
}

TEST(LeaseReplay, leases_that_share_a_tick_overlap_in_finer_time) {
  replays(broken(two_workers(), [](CheckedMember& m) { m.rules.extra_margin = Duration(3); }));
}

TEST(LeaseReplay, duplicated_memory) {
  LeaseCheck check = two_workers();
  check.faults.fork = 1;
  replays(check);
}

TEST(LeaseReplay, deleted_counters) {
  LeaseCheck check = two_workers();
  check.faults.flush_all = 1;
  replays(check);
}

TEST(LeaseReplay, members_whose_settings_differ) {
  LeaseCheck check = broken(two_workers(), [](CheckedMember& m) { m.rules.agreement = 1; });
  check.members.back().rules.deadline_from = sim::DeadlineFrom::reply;
  replays(check);
}

// Gap 1 of 16 ticks: the retry 2 ticks after the one that was refused comes after the end.
TEST(LeaseReplay, a_lease_lost_to_one_refusal) {
  LeaseCheck check = plain_check(1, 16, Fraction(1, 16), Slots::engine);
  check.settled = true;
  check.request_delay = 0;
  check.reply_delay = 0;
  check.faults.refuse = 1;
  replays(check, "never-stands-down");
}

}  // namespace
}  // namespace nandi::checker
