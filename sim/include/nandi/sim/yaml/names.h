// Suggestions for misspelt names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nandi::sim::yaml {

/// Least number of insertions, deletions, replacements and swaps of two neighbouring letters that
/// turn one word into the other (optimal string alignment).
std::size_t edit_distance(std::string_view from, std::string_view to);

/// The known name nearest to `name`, or empty when none is near enough to be worth naming: at most
/// a third of its letters (at least one, two from four letters on) may differ. The first of equals
/// wins.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// "did you mean `interval`?", or "known names: a, b, c" when nothing is near.
std::string name_advice(std::string_view name, const std::vector<std::string>& known);

}  // namespace nandi::sim::yaml
