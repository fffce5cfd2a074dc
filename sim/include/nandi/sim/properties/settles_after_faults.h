// settles-after-faults: the liveness phase of a run.
#pragma once

#include <string>

#include "nandi/sim/pending.h"
#include "nandi/sim/property.h"

namespace nandi::sim {

/// Once every fault has ended (Scenario::settle), the group becomes whole within the bound: each
/// worker that runs and was not asked to stop holds a pair, all with n equal to their number. A run
/// that ends before the bound says nothing either way. Without a liveness phase it is not checked.
class SettlesAfterFaults : public Property {
 public:
  static constexpr PropertyInfo kInfo{
      "settles-after-faults", "once every fault has ended, the group is whole within the bound",
      "a run with a liveness phase lasts until its bound", PropertyKind::timing, true};

  explicit SettlesAfterFaults(const RunFacts& facts)
      : groups_(facts.groups), from_(facts.settle_from), by_(facts.settle_by) {}

  template <class World>
  void observe(const Moment<World>& m) {
    if (m.now < from_ || is_settled_) return;
    // At the first action of the phase, and then whenever something changes.
    if (is_begun_ && !m.applied.ticked && !m.applied.departed) return;
    is_begun_ = true;
    is_settled_ = m.now <= by_ && are_whole(m);
  }

  template <class World>
  void finish(const Moment<World>& m) {
    if (from_ == TrueTime::max() || m.now < by_) return;
    reached();
    if (is_settled_ || !is_anybody_there(m)) return;
    violate(m.now, {}, [&] {
      const std::string missing = pending(m.world, m.configs);
      return "the group did not become whole" +
             (missing.empty() ? std::string(" in time") : "; pending: " + missing);
    });
  }

 private:
  template <class World>
  [[nodiscard]] bool are_whole(const Moment<World>& m) const {
    const IndexTable& leases = m.ledger.leases();
    for (GroupId group = 0; group < groups_; ++group) {
      const std::uint32_t present = m.ledger.calm().present(group);
      if (leases.size(group) != present) return false;
      if (present != 0 && leases.present_with(group, present) != present) return false;
    }
    return true;
  }

  template <class World>
  [[nodiscard]] bool is_anybody_there(const Moment<World>& m) const {
    for (GroupId group = 0; group < groups_; ++group) {
      if (m.ledger.calm().present(group) != 0) return true;
    }
    return false;
  }

  std::size_t groups_;
  TrueTime from_;
  TrueTime by_;
  bool is_begun_ = false;
  bool is_settled_ = false;
};

}  // namespace nandi::sim
