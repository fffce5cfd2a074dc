// held-within-expiry: nothing is held past its expiry.
#pragma once

#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Protocol, rule 5: the lease expires one gap past the slot in which the next registration is due,
/// whatever the reason. Two claims: a lease issued by a tick of interval N ends, on the store's
/// true clock, no later than the slot of its index in N + 1 and a gap; and whenever the process has
/// run, a lease whose expiry is reached is gone. The first is computed from the tick alone, not by
/// the engine; it is judged when the lease is issued, so clocks that are set later do not concern
/// it.
class HeldWithinExpiry : public Property {
 public:
  static constexpr PropertyInfo kInfo{"held-within-expiry", "nothing is held past its expiry",
                                      "a lease is granted or renewed", PropertyKind::safety, true};

  explicit HeldWithinExpiry(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    if (!m.applied.has_lease) return;
    const auto& worker = m.worker();
    const LeaseState& state = worker.engine.state();
    const bool has_run = m.action.kind == ActionKind::wake ||
                         m.action.kind == ActionKind::deliver || m.action.kind == ActionKind::take;
    if (has_run && worker.clock.at(m.now) >= state.expires) {
      violate(m.now, {m.action.worker}, [&] {
        return worker_name(m.action.worker) + " has run and still holds " + pair_text(state.lease) +
               ", which has expired";
      });
    }
    if (!m.applied.ticked) return;
    reached();
    const LeaseTiming& timing = m.config().lease.timing;
    const TrueTime ends = m.ledger.leases().entry(m.action.worker).ends;
    if (ends == TrueTime::max() ||
        is_past_slot_and_gap(timing, *m.applied.tick, m.world.store_clock().at(ends))) {
      violate(m.now, {m.action.worker}, [&] {
        return worker_name(m.action.worker) + " holds " + pair_text(state.lease) +
               " beyond its slot and a gap";
      });
    }
  }

 private:
  /// Whether `end` is beyond the slot and a gap, that bound rounded up to whole units. Compared
  /// without a division: x > ceil(a / b) exactly when (x - 1) b >= a.
  static bool is_past_slot_and_gap(const LeaseTiming& timing, const Tick& tick, StoreTime end) {
    const Int128 p = timing.gap.numerator();
    const Int128 q = timing.gap.denominator();
    const Int128 members = members_for_slot(tick);
    // g + (i + 1/2) / m (1 - 2g) + g, of an interval
    const Int128 numerator = 4 * p * members + (2 * Int128{tick.index} + 1) * (q - 2 * p);
    const Duration into = end - interval_begin(timing, tick.interval + 1);
    return (into.count() - 1) * (2 * members * q) >= timing.interval.count() * numerator;
  }
};

}  // namespace nandi::sim
