// What the times of replies tell about the store and the network besides the lease.
#pragma once

#include "nandi/engine/schedule.h"

namespace nandi {

/// Looks at every tick's reading in turn and finds what its owner should know.
class ReplyWatch {
 public:
  struct Findings {
    /// The third reading in a row shows the same time although time has passed between them: such a
    /// store never closes an interval, and no lease is ever granted.
    bool clock_frozen = false;
    /// The round trip takes more than half the gap. A renewal has to fit the last round trip, the
    /// wake-up and the next round trip into the gap, so that the next slower one costs the lease.
    bool round_trip_slow = false;
  };

  /// Each finding is made once when it begins, and again only after it had ended.
  constexpr Findings observe(const LeaseTiming& timing, const ClockReading& reading) {
    Findings findings;
    const bool stood_still =
        seen_ && reading.at == last_.at && reading.sent - last_.received > timing.resolution * 2;
    repeats_ = stood_still ? repeats_ + 1 : 0;
    findings.clock_frozen = repeats_ == kRepeatsUntilFrozen;
    const bool slow = (reading.received - reading.sent) * 2 > gap_margin(timing);
    findings.round_trip_slow = slow && !was_slow_;
    was_slow_ = slow;
    last_ = reading;
    seen_ = true;
    return findings;
  }

 private:
  static constexpr int kRepeatsUntilFrozen = 2;
  ClockReading last_;
  int repeats_ = 0;
  bool seen_ = false;
  bool was_slow_ = false;
};

}  // namespace nandi
