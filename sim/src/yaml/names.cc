#include "nandi/sim/yaml/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nandi::sim::yaml {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[to.size()];
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  // A longer word could only be a whole sentence in the wrong place, and costs quadratic time.
  constexpr std::size_t kLongestWord = 64;
  if (name.size() > kLongestWord) return {};
  const std::size_t floor = name.size() >= 4 ? 2 : 1;
  const std::size_t reach = std::max(floor, name.size() / 3);
  std::string best;
  std::size_t best_distance = reach + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string name_advice(std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) return fmt::format("did you mean `{}`?", nearest);
  if (known.empty()) return "remove it: nothing may stand here";
  return fmt::format("known names: {}", fmt::join(known, ", "));
}

}  // namespace nandi::sim::yaml
