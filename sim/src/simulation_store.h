// Faults of the store: its data, its scripts and its clock, and local clocks; include simulation.h.
//
// Such a fault does something at once, and changes a run only when somebody comes across it. So it
// is remembered until then.
#pragma once

#include "simulation.h"

namespace nandi::sim {

template <class Rules>
void Simulation<Rules>::store_action(ActionKind kind, std::int64_t value) {
  Action action;
  action.kind = kind;
  action.value = value;
  perform(action);
}

template <class Rules>
IntervalNumber Simulation<Rules>::open_interval(std::uint16_t config) const {
  return static_cast<IntervalNumber>(floor_div(world_.store_clock().at(world_.now()).count(),
                                               configs_[config].lease.timing.interval.count()));
}

/// 0 where there is no such key.
template <class Rules>
std::uint32_t Simulation<Rules>::count_of(std::uint16_t config, IntervalNumber interval) const {
  const auto counter =
      world_.store().find(configs_[config].group, interval, configs_[config].lease.timing,
                          world_.store_clock().at(world_.now()));
  return counter ? counter->value : 0;
}

/// Nothing happens to a counter that is not there.
template <class Rules>
void Simulation<Rules>::set_back_counter(std::size_t event, std::uint16_t config,
                                         IntervalNumber interval, std::uint32_t count) {
  const GroupId group = configs_[config].group;
  if (count_of(config, interval) == 0) return;
  fired(event);
  Action action;
  action.kind = ActionKind::erase_counter;
  action.config = config;
  action.value = open_interval(config) - interval;
  action.extra = count;
  perform(action);
  damage_.push_back({event, group, interval});
  watching_ = true;
}

template <class Rules>
void Simulation<Rules>::erase_counters(WhichInterval which, std::size_t event) {
  record_fault(RecordKind::fault_begins, event, {});
  for (std::uint16_t c = 0; c < configs_.size(); ++c) {
    set_back_counter(event, c, open_interval(c) - (which == WhichInterval::open ? 0 : 1), 0);
  }
}

template <class Rules>
void Simulation<Rules>::flush_counters(std::size_t event) {
  const StoreTime now = world_.store_clock().at(world_.now());
  const LeaseTiming& timing = configs_.front().lease.timing;  // the resolution is the store's
  for (const Counter& counter : world_.store().counters()) {
    if (!world_.store().find(counter.group, counter.interval, timing, now)) continue;
    fired(event);
    damage_.push_back({event, counter.group, counter.interval});
    watching_ = true;
  }
  store_action(ActionKind::flush_all, 0);
}

template <class Rules>
void Simulation<Rules>::flush_script(std::size_t event) {
  if (world_.store().script_cached()) {
    fired(event);
    script_gone_ = event;
    watching_ = true;
  }
  store_action(ActionKind::script_flush, 0);
}

/// The last registrations that were counted are not.
template <class Rules>
void Simulation<Rules>::undo_writes(std::uint32_t count, std::size_t event) {
  std::map<std::pair<std::uint16_t, IntervalNumber>, std::uint32_t> undone;
  for (; count > 0 && !writes_.empty(); --count) {
    ++undone[{writes_.back().config, writes_.back().interval}];
    writes_.pop_back();
  }
  for (const auto& [counter, writes] : undone) {
    const auto [config, interval] = counter;
    const std::uint32_t value = count_of(config, interval);
    set_back_counter(event, config, interval, value - std::min(value, writes));
  }
}

template <class Rules>
void Simulation<Rules>::begin(const FlushAll&, std::size_t number) {
  record_fault(RecordKind::fault_begins, number, {});
  flush_counters(number);
}
template <class Rules>
void Simulation<Rules>::begin(const ScriptFlush&, std::size_t number) {
  record_fault(RecordKind::fault_begins, number, {});
  flush_script(number);
}
template <class Rules>
void Simulation<Rules>::begin(const DeleteCounter& event, std::size_t number) {
  erase_counters(event.interval, number);
}
template <class Rules>
void Simulation<Rules>::begin(const EvictCounter& event, std::size_t number) {
  erase_counters(event.interval, number);
}

/// The closed counters have come along; the open one has not, and the node never ran the script.
template <class Rules>
void Simulation<Rules>::begin(const SlotMigration&, std::size_t number) {
  erase_counters(WhichInterval::open, number);
  flush_script(number);
}

template <class Rules>
void Simulation<Rules>::begin(const StoreRefuses& event, std::size_t number) {
  activate(number, {}, event.length);
  ++refusing_;
}

template <class Rules>
void Simulation<Rules>::begin(const StoreRestart& event, std::size_t number) {
  fired(number);
  activate(number, {}, event.down);
  ++refusing_;
  flush_script(number);
  if (event.data == StoreData::lost) flush_counters(number);
  if (event.data == StoreData::rolled_back) undo_writes(event.lost_writes, number);
}

template <class Rules>
void Simulation<Rules>::begin(const Failover& event, std::size_t number) {
  fired(number);
  activate(number, {}, event.readonly_for);
  ++refusing_;
  flush_script(number);
  undo_writes(event.lost_writes, number);
  if (event.clock_offset != Duration(0)) step_store_clock(event.clock_offset, number);
}

/// After an execution, while something waits to be come across.
template <class Rules>
void Simulation<Rules>::watch_execution(WorkerId worker, const Applied& applied) {
  if (script_gone_) {
    // A request that carries the source brings the script back, as if it had never gone.
    if (!applied.executed) changed(*script_gone_);
    script_gone_.reset();
  }
  if (applied.executed) {
    const std::uint16_t config = world_.worker(worker).config;
    const LeaseTiming& timing = configs_[config].lease.timing;
    const Tick& tick = *applied.tick;
    const auto comes_across = [&](const Damage& damage) {
      if (damage.group != configs_[config].group) return false;
      const bool does = damage.interval == tick.interval || damage.interval == tick.interval - 1;
      if (does) changed(damage.event);
      return does;
    };
    std::erase_if(damage_, comes_across);
    const auto shows_otherwise = [&](const ShadowClock& shadow) {
      const std::int64_t resolution = timing.resolution.count();
      const auto shown =
          static_cast<std::int64_t>(floor_div(shadow.clock.at(world_.now()).count(), resolution));
      const auto is = static_cast<std::int64_t>(
          floor_div(world_.store_clock().at(world_.now()).count(), resolution));
      if (shown != is) changed(shadow.event);
      return shown != is;
    };
    std::erase_if(shadows_, shows_otherwise);
    if (plan_.undone_writes > 0) {
      if (writes_.size() == plan_.undone_writes) writes_.erase(writes_.begin());
      writes_.push_back({config, tick.interval});
    }
  }
  watching_ = script_gone_ || !damage_.empty() || !shadows_.empty() || plan_.undone_writes > 0;
}

// --- Clocks ---

template <class Rules>
void Simulation<Rules>::begin(const ClockStep& event, std::size_t number) {
  if (!event.workers) {
    fired(number);
    record_fault(RecordKind::fault_begins, number, {});
    step_store_clock(event.by, number);
    return;
  }
  const std::vector<WorkerId> workers = chosen(*event.workers, number);
  record_fault(RecordKind::fault_begins, number, workers);
  for (const WorkerId w : workers) {
    fired(number);
    note_clock_fault(w, number);
    act(ActionKind::step_worker_clock, w, event.by.count());
  }
}

template <class Rules>
void Simulation<Rules>::step_store_clock(Duration by, std::size_t event) {
  for (ShadowClock& shadow : shadows_) shadow.clock.step(world_.now(), by);
  shadows_.push_back({event, world_.store_clock()});
  watching_ = true;
  store_action(ActionKind::step_store_clock, by.count());
}

/// The worker's clock is not what it was: whatever it does next by its clock shows that.
template <class Rules>
void Simulation<Rules>::note_clock_fault(WorkerId worker, std::size_t event) {
  places_[worker].special = true;
  clock_faults_[worker].push_back(event);
}

template <class Rules>
void Simulation<Rules>::notice_clock_faults(WorkerId worker) {
  const auto found = clock_faults_.find(worker);
  if (found == clock_faults_.end()) return;
  for (const std::size_t event : found->second) changed(event);
  clock_faults_.erase(found);
}

template <class Rules>
void Simulation<Rules>::begin(const ClockFreeze& event, std::size_t number) {
  std::vector<WorkerId> workers;
  if (event.workers) workers = chosen(*event.workers, number);
  activate(number, workers, event.length);
  if (!event.workers) {
    fired(number);
    shadows_.push_back({number, world_.store_clock()});
    watching_ = true;
    set_store_rate();
  }
  for (const WorkerId w : workers) {
    fired(number);
    note_clock_fault(w, number);
    set_rate(w);
  }
}

template <class Rules>
void Simulation<Rules>::begin(const ClockDrift& event, std::size_t number) {
  std::vector<WorkerId> workers;
  if (event.workers) workers = chosen(*event.workers, number);
  activate(number, workers, event.length);
  if (!event.workers) {
    fired(number);
    shadows_.push_back({number, world_.store_clock()});
    watching_ = true;
    set_store_rate();
  }
  for (const WorkerId w : workers) {
    fired(number);
    note_clock_fault(w, number);
    set_rate(w);
  }
}

/// Its own rate, with what drifts add, unless something holds it still.
template <class Rules>
std::int64_t Simulation<Rules>::rate_of(std::int64_t own, std::optional<WorkerId> worker,
                                        std::optional<std::size_t> without) const {
  for (const ActiveFault& fault : active_) {
    if (fault.ended || fault.event == without) continue;
    const Event& event = plan_.scenario.timeline[fault.event].event;
    const bool strikes = worker && std::find(fault.workers.begin(), fault.workers.end(), *worker) !=
                                       fault.workers.end();
    if (const auto* freeze = std::get_if<ClockFreeze>(&event)) {
      if (freeze->workers ? strikes : !worker) return -kPartsPerBillion;
    } else if (const auto* suspend = std::get_if<Suspend>(&event)) {
      if (strikes && !suspend->clock_counts) return -kPartsPerBillion;
    } else if (const auto* drift = std::get_if<ClockDrift>(&event)) {
      if (drift->workers ? strikes : !worker) own += parts_per_billion(drift->rate);
    }
  }
  return std::max(own, -kPartsPerBillion);
}

template <class Rules>
void Simulation<Rules>::set_rate(WorkerId worker) {
  const auto own = own_rates_.find(worker);
  act(ActionKind::set_worker_clock_rate, worker,
      rate_of(own == own_rates_.end() ? 0 : own->second, worker));
}

template <class Rules>
void Simulation<Rules>::set_store_rate() {
  Action action;
  action.kind = ActionKind::set_store_clock_rate;
  action.value = rate_of(own_store_rate_, std::nullopt);
  for (ShadowClock& shadow : shadows_) {
    shadow.clock.set_rate(world_.now(), rate_of(own_store_rate_, std::nullopt, shadow.event));
  }
  perform(action);
}

}  // namespace nandi::sim
