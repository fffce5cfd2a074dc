// What is dropped, and how a check is told so.
#include <algorithm>
#include <array>

#include "nandi/checker/assumption_table.h"

namespace nandi::checker {
namespace {

bool del_open(LeaseCheck& check, std::uint8_t budget) {
  check.faults.erase_open = budget;
  return true;
}

bool del_closed(LeaseCheck& check, std::uint8_t budget) {
  check.faults.erase_closed = budget;
  return true;
}

bool lost_writes(LeaseCheck& check, std::uint8_t budget) {
  check.faults.lost_writes = budget;
  return true;
}

bool flush_all(LeaseCheck& check, std::uint8_t budget) {
  check.faults.flush_all = budget;
  return true;
}

bool step_forward(LeaseCheck& check, std::uint8_t budget) {
  check.faults.store_step = 1;
  check.step_forward = std::max<std::int64_t>(check.step_forward, budget);
  return true;
}

bool step_back(LeaseCheck& check, std::uint8_t budget) {
  check.faults.store_step = 1;
  check.step_back = std::max<std::int64_t>(check.step_back, budget);
  return true;
}

bool drift(LeaseCheck& check, std::uint8_t budget) {
  check.drift = budget;
  return true;
}

bool stopped_clock(LeaseCheck& check, std::uint8_t budget) {
  check.pauses = budget;
  check.pauses_stop_clocks = true;
  return true;
}

bool fork(LeaseCheck& check, std::uint8_t budget) {
  check.faults.fork = budget;
  return true;
}

/// The last member's gap differs, by so many ticks.
bool other_gap(LeaseCheck& check, std::uint8_t budget) {
  LeaseTiming& timing = check.members.back().timing;
  const std::int64_t interval = timing.interval.count();
  const std::int64_t ticks = gap_margin(timing).count() - budget;
  if (ticks < 1) return false;
  timing.gap = Fraction(ticks, interval);
  check.symmetry = false;
  return true;
}

bool reply_delay(LeaseCheck& check, std::uint8_t budget) {
  const bool counts_from_reply =
      std::any_of(check.members.begin(), check.members.end(), [](const CheckedMember& member) {
        return member.rules.deadline_from == sim::DeadlineFrom::reply;
      });
  if (!counts_from_reply) return false;
  check.reply_delay = budget;
  // Attempts that wait less long would hide it: what they have given up is discarded.
  for (CheckedMember& member : check.members) {
    member.timing.attempt_timeout = std::max(member.timing.attempt_timeout, Duration(budget + 1));
  }
  return true;
}

bool no_expiry(LeaseCheck& check, std::uint8_t /*budget*/) {
  for (CheckedMember& member : check.members) member.rules.does_expire = false;
  return true;
}

constexpr std::array kDrops = {
    AssumptionDrop{"del_open", "the open interval's counter is deleted, evicted or starts anew",
                   "faults", 2, del_open},
    AssumptionDrop{"del_closed", "the closed interval's counter is deleted or evicted", "faults", 2,
                   del_closed},
    AssumptionDrop{"failover_lost_writes", "a failover forgets the last registration", "faults", 2,
                   lost_writes},
    AssumptionDrop{"flushall", "all counters are gone: FLUSHALL, a restart without data", "faults",
                   2, flush_all},
    AssumptionDrop{"store_clock_step", "the store's clock steps forward once", "ticks", 5,
                   step_forward},
    AssumptionDrop{"store_clock_step_back", "the store's clock steps back once", "ticks", 5,
                   step_back},
    AssumptionDrop{"worker_clock_drift", "clocks deviate between one reply and the next", "ticks",
                   2, drift},
    AssumptionDrop{"suspend_clock_stops", "machines stall, and their clocks stand still meanwhile",
                   "workers", 1, stopped_clock},
    AssumptionDrop{"fork", "a worker is duplicated with its memory", "faults", 1, fork},
    AssumptionDrop{"other_gap", "one member has a smaller gap", "ticks", 1, other_gap},
    AssumptionDrop{"reply_delay", "replies take longer than leases counted from them allow for",
                   "ticks", 5, reply_delay},
    AssumptionDrop{"no_expiry", "workers do not act on the end of their leases", "always", 1,
                   no_expiry},
};

}  // namespace

std::span<const AssumptionDrop> assumption_drops() { return kDrops; }

}  // namespace nandi::checker
