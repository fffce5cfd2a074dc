// From the `check:` section of a scenario to a LeaseCheck.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "nandi/checker/run_lease_check.h"

namespace nandi::checker {
namespace {

std::uint8_t narrow(std::uint32_t value, std::string_view key, std::uint32_t most) {
  if (value > most) {
    throw std::invalid_argument(fmt::format("check.{}: {} is more than {}", key, value, most));
  }
  return static_cast<std::uint8_t>(value);
}

/// `part` of an interval of `ticks`, which has to be whole ticks.
std::int64_t whole_ticks(Fraction part, std::int64_t ticks, std::string_view key) {
  const Int128 product = Int128{ticks} * part.numerator();
  if (product % part.denominator() != 0) {
    throw std::invalid_argument(fmt::format("{}: {} of {} ticks is not a whole number of ticks",
                                            key, to_string(part), ticks));
  }
  return static_cast<std::int64_t>(product / part.denominator());
}

void add_fault(const sim::FaultBudget& fault, std::int64_t ticks, LeaseCheck& check) {
  const std::uint8_t budget = narrow(fault.budget, "faults." + fault.fault, 7);
  if (fault.fault == "flushall") {
    check.faults.flush_all = budget;
  } else if (fault.fault == "del" || fault.fault == "evict") {
    check.faults.erase_open = budget;
    check.faults.erase_closed = budget;
  } else if (fault.fault == "slot_migration") {
    check.faults.erase_open = budget;
  } else if (fault.fault == "refuse") {
    check.faults.refuse = budget;
  } else if (fault.fault == "lose") {
    check.faults.lose = budget;
  } else if (fault.fault == "fork") {
    check.faults.fork = budget;
  } else if (fault.fault == "failover") {
    check.faults.lost_writes = budget;
    check.writes_lost = narrow(fault.at_most.value_or(1), "faults.failover.at_most", 15);
  } else if (fault.fault == "clock_step") {
    check.faults.store_step = budget;
    check.step_forward = fault.at_most ? std::int64_t{*fault.at_most} : 3 * ticks;
    // The store has forgotten older counters, and what it still knows of them is not modelled.
    check.step_back = std::min(check.step_forward, ticks / std::max<std::int64_t>(1, budget));
  } else {
    throw std::invalid_argument(
        fmt::format("check.faults: the checker has no fault `{}`; it has flushall, del, evict, "
                    "slot_migration, failover, refuse, lose, fork and clock_step; delays and "
                    "pauses of any length are "
                    "part of a check that does not bound them",
                    fault.fault));
  }
}

CheckedMember member_of(const sim::Scenario& scenario, const sim::WorkerSet* set) {
  const sim::CheckSettings& settings = *scenario.check;
  const std::int64_t ticks = settings.ticks;
  CheckedMember member;
  member.timing.interval = Duration(ticks);
  member.timing.gap = settings.gap.value_or(scenario.group.gap);
  if (set != nullptr && set->gap) member.timing.gap = *set->gap;
  member.timing.attempt_timeout =
      Duration(settings.attempt_timeout ? std::int64_t{*settings.attempt_timeout}
                                        : std::max<std::int64_t>(1, ticks / 8));
  member.timing.resolution = Duration(settings.resolution);
  member.timing.drift = Fraction(0, 1);
  const sim::RuleSettings& rules = scenario.rules;
  member.rules.agreement = static_cast<std::uint8_t>(rules.agreement);
  member.rules.does_expire = rules.expiry;
  member.rules.index_from = rules.index_from;
  member.rules.deadline_from = rules.deadline_from;
  if (set != nullptr && set->deadline_from) member.rules.deadline_from = *set->deadline_from;
  member.rules.spread = rules.spread;
  member.rules.extra_margin = Duration(whole_ticks(rules.margin, ticks, "rules.margin"));
  member.interval_from_worker_clock = rules.interval_clock == sim::IntervalClock::worker;
  if (set != nullptr && set->clock) {
    // Scenario durations are nanoseconds of the group's interval.
    const std::int64_t offset = set->clock->offset.count();
    const std::int64_t interval = scenario.group.interval.count();
    if (Int128{offset} * ticks % interval != 0) {
      throw std::invalid_argument("workers.clock.offset: not a whole number of ticks");
    }
    member.clock_offset = static_cast<std::int64_t>(Int128{offset} * ticks / interval);
  }
  return member;
}

void add_members(const sim::Scenario& scenario, LeaseCheck& check) {
  for (const sim::WorkerSet& set : scenario.workers) {
    for (std::uint32_t i = 0; i < set.count && check.members.size() < scenario.check->workers;
         ++i) {
      check.members.push_back(member_of(scenario, &set));
    }
  }
  while (check.members.size() < scenario.check->workers) {
    check.members.push_back(member_of(scenario, nullptr));
  }
}

/// Of the properties that the file names, those of checks; the others are for simulations.
void choose_properties(const sim::CheckSettings& settings, const std::vector<std::string>& named,
                       LeaseCheck& check) {
  const std::vector<std::string>& known = sim::check_property_names();
  for (const std::string& name : named) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      check.properties.push_back(name);
    }
  }
  check.liveness = settings.liveness;
  for (const std::string& name : sim::liveness_property_names()) {
    const bool is_named = std::find(named.begin(), named.end(), name) != named.end();
    if (is_named && !check.checks_liveness(name)) check.liveness.push_back(name);
  }
  if (check.properties.empty() && check.liveness.empty() && !named.empty()) {
    throw std::invalid_argument(fmt::format(
        "expect.properties: a check looks at none of them; it knows {}", fmt::join(known, ", ")));
  }
  constexpr std::string_view kSettled = "never-stands-down";
  if (check.settled && !check.checks(kSettled)) check.properties.emplace_back(kSettled);
  check.settled = check.checks(kSettled);
}

}  // namespace

LeaseCheck lease_check_of(const sim::Scenario& scenario) {
  if (!scenario.check) {
    throw std::invalid_argument(
        "no `check` section: give one, for example `check: {workers: 2, ticks: 8}`");
  }
  const sim::CheckSettings& settings = *scenario.check;
  if (settings.crashes != 0 && settings.crashes != settings.joins) {
    throw std::invalid_argument(fmt::format(
        "check.crashes: {} with {} joins; a worker crashes as often as it starts: give 0 or {}",
        settings.crashes, settings.joins, settings.joins));
  }
  LeaseCheck check;
  add_members(scenario, check);
  check.slots = settings.slots == sim::SlotChoice::free ? Slots::free : Slots::engine;
  check.abandoned = narrow(settings.abandoned, "abandoned", 15);
  check.joins_in_all = settings.joins == 0;
  check.joins = check.joins_in_all ? std::uint8_t{1} : narrow(settings.joins, "joins", 15);
  check.crashes = settings.crashes > 0;
  check.pauses = narrow(settings.pauses, "pauses", kMaxCheckedWorkers);
  check.pauses_stop_clocks = settings.stopped_clocks;
  check.registrations = narrow(settings.registrations, "registrations", 15);
  check.refusals = settings.refusals;
  check.symmetry = settings.symmetry;
  check.reduction = settings.reduction;
  check.settled = settings.settled;
  choose_properties(settings, scenario.expect.properties, check);
  check.drift = narrow(settings.drift, "drift", 15);
  if (settings.request_delay) check.request_delay = *settings.request_delay;
  if (settings.reply_delay) check.reply_delay = *settings.reply_delay;
  for (const sim::FaultBudget& fault : settings.faults) {
    add_fault(fault, settings.ticks, check);
  }
  if (const auto error = find_error(check)) throw std::invalid_argument("check." + *error);
  return check;
}

}  // namespace nandi::checker
