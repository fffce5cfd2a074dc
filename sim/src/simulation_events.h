// Each kind of event of a timeline; include simulation.h.
#pragma once

#include "simulation.h"

namespace nandi::sim {

template <class E>
inline constexpr bool kChangesLinks =
    std::is_same_v<E, LatencyChange> || std::is_same_v<E, JitterChange> ||
    std::is_same_v<E, LossChange>;
/// Faults that strike workers one by one, for a while.
template <class E>
inline constexpr bool kAfflicts =
    std::is_same_v<E, Pause> || std::is_same_v<E, Suspend> || std::is_same_v<E, Hang> ||
    std::is_same_v<E, NetworkPartition> || std::is_same_v<E, SlowConsumer> ||
    std::is_same_v<E, IgnoreExpiry> || kChangesLinks<E>;

/// Whether those who come later are struck as well.
template <class E>
[[nodiscard]] bool includes_newcomers(const E& event) {
  if constexpr (std::is_same_v<E, Hang> || std::is_same_v<E, NetworkPartition> ||
                std::is_same_v<E, SlowConsumer> || std::is_same_v<E, IgnoreExpiry> ||
                kChangesLinks<E>) {
    return event.workers.kind == WorkerChoice::Kind::all;
  } else {
    return false;
  }
}

// --- Membership ---

template <class Rules>
void Simulation<Rules>::begin(const Join& event, std::size_t number) {
  struck(number);
  for (std::uint32_t i = 0; i < event.workers.count; ++i) {
    join({plan_.agenda[number].member, identity_of(number, i)});
  }
}

template <class Rules>
void Simulation<Rules>::begin(const Leave& event, std::size_t number) {
  for (const WorkerId w : chosen(event.workers, number)) {
    if (!enabled(ActionKind::leave, w)) continue;
    struck(number);
    act(ActionKind::leave, w);
  }
}

template <class Rules>
void Simulation<Rules>::begin(const Crash& event, std::size_t number) {
  for (const WorkerId w : chosen(event.workers, number)) {
    struck(number);
    act(ActionKind::crash, w);
  }
}

template <class Rules>
void Simulation<Rules>::begin(const Restart& event, std::size_t number) {
  std::uint32_t started = 0;
  for (const WorkerId w : chosen(event.workers, number)) {
    struck(number);
    act(ActionKind::crash, w);
    const Place& place = places_[w];
    pending_joins_.push_back(
        {place.member, event.same_seed ? place.identity : identity_of(number, started++)});
    put_on_agenda(world_.now() + event.down, AgendaKind::join, pending_joins_.size() - 1);
  }
}

/// Stopped as a deploy stops them, and started anew at the same moment; those that have the
/// settings already are left alone.
template <class Rules>
void Simulation<Rules>::begin(const Reconfigure& event, std::size_t number) {
  std::uint32_t started = 0;
  const std::vector<std::uint16_t>& becomes = plan_.agenda[number].becomes;
  const auto is_to_change = [&](WorkerId w) {
    return enabled(ActionKind::leave, w) && becomes[places_[w].member] != places_[w].member;
  };
  for (const WorkerId w : chosen(event.workers, number, is_to_change)) {
    struck(number);
    act(ActionKind::leave, w);
    join({becomes[places_[w].member], identity_of(number, started++)});
  }
}

/// The copy goes on from the original's memory, and shares every fault that strikes the original.
template <class Rules>
void Simulation<Rules>::begin(const Fork& event, std::size_t number) {
  for (const WorkerId w : chosen(event.workers, number)) {
    const WorkerId copy = next_worker_++;
    struck(number);
    Place& place = places_[copy];
    place = places_[w];
    identify(place, copy);
    place.wake_at = TrueTime::max();
    place.paused = place.hung = place.cut_requests = place.cut_replies = 0;
    const auto rate = own_rates_.find(w);
    if (rate != own_rates_.end()) own_rates_[copy] = rate->second;
    act(ActionKind::fork, w, copy);
    for (std::size_t a = 0; a < active_.size(); ++a) {
      ActiveFault& fault = active_[a];
      if (fault.ended ||
          std::find(fault.workers.begin(), fault.workers.end(), w) == fault.workers.end()) {
        continue;
      }
      fault.workers.push_back(copy);
      std::visit(
          [&](const auto& e) {
            if constexpr (kAfflicts<std::decay_t<decltype(e)>>) afflict(e, a, copy);
          },
          plan_.scenario.timeline[fault.event].event);
    }
    if (world_.worker(copy).work == Work::draining) begin_drain(copy);
    set_wake(copy, TrueTime::max());
  }
}

// --- Faults that strike workers one by one, for a while ---

template <class Rules>
template <class Afflicting>
void Simulation<Rules>::begin(const Afflicting& event, std::size_t number) {
  if constexpr (kAfflicts<Afflicting>) {
    const std::vector<WorkerId> workers = chosen(event.workers, number);
    const std::size_t active = activate(number, workers, std::optional<Duration>(event.length));
    for (const WorkerId w : workers) afflict(event, active, w);
  } else {
    throw std::logic_error("the simulator has no event " +
                           event_name(plan_.scenario.timeline[number].event));
  }
}

template <class Rules>
void Simulation<Rules>::begin(const Suspend& event, std::size_t number) {
  const std::vector<WorkerId> workers = chosen(event.workers, number);
  const std::size_t active = activate(number, workers, event.length);
  for (const WorkerId w : workers) afflict(event, active, w);
}

template <class Rules>
template <class E>
void Simulation<Rules>::end(const E& event, std::size_t active) {
  if constexpr (kAfflicts<E>) {
    const std::vector<WorkerId> workers = active_[active].workers;
    for (const WorkerId w : workers) relieve(event, active, w);
    if constexpr (std::is_same_v<E, Hang>) release_hung();
  } else if constexpr (std::is_same_v<E, StoreRefuses> || std::is_same_v<E, StoreRestart>) {
    --refusing_;
  } else if constexpr (std::is_same_v<E, ClockFreeze> || std::is_same_v<E, ClockDrift>) {
    if (!event.workers) {
      set_store_rate();
    } else {
      const std::vector<WorkerId> workers = active_[active].workers;
      for (const WorkerId w : workers) set_rate(w);
    }
  } else if constexpr (std::is_same_v<E, Failover>) {
    --refusing_;
  }
}

template <class Rules>
void Simulation<Rules>::pause(WorkerId worker) {
  ++places_[worker].paused;
  if (enabled(ActionKind::pause, worker)) act(ActionKind::pause, worker);
}

/// Everything that waited happens now, in the order in which it came.
template <class Rules>
void Simulation<Rules>::unpause(WorkerId worker) {
  if (--places_[worker].paused > 0 || !enabled(ActionKind::resume, worker)) return;
  act(ActionKind::resume, worker);
  const auto found = stashed_.find(worker);
  if (found == stashed_.end()) return;
  const std::vector<QueuedEvent> events = std::move(found->second);
  stashed_.erase(found);
  for (const QueuedEvent& event : events) dispatch(event);
}

template <class Rules>
void Simulation<Rules>::afflict(const Pause&, std::size_t active, WorkerId worker) {
  fired(active_[active].event);
  pause(worker);
}
template <class Rules>
void Simulation<Rules>::relieve(const Pause&, std::size_t, WorkerId worker) {
  unpause(worker);
}

template <class Rules>
void Simulation<Rules>::afflict(const Suspend& event, std::size_t active, WorkerId worker) {
  fired(active_[active].event);
  pause(worker);
  if (event.clock_counts) return;
  set_rate(worker);
  note_clock_fault(worker, active_[active].event);
}
template <class Rules>
void Simulation<Rules>::relieve(const Suspend& event, std::size_t, WorkerId worker) {
  if (!event.clock_counts) set_rate(worker);
  unpause(worker);
}

template <class Rules>
void Simulation<Rules>::afflict(const Hang&, std::size_t, WorkerId worker) {
  ++places_[worker].hung;
  places_[worker].special = true;
}
template <class Rules>
void Simulation<Rules>::relieve(const Hang&, std::size_t, WorkerId worker) {
  --places_[worker].hung;
}

/// The store answers again: what reached it meanwhile is executed in the order in which it came,
/// whether or not anybody still waits for it.
template <class Rules>
void Simulation<Rules>::release_hung() {
  std::vector<QueuedEvent> waiting;
  waiting.swap(hung_);
  for (const QueuedEvent& event : waiting) {
    if (places_[event.worker].hung > 0) {
      hung_.push_back(event);
    } else {
      dispatch(event);
    }
  }
}

template <class Rules>
void Simulation<Rules>::afflict(const NetworkPartition& event, std::size_t, WorkerId worker) {
  Place& place = places_[worker];
  place.special = true;
  if (event.direction != Direction::replies) ++place.cut_requests;
  if (event.direction != Direction::requests) ++place.cut_replies;
}
template <class Rules>
void Simulation<Rules>::relieve(const NetworkPartition& event, std::size_t, WorkerId worker) {
  Place& place = places_[worker];
  if (event.direction != Direction::replies) --place.cut_requests;
  if (event.direction != Direction::requests) --place.cut_replies;
}

template <class Rules>
void Simulation<Rules>::afflict(const SlowConsumer&, std::size_t, WorkerId worker) {
  reconsume(worker);
}
template <class Rules>
void Simulation<Rules>::relieve(const SlowConsumer&, std::size_t, WorkerId worker) {
  reconsume(worker);
}
template <class Rules>
void Simulation<Rules>::afflict(const IgnoreExpiry&, std::size_t, WorkerId worker) {
  reconsume(worker);
}
template <class Rules>
void Simulation<Rules>::relieve(const IgnoreExpiry&, std::size_t, WorkerId worker) {
  reconsume(worker);
  // It looks at the clock again.
  if (enabled(ActionKind::take, worker)) act(ActionKind::take, worker);
}

/// The worker's own consumer with all the changes in force, the later ones over the earlier.
template <class Rules>
void Simulation<Rules>::reconsume(WorkerId worker) {
  Place& place = places_[worker];
  place.special = true;
  const std::uint16_t own = plan_.members[place.member].consumer;
  place.consumer = own;
  bool is_changed = false;
  ConsumerPlan consumer = consumers_[own];
  for_active<SlowConsumer>(worker, [&](std::size_t event) {
    const auto& slow = std::get<SlowConsumer>(plan_.scenario.timeline[event].event);
    consumer.drain = Sampler(slow.drain);
    consumer.overrun = slow.overrun;
    is_changed = true;
  });
  for_active<IgnoreExpiry>(worker, [&](std::size_t) {
    consumer.ignore_expiry = true;
    is_changed = true;
  });
  if (!is_changed) return;
  consumers_.push_back(consumer);
  place.consumer = static_cast<std::uint16_t>(consumers_.size() - 1);
}

template <class Rules>
template <class LinkChange>
void Simulation<Rules>::afflict(const LinkChange&, std::size_t active, WorkerId worker) {
  if constexpr (kChangesLinks<LinkChange>) {
    link_changes_[worker].push_back(active);
    relink(worker);
  }
}
template <class Rules>
template <class LinkChange>
void Simulation<Rules>::relieve(const LinkChange&, std::size_t active, WorkerId worker) {
  if constexpr (kChangesLinks<LinkChange>) {
    std::erase(link_changes_[worker], active);
    relink(worker);
  }
}

// --- The end of faults ---

template <class Rules>
void Simulation<Rules>::begin(const Heal&, std::size_t number) {
  fired(number);
  record_fault(RecordKind::fault_begins, number, {});
  const bool ends_any =
      std::any_of(active_.begin(), active_.end(), [](const ActiveFault& a) { return !a.ended; });
  if (ends_any) changed(number);
  heal();
}

/// Whatever is going on ends.
template <class Rules>
void Simulation<Rules>::heal() {
  for (std::size_t a = 0; a < active_.size(); ++a) end_fault(a);
  for (auto& [worker, a] : ambushes_) a = Ambush{};
}

}  // namespace nandi::sim
