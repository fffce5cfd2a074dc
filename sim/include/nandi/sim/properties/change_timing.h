// change-timing: joins and departures take the intervals that the protocol says.
#pragma once

#include <string>

#include "nandi/sim/property.h"

namespace nandi::sim {

/// Protocol, "When things happen": a first tick in F gives the lease at the own tick in F+2 at the
/// earliest. After a join in F the members stand down from their tick in F+1 to their tick in F+2;
/// after a last registration in D, from D+2 to D+3. The latter two are judged for a change that
/// stands alone: nothing else disturbed the group since, no index moved once the change was
/// counted.
class ChangeTiming : public Property {
 public:
  static constexpr PropertyInfo kInfo{
      "change-timing", "a change stands the group down in the intervals that the protocol names",
      "a member comes back after a change that stands alone", PropertyKind::timing};

  explicit ChangeTiming(const RunFacts&) {}

  template <class World>
  void observe(const Moment<World>& m) {
    if (!m.applied.ticked) return;
    const LeaseChange change = m.ledger.change();
    if (change == LeaseChange::granted) observe_grant(m);
    if (change == LeaseChange::lost && !m.applied.has_lease) observe_loss(m);
  }

 private:
  template <class World>
  void observe_grant(const Moment<World>& m) {
    const Calm& calm = m.ledger.calm();
    const IntervalNumber interval = m.applied.tick->interval;
    const Calm::LoneChange lone = calm.lone_change(m.group());
    if (!is_member(lone, calm.first_interval(m.action.worker))) return;
    reached();
    const IntervalNumber back = lone.kind == Calm::Change::join ? 2 : 3;
    if (interval != lone.interval + back) {
      complain(m, "came back in the wrong interval", interval - lone.interval, what(lone));
    }
  }

  template <class World>
  void observe_loss(const Moment<World>& m) {
    const Calm& calm = m.ledger.calm();
    const IntervalNumber interval = m.applied.tick->interval;
    const Calm::LoneChange lone = calm.lone_change(m.group());
    if (!is_member(lone, calm.first_interval(m.action.worker))) return;
    const IntervalNumber down = lone.kind == Calm::Change::join ? 1 : 2;
    if (interval != lone.interval + down) {
      complain(m, "stood down in the wrong interval", interval - lone.interval, what(lone));
    }
  }

  /// A member for long enough to have been settled when the change came.
  static bool is_member(const Calm::LoneChange& lone, IntervalNumber first) {
    return lone.kind != Calm::Change::none && lone.interval != Calm::kUnknown &&
           first != Calm::kUnknown && lone.interval - first >= Calm::kIntervalsToSettle &&
           lone.was_calm;
  }
  static const char* what(const Calm::LoneChange& lone) {
    return lone.kind == Calm::Change::join ? "the join" : "the last registration";
  }

  template <class World>
  void complain(const Moment<World>& m, const char* claim, IntervalNumber after,
                const char* since) {
    violate(m.now, {m.action.worker}, [&] {
      return worker_name(m.action.worker) + " " + claim + ", " + std::to_string(after) +
             " after that of " + since;
    });
  }
};

}  // namespace nandi::sim
