// tasks-disjoint: no task has two owners.
#pragma once

#include <numeric>
#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Whether some task belongs to both pairs. Two pairs (i, n), (j, m) share a task exactly when
/// i = j modulo gcd(n, m) (Chinese remainder theorem).
[[nodiscard]] constexpr bool share_a_task(Pair a, Pair b) {
  const std::uint32_t divisor = std::gcd(a.count, b.count);
  return divisor != 0 && a.index % divisor == b.index % divisor;
}

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
    if (leases.distinct_counts(mine.group) > 1) {
      compare(m);
      return;
    }
    const WorkerId other = leases.other_on(mine.group, mine.pair.index, m.action.worker, m.now);
    if (other != kNoWorker) report(m, other);
  }

 private:
  template <class World>
  void compare(const Moment<World>& m) {
    const IndexTable& leases = m.ledger.leases();
    const IndexTable::Entry& mine = leases.entry(m.action.worker);
    for (WorkerId other = 0; other < leases.workers(); ++other) {
      const IndexTable::Entry& theirs = leases.entry(other);
      if (other == m.action.worker || !leases.has(other, m.now) || theirs.group != mine.group) {
        continue;
      }
      if (share_a_task(mine.pair, theirs.pair)) {
        report(m, other);
        return;
      }
    }
  }

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
