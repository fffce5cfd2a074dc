// complete-when-settled: once a group had the time to settle, every task has an owner.
#pragma once

#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Article: "together they cover the range exactly once. That is what makes the partition complete:
/// no task without an owner, and none with two." Looked at whenever a worker has read a reply and
/// nothing has disturbed the group for long enough (calm.h).
class CompleteWhenSettled : public Property {
 public:
  static constexpr PropertyInfo kInfo{
      "complete-when-settled", "after a calm while, every worker holds one of n indexes",
      "a registration completes after a calm while", PropertyKind::timing};

  explicit CompleteWhenSettled(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    if (!m.applied.ticked) return;
    const GroupId group = m.group();
    const Calm& calm = m.ledger.calm();
    if (!calm.is_calm(group, m.config().lease.timing.interval, m.now)) return;
    reached();
    const IndexTable& leases = m.ledger.leases();
    // Distinct indexes below n, held by n workers, are all of them: the rest is said by
    // lease-exclusive and index-below-count.
    const bool is_whole = leases.size(group) == calm.present(group);
    const IndexTable::Entry& mine = leases.entry(m.action.worker);
    if (is_whole && mine.present && mine.pair.count == calm.present(group)) return;
    violate(m.now, {m.action.worker}, [&] {
      return std::to_string(leases.size(group)) + " of " + std::to_string(calm.present(group)) +
             " workers hold a lease" +
             (mine.present ? ", " + worker_name(m.action.worker) + " on " + pair_text(mine.pair)
                           : std::string()) +
             ", although nothing had disturbed the group";
    });
  }
};

}  // namespace nandi::sim
