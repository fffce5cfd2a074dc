// lease-exclusive: no two workers hold the same index at the same moment.
#pragma once

#include <optional>
#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// README: "while you hold i, no other worker in the group holds it". Holding ends with the expiry
/// on the worker's own clock, whether or not its process runs (protocol, "Why it is exclusive").
/// An overlap begins only where a lease is granted, renewed or revived, so only these are looked
/// at.
class LeaseExclusive : public Property {
 public:
  static constexpr PropertyInfo kInfo{
      "lease-exclusive", "no two workers hold the same index at the same moment",
      "an index is taken up that another worker held before", PropertyKind::safety};

  explicit LeaseExclusive(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    const LeaseChange change = m.ledger.change();
    if (change == LeaseChange::none || change == LeaseChange::lost) return;
    const IndexTable& leases = m.ledger.leases();
    const IndexTable::Entry& mine = leases.entry(m.action.worker);
    if (m.now >= mine.ends) return;
    const WorkerId other = leases.other_on(mine.group, mine.pair.index, m.action.worker, m.now);
    if (other != kNoWorker) {
      violate(m.now, {m.action.worker, other}, [&] {
        return worker_name(m.action.worker) + " holds index " + pair_text(mine.pair) + " while " +
               worker_name(other) + " holds " + pair_text(leases.entry(other).pair);
      });
    }
    if (change == LeaseChange::granted && was_anothers(leases, mine, m.action.worker)) reached();
  }

  /// The same by looking at every pair of workers: the first two that hold one index.
  template <class World>
  [[nodiscard]] static std::optional<std::pair<WorkerId, WorkerId>> violated_in(
      std::span<const typename World::Config> configs, const World& world) {
    const auto count = static_cast<WorkerId>(world.workers().size());
    for (WorkerId a = 0; a < count; ++a) {
      const std::optional<Pair> held = world.held_pair(configs, a);
      if (!held) continue;
      for (WorkerId b = a + 1; b < count; ++b) {
        const std::optional<Pair> other = world.held_pair(configs, b);
        if (other && other->index == held->index &&
            configs[world.worker(a).config].group == configs[world.worker(b).config].group) {
          return std::pair(a, b);
        }
      }
    }
    return std::nullopt;
  }

 private:
  static bool was_anothers(const IndexTable& leases, const IndexTable::Entry& mine,
                           WorkerId worker) {
    const WorkerId last = leases.last_let_go(mine.group, mine.pair.index).worker;
    if (last != kNoWorker && last != worker) return true;
    bool another = false;  // one whose lease ran out while its process stalled
    leases.visit(mine.group, mine.pair.index,
                 [&](WorkerId on, const IndexTable::Entry&) { another = another || on != worker; });
    return another;
  }
};

}  // namespace nandi::sim
