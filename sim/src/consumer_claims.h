// What the test kit asks of a consumer besides the properties of every run.
#pragma once

#include <string>

#include "nandi/engine/partition/scheme.h"
#include "nandi/sim/property.h"
#include "nandi/sim/quantity_text.h"

namespace nandi::sim {

/// Article: a worker has to see the expiry before it acts.
class TouchedUnderLease : public Property {
 public:
  static constexpr PropertyInfo kInfo{"touched-under-lease",
                                      "a consumer touches a task only under a lease on it",
                                      "a task is touched", PropertyKind::safety};

  void touch(TrueTime now, WorkerId worker, std::int64_t task, partition::Scheme scheme,
             std::optional<Pair> held) {
    reached();
    if (held && partition::owns(scheme, task, held->index, held->count)) return;
    violate(now, {worker}, [&] {
      return worker_name(worker) + " touches task " + std::to_string(task) +
             (held ? ", which is not of its pair " + pair_text(*held) : " and holds no lease");
    });
  }
};

/// The margin between two holders of an index is made of gaps: whoever drains for longer than one
/// may meet the next.
class DrainedInTime : public Property {
 public:
  static constexpr PropertyInfo kInfo{
      "drained-in-time", "a consumer has stopped at most a gap after its lease ended",
      "a consumer that worked is done with being idle", PropertyKind::safety};

  void drained() { reached(); }
  void overran(TrueTime now, WorkerId worker, Pair pair, Duration by) {
    violate(now, {worker}, [&] {
      return worker_name(worker) + " has stopped working on " + pair_text(pair) + " only " +
             duration_text(by) + " after its lease had ended";
    });
  }
};

}  // namespace nandi::sim
