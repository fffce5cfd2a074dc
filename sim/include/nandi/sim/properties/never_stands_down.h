// never-stands-down: once all workers of a group hold leases, none is ever without again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Unlike settled-stays-settled it excuses nothing: a registration that fails, a join, a crash all
/// count. For the question what a given disturbance costs; the checker asks the same one.
class NeverStandsDown : public Property {
 public:
  static constexpr PropertyInfo kInfo{
      "never-stands-down", "workers that all held leases at once never lack one again",
      "all workers hold leases, and one is renewed", PropertyKind::on_request};

  explicit NeverStandsDown(const RunFacts& facts) : all_held_(facts.groups, 0) {}

  template <class World>
  void observe(const Moment<World>& m) {
    const LeaseChange change = m.ledger.change();
    if (change == LeaseChange::none) return;
    const GroupId group = m.group();
    if (m.ledger.leases().size(group) == m.ledger.calm().present(group)) {
      if (change == LeaseChange::renewed && all_held_[group] != 0) reached();
      all_held_[group] = 1;
    } else if (all_held_[group] != 0) {
      violate(m.now, {m.action.worker}, [&] {
        return worker_name(m.action.worker) + " is without a lease although all had one before";
      });
    }
  }

 private:
  std::vector<std::uint8_t> all_held_;  ///< by group
};

}  // namespace nandi::sim
