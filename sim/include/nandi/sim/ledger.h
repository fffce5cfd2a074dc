// Ledger: who holds which index and whose consumer acts on it, kept up to date action by action.
//
// What the properties and the statistics have in common, in O(1) an action. Two tables by (group,
// index): leases (a worker holds, protocol "Why it is exclusive") and work (a consumer acts).
// A lease can end by the passing of time alone, without any action (a stalled process): `ends` is
// that moment in true time, so an entry in the table counts only while `now < ends`.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "nandi/engine/tick.h"
#include "nandi/sim/action.h"
#include "nandi/sim/calm.h"
#include "nandi/sim/clock_model.h"
#include "nandi/sim/world.h"

namespace nandi::sim {

inline constexpr WorkerId kNoWorker = std::numeric_limits<WorkerId>::max();

/// Whether some task belongs to both pairs. Two pairs (i, n), (j, m) share a task exactly when
/// i = j modulo gcd(n, m) (Chinese remainder theorem).
[[nodiscard]] constexpr bool share_a_task(Pair a, Pair b) {
  const std::uint32_t divisor = std::gcd(a.count, b.count);
  return divisor != 0 && a.index % divisor == b.index % divisor;
}

/// Which workers have which index. Any number of workers can have the same one (in a broken
/// variant); each worker has at most one.
class IndexTable {
 public:
  struct Entry {
    Pair pair;
    TrueTime since;
    TrueTime ends = TrueTime::max();
    WorkerId before = kNoWorker;
    WorkerId after = kNoWorker;
    GroupId group = 0;
    bool present = false;
  };
  /// How the last one to have an index gave it up.
  struct LetGo {
    TrueTime at;
    WorkerId worker = kNoWorker;
  };

  IndexTable(std::size_t workers, std::size_t groups)
      : entries_(workers), indexes_(groups), present_(groups), counts_(groups) {}

  void add(GroupId group, WorkerId worker, Pair pair, TrueTime since, TrueTime ends) {
    std::vector<Slot>& slots = indexes_[group];
    if (pair.index >= slots.size()) slots.resize(pair.index + std::size_t{1});
    Slot& slot = slots[pair.index];
    entries_[worker] = Entry{pair, since, ends, kNoWorker, slot.first, group, true};
    if (slot.first != kNoWorker) entries_[slot.first].before = worker;
    slot.first = worker;
    ++present_[group];
    Counts& counts = counts_[group];
    if (pair.count >= counts.entries.size()) counts.entries.resize(pair.count + std::size_t{1});
    if (counts.entries[pair.count]++ == 0) ++counts.distinct;
  }

  /// Precondition: worker is present. It had let go at `at`.
  void remove(WorkerId worker, TrueTime at) {
    Entry& entry = entries_[worker];
    assert(entry.present);
    Slot& slot = indexes_[entry.group][entry.pair.index];
    (entry.before == kNoWorker ? slot.first : entries_[entry.before].after) = entry.after;
    if (entry.after != kNoWorker) entries_[entry.after].before = entry.before;
    if (slot.let_go.worker == kNoWorker || at >= slot.let_go.at) slot.let_go = LetGo{at, worker};
    --present_[entry.group];
    Counts& counts = counts_[entry.group];
    if (--counts.entries[entry.pair.count] == 0) --counts.distinct;
    entry = Entry{};
  }

  void set_ends(WorkerId worker, TrueTime ends) { entries_[worker].ends = ends; }

  [[nodiscard]] const Entry& entry(WorkerId worker) const { return entries_[worker]; }
  [[nodiscard]] bool has(WorkerId worker, TrueTime now) const {
    return entries_[worker].present && now < entries_[worker].ends;
  }
  /// Entries of a group, those included that have ended by the passing of time alone.
  [[nodiscard]] std::size_t size(GroupId group) const { return present_[group]; }
  [[nodiscard]] std::size_t workers() const { return entries_.size(); }
  /// How many different counts n a group's entries carry, with the same reservation.
  [[nodiscard]] std::uint32_t distinct_counts(GroupId group) const {
    return counts_[group].distinct;
  }

  /// How many of them carry the count n, with the same reservation.
  [[nodiscard]] std::uint32_t present_with(GroupId group, std::uint32_t n) const {
    const std::vector<std::uint32_t>& entries = counts_[group].entries;
    return n < entries.size() ? entries[n] : 0;
  }

  /// The last one to have let go of an index by an action.
  [[nodiscard]] LetGo last_let_go(GroupId group, std::uint32_t index) const {
    const std::vector<Slot>& slots = indexes_[group];
    return index < slots.size() ? slots[index].let_go : LetGo{};
  }

  /// Calls `visit(WorkerId, const Entry&)` for each entry on the index, those included that have
  /// ended by the passing of time alone.
  template <class Visit>
  void visit(GroupId group, std::uint32_t index, Visit&& visit) const {
    const std::vector<Slot>& slots = indexes_[group];
    if (index >= slots.size()) return;
    for (WorkerId w = slots[index].first; w != kNoWorker; w = entries_[w].after) {
      visit(w, entries_[w]);
    }
  }

  /// Another worker that has the index at `now`, or kNoWorker.
  [[nodiscard]] WorkerId other_on(GroupId group, std::uint32_t index, WorkerId worker,
                                  TrueTime now) const {
    const std::vector<Slot>& slots = indexes_[group];
    if (index >= slots.size()) return kNoWorker;
    for (WorkerId w = slots[index].first; w != kNoWorker; w = entries_[w].after) {
      if (w != worker && now < entries_[w].ends) return w;
    }
    return kNoWorker;
  }

  /// Another worker whose pair at `now` shares a task with that of `worker`, which is present; or
  /// kNoWorker. While all of a group's entries carry one n, these are the ones on the same index.
  /// Where counts differ every worker is looked at. That is rare and ends early: two different
  /// counts seldom have a large common divisor, so the first of the others mostly is the one.
  [[nodiscard]] WorkerId other_sharing(WorkerId worker, TrueTime now) const {
    const Entry& mine = entries_[worker];
    if (distinct_counts(mine.group) <= 1) {
      return other_on(mine.group, mine.pair.index, worker, now);
    }
    for (WorkerId other = 0; other < entries_.size(); ++other) {
      const Entry& theirs = entries_[other];
      if (other != worker && has(other, now) && theirs.group == mine.group &&
          share_a_task(mine.pair, theirs.pair)) {
        return other;
      }
    }
    return kNoWorker;
  }

 private:
  struct Slot {
    LetGo let_go;
    WorkerId first = kNoWorker;
  };
  struct Counts {
    std::vector<std::uint32_t> entries;  ///< by n
    std::uint32_t distinct = 0;
  };
  std::vector<Entry> entries_;
  std::vector<std::vector<Slot>> indexes_;
  std::vector<std::size_t> present_;
  std::vector<Counts> counts_;
};

/// What an action meant for the lease of its worker.
enum class LeaseChange : std::uint8_t {
  none,
  granted,
  renewed,
  lost,     ///< released or expired; why: LeaseState::last_loss
  revived,  ///< a clock that was set back made an ended lease one in force
};

class Ledger {
 public:
  Ledger(std::size_t workers, std::size_t groups)
      : leases_(workers, groups), work_(workers, groups), calm_(workers, groups) {}

  /// After `action` was applied to `world` with the result `applied`.
  template <class World>
  void observe(std::span<const typename World::Config> configs, const World& world,
               const Action& action, const Applied& applied) {
    change_ = LeaseChange::none;
    calm_.observe(configs, world, action, applied);
    if (action.kind == ActionKind::fork) {
      observe_fork(configs, world, static_cast<WorkerId>(action.value));
    }
    if (applied.had_lease || applied.has_lease) observe_lease(configs, world, action, applied);
    if (applied.work_begun) {
      const auto& worker = world.worker(action.worker);
      work_.add(configs[worker.config].group, action.worker, worker.work_pair, world.now(),
                TrueTime::max());
    } else if ((action.kind == ActionKind::drained || applied.departed) &&
               work_.entry(action.worker).present) {
      work_.remove(action.worker, world.now());
    }
  }

  [[nodiscard]] const IndexTable& leases() const { return leases_; }
  [[nodiscard]] const IndexTable& work() const { return work_; }
  [[nodiscard]] const Calm& calm() const { return calm_; }
  /// What the last action meant for its worker's lease.
  [[nodiscard]] LeaseChange change() const { return change_; }
  /// When the lease that the last action found or made lost was let go: before the action where it
  /// had run out. Meaningful when Applied says that the lease before is not the one after.
  [[nodiscard]] TrueTime ended_at() const { return ended_at_; }
  /// When that lease would have run out by itself.
  [[nodiscard]] TrueTime lost_end() const { return lost_end_; }

 private:
  template <class World>
  void observe_lease(std::span<const typename World::Config> configs, const World& world,
                     const Action& action, const Applied& applied) {
    const TrueTime now = world.now();
    const bool kept =
        applied.had_lease && applied.has_lease && applied.lease_before == applied.lease_after;
    if (applied.had_lease && !kept) {
      lost_end_ = leases_.entry(action.worker).ends;
      ended_at_ = std::min(now, lost_end_);
      leases_.remove(action.worker, ended_at_);
      change_ = LeaseChange::lost;
    }
    if (!applied.has_lease) return;
    const auto& worker = world.worker(action.worker);
    const auto& config = configs[worker.config];
    const TrueTime ends = config.lease.rules.expires()
                              ? worker.clock.when(worker.engine.state().expires)
                              : TrueTime::max();
    if (!kept) {
      leases_.add(config.group, action.worker, applied.lease_after, now, ends);
      change_ = LeaseChange::granted;
    } else if (applied.ticked) {
      leases_.set_ends(action.worker, ends);
      change_ = LeaseChange::renewed;
    } else if (action.kind == ActionKind::step_worker_clock ||
               action.kind == ActionKind::set_worker_clock_rate) {
      move_end(action.worker, now, ends);
    }
  }

  /// The copy holds, and its consumer acts on, what the original does.
  template <class World>
  void observe_fork(std::span<const typename World::Config> configs, const World& world,
                    WorkerId copy) {
    const auto& worker = world.worker(copy);
    const auto& config = configs[worker.config];
    const LeaseState& engine = worker.engine.state();
    if (engine.has_lease) {
      const TrueTime ends =
          config.lease.rules.expires() ? worker.clock.when(engine.expires) : TrueTime::max();
      leases_.add(config.group, copy, engine.lease, world.now(), ends);
      change_ = LeaseChange::granted;
    }
    if (worker.work != Work::none) {
      work_.add(config.group, copy, worker.work_pair, world.now(), TrueTime::max());
    }
  }

  /// The worker's clock was set: a lease already over stays over since then, unless it lives again.
  void move_end(WorkerId worker, TrueTime now, TrueTime ends) {
    const TrueTime before = leases_.entry(worker).ends;
    if (before <= now && ends <= now) return;
    if (before <= now) change_ = LeaseChange::revived;
    leases_.set_ends(worker, std::max(ends, now));
  }

  IndexTable leases_;
  IndexTable work_;
  Calm calm_;
  TrueTime ended_at_;
  TrueTime lost_end_;
  LeaseChange change_ = LeaseChange::none;
};

}  // namespace nandi::sim
