// hand-over: ownership reaches the consumer in the right order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Protocol, rule 7: changes only, idle before a pair, the newest pair only, a stand-down never
/// left out; a worker that was asked to stop is handed idle last.
class HandOverOrder : public Property {
 public:
  static constexpr PropertyInfo kInfo{
      "hand-over", "consumers are handed changes only, idle between two pairs, idle last",
      "a pair is handed over", PropertyKind::safety};

  explicit HandOverOrder(const RunFacts& facts) : last_(facts.workers) {}

  template <class World>
  void observe(const Moment<World>& m) {
    switch (m.action.kind) {
      case ActionKind::take: take(m); break;
      case ActionKind::join: last_[m.action.worker] = Last{}; break;
      case ActionKind::fork:
        last_[static_cast<std::size_t>(m.action.value)] = last_[m.action.worker];
        break;
      default: break;
    }
    if (m.applied.had_lease && m.ledger.change() != LeaseChange::renewed &&
        !(m.applied.has_lease && m.applied.lease_before == m.applied.lease_after)) {
      last_[m.action.worker].lapsed = true;
    }
    if (m.applied.departed && m.action.kind != ActionKind::crash) depart(m);
  }

 private:
  struct Last {
    std::optional<Pair> pair;
    bool handed = false;  ///< anything at all
    bool lapsed = false;  ///< a lease was lost since the last hand-over
  };

  template <class World>
  void take(const Moment<World>& m) {
    Last& last = last_[m.action.worker];
    if (m.applied.handed_idle) {
      if (last.handed && !last.pair) complain(m, "was handed idle twice in a row");
      last = Last{std::nullopt, true, false};
    }
    if (!m.applied.work_begun) return;
    reached();
    if (last.pair)
      complain(m, last.lapsed ? "was handed a pair without idle for the one it lost"
                              : "was handed a second pair without idle before it");
    const Pair handed = m.worker().work_pair;
    if (m.world.held_pair(m.configs, m.action.worker) != handed) {
      complain(m, "was handed a pair that is not the one it holds");
    }
    last = Last{handed, true, false};
  }

  template <class World>
  void depart(const Moment<World>& m) {
    const Last& last = last_[m.action.worker];
    if (!last.handed || last.pair) complain(m, "has gone without being handed idle last");
  }

  template <class World>
  void complain(const Moment<World>& m, const char* what) {
    violate(m.now, {m.action.worker}, [&] { return worker_name(m.action.worker) + " " + what; });
  }

  std::vector<Last> last_;
};

}  // namespace nandi::sim
