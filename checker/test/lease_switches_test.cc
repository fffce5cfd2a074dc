// Symmetry, steps that commute, fingerprints and threads, each alone and all together, leave what a
// check of the lease model says as it is: its verdict, and the states where they must be as many.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lease_checks.h"
#include "nandi/checker/explorer.h"
#include "nandi/checker/lease_model.h"
#include "nandi/checker/run_lease_check.h"

namespace nandi::checker {
namespace {

using sim::Verdict;

struct Setting {
  std::string name;
  Verdict verdict;
  std::function<void(LeaseCheck&)> set;
};

void set_rules(LeaseCheck& check, const std::function<void(sim::AblatedRules&)>& set) {
  for (CheckedMember& member : check.members) set(member.rules);
}

LeaseCheck base_check() {
  LeaseCheck check = small_check(2);
  check.registrations = 2;
  check.request_delay = 1;
  check.reply_delay = 0;
  check.properties = {"lease-exclusive"};
  return check;
}

// The verdicts are those of assumptions.md and of the README: two deletions break a group whose
// messages are in time, a worker that stalls does not.
std::vector<Setting> settings() {
  return {
      {"nothing", Verdict::holds, [](LeaseCheck&) {}},
      {"crashes and ghosts", Verdict::holds,
       [](LeaseCheck& c) {
         c.crashes = true;
         c.abandoned = 1;
       }},
      {"one stall", Verdict::holds,
       [](LeaseCheck& c) {
         c.request_delay = 0;
         c.pauses = 1;
       }},
      {"refusals", Verdict::holds, [](LeaseCheck& c) { c.refusals = true; }},
      {"agreement of one", Verdict::violated,
       [](LeaseCheck& c) { set_rules(c, [](sim::AblatedRules& r) { r.agreement = 1; }); }},
      {"no expiry, crashes and restarts", Verdict::violated,
       [](LeaseCheck& c) {
         c.request_delay.reset();
         c.abandoned = 1;
         c.crashes = true;
         c.joins_in_all = false;
         set_rules(c, [](sim::AblatedRules& r) { r.does_expire = false; });
       }},
      {"a margin past the edge", Verdict::violated,
       [](LeaseCheck& c) {
         c.request_delay.reset();
         c.registrations = 3;
         set_rules(c, [](sim::AblatedRules& r) { r.extra_margin = Duration(3); });
       }},
      {"deleted counters", Verdict::violated,
       [](LeaseCheck& c) {
         c.registrations = 3;
         c.faults.erase_open = 2;
       }},
  };
}

struct Switches {
  bool symmetry;
  bool reduction;
  bool fingerprints;
  std::size_t threads;
};

LeaseCheckResult result_of(LeaseCheck check, const Switches& switches) {
  check.symmetry = switches.symmetry;
  check.reduction = switches.reduction;
  LeaseCheckOptions options;
  options.explore.fingerprints = switches.fingerprints;
  options.explore.threads = switches.threads;
  options.explore.least_shared_states = 1;
  EXPECT_EQ(find_error(check), std::nullopt);
  return run_lease_check(check, options);
}

class LeaseSwitches : public testing::TestWithParam<std::size_t> {
 protected:
  LeaseSwitches() : setting_(settings()[GetParam()]), check_(base_check()) { setting_.set(check_); }
  Setting setting_;
  LeaseCheck check_;
};

TEST_P(LeaseSwitches, leave_the_verdict_as_it_is) {
  SCOPED_TRACE(setting_.name);
  using Pair = std::pair<bool, bool>;
  for (const auto& [symmetry, reduction] : {Pair{false, false}, {true, false}, {true, true}}) {
    const LeaseCheckResult exact = result_of(check_, {symmetry, reduction, false, 1});
    EXPECT_EQ(exact.summary.verdict, setting_.verdict) << exact.summary.evidence;
    for (const bool fingerprints : {false, true}) {
      const LeaseCheckResult other = result_of(check_, {symmetry, reduction, fingerprints, 2});
      EXPECT_EQ(other.summary.verdict, exact.summary.verdict);
      EXPECT_EQ(other.summary.violated, exact.summary.violated);
      EXPECT_EQ(other.summary.counts.states, exact.summary.counts.states);
      EXPECT_EQ(other.summary.counts.transitions, exact.summary.counts.transitions);
      EXPECT_EQ(other.summary.counts.depth, exact.summary.counts.depth);
      EXPECT_EQ(other.path, exact.path);
    }
  }
}

// Interchangeable workers take away no path and make none shorter.
TEST_P(LeaseSwitches, symmetry_leaves_shortest_paths_as_long_as_they_are) {
  const LeaseCheckResult whole = result_of(check_, {false, false, false, 1});
  const LeaseCheckResult symmetric = result_of(check_, {true, false, false, 1});
  EXPECT_EQ(whole.steps, symmetric.steps);
  EXPECT_EQ(whole.summary.counts.depth, symmetric.summary.counts.depth);
}

std::uint64_t classes_of(const LeaseCheck& check) {
  using M = LeaseModel<sim::AblatedRules, 2>;
  LeaseCheck alike = check;
  alike.symmetry = true;
  const M whole(check);
  const M symmetric(alike);
  constexpr std::uint64_t kMost = 4'000'000;
  VisitedSet<0> found(whole.words(), kMost, std::uint64_t{1} << 30U);
  VisitedSet<0> classes(symmetric.words(), kMost, std::uint64_t{1} << 30U);
  std::vector<std::uint64_t> key(whole.words());
  std::vector<std::uint64_t> class_key(symmetric.words());
  const auto take_in = [&](const M::State& state) {
    whole.encode(state, key.data());
    found.insert(key.data(), found.hash(key.data()), kNoState);
  };
  whole.for_each_initial(take_in);
  for (StateIndex next = 0; next < found.size(); ++next) {
    M::State state;
    whole.decode(found.key(next), state);
    symmetric.encode(state, class_key.data());
    classes.insert(class_key.data(), classes.hash(class_key.data()), kNoState);
    whole.for_each_successor(state, [&](const auto&, const M::State& after) { take_in(after); });
  }
  return classes.size();
}

// The states that are explored one by one fall into as many classes as are explored with symmetry.
TEST_P(LeaseSwitches, symmetry_explores_one_state_of_each_class) {
  if (setting_.verdict != Verdict::holds) return;  // what is violated is not explored to its end
  SCOPED_TRACE(setting_.name);
  const std::uint64_t states = result_of(check_, {true, false, false, 1}).summary.counts.states;
  EXPECT_EQ(states, classes_of(check_));
  EXPECT_LT(states, result_of(check_, {false, false, false, 1}).summary.counts.states);
}

INSTANTIATE_TEST_SUITE_P(Settings, LeaseSwitches,
                         testing::Range(std::size_t{0}, settings().size()));

}  // namespace
}  // namespace nandi::checker
