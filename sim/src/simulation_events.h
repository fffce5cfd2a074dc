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
    std::is_same_v<E, NetworkPartition> || kChangesLinks<E>;

/// Whether those who come later are struck as well.
template <class E>
[[nodiscard]] bool includes_newcomers(const E& event) {
  if constexpr (std::is_same_v<E, Hang> || std::is_same_v<E, NetworkPartition> ||
                kChangesLinks<E>) {
    return event.workers.kind == WorkerChoice::Kind::all;
  } else {
    return false;
  }
}

// --- Membership ---

template <class Rules>
void Simulation<Rules>::begin(const Join& event, std::size_t number) {
  fired(number);
  for (std::uint32_t i = 0; i < event.workers.count; ++i) {
    join({plan_.agenda[number].member, identity_of(number, i)});
  }
}

template <class Rules>
void Simulation<Rules>::begin(const Leave& event, std::size_t number) {
  for (const WorkerId w : chosen(event.workers, number)) {
    if (!enabled(ActionKind::leave, w)) continue;
    fired(number);
    act(ActionKind::leave, w);
  }
}

template <class Rules>
void Simulation<Rules>::begin(const Crash& event, std::size_t number) {
  for (const WorkerId w : chosen(event.workers, number)) {
    fired(number);
    act(ActionKind::crash, w);
  }
}

template <class Rules>
void Simulation<Rules>::begin(const Restart& event, std::size_t number) {
  std::uint32_t started = 0;
  for (const WorkerId w : chosen(event.workers, number)) {
    fired(number);
    act(ActionKind::crash, w);
    const Place& place = places_[w];
    pending_joins_.push_back(
        {place.member, event.same_seed ? place.identity : identity_of(number, started++)});
    put_on_agenda(world_.now() + event.down, AgendaKind::join, pending_joins_.size() - 1);
  }
}

/// Stopped as a deploy stops them, and started anew at the same moment.
template <class Rules>
void Simulation<Rules>::begin(const Reconfigure& event, std::size_t number) {
  std::uint32_t started = 0;
  for (const WorkerId w : chosen(event.workers, number)) {
    if (!enabled(ActionKind::leave, w)) continue;
    fired(number);
    act(ActionKind::leave, w);
    join({plan_.agenda[number].becomes[places_[w].member], identity_of(number, started++)});
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
  if (!event.clock_counts) set_rate(worker);
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

/// The worker's own link with all the changes in force, the later ones over the earlier.
template <class Rules>
void Simulation<Rules>::relink(WorkerId worker) {
  Place& place = places_[worker];
  place.special = true;
  const std::uint16_t own = plan_.members[place.member].link;
  std::vector<std::size_t> events;
  for (const std::size_t active : link_changes_[worker]) events.push_back(active_[active].event);
  if (events.empty()) {
    place.link = own;
    return;
  }
  const auto [known, is_new] = changed_links_.try_emplace({own, events}, std::uint16_t{0});
  if (is_new) {
    NetworkSettings network = plan_.networks[own];
    for (const std::size_t e : events) {
      const Event& event = plan_.scenario.timeline[e].event;
      if (const auto* latency = std::get_if<LatencyChange>(&event)) {
        if (latency->request) network.request = *latency->request;
        if (latency->reply) network.reply = *latency->reply;
      } else if (const auto* jitter = std::get_if<JitterChange>(&event)) {
        if (jitter->request) network.jitter.request = *jitter->request;
        if (jitter->reply) network.jitter.reply = *jitter->reply;
      } else if (const auto* loss = std::get_if<LossChange>(&event)) {
        if (loss->request) network.loss.request = *loss->request;
        if (loss->reply) network.loss.reply = *loss->reply;
      }
    }
    links_.push_back(make_link(network));
    known->second = static_cast<std::uint16_t>(links_.size() - 1);
  }
  place.link = known->second;
}

// --- Faults that strike single messages ---

template <class Rules>
void Simulation<Rules>::begin(const Refuse& event, std::size_t number) {
  const std::vector<WorkerId> workers = chosen(event.workers, number);
  for (const WorkerId w : workers) {
    Ambush& a = ambush(w);
    a.refuse += event.attempts;
    a.refuse_fault = number;
  }
  record_fault(RecordKind::fault_begins, number, workers);
}

template <class Rules>
void Simulation<Rules>::begin(const Lose& event, std::size_t number) {
  const std::vector<WorkerId> workers = chosen(event.workers, number);
  for (const WorkerId w : workers) {
    Ambush& a = ambush(w);
    if (event.message == Message::request) {
      a.lose_requests += event.attempts;
      a.lose_request_fault = number;
    } else {
      a.lose_replies += event.attempts;
      a.lose_reply_fault = number;
    }
  }
  record_fault(RecordKind::fault_begins, number, workers);
}

template <class Rules>
void Simulation<Rules>::begin(const LateExecution& event, std::size_t number) {
  const std::vector<WorkerId> workers = chosen(event.workers, number);
  for (const WorkerId w : workers) {
    Ambush& a = ambush(w);
    a.late = event.by;
    a.late_fault = number;
  }
  record_fault(RecordKind::fault_begins, number, workers);
}

template <class Rules>
template <class Fault>
bool Simulation<Rules>::count_active(WorkerId worker) {
  bool any = false;
  for (const ActiveFault& fault : active_) {
    if (fault.ended || !std::holds_alternative<Fault>(plan_.scenario.timeline[fault.event].event) ||
        std::find(fault.workers.begin(), fault.workers.end(), worker) == fault.workers.end()) {
      continue;
    }
    fired(fault.event);
    any = true;
  }
  return any;
}

/// Whether the request is lost; makes it later where a fault says so.
template <class Rules>
bool Simulation<Rules>::waylay_request(WorkerId worker, Duration& delay) {
  bool is_lost = false;
  const auto changes = link_changes_.find(worker);
  if (changes != link_changes_.end()) {
    for (const std::size_t active : changes->second) fired(active_[active].event);
  }
  if (places_[worker].cut_requests > 0) {
    count_active<NetworkPartition>(worker);
    is_lost = true;
  }
  const auto found = ambushes_.find(worker);
  if (found == ambushes_.end()) return is_lost;
  Ambush& a = found->second;
  if (a.late > Duration(0)) {
    delay += std::exchange(a.late, Duration(0));
    fired(a.late_fault);
  }
  if (a.lose_requests > 0) {
    --a.lose_requests;
    fired(a.lose_request_fault);
    is_lost = true;
  }
  return is_lost;
}

template <class Rules>
bool Simulation<Rules>::waylay_reply(WorkerId worker) {
  bool is_lost = false;
  if (places_[worker].cut_replies > 0) {
    count_active<NetworkPartition>(worker);
    is_lost = true;
  }
  const auto found = ambushes_.find(worker);
  if (found != ambushes_.end() && found->second.lose_replies > 0) {
    --found->second.lose_replies;
    fired(found->second.lose_reply_fault);
    is_lost = true;
  }
  return is_lost;
}

/// The error that a request meets instead of the script, and the fault that it is due to.
template <class Rules>
std::pair<ErrorClass, std::size_t> Simulation<Rules>::refusal(const QueuedEvent& request) {
  for (auto fault = active_.rbegin(); refusing_ > 0 && fault != active_.rend(); ++fault) {
    if (fault->ended) continue;
    const Event& event = plan_.scenario.timeline[fault->event].event;
    if (std::holds_alternative<StoreRestart>(event)) {
      return {ErrorClass::connection, fault->event};
    }
    if (const auto* refuses = std::get_if<StoreRefuses>(&event)) {
      return {refuses->error, fault->event};
    }
  }
  const auto found = ambushes_.find(request.worker);
  const bool is_current =
      world_.worker(request.worker).wire_attempt == (request.data & ~kSourceBit);
  if (found != ambushes_.end() && found->second.refuse > 0 && is_current) {
    --found->second.refuse;
    return {ErrorClass::other, found->second.refuse_fault};
  }
  return {ErrorClass::none, 0};
}

// --- The store ---

template <class Rules>
void Simulation<Rules>::store_action(ActionKind kind, std::int64_t value, std::size_t event) {
  fired(event);
  record_fault(RecordKind::fault_begins, event, {});
  Action action;
  action.kind = kind;
  action.value = value;
  perform(action);
}

template <class Rules>
void Simulation<Rules>::begin(const FlushAll&, std::size_t number) {
  store_action(ActionKind::flush_all, 0, number);
}
template <class Rules>
void Simulation<Rules>::begin(const ScriptFlush&, std::size_t number) {
  store_action(ActionKind::script_flush, 0, number);
}
template <class Rules>
void Simulation<Rules>::begin(const DeleteCounter& event, std::size_t number) {
  erase_counter(event.interval, number);
}
template <class Rules>
void Simulation<Rules>::begin(const EvictCounter& event, std::size_t number) {
  erase_counter(event.interval, number);
}
template <class Rules>
void Simulation<Rules>::erase_counter(WhichInterval which, std::size_t event) {
  store_action(ActionKind::erase_counter, which == WhichInterval::open ? 0 : 1, event);
}

template <class Rules>
void Simulation<Rules>::begin(const StoreRefuses& event, std::size_t number) {
  activate(number, {}, event.length);
  ++refusing_;
}

template <class Rules>
void Simulation<Rules>::begin(const StoreRestart& event, std::size_t number) {
  if (event.data == StoreData::rolled_back) {
    throw std::logic_error("the simulator cannot roll a store back");
  }
  fired(number);
  activate(number, {}, event.down);
  ++refusing_;
  Action action;
  action.kind = ActionKind::script_flush;
  perform(action);
  if (event.data == StoreData::lost) {
    action.kind = ActionKind::flush_all;
    perform(action);
  }
}

// --- Clocks ---

template <class Rules>
void Simulation<Rules>::begin(const ClockStep& event, std::size_t number) {
  if (!event.workers) {
    store_action(ActionKind::step_store_clock, event.by.count(), number);
    return;
  }
  const std::vector<WorkerId> workers = chosen(*event.workers, number);
  record_fault(RecordKind::fault_begins, number, workers);
  for (const WorkerId w : workers) {
    fired(number);
    act(ActionKind::step_worker_clock, w, event.by.count());
  }
}

template <class Rules>
void Simulation<Rules>::begin(const ClockFreeze& event, std::size_t number) {
  std::vector<WorkerId> workers;
  if (event.workers) workers = chosen(*event.workers, number);
  activate(number, workers, event.length);
  if (!event.workers) {
    fired(number);
    set_store_rate();
  }
  for (const WorkerId w : workers) {
    fired(number);
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
    set_store_rate();
  }
  for (const WorkerId w : workers) {
    fired(number);
    set_rate(w);
  }
}

/// Its own rate, with what drifts add, unless something holds it still.
template <class Rules>
std::int64_t Simulation<Rules>::rate_of(std::int64_t own, std::optional<WorkerId> worker) const {
  for (const ActiveFault& fault : active_) {
    if (fault.ended) continue;
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
  perform(action);
}

template <class Rules>
void Simulation<Rules>::begin(const Heal&, std::size_t number) {
  fired(number);
  record_fault(RecordKind::fault_begins, number, {});
  heal();
}

/// Whatever is going on ends.
template <class Rules>
void Simulation<Rules>::heal() {
  for (std::size_t a = 0; a < active_.size(); ++a) end_fault(a);
  for (auto& [worker, a] : ambushes_) a = Ambush{};
}

}  // namespace nandi::sim
