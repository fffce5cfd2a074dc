// What is measured in a run, besides whether its properties hold.
//
// Durations are in nanoseconds of true time. A group is *whole* when every worker that runs and was
// not asked to stop holds a pair, all with n equal to the number of such workers. "When things
// happen" of the protocol says how long each of these may take.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "nandi/engine/diagnostics.h"
#include "nandi/sim/histogram.h"
#include "nandi/sim/property.h"

namespace nandi::sim {

/// The least time between one holder of an index letting go and another taking it up; negative for
/// an overlap.
struct ClosestApproach {
  Duration distance = Duration::max();  ///< max: no index ever passed to another worker
  TrueTime at;
  std::uint64_t seed = 0;
  std::uint32_t index = 0;
  WorkerId from = 0;
  WorkerId to = 0;
  [[nodiscard]] bool happened() const { return distance != Duration::max(); }
  friend bool operator==(const ClosestApproach&, const ClosestApproach&) = default;
};

/// Samples of one kind; those during which workers changed places are apart.
struct Samples {
  Histogram plain;
  Histogram reordered;
  void merge(const Samples& other) {
    plain.merge(other.plain);
    reordered.merge(other.reordered);
  }
  [[nodiscard]] std::uint64_t count() const { return plain.count() + reordered.count(); }
  friend bool operator==(const Samples&, const Samples&) = default;
};

inline constexpr std::size_t kLossCauses = static_cast<std::size_t>(LossCause::aborted) + 1;

struct RunStatistics {
  Samples start;       ///< from the start of the first workers until the group is whole
  Samples join;        ///< from the last of some joins until the group is whole again
  Samples departure;   ///< from the last registration of a worker that left until it is whole again
  Samples unowned;     ///< from letting go of a departed worker's index until it is whole again
  Samples readiness;   ///< from a worker's first registration to its first pair
  Samples stand_down;  ///< of a worker at a change of membership: from losing a pair to the next
  Histogram other_stand_down;  ///< the same for other causes: late, errors, a lost counter
  Histogram recovery;          ///< from the end of a fault until the group is whole
  /// From the end of a fault (of one that strikes once: from then) until the group is whole and
  /// stays so for kIntervalsStaying; by row of the catalogue, as far as there are any.
  std::vector<Histogram> recovery_by_fault;
  Histogram settled;  ///< from the end of all faults (Scenario::settle) until the group is whole
  ClosestApproach closest;
  Int128 owned = 0;    ///< worker-time with a lease
  Int128 present = 0;  ///< worker-time in all
  Int128 covered = 0;  ///< group-time times the share of tasks with an owner
  Int128 elapsed = 0;  ///< group-time in all
  std::uint64_t registrations = 0;
  std::uint64_t ghosts = 0;    ///< registrations of abandoned attempts
  std::uint64_t reorders = 0;  ///< registrations that overtook one of the interval before
  std::uint64_t changes = 0;   ///< changes of membership
  std::uint64_t unfinished =
      0;  ///< changes after which the group was not yet whole when the run ended
  std::uint64_t grants = 0;
  std::uint64_t renewals = 0;
  std::array<std::uint64_t, kLossCauses> losses{};

  /// A lost counter shows in a group two intervals later; one that stays whole longer has
  /// recovered.
  static constexpr std::int64_t kIntervalsStaying = 4;

  void merge(const RunStatistics& other);
  friend bool operator==(const RunStatistics&, const RunStatistics&) = default;
};

/// Collects them action by action, O(1) each.
class StatisticsCollector {
 public:
  explicit StatisticsCollector(const RunFacts& facts);

  template <class World>
  void observe(const Moment<World>& m) {
    const Applied& applied = m.applied;
    if (applied.executed)
      observe_execution(m.group(), m.action, *applied.tick, applied.ghost, m.now);
    if (applied.had_lease || applied.has_lease) {
      if (applied.had_lease &&
          !(applied.has_lease && applied.lease_before == applied.lease_after)) {
        lost(m.action.worker, m.group(), applied.lease_before, m.ledger.ended_at(),
             m.worker().engine.state().last_loss,
             applied.departed || m.action.kind == ActionKind::leave);
      }
      if (m.ledger.change() == LeaseChange::renewed) ++result_.renewals;
      if (m.ledger.change() == LeaseChange::granted) granted(m.ledger, m.action.worker, m.now);
    }
    switch (m.action.kind) {
      case ActionKind::join: joined(m.action.worker, m.group(), m.now); break;
      case ActionKind::fork:
        forked(m.ledger, m.action.worker, static_cast<WorkerId>(m.action.value), m.group(), m.now);
        break;
      case ActionKind::leave:
      case ActionKind::crash: departed(m.action.worker, m.group(), m.now); break;
      default: break;
    }
  }

  /// The worker's next event is near.
  void prefetch(WorkerId worker) const { __builtin_prefetch(&workers_[worker]); }

  /// A fault is over.
  void fault_ended(TrueTime now);
  /// The same, of a row of the catalogue; one that strikes once is over at once.
  void fault_over(std::size_t row, TrueTime now);
  /// The liveness phase begins.
  void faults_over(TrueTime now);
  void finish(TrueTime now, const IndexTable& leases);

  [[nodiscard]] const RunStatistics& result() const { return result_; }
  /// Whether every group with workers is whole.
  [[nodiscard]] bool is_whole() const;

 private:
  enum class Change : std::uint8_t { none, start, join, departure };
  struct WorkerNotes {
    TrueTime joined;
    TrueTime first_registration = TrueTime::max();
    TrueTime last_registration = TrueTime::max();
    TrueTime let_go = TrueTime::max();  ///< of the last lease
    IntervalNumber interval = -1;       ///< of the last registration
    std::uint32_t index = 0;
    std::uint32_t lease_count = 0;  ///< n of the lease in force, 0 for none
    LossCause cause = LossCause::none;
    bool present = false;  ///< runs and was not asked to stop
    bool had_pair = false;
  };
  struct GroupNotes {
    std::vector<std::uint32_t> leases_by_count;
    std::uint32_t present = 0;
    IntervalNumber interval = -1;      ///< the open one, as registrations showed it
    std::int64_t greatest_index = -1;  ///< that a worker of it had in the interval before
    Change change = Change::none;      ///< not yet settled
    TrueTime change_since;
    TrueTime unowned_since = TrueTime::max();
    TrueTime fault_ended = TrueTime::max();
    TrueTime whole_since = TrueTime::max();  ///< max: it is not whole
    TrueTime settles_from = TrueTime::max();
    std::vector<std::pair<std::size_t, TrueTime>> over;  ///< faults, not yet recovered from
    bool reordered = false;                              ///< since the change
    bool had_workers = false;
    TrueTime first_worker;
  };

  void observe_execution(GroupId group, const Action& action, const Tick& tick, bool ghost,
                         TrueTime now);
  void granted(const Ledger& ledger, WorkerId worker, TrueTime now);
  void lost(WorkerId worker, GroupId group, Pair pair, TrueTime let_go, LossCause cause,
            bool is_departing);
  void joined(WorkerId worker, GroupId group, TrueTime now);
  void forked(const Ledger& ledger, WorkerId original, WorkerId copy, GroupId group, TrueTime now);
  void departed(WorkerId worker, GroupId group, TrueTime now);
  void begin_change(GroupNotes& notes, Change change, TrueTime since);
  void check_whole(GroupNotes& notes, TrueTime now);
  /// After anything that can make the group whole or not.
  void follow_whole(GroupNotes& notes, TrueTime now);
  void close_faults(GroupNotes& notes, TrueTime now);
  static bool is_whole(const GroupNotes& notes);
  void approach(const IndexTable& leases, WorkerId worker, TrueTime now);
  void held(Pair pair, Duration length);

  std::vector<WorkerNotes> workers_;
  std::vector<GroupNotes> groups_;
  std::vector<TrueTime> lease_since_;
  Duration staying_;
  RunStatistics result_;
};

}  // namespace nandi::sim
