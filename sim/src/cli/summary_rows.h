// The distributions that a summary shows, in its order.
#pragma once

#include <vector>

#include "nandi/sim/run_statistics.h"

namespace nandi::sim::cli {

struct SummaryRow {
  const char* name;  ///< for people
  const char* key;   ///< in JSON
  const Histogram* samples;
};

inline std::vector<SummaryRow> summary_rows(const RunStatistics& s) {
  return {{"start until whole", "start", &s.start.plain},
          {"  with reorders", "start_reordered", &s.start.reordered},
          {"join until whole", "join", &s.join.plain},
          {"  with reorders", "join_reordered", &s.join.reordered},
          {"departure until whole", "departure", &s.departure.plain},
          {"  with reorders", "departure_reordered", &s.departure.reordered},
          {"index unowned after it", "unowned", &s.unowned.plain},
          {"  with reorders", "unowned_reordered", &s.unowned.reordered},
          {"readiness of a worker", "readiness", &s.readiness.plain},
          {"  with reorders", "readiness_reordered", &s.readiness.reordered},
          {"stand-down at a change", "stand_down", &s.stand_down.plain},
          {"  with reorders", "stand_down_reordered", &s.stand_down.reordered},
          {"stand-down otherwise", "other_stand_down", &s.other_stand_down},
          {"recovery from a fault", "recovery", &s.recovery},
          {"whole after all faults", "settled", &s.settled}};
}

}  // namespace nandi::sim::cli
