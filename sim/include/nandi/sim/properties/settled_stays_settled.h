// settled-stays-settled: a settled group keeps its assignment.
#pragma once

#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Article: "A settled group then keeps its assignment indefinitely." Settled: every worker holds a
/// lease, and nothing has disturbed the group for long enough (calm.h).
class SettledStaysSettled : public Property {
 public:
  static constexpr PropertyInfo kInfo{"settled-stays-settled", "a settled group keeps its leases",
                                      "a lease is renewed in a settled group",
                                      PropertyKind::timing};

  explicit SettledStaysSettled(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    const LeaseChange change = m.ledger.change();
    if (change != LeaseChange::lost && change != LeaseChange::renewed &&
        !(m.applied.had_lease && !m.applied.has_lease)) {
      return;
    }
    const GroupId group = m.group();
    const Duration interval = m.config().lease.timing.interval;
    if (!m.ledger.calm().is_calm(group, interval, m.now)) return;
    if (change == LeaseChange::renewed) {
      if (m.ledger.leases().size(group) == m.ledger.calm().present(group)) reached();
      return;
    }
    violate(m.now, {m.action.worker}, [&] {
      return worker_name(m.action.worker) + " lost " + pair_text(m.applied.lease_before) + " (" +
             std::string(to_string(m.worker().engine.state().last_loss)) +
             ") although nothing had disturbed the group";
    });
  }
};

}  // namespace nandi::sim
