// The reduction of the lease model leaves out nothing that matters: whatever is held at once in
// the whole model is held at once in the reduced one, possibly with more beside it; and verdicts
// are the same.
#include "nandi/checker/lease_reduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lease_checks.h"
#include "nandi/checker/explorer.h"
#include "nandi/checker/lease_model.h"

namespace nandi::checker {
namespace {

using testing::HasSubstr;

using Holds = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Reached {
  std::uint64_t states = 0;
  std::set<Holds> holds;
};

template <class M>
Reached reach(const M& model) {
  constexpr std::uint64_t kMost = 2'000'000;
  VisitedSet<0> found(model.words(), kMost, std::uint64_t{2} << 30U);
  std::vector<std::uint64_t> key(model.words());
  Reached reached;
  std::set<std::uint64_t> seen;
  const auto take_in = [&](const typename M::State& state, StateIndex from) {
    model.encode(state, key.data());
    if (found.insert(key.data(), found.hash(key.data()), from).outcome != InsertOutcome::added) {
      return;
    }
    Holds holds;
    std::uint64_t as_number = 0;  // indices and counts are below 16
    for (sim::WorkerId id = 0; id < model.check().members.size(); ++id) {
      const auto pair = model.held(state, id);
      if (pair) holds.emplace_back(pair->index, pair->count);
      as_number = as_number << 9U | (pair ? 256U | pair->index << 4U | pair->count : 0U);
    }
    if (!seen.insert(as_number).second) return;
    std::sort(holds.begin(), holds.end());
    reached.holds.insert(holds);
  };
  model.for_each_initial([&](const auto& state) { take_in(state, kNoState); });
  for (StateIndex next = 0; next < found.size(); ++next) {
    typename M::State state;
    model.decode(found.key(next), state);
    model.for_each_successor(state, [&](const auto&, const auto& after) { take_in(after, next); });
  }
  reached.states = found.size();
  EXPECT_LT(reached.states, kMost);
  return reached;
}

bool is_covered(const Holds& holds, const std::set<Holds>& by) {
  return std::any_of(by.begin(), by.end(), [&](const Holds& other) {
    return std::includes(other.begin(), other.end(), holds.begin(), holds.end());
  });
}

bool covers(const Reached& reduced, const Reached& whole) {
  return std::all_of(whole.holds.begin(), whole.holds.end(),
                     [&](const Holds& holds) { return is_covered(holds, reduced.holds); });
}

template <std::size_t W>
void expect_covered(LeaseCheck check, const std::string& what) {
  SCOPED_TRACE(what + ": " + describe_bounds(check));
  ASSERT_EQ(find_error(check), std::nullopt);
  using M = LeaseModel<sim::AblatedRules, W>;
  const M whole(check);
  check.reduction = true;
  ASSERT_EQ(find_error(check), std::nullopt);
  const M reduced(check);
  const Reached all = reach(whole);
  const Reached some = reach(reduced);
  EXPECT_TRUE(covers(some, all));
  EXPECT_LE(some.states, all.states);
  ::testing::Test::RecordProperty("states of " + what,
                                  fmt::format("{} of {}", some.states, all.states));
  const auto verdict_of = [](const M& model) { return explore_breadth_first(model).summary; };
  const Summary one = verdict_of(whole);
  const Summary other = verdict_of(reduced);
  EXPECT_EQ(one.verdict, other.verdict);
  EXPECT_EQ(one.violated.empty(), other.violated.empty());
  EXPECT_EQ(one.vacuous, other.vacuous);
}

struct Setting {
  std::string name;
  std::function<void(LeaseCheck&)> set;
};

void set_rules(LeaseCheck& check, const std::function<void(sim::AblatedRules&)>& set) {
  for (CheckedMember& member : check.members) set(member.rules);
}

// Two registrations an interval and short delays keep each of them small; what else they leave open
// differs.
LeaseCheck base_check(std::size_t workers) {
  LeaseCheck check = small_check(workers);
  check.registrations = 2;
  check.request_delay = 1;
  check.reply_delay = 0;
  return check;
}

std::vector<Setting> settings() {
  return {
      {"nothing", [](LeaseCheck&) {}},
      {"requests of any delay", [](LeaseCheck& c) { c.request_delay.reset(); }},
      {"crashes", [](LeaseCheck& c) { c.crashes = true; }},
      {"restarts",
       [](LeaseCheck& c) {
         c.request_delay = 0;
         c.crashes = true;
         c.joins_in_all = false;
       }},
      {"ghosts", [](LeaseCheck& c) { c.abandoned = 1; }},
      {"two ghosts", [](LeaseCheck& c) { c.abandoned = 2; }},
      {"one stall",
       [](LeaseCheck& c) {
         c.request_delay = 0;
         c.pauses = 1;
       }},
      {"refusals", [](LeaseCheck& c) { c.refusals = true; }},
      {"drift", [](LeaseCheck& c) { c.drift = 1; }},
      {"a stall and crashes",
       [](LeaseCheck& c) {
         c.request_delay = 0;
         c.pauses = 1;
         c.crashes = true;
       }},
      {"lost requests",
       [](LeaseCheck& c) {
         c.request_delay = 0;
         c.faults.lose = 1;
       }},
      {"deleted counters",
       [](LeaseCheck& c) {
         c.faults.erase_open = 1;
         c.abandoned = 1;
       }},
      {"flushes",
       [](LeaseCheck& c) {
         c.faults.flush_all = 1;
         c.crashes = true;
       }},
      {"agreement of one",
       [](LeaseCheck& c) { set_rules(c, [](sim::AblatedRules& r) { r.agreement = 1; }); }},
      {"no expiry",
       [](LeaseCheck& c) { set_rules(c, [](sim::AblatedRules& r) { r.does_expire = false; }); }},
      {"expiry from the reply",
       [](LeaseCheck& c) {
         set_rules(c, [](sim::AblatedRules& r) { r.deadline_from = sim::DeadlineFrom::reply; });
       }},
      {"a margin too wide",
       [](LeaseCheck& c) {
         set_rules(c, [](sim::AblatedRules& r) { r.extra_margin = Duration(3); });
       }},
      {"leases not held in their last tick", [](LeaseCheck& c) { c.open_ends = true; }},
  };
}

TEST(LeaseReduction, WhatIsHeldAtOnceIsStillHeld) {
  for (const Setting& setting : settings()) {
    LeaseCheck check = base_check(2);
    setting.set(check);
    expect_covered<2>(check, setting.name);
  }
}

TEST(LeaseReduction, WhatIsHeldAtOnceIsStillHeldWithSymmetry) {
  for (const Setting& setting : settings()) {
    LeaseCheck check = base_check(2);
    check.symmetry = true;
    setting.set(check);
    expect_covered<2>(check, setting.name);
  }
}

TEST(LeaseReduction, WhatASingleWorkerHoldsIsStillHeld) {
  LeaseCheck check = base_check(1);
  check.pauses = 1;
  check.abandoned = 1;
  expect_covered<1>(check, "one worker, all may stall");
  check.drift = 1;
  check.crashes = true;
  expect_covered<1>(check, "one worker, all may stall, with drift");
}

TEST(LeaseReduction, WhatThreeWorkersHoldAtOnceIsStillHeld) {
  LeaseCheck check = base_check(3);
  check.request_delay = 0;
  check.reply_delay = 0;
  expect_covered<3>(check, "three workers");
  check.crashes = true;
  expect_covered<3>(check, "three workers that crash");
  check.symmetry = true;
  expect_covered<3>(check, "three workers that crash, with symmetry");
}

TEST(LeaseReduction, ItLeavesOutStates) {
  LeaseCheck check = base_check(2);
  check.crashes = true;
  check.abandoned = 1;
  const std::uint64_t whole = reach(LeaseModel<sim::AblatedRules, 2>(check)).states;
  check.reduction = true;
  EXPECT_LT(reach(LeaseModel<sim::AblatedRules, 2>(check)).states, whole * 9 / 10);
}

/// A reduction that forgets that an end of a lease can be seen: it goes first too.
class EndsFirst : public LeaseModel<sim::AblatedRules, 2> {
 public:
  using LeaseModel::LeaseModel;
  template <class Visit>
  void for_each_successor(const State& from, Visit&& visit) const {
    std::optional<sim::WorkerId> first;
    LeaseModel::for_each_successor(from, [&](const Action& action, const State&) {
      const bool ends = action.step == LeaseStep::expire || action.step == LeaseStep::release;
      if (!first && ends) first = action.action.worker;
    });
    LeaseModel::for_each_successor(from, [&](const Action& action, const State& next) {
      if (!first || action.action.worker == *first) visit(action, next);
    });
  }
};

// One tick past the edge of the margin two leases overlap only in their shared last tick.
TEST(LeaseReduction, OneThatLetsEndsGoFirstIsCaught) {
  LeaseCheck check = base_check(2);
  check.request_delay.reset();
  check.registrations = 3;
  check.symmetry = true;
  set_rules(check, [](sim::AblatedRules& rules) { rules.extra_margin = Duration(3); });
  EXPECT_FALSE(covers(reach(EndsFirst(check)), reach(LeaseModel<sim::AblatedRules, 2>(check))));
}

TEST(LeaseReduction, ItsPathsAreNotCalledShortest) {
  LeaseCheck check = base_check(2);
  check.reduction = true;
  set_rules(check, [](sim::AblatedRules& rules) { rules.agreement = 1; });
  ExploreOptions options;
  options.is_reduced = true;
  const auto result = explore_breadth_first(LeaseModel<sim::AblatedRules, 2>(check), options);
  ASSERT_EQ(result.summary.verdict, sim::Verdict::violated);
  EXPECT_THAT(result.summary.evidence, HasSubstr("not minimal"));
}

TEST(LeaseReduction, WhatItCannotBeCombinedWithIsRefused) {
  const auto error_of = [](const std::function<void(LeaseCheck&)>& set) {
    LeaseCheck check = small_check(2);
    check.reduction = true;
    set(check);
    return find_error(check).value_or("");
  };
  EXPECT_EQ(error_of([](LeaseCheck&) {}), "");
  EXPECT_EQ(error_of([](LeaseCheck& c) { c.symmetry = true; }), "");
  EXPECT_THAT(error_of([](LeaseCheck& c) { c.settled = true; }), HasSubstr("never-stands-down"));
  EXPECT_THAT(error_of([](LeaseCheck& c) { c.faults.fork = 1; }), HasSubstr("fork"));
  EXPECT_THAT(error_of([](LeaseCheck& c) { c.faults.store_step = 1; }), HasSubstr("clock_step"));
  EXPECT_THAT(error_of([](LeaseCheck& c) { c.members[1].interval_from_worker_clock = true; }),
              HasSubstr("workers' clocks"));
}

}  // namespace
}  // namespace nandi::checker
