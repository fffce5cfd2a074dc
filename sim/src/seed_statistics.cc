#include "nandi/sim/seed_statistics.h"

#include <algorithm>

namespace nandi::sim {
namespace {

void add_worst(Histogram& seeds, const Samples& samples) {
  if (samples.count() == 0) return;
  if (samples.plain.empty()) {
    seeds.add(samples.reordered.most());
  } else if (samples.reordered.empty()) {
    seeds.add(samples.plain.most());
  } else {
    seeds.add(std::max(samples.plain.most(), samples.reordered.most()));
  }
}

}  // namespace

void SeedStatistics::add(const RunStatistics& run) {
  add_worst(readiness, run.readiness);
  add_worst(stand_down, run.stand_down);
  if (!run.settled.empty()) settled.add(run.settled.most());
  if (run.closest.happened()) closest.add(run.closest.distance);
  constexpr std::int64_t kMillion = 1'000'000;
  if (run.present > 0) {
    owned.add(Duration(static_cast<std::int64_t>(run.owned * kMillion / run.present)));
  }
  if (run.recovery_by_fault.size() > recovery.size()) {
    recovery.resize(run.recovery_by_fault.size());
  }
  for (std::size_t f = 0; f < run.recovery_by_fault.size(); ++f) {
    if (!run.recovery_by_fault[f].empty()) recovery[f].add(run.recovery_by_fault[f].most());
  }
}

void SeedStatistics::merge(const SeedStatistics& other) {
  readiness.merge(other.readiness);
  stand_down.merge(other.stand_down);
  settled.merge(other.settled);
  closest.merge(other.closest);
  owned.merge(other.owned);
  if (other.recovery.size() > recovery.size()) recovery.resize(other.recovery.size());
  for (std::size_t f = 0; f < other.recovery.size(); ++f) recovery[f].merge(other.recovery[f]);
}

}  // namespace nandi::sim
