// Small lease checks for tests.
#pragma once

#include <algorithm>
#include <cstdint>

#include "nandi/checker/lease_check.h"

namespace nandi::checker {

/// No pauses, crashes or abandoned requests; each worker starts once, delays are unbounded.
inline LeaseCheck plain_check(std::size_t workers, std::int64_t interval, Fraction gap,
                              Slots slots) {
  CheckedMember member;
  member.timing.interval = Duration(interval);
  member.timing.gap = gap;
  member.timing.attempt_timeout = Duration(std::max<std::int64_t>(1, interval / 8));
  member.timing.resolution = Duration(1);
  LeaseCheck check;
  check.members.assign(workers, member);
  check.slots = slots;
  check.pauses = 0;
  check.abandoned = 0;
  check.joins_in_all = true;
  check.crashes = false;
  return check;
}

/// The smallest setting in which a lease can be renewed.
inline LeaseCheck small_check(std::size_t workers) {
  return plain_check(workers, 5, Fraction(2, 5), Slots::free);
}

}  // namespace nandi::checker
