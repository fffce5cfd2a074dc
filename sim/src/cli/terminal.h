// How text is laid out for a terminal: colours and columns.
#pragma once

#include <string>
#include <string_view>

#include "nandi/sim/quantity_text.h"
#include "nandi/sim/verdict.h"

namespace nandi::sim::cli {

/// The verdict's name, coloured where colours are wanted.
std::string verdict_text(Verdict verdict, bool use_colour);

std::string padded(std::string_view text, std::size_t width);
std::string padded_left(std::string_view text, std::size_t width);

}  // namespace nandi::sim::cli
