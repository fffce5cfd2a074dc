// earliest-lease: nobody owns anything before two closed intervals have agreed.
#pragma once

#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Protocol, "When things happen": a first tick in F gives the lease at the own tick in F+2 at the
/// earliest. README: "a new one starts consuming no earlier than two intervals after it comes up".
class EarliestLease : public Property {
 public:
  static constexpr PropertyInfo kInfo{"earliest-lease",
                                      "a first registration in F leads to no lease before F+2",
                                      "a lease is granted", PropertyKind::timing};

  explicit EarliestLease(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    if (!m.applied.ticked || m.ledger.change() != LeaseChange::granted) return;
    reached();
    const IntervalNumber first = m.ledger.calm().first_interval(m.action.worker);
    const IntervalNumber after = m.applied.tick->interval - first;
    if (first == Calm::kUnknown || after >= 2) return;
    violate(m.now, {m.action.worker}, [&] {
      return worker_name(m.action.worker) + " was granted a lease " + std::to_string(after) +
             " intervals after that of its first registration";
    });
  }
};

}  // namespace nandi::sim
