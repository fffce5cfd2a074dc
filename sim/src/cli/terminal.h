// How text is laid out for a terminal: colours, durations, columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"
#include "nandi/sim/clock_model.h"
#include "nandi/sim/verdict.h"

namespace nandi::sim::cli {

/// The verdict's name, coloured where colours are wanted.
std::string verdict_text(Verdict verdict, bool use_colour);

/// With a unit that keeps the number short: "340 us", "12.3 ms", "4.56 s".
std::string duration_text(Duration duration);
/// The same as a count of intervals with two digits: "2.46".
std::string intervals_text(Duration duration, Duration interval);
/// "52.345 s".
std::string time_text(TrueTime time);
/// A share in percent with one digit, "91.2 %"; "-" where there is nothing to have a share of.
std::string share_text(Int128 part, Int128 whole);

std::string padded(std::string_view text, std::size_t width);
std::string padded_left(std::string_view text, std::size_t width);

}  // namespace nandi::sim::cli
