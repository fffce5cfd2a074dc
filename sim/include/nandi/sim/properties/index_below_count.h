// index-below-count: a lease in force has an index below its count.
#pragma once

#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Article, of the index taken from the open interval: "a group that has just grown hands out
/// indexes beyond the old count, and those workers match nothing".
class IndexBelowCount : public Property {
 public:
  static constexpr PropertyInfo kInfo{"index-below-count", "a lease in force has index < n",
                                      "a lease is granted", PropertyKind::safety};

  explicit IndexBelowCount(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    if (m.ledger.change() != LeaseChange::granted) return;
    reached();
    const Pair pair = m.ledger.leases().entry(m.action.worker).pair;
    if (pair.index < pair.count) return;
    violate(m.now, {m.action.worker},
            [&] { return worker_name(m.action.worker) + " was granted " + pair_text(pair); });
  }
};

}  // namespace nandi::sim
