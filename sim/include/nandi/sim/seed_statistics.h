// What a campaign measures over its seeds: one value a seed, so that the values are independent.
//
// Many samples of one run depend on each other; its worst one does not depend on other seeds. So a
// percentile over seeds has a confidence interval that needs no assumption about distributions: the
// order statistics between whose ranks the percentile lies with 95 % (confidence.h).
#pragma once

#include <cstddef>
#include <vector>

#include "nandi/sim/histogram.h"
#include "nandi/sim/run_statistics.h"

namespace nandi::sim {

struct SeedStatistics {
  Histogram readiness;              ///< the worst of a seed, in nanoseconds
  Histogram stand_down;             ///< the same, those with reorders included
  Histogram settled;                ///< from the end of all faults until the group is whole
  Histogram closest;                ///< the closest approach of a seed
  Histogram owned;                  ///< worker-time with a lease, in millionths of all worker-time
  std::vector<Histogram> recovery;  ///< the worst of a seed; by row of the fault catalogue

  void add(const RunStatistics& run);
  void merge(const SeedStatistics& other);
  friend bool operator==(const SeedStatistics&, const SeedStatistics&) = default;
};

}  // namespace nandi::sim
