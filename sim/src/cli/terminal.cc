#include "terminal.h"

#include <fmt/format.h>

namespace nandi::sim::cli {

std::string verdict_text(Verdict verdict, bool use_colour) {
  const std::string name(verdict_name(verdict));
  if (!use_colour) return name;
  const int colour = verdict == Verdict::holds ? 32 : verdict == Verdict::violated ? 31 : 33;
  return fmt::format("\x1b[1;{}m{}\x1b[0m", colour, name);
}

std::string padded(std::string_view text, std::size_t width) {
  return fmt::format("{:<{}}", text, width);
}

std::string padded_left(std::string_view text, std::size_t width) {
  return fmt::format("{:>{}}", text, width);
}

}  // namespace nandi::sim::cli
