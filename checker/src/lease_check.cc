#include "nandi/checker/lease_check.h"

#include <fmt/format.h>

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
  add(check.faults.fork, "fork");
  if (check.faults.store_step != 0) {
    text += fmt::format(", at most {} x store clock by -{} to +{} ticks", check.faults.store_step,
                        check.step_back, check.step_forward);
  }
  return text;
}

}  // namespace

std::int64_t next_whole_interval(std::int64_t at_least, Fraction gap, Slots slots,
                                 std::uint32_t workers) {
  std::int64_t interval = at_least < 1 ? 1 : at_least;
  while (!lies_on_ticks(interval, gap, slots, workers)) ++interval;
  return interval;
}

std::optional<std::string> find_error(const LeaseCheck& check) {
  const std::size_t workers = check.members.size();
  if (workers < 1 || workers > kMaxCheckedWorkers) {
    return fmt::format("workers: {} is not between 1 and {}", workers, kMaxCheckedWorkers);
  }
  for (const CheckedMember& member : check.members) {
    const LeaseTiming& timing = member.timing;
    const std::int64_t interval = timing.interval.count();
    if (interval < 2 || interval > 1000) {
      return fmt::format("interval: {} ticks is not between 2 and 1000", interval);
    }
    if (interval != check.members.front().timing.interval.count()) {
      return "interval: all members must have the same one (their counters are told apart by it)";
    }
    if (timing.gap <= Fraction(0, 1) || timing.gap >= Fraction(1, 2)) {
      return fmt::format("gap: {} is not between 0 and 1/2", to_string(timing.gap));
    }
    if (timing.resolution != Duration(1)) return "resolution: must be one tick";
    if (timing.attempt_timeout < Duration(1)) return "attempt_timeout: must be at least one tick";
    const auto members = static_cast<std::uint32_t>(workers);
    if (!lies_on_ticks(interval, timing.gap, check.slots, members)) {
      return fmt::format(
          "interval: with {} ticks, gap {}{} not on whole ticks; the next interval that does is {}",
          interval, to_string(timing.gap),
          check.slots == Slots::engine
              ? fmt::format(" or the slots of up to {} members do", members)
              : std::string(" does"),
          next_whole_interval(interval, timing.gap, check.slots, members));
    }
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
  return fmt::format(
      "{} workers, interval {} ticks, gap {}, slots {}, at most {} stalled at once, request delay "
      "{}, reply delay "
      "{}, at most {} abandoned requests a worker under way, at most {} joins a worker {}, {}, at "
      "most {} registrations an interval, drift {} ticks a lease{}{}",
      check.members.size(), timing.interval.count(), to_string(timing.gap),
      check.slots == Slots::free ? "free in the band" : "of the engine", check.pauses,
      delay(check.request_delay), delay(check.reply_delay), check.abandoned, check.joins,
      check.joins_in_all ? "in all" : "an interval", check.crashes ? "crashes" : "no crashes",
      check.registrations, check.drift, describe_rules(check.members.front().rules),
      describe_faults(check));
}

}  // namespace nandi::checker
