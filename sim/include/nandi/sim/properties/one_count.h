// one-count: all leases in force carry the same number of workers.
#pragma once

#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Protocol, "Why it is exclusive": leases in force at one moment were issued in the same interval
/// or in neighbouring ones, and all of them carry one n. The leases are looked at one by one only
/// where two values stand side by side, since one may have run out while its process stalled.
class OneCount : public Property {
 public:
  static constexpr PropertyInfo kInfo{"one-count", "all leases in force carry the same n",
                                      "a lease is granted while another is in force",
                                      PropertyKind::safety};

  explicit OneCount(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    const LeaseChange change = m.ledger.change();
    if (change != LeaseChange::granted && change != LeaseChange::revived) return;
    const GroupId group = m.group();
    if (m.ledger.leases().size(group) > 1) reached();
    if (m.ledger.leases().distinct_counts(group) > 1) compare(m);
  }

 private:
  template <class World>
  void compare(const Moment<World>& m) {
    const IndexTable& leases = m.ledger.leases();
    const IndexTable::Entry& mine = leases.entry(m.action.worker);
    if (m.now >= mine.ends) return;
    for (WorkerId other = 0; other < leases.workers(); ++other) {
      const IndexTable::Entry& theirs = leases.entry(other);
      if (other == m.action.worker || !leases.has(other, m.now) || theirs.group != mine.group ||
          theirs.pair.count == mine.pair.count) {
        continue;
      }
      violate(m.now, {m.action.worker, other}, [&] {
        return worker_name(m.action.worker) + " holds " + pair_text(mine.pair) + " while " +
               worker_name(other) + " holds " + pair_text(theirs.pair);
      });
      return;
    }
  }
};

}  // namespace nandi::sim
