#include "nandi/sim/run_statistics.h"

#include <algorithm>

namespace nandi::sim {

void RunStatistics::merge(const RunStatistics& other) {
  start.merge(other.start);
  join.merge(other.join);
  departure.merge(other.departure);
  unowned.merge(other.unowned);
  readiness.merge(other.readiness);
  stand_down.merge(other.stand_down);
  other_stand_down.merge(other.other_stand_down);
  recovery.merge(other.recovery);
  settled.merge(other.settled);
  if (other.recovery_by_fault.size() > recovery_by_fault.size()) {
    recovery_by_fault.resize(other.recovery_by_fault.size());
  }
  for (std::size_t f = 0; f < other.recovery_by_fault.size(); ++f) {
    recovery_by_fault[f].merge(other.recovery_by_fault[f]);
  }
  // The first of equals stays, so that merging in the order of seeds names the first seed.
  if (other.closest.distance < closest.distance) closest = other.closest;
  owned += other.owned;
  present += other.present;
  covered += other.covered;
  elapsed += other.elapsed;
  registrations += other.registrations;
  ghosts += other.ghosts;
  reorders += other.reorders;
  changes += other.changes;
  unfinished += other.unfinished;
  grants += other.grants;
  renewals += other.renewals;
  for (std::size_t c = 0; c < kLossCauses; ++c) losses[c] += other.losses[c];
}

StatisticsCollector::StatisticsCollector(const RunFacts& facts)
    : workers_(facts.workers), groups_(facts.groups), lease_since_(facts.workers) {
  if (!facts.timings.empty()) {
    staying_ = facts.timings.front().interval * RunStatistics::kIntervalsStaying;
  }
}

void StatisticsCollector::observe_execution(GroupId group, const Action& action, const Tick& tick,
                                            bool ghost, TrueTime now) {
  GroupNotes& notes = groups_[group];
  WorkerNotes& worker = workers_[action.worker];
  ++result_.registrations;
  if (ghost) {
    ++result_.ghosts;
    // Nobody's index: it takes no place in the order. But what a worker left under way when it went
    // was its last registration.
    if (!worker.present && notes.change == Change::departure) {
      notes.change_since = std::max(notes.change_since, now);
    }
    return;
  }
  if (tick.interval != notes.interval) {
    notes.interval = tick.interval;
    notes.greatest_index = -1;
  }
  if (worker.interval == tick.interval - 1) {
    if (worker.index < notes.greatest_index) {
      ++result_.reorders;
      notes.reordered = true;
    } else {
      notes.greatest_index = worker.index;
    }
  }
  worker.interval = tick.interval;
  worker.index = tick.index;
  worker.last_registration = now;
  if (worker.first_registration == TrueTime::max()) worker.first_registration = now;
}

void StatisticsCollector::granted(const Ledger& ledger, WorkerId worker, TrueTime now) {
  ++result_.grants;
  const IndexTable::Entry& entry = ledger.leases().entry(worker);
  GroupNotes& notes = groups_[entry.group];
  WorkerNotes& own = workers_[worker];
  lease_since_[worker] = now;
  own.lease_count = entry.pair.count;
  if (entry.pair.count >= notes.leases_by_count.size()) {
    notes.leases_by_count.resize(entry.pair.count + std::size_t{1});
  }
  ++notes.leases_by_count[entry.pair.count];
  if (!own.had_pair) {
    own.had_pair = true;
    const Duration ready = now - own.first_registration;
    (notes.reordered ? result_.readiness.reordered : result_.readiness.plain).add(ready);
  }
  if (own.let_go != TrueTime::max()) {
    const Duration idle = now - own.let_go;
    if (own.cause == LossCause::count_changed || own.cause == LossCause::disagreed) {
      (notes.reordered ? result_.stand_down.reordered : result_.stand_down.plain).add(idle);
    } else {
      result_.other_stand_down.add(idle);
    }
    own.let_go = TrueTime::max();
  }
  approach(ledger.leases(), worker, now);
  check_whole(notes, now);
  follow_whole(notes, now);
}

/// The copy has the original's past, and its lease from now on.
void StatisticsCollector::forked(const Ledger& ledger, WorkerId original, WorkerId copy,
                                 GroupId group, TrueTime now) {
  const bool counts = workers_[original].present;  // was not asked to stop
  workers_[copy] = workers_[original];
  workers_[copy].present = false;
  if (counts) joined(copy, group, now);
  if (ledger.change() == LeaseChange::granted) granted(ledger, copy, now);
}

void StatisticsCollector::approach(const IndexTable& leases, WorkerId worker, TrueTime now) {
  const IndexTable::Entry& entry = leases.entry(worker);
  const auto consider = [&](WorkerId from, Duration distance) {
    if (distance >= result_.closest.distance) return;
    result_.closest = ClosestApproach{distance, now, 0, entry.pair.index, from, worker};
  };
  const IndexTable::LetGo last = leases.last_let_go(entry.group, entry.pair.index);
  if (last.worker != kNoWorker && last.worker != worker) consider(last.worker, now - last.at);
  leases.visit(entry.group, entry.pair.index, [&](WorkerId other, const IndexTable::Entry& e) {
    if (other == worker) return;
    // One that never ends overlaps for as long as the newcomer's.
    consider(other, e.ends == TrueTime::max() ? now - entry.ends : now - e.ends);
  });
}

void StatisticsCollector::held(Pair pair, Duration length) {
  result_.owned += length.count();
  result_.covered += length.count() / static_cast<std::int64_t>(pair.count);
}

void StatisticsCollector::lost(WorkerId worker, GroupId group, Pair pair, TrueTime let_go,
                               LossCause cause, bool is_departing) {
  GroupNotes& notes = groups_[group];
  WorkerNotes& own = workers_[worker];
  held(pair, let_go - lease_since_[worker]);
  --notes.leases_by_count[pair.count];
  own.lease_count = 0;
  own.let_go = let_go;
  own.cause = cause;
  ++result_.losses[static_cast<std::size_t>(cause)];
  if (is_departing) notes.unowned_since = std::min(notes.unowned_since, let_go);
  follow_whole(notes, let_go);
}

void StatisticsCollector::joined(WorkerId worker, GroupId group, TrueTime now) {
  GroupNotes& notes = groups_[group];
  workers_[worker] = WorkerNotes{};
  workers_[worker].joined = now;
  workers_[worker].present = true;
  ++notes.present;
  const bool at_start = !notes.had_workers || notes.first_worker == now;
  if (!notes.had_workers) notes.first_worker = now;
  notes.had_workers = true;
  begin_change(notes, at_start ? Change::start : Change::join, now);
  follow_whole(notes, now);
}

void StatisticsCollector::departed(WorkerId worker, GroupId group, TrueTime now) {
  WorkerNotes& own = workers_[worker];
  if (!own.present) return;  // asked to stop before
  GroupNotes& notes = groups_[group];
  own.present = false;
  result_.present += (now - own.joined).count();
  --notes.present;
  begin_change(notes, Change::departure,
               own.last_registration == TrueTime::max() ? now : own.last_registration);
  // One that never counted changes nothing.
  if (is_whole(notes)) notes.change = Change::none;
  follow_whole(notes, now);
}

void StatisticsCollector::begin_change(GroupNotes& notes, Change change, TrueTime since) {
  // Several at one moment are one change.
  if (notes.change != change || notes.change_since != since) ++result_.changes;
  if (notes.change == change && change == Change::departure) {
    since = std::max(since, notes.change_since);
  }
  notes.change = change;
  notes.change_since = since;
  notes.reordered = false;
}

bool StatisticsCollector::is_whole(const GroupNotes& notes) {
  return notes.present < notes.leases_by_count.size() && notes.present > 0 &&
         notes.leases_by_count[notes.present] == notes.present;
}

bool StatisticsCollector::is_whole() const {
  return std::all_of(groups_.begin(), groups_.end(),
                     [](const GroupNotes& g) { return g.present == 0 || is_whole(g); });
}

void StatisticsCollector::check_whole(GroupNotes& notes, TrueTime now) {
  if (!is_whole(notes)) return;
  if (notes.change != Change::none) {
    Samples& samples = notes.change == Change::start  ? result_.start
                       : notes.change == Change::join ? result_.join
                                                      : result_.departure;
    (notes.reordered ? samples.reordered : samples.plain).add(now - notes.change_since);
    if (notes.unowned_since != TrueTime::max()) {
      Samples& gap = result_.unowned;
      (notes.reordered ? gap.reordered : gap.plain).add(now - notes.unowned_since);
      notes.unowned_since = TrueTime::max();
    }
    notes.change = Change::none;
  }
  if (notes.fault_ended != TrueTime::max()) {
    result_.recovery.add(now - notes.fault_ended);
    notes.fault_ended = TrueTime::max();
  }
}

void StatisticsCollector::fault_ended(TrueTime now) {
  for (GroupNotes& notes : groups_) {
    if (notes.present == 0) continue;
    notes.fault_ended = now;
    check_whole(notes, now);
  }
}

void StatisticsCollector::follow_whole(GroupNotes& notes, TrueTime now) {
  if (is_whole(notes) == (notes.whole_since != TrueTime::max())) return;
  if (notes.whole_since != TrueTime::max()) {
    close_faults(notes, now);
    notes.whole_since = TrueTime::max();
    return;
  }
  notes.whole_since = now;
  if (notes.settles_from == TrueTime::max()) return;
  result_.settled.add(now - notes.settles_from);
  notes.settles_from = TrueTime::max();
}

/// Those since whose end the group has stayed whole for long enough.
void StatisticsCollector::close_faults(GroupNotes& notes, TrueTime now) {
  if (notes.whole_since == TrueTime::max()) return;
  std::erase_if(notes.over, [&](const std::pair<std::size_t, TrueTime>& fault) {
    const auto& [row, end] = fault;
    if (now - std::max(notes.whole_since, end) < staying_) return false;
    if (row >= result_.recovery_by_fault.size()) result_.recovery_by_fault.resize(row + 1);
    result_.recovery_by_fault[row].add(std::max(notes.whole_since, end) - end);
    return true;
  });
}

void StatisticsCollector::fault_over(std::size_t row, TrueTime now) {
  for (GroupNotes& notes : groups_) {
    if (notes.present == 0) continue;
    close_faults(notes, now);
    notes.over.emplace_back(row, now);
  }
}

void StatisticsCollector::faults_over(TrueTime now) {
  for (GroupNotes& notes : groups_) {
    if (notes.present == 0) continue;
    if (notes.whole_since != TrueTime::max()) {
      result_.settled.add(Duration(0));
    } else {
      notes.settles_from = now;
    }
  }
}

void StatisticsCollector::finish(TrueTime now, const IndexTable& leases) {
  for (WorkerId w = 0; w < workers_.size(); ++w) {
    if (leases.entry(w).present) {
      held(leases.entry(w).pair, std::min(now, leases.entry(w).ends) - lease_since_[w]);
    }
    if (workers_[w].present) result_.present += (now - workers_[w].joined).count();
  }
  for (GroupNotes& notes : groups_) {
    close_faults(notes, now);
    if (notes.change != Change::none && notes.present > 0) ++result_.unfinished;
    if (notes.had_workers) result_.elapsed += (now - notes.first_worker).count();
  }
}

}  // namespace nandi::sim
