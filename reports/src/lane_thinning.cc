#include "lane_thinning.h"

#include <algorithm>
#include <cmath>

namespace nandi::reports {

bool thin(Lane& lane, std::int64_t end, std::size_t most) {
  if (lane.parts.size() <= most || most < 2) return false;
  const std::int64_t least = end / static_cast<std::int64_t>(most / 2);
  std::vector<LanePart> kept;
  LanePart merged;
  std::int64_t longest = -1;
  const auto flush = [&] {
    if (longest >= 0) kept.push_back(merged);
    longest = -1;
  };
  for (LanePart& part : lane.parts) {
    const std::int64_t length = part.to - part.from;
    if (length >= least) {
      flush();
      kept.push_back(std::move(part));
      continue;
    }
    const bool goes_on = longest >= 0 && merged.to == part.from && part.to - merged.from <= least;
    if (!goes_on) {
      flush();
      merged = std::move(part);
      longest = length;
      continue;
    }
    merged.to = part.to;
    if (length <= longest) continue;
    longest = length;
    merged.state = part.state;
    merged.pair = part.pair;
    merged.cause = std::move(part.cause);
  }
  flush();
  lane.parts = std::move(kept);
  return true;
}

std::vector<ShareStep> thinned_shares(const std::map<std::int64_t, double>& changes,
                                      std::int64_t end) {
  constexpr std::int64_t kMost = 3'000;
  const std::int64_t least = changes.size() > kMost ? end / kMost : 0;
  std::vector<ShareStep> steps;
  double share = 0;
  for (const auto& [at, by] : changes) {
    share += by;
    // Sums of 1/n are rounded; what is all but a whole number is that number.
    constexpr double kRounding = 1e-9;
    const double shown =
        std::abs(share - std::round(share)) < kRounding ? std::round(share) : share;
    if (!steps.empty() && at - steps.back().at < least) {
      steps.back().share = std::min(steps.back().share, shown);
    } else {
      steps.push_back({at, shown});
    }
  }
  return steps;
}

}  // namespace nandi::reports
