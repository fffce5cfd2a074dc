// Durations, points in time and shares as people read them, always with their unit.
#pragma once

#include <string>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"
#include "nandi/sim/clock_model.h"

namespace nandi::sim {

/// With a unit that keeps the number short: "340 us", "12.3 ms", "4.56 s".
[[nodiscard]] std::string duration_text(Duration duration);
/// The same as a count of intervals with two digits: "2.46".
[[nodiscard]] std::string intervals_text(Duration duration, Duration interval);
/// "52.345 s".
[[nodiscard]] std::string time_text(TrueTime time);
/// A share in percent with one digit, "91.2 %"; "-" where there is nothing to have a share of.
[[nodiscard]] std::string share_text(Int128 part, Int128 whole);
/// An estimated figure with three digits and never an exponent: "0.0123", "13.5", "2,360", "-0.4";
/// below a millionth of one, "0". Precondition: finite, below 10^15 in size.
[[nodiscard]] std::string estimate_text(double value);

}  // namespace nandi::sim
