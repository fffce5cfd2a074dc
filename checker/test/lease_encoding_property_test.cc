// Whatever a check leaves open, a state goes on as its packed form does.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "lease_checks.h"
#include "nandi/checker/encoding_audit.h"
#include "nandi/checker/lease_model.h"

namespace nandi::checker {
namespace {

using Knob = std::function<void(LeaseCheck&)>;

template <class T>
T between(int least, int greatest) {
  // Not scaled with rapidcheck's size: the first cases are as varied as the last.
  return static_cast<T>(*rc::gen::resize(100, rc::gen::inRange(least, greatest + 1)));
}

Knob for_members(std::function<void(CheckedMember&)> change) {
  return [change = std::move(change)](LeaseCheck& check) {
    CheckedMember member = check.members.front();
    change(member);
    check.members.assign(check.members.size(), member);
  };
}

/// What a check may leave open, each within bounds of its own.
std::vector<Knob> knobs() {
  const auto budget = [](std::uint8_t FaultBudgets::*fault) {
    return [fault](LeaseCheck& check) { check.faults.*fault = 1; };
  };
  const auto step = [](LeaseCheck& check) {
    check.faults.store_step = 1;
    check.step_forward = between<std::int64_t>(0, 8);  // more than an interval
    check.step_back = between<std::int64_t>(0, 5);     // the most that is allowed
  };
  const auto pauses = [](LeaseCheck& check) { check.pauses = 1; };
  return {
      step,
      step,
      pauses,
      pauses,
      [](LeaseCheck& check) { check.drift = 1; },
      [](LeaseCheck& check) { check.abandoned = 1; },
      [](LeaseCheck& check) { check.settled = true; },
      [](LeaseCheck& check) {
        check.crashes = true;
        check.joins_in_all = false;
      },
      budget(&FaultBudgets::flush_all),
      budget(&FaultBudgets::erase_open),
      budget(&FaultBudgets::erase_closed),
      budget(&FaultBudgets::refuse),
      budget(&FaultBudgets::lose),
      budget(&FaultBudgets::fork),
      for_members([](CheckedMember& member) {
        member.timing.attempt_timeout = Duration(between<int>(2, 3));
      }),
      for_members(
          [](CheckedMember& member) { member.rules.extra_margin = Duration(between<int>(1, 4)); }),
      for_members(
          [](CheckedMember& member) { member.rules.deadline_from = sim::DeadlineFrom::reply; }),
      for_members([](CheckedMember& member) { member.rules.does_expire = false; }),
      for_members([](CheckedMember& member) {
        member.interval_from_worker_clock = true;
        member.clock_offset = between<std::int64_t>(-4, 4);
      }),
  };
}

/// Few things left open at a time, so that much of the graph is within reach.
LeaseCheck chosen_check(std::size_t workers, int open) {
  LeaseCheck check = small_check(workers);
  check.registrations = between<std::uint8_t>(2, 4);
  check.request_delay = between<std::int64_t>(0, 1);
  if (between<int>(0, 1) == 0) check.reply_delay = between<std::int64_t>(0, 2);
  const std::vector<Knob> all = knobs();
  for (int i = 0; i < open; ++i) {
    all[between<std::size_t>(0, static_cast<int>(all.size()) - 1)](check);
  }
  return check;
}

/// Over the first so many states.
template <std::size_t W>
std::string difference(const LeaseCheck& check, std::uint64_t states) {
  try {
    return audit_encoding(LeaseModel<sim::AblatedRules, W>(check), states).value_or("none");
  } catch (const std::length_error&) {
    return "none";
  }
}

RC_GTEST_PROP(LeaseEncoding, LeavesOutNothingThatMattersToOneWorkerWhateverIsLeftOpen, ()) {
  const LeaseCheck check = chosen_check(1, 4);
  RC_PRE(!find_error(check));
  RC_ASSERT(difference<1>(check, 10'000) == "none");
}

RC_GTEST_PROP(LeaseEncoding, LeavesOutNothingThatMattersToTwoWorkersWhateverIsLeftOpen, ()) {
  const LeaseCheck check = chosen_check(2, 3);
  RC_PRE(!find_error(check));
  RC_ASSERT(difference<2>(check, 3'000) == "none");
}

}  // namespace
}  // namespace nandi::checker
