#include "nandi/checker/lease_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nandi/sim/scenario.h"

namespace nandi::checker {
namespace {

bool is_whole(std::int64_t interval, Int128 numerator, Int128 denominator) {
  return Int128{interval} * numerator % denominator == 0;
}

bool lies_on_ticks(std::int64_t interval, Fraction gap, Slots slots, std::uint32_t workers) {
  const std::int64_t p = gap.numerator();
  const std::int64_t q = gap.denominator();
  if (!is_whole(interval, p, q)) return false;
  if (slots == Slots::free) return true;
  for (std::uint32_t m = 1; m <= workers; ++m) {
    // Slots differ by (1 - 2g) / m; the first is half of that behind the gap.
    if (!is_whole(interval, q - 2 * p, Int128{2} * m * q)) return false;
  }
  return true;
}

std::string describe_rules(const sim::AblatedRules& rules) {
  std::string text;
  if (rules.agreement < 2) text += ", agreement of one interval";
  if (rules.index_from == sim::IndexFrom::open) text += ", index of the open interval";
  if (rules.deadline_from == sim::DeadlineFrom::reply) text += ", deadline from the reply";
  if (!rules.does_expire) text += ", no expiry";
  if (!rules.spread) text += ", no spread";
  if (rules.extra_margin != Duration(0)) {
    text += fmt::format(", margin {:+} ticks", rules.extra_margin.count());
  }
  return text;
}

std::string describe_faults(const LeaseCheck& check) {
  std::string text;
  const auto add = [&](std::uint8_t budget, std::string_view name) {
    if (budget != 0) text += fmt::format(", at most {} x {}", budget, name);
  };
  add(check.faults.flush_all, "flush-all");
  add(check.faults.erase_open, "erase-open-counter");
  add(check.faults.erase_closed, "erase-closed-counter");
  add(check.faults.refuse, "refusal");
  add(check.faults.lose, "lost request");
  add(check.faults.fork, "fork");
  if (check.faults.lost_writes != 0) {
    text += fmt::format(", at most {} x failover that loses up to {} registrations",
                        check.faults.lost_writes, check.writes_lost);
  }
  if (check.faults.store_step != 0) {
    text += fmt::format(", at most {} x store clock by -{} to +{} ticks", check.faults.store_step,
                        check.step_back, check.step_forward);
  }
  return text;
}

/// lease_reduction.h says why.
std::optional<std::string> find_reduction_error(const LeaseCheck& check) {
  if (!check.reduction) return std::nullopt;
  const auto refuse = [](std::string_view what) {
    return fmt::format("reduction: cannot be combined with {}; leave it out", what);
  };
  if (check.checks("never-stands-down")) return refuse("never-stands-down");
  if (!check.liveness.empty()) return refuse("liveness");
  if (check.pauses_stop_clocks) return refuse("stopped_clocks");
  if (check.faults.lost_writes != 0) return refuse("the fault `failover`");
  if (check.faults.fork != 0) return refuse("the fault `fork`");
  if (check.faults.store_step != 0) return refuse("the fault `clock_step`");
  for (const CheckedMember& member : check.members) {
    if (member.interval_from_worker_clock) return refuse("intervals by the workers' clocks");
  }
  return std::nullopt;
}

}  // namespace

std::int64_t next_whole_interval(std::int64_t at_least, Fraction gap, Slots slots,
                                 std::uint32_t workers) {
  std::int64_t interval = at_least < 1 ? 1 : at_least;
  while (!lies_on_ticks(interval, gap, slots, workers)) ++interval;
  return interval;
}

std::optional<std::string> find_error(const LeaseCheck& check) {
  for (const std::string& name : check.properties) {
    const auto& known = sim::check_property_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return fmt::format("properties: the checker does not know `{}`; it checks {}", name,
                         fmt::join(known, ", "));
    }
  }
  const std::size_t workers = check.members.size();
  if (workers < 1 || workers > kMaxCheckedWorkers) {
    return fmt::format("workers: {} is not between 1 and {}", workers, kMaxCheckedWorkers);
  }
  for (const CheckedMember& member : check.members) {
    const LeaseTiming& timing = member.timing;
    const std::int64_t interval = timing.interval.count();
    if (interval < 2 || interval > 1000) {
      return fmt::format("ticks: an interval of {} is not between 2 and 1000", interval);
    }
    if (interval != check.members.front().timing.interval.count()) {
      return "ticks: all members must have the same one (their counters are told apart by it)";
    }
    if (timing.gap <= Fraction(0, 1) || timing.gap >= Fraction(1, 2)) {
      return fmt::format("gap: {} is not between 0 and 1/2", to_string(timing.gap));
    }
    if (timing.resolution != Duration(1)) return "resolution: must be one tick";
    if (timing.attempt_timeout < Duration(1)) return "attempt_timeout: must be at least one tick";
    const auto members = static_cast<std::uint32_t>(workers);
    if (!lies_on_ticks(interval, timing.gap, check.slots, members)) {
      return fmt::format("ticks: with {}, gap {}{} not lie on whole ticks; give {}", interval,
                         to_string(timing.gap),
                         check.slots == Slots::engine
                             ? fmt::format(" or a slot of up to {} members does", members)
                             : std::string(" does"),
                         next_whole_interval(interval, timing.gap, check.slots, members));
    }
  }
  if (check.step_back * check.faults.store_step > check.members.front().timing.interval.count()) {
    return "faults.clock_step: all steps back together must not be more than an interval";
  }
  const bool counts_by_own_clock =
      std::any_of(check.members.begin(), check.members.end(),
                  [](const CheckedMember& member) { return member.interval_from_worker_clock; });
  if (counts_by_own_clock &&
      (check.drift != 0 || check.faults.store_step != 0 || check.pauses_stop_clocks)) {
    return fmt::format(
        "{}: where workers count intervals by their own clocks, those are kept at their offset "
        "from the store's; leave it out, or give `rules.interval_clock: store`",
        check.drift != 0               ? "drift"
        : check.faults.store_step != 0 ? "faults.clock_step"
                                       : "stopped_clocks");
  }
  const bool alike =
      std::all_of(check.members.begin(), check.members.end(),
                  [&](const CheckedMember& member) { return member == check.members.front(); });
  if (check.symmetry && !alike) return "symmetry: all members must be alike for it";
  if (const auto error = find_reduction_error(check)) return error;
  if (check.symmetry && !check.liveness.empty()) {
    return "symmetry: states that differ in who is who are no loop; leave it out where `liveness` "
           "is "
           "checked";
  }
  if (check.faults.fork != 0 && !alike) {
    return "faults.fork: a copy has its original's settings, so all members must be alike";
  }
  if (check.registrations < 1 || check.registrations > 15) {
    return fmt::format("registrations: {} is not between 1 and 15", check.registrations);
  }
  if (check.joins < 1) return "joins: must be at least 1, or nothing can start";
  return std::nullopt;
}

std::string describe_bounds(const LeaseCheck& check) {
  const LeaseTiming& timing = check.members.front().timing;
  const auto delay = [](std::optional<std::int64_t> bound) {
    return bound ? fmt::format("at most {} ticks", *bound) : std::string("unbounded");
  };
  const auto number = [](std::uint8_t count, std::string_view what) {
    return count == 0 ? fmt::format("no {}", what) : fmt::format("at most {} {}", count, what);
  };
  return fmt::format(
      "{} worker{}, interval {} ticks, gap {}, slots {}; request delay {}, reply delay {}; {} "
      "stalled at once{}, {} a worker under way, at most {} joins a worker {}, {}, at most {} "
      "registrations an interval; drift {} ticks a lease{}{}{}{}{}{}",
      check.members.size(), check.members.size() == 1 ? "" : "s", timing.interval.count(),
      to_string(timing.gap), check.slots == Slots::free ? "free in the band" : "of the engine",
      delay(check.request_delay), delay(check.reply_delay), number(check.pauses, "workers"),
      check.pauses_stop_clocks ? " with their clocks" : "",
      number(check.abandoned, "abandoned requests"), check.joins,
      check.joins_in_all ? "in all" : "an interval", check.crashes ? "crashes" : "no crashes",
      check.registrations, check.drift, check.refusals ? ", refusals" : "",
      check.symmetry ? "; workers interchangeable" : "",
      check.reduction ? "; commuting steps in one order" : "",
      check.open_ends ? "; leases not held in their last tick" : "",
      describe_rules(check.members.front().rules), describe_faults(check));
}

std::string describe_assumptions(const LeaseCheck& check) {
  std::vector<std::string> granted;
  const FaultBudgets& faults = check.faults;
  if (faults.flush_all == 0 && faults.erase_open == 0 && faults.erase_closed == 0 &&
      faults.lost_writes == 0) {
    granted.emplace_back("no counter repeats a value within its interval");
  }
  if (faults.store_step == 0) granted.emplace_back("the store's clock never steps");
  granted.push_back(check.drift == 0
                        ? std::string("all clocks run at one rate")
                        : fmt::format("clocks deviate by at most {} ticks a lease", check.drift));
  granted.emplace_back("every member has the interval, gap and rules given here");
  if (!check.pauses_stop_clocks) granted.emplace_back("clocks run on while their workers stall");
  if (faults.fork == 0) granted.emplace_back("no worker's memory is duplicated");
  return fmt::format("{}", fmt::join(granted, "; "));
}

bool LeaseCheck::checks_liveness(std::string_view property) const {
  return std::find(liveness.begin(), liveness.end(), property) != liveness.end();
}

bool LeaseCheck::checks(std::string_view property) const {
  if (properties.empty()) return settled || property != "never-stands-down";
  return std::find(properties.begin(), properties.end(), property) != properties.end();
}

}  // namespace nandi::checker
