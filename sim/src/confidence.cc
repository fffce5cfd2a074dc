#include "nandi/sim/confidence.h"

#include <fmt/format.h>

#include <cassert>
#include <vector>

#include "nandi/sim/quantity_text.h"

namespace nandi::sim {

RankInterval percentile_ranks(std::uint64_t count, std::uint32_t percent) {
  assert(percent > 0 && percent < 100);
  if (count == 0) return {};
  // Binomial weights relative to the mode's, out to where they no longer matter: no factorials, no
  // overflow, and only the four operations that every processor rounds alike.
  constexpr double kNothing = 1e-18;
  constexpr double kOutside = 0.025;
  const double odds = static_cast<double>(percent) / static_cast<double>(100 - percent);
  const std::uint64_t mode = (count + 1) * percent / 100;
  const auto ratio = [&](std::uint64_t k) {  // weight of k + 1 over that of k
    return static_cast<double>(count - k) / static_cast<double>(k + 1) * odds;
  };
  std::vector<double> weights = {1.0};
  std::uint64_t first = mode < count ? mode : count;
  const std::uint64_t centre = first;
  while (first > 0 && weights.back() > kNothing) {
    weights.push_back(weights.back() / ratio(first - 1));
    --first;
  }
  const std::vector<double> downwards(weights.rbegin(), weights.rend());
  weights = downwards;
  for (std::uint64_t k = centre; k < count && weights.back() > kNothing; ++k) {
    weights.push_back(weights.back() * ratio(k));
  }
  double total = 0;
  for (const double weight : weights) total += weight;

  RankInterval ranks;
  // The l-th value is above the percentile where fewer than l lie below: B < l.
  double below = 0;
  for (std::uint64_t l = first; l < first + weights.size(); ++l) {
    if (below > kOutside * total) break;
    if (l > 0) ranks.low = l;
    below += weights[l - first];
  }
  // The u-th value is below the percentile where at least u lie below: B >= u.
  double above = 0;
  for (std::uint64_t u = first + weights.size(); u-- > first;) {
    above += weights[u - first];
    if (above > kOutside * total) break;
    if (u > 0) ranks.high = u;
  }
  return ranks;
}

PercentileInterval percentile_interval(const Histogram& histogram, std::uint32_t percent) {
  PercentileInterval interval{histogram.percentile(percent), std::nullopt, std::nullopt};
  const RankInterval ranks = percentile_ranks(histogram.count(), percent);
  if (ranks.low) interval.low = histogram.at_rank(*ranks.low);
  if (ranks.high) interval.high = histogram.at_rank(*ranks.high);
  return interval;
}

std::string interval_text(const Histogram& seeds, std::uint32_t percent) {
  const PercentileInterval interval = percentile_interval(seeds, percent);
  const auto end = [](const std::optional<Duration>& value) {
    return value ? duration_text(*value) : std::string("open");
  };
  return fmt::format("{} [{}, {}]", duration_text(interval.estimate), end(interval.low),
                     end(interval.high));
}

std::string share_interval_text(const Histogram& seeds, std::uint32_t percent) {
  constexpr Int128 kMillion = 1'000'000;
  const PercentileInterval interval = percentile_interval(seeds, percent);
  const auto end = [](const std::optional<Duration>& value) {
    return value ? share_text(value->count(), kMillion) : std::string("open");
  };
  return fmt::format("{} [{}, {}]", share_text(interval.estimate.count(), kMillion),
                     end(interval.low), end(interval.high));
}

}  // namespace nandi::sim
