// tasks-disjoint: no task has two owners.
#pragma once

#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Article: "no task without an owner, and none with two". Exact, not by samples of task ids. As
/// long as all leases in force carry one n, tasks are shared only by equal indexes, which the table
/// by index shows at once; all leases are looked at only where the counts differ.
class TasksDisjoint : public Property {
 public:
  static constexpr PropertyInfo kInfo{"tasks-disjoint", "no task has two owners",
                                      "a lease is granted while another is in force",
                                      PropertyKind::safety};

  explicit TasksDisjoint(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    const LeaseChange change = m.ledger.change();
    if (change != LeaseChange::granted && change != LeaseChange::revived) return;
    const IndexTable& leases = m.ledger.leases();
    const IndexTable::Entry& mine = leases.entry(m.action.worker);
    if (leases.size(mine.group) > 1) reached();
    if (m.now >= mine.ends) return;
    const WorkerId other = leases.other_sharing(m.action.worker, m.now);
    if (other != kNoWorker) report(m, other);
  }

 private:
  template <class World>
  void report(const Moment<World>& m, WorkerId other) {
    const IndexTable& leases = m.ledger.leases();
    violate(m.now, {m.action.worker, other}, [&] {
      const Pair mine = leases.entry(m.action.worker).pair;
      const Pair theirs = leases.entry(other).pair;
      return worker_name(m.action.worker) + " on " + pair_text(mine) + " and " +
             worker_name(other) + " on " + pair_text(theirs) + " both own some tasks";
    });
  }
};

}  // namespace nandi::sim
