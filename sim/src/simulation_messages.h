// Faults that strike messages: changed links, and ambushes on single registrations; include
// simulation.h.
#pragma once

#include "simulation.h"

namespace nandi::sim {

/// The worker's own link with all the changes in force, the later ones over the earlier, as if the
/// fault `without` were not.
template <class Rules>
std::uint16_t Simulation<Rules>::link_of(WorkerId worker, std::optional<std::size_t> without) {
  const std::uint16_t own = plan_.members[places_[worker].member].link;
  std::vector<std::size_t> events;
  for (const std::size_t active : link_changes_[worker]) {
    if (active != without) events.push_back(active_[active].event);
  }
  if (events.empty()) return own;
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
  return known->second;
}

template <class Rules>
void Simulation<Rules>::relink(WorkerId worker) {
  places_[worker].special = true;
  places_[worker].link = link_of(worker, std::nullopt);
}

/// What becomes of a message on this link, but for faults that strike it singly.
template <class Rules>
typename Simulation<Rules>::Fate Simulation<Rules>::fate(const Link& link, const Place& place,
                                                         std::uint64_t message,
                                                         bool is_reply) const {
  const Sampler& latency = is_reply ? link.reply : link.request;
  const Sampler& jitter = is_reply ? link.reply_jitter : link.request_jitter;
  const Fraction loss = is_reply ? link.reply_loss : link.request_loss;
  Fate result;
  result.delay = latency.sample(
      split_mix(is_reply ? place.reply_latencies : place.request_latencies, message));
  if (!jitter.is_zero()) {
    result.delay += jitter.sample(
        draws_(is_reply ? Stream::reply_jitter : Stream::request_jitter, place.identity, message));
  }
  result.is_lost =
      loss.numerator() != 0 &&
      happens(draws_(is_reply ? Stream::reply_loss : Stream::request_loss, place.identity, message),
              loss);
  return result;
}

/// Each change of the worker's link sees a message pass; it has changed something when the message
/// would have fared otherwise without it.
template <class Rules>
void Simulation<Rules>::count_link_changes(WorkerId worker, std::uint64_t message, bool is_reply) {
  const auto changes = link_changes_.find(worker);
  if (changes == link_changes_.end()) return;
  const Place& place = places_[worker];
  const std::vector<std::size_t> active = changes->second;
  for (const std::size_t a : active) {
    fired(active_[a].event);
    const std::uint16_t other = link_of(worker, a);
    if (fate(links_[other], place, message, is_reply) !=
        fate(links_[place.link], place, message, is_reply)) {
      changed(active_[a].event);
    }
  }
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

/// Whatever is sent on a dead connection is lost; a client opens another only when an attempt has
/// failed on it.
template <class Rules>
void Simulation<Rules>::begin(const HalfOpen& event, std::size_t number) {
  const std::vector<WorkerId> workers = chosen(event.workers, number);
  for (const WorkerId w : workers) {
    if (is_connecting(w)) continue;  // it has none
    Ambush& a = ambush(w);
    a.is_dead = true;
    a.dead_attempt = world_.worker(w).wire == Wire::none ? 0 : world_.worker(w).wire_attempt;
    a.dead_fault = number;
  }
  record_fault(RecordKind::fault_begins, number, workers);
}

/// The fault that this attempt of the worker is lost to, its connection being dead.
template <class Rules>
std::optional<std::size_t> Simulation<Rules>::dead_connection(WorkerId worker,
                                                              AttemptId attempt) const {
  const auto found = ambushes_.find(worker);
  if (found == ambushes_.end() || !found->second.is_dead) return std::nullopt;
  if (found->second.dead_attempt != attempt) return std::nullopt;
  return found->second.dead_fault;
}

/// A client keeps its connection but after its end, a registration that nobody answered on it, or
/// an answer that says that another server is to be asked.
template <class Rules>
bool Simulation<Rules>::is_connecting(WorkerId worker) const {
  const LeaseState& state = world_.worker(worker).engine.state();
  switch (state.last_error) {
    case ErrorClass::none: return !state.has_held;
    case ErrorClass::timeout:
    case ErrorClass::connection:
    case ErrorClass::readonly:
    case ErrorClass::max_clients: return true;
    default: return false;
  }
}

template <class Rules>
template <class Fault, class Count>
void Simulation<Rules>::for_active(WorkerId worker, Count count) {
  for (const ActiveFault& fault : active_) {
    if (!fault.ended && std::holds_alternative<Fault>(plan_.scenario.timeline[fault.event].event) &&
        std::find(fault.workers.begin(), fault.workers.end(), worker) != fault.workers.end()) {
      count(fault.event);
    }
  }
}

/// Whether the request is lost; makes it later where a fault says so.
template <class Rules>
bool Simulation<Rules>::waylay_request(WorkerId worker, std::uint64_t message, Duration& delay) {
  bool is_lost = false;
  count_link_changes(worker, message, false);
  if (places_[worker].cut_requests > 0) {
    for_active<NetworkPartition>(worker, [this](std::size_t event) { struck(event); });
    is_lost = true;
  }
  const auto found = ambushes_.find(worker);
  if (found == ambushes_.end()) return is_lost;
  Ambush& a = found->second;
  const AttemptId attempt = world_.worker(worker).wire_attempt;
  if (a.is_dead) {
    if (a.dead_attempt == 0) a.dead_attempt = attempt;
    a.is_dead = a.dead_attempt == attempt;
    if (a.is_dead) {
      struck(a.dead_fault);
      is_lost = true;
    }
  }
  if (a.late > Duration(0)) {
    delay += std::exchange(a.late, Duration(0));
    struck(a.late_fault);
  }
  if (a.lose_requests > 0) {
    --a.lose_requests;
    struck(a.lose_request_fault);
    is_lost = true;
  }
  return is_lost;
}

template <class Rules>
bool Simulation<Rules>::waylay_reply(WorkerId worker, std::uint64_t message) {
  bool is_lost = false;
  count_link_changes(worker, message, true);
  if (places_[worker].cut_replies > 0) {
    for_active<NetworkPartition>(worker, [this](std::size_t event) { struck(event); });
    is_lost = true;
  }
  const auto found = ambushes_.find(worker);
  if (found != ambushes_.end() && found->second.lose_replies > 0) {
    --found->second.lose_replies;
    struck(found->second.lose_reply_fault);
    is_lost = true;
  }
  return is_lost;
}

/// The error that a request meets instead of the script, and the fault that it is due to.
template <class Rules>
std::pair<ErrorClass, std::size_t> Simulation<Rules>::refusal(const QueuedEvent& request) {
  const auto& worker = world_.worker(request.worker);
  const bool is_current =
      worker.wire_attempt == (request.data & ~kSourceBit) && worker.wire != Wire::none;
  for (auto fault = active_.rbegin(); refusing_ > 0 && fault != active_.rend(); ++fault) {
    if (fault->ended) continue;
    const Event& event = plan_.scenario.timeline[fault->event].event;
    if (std::holds_alternative<StoreRestart>(event)) {
      return {ErrorClass::connection, fault->event};
    }
    if (std::holds_alternative<Failover>(event)) return {ErrorClass::readonly, fault->event};
    if (const auto* refuses = std::get_if<StoreRefuses>(&event)) {
      const bool spares = refuses->error == ErrorClass::max_clients &&
                          !(is_current && is_connecting(request.worker));
      if (!spares) return {refuses->error, fault->event};
    }
  }
  const auto found = ambushes_.find(request.worker);
  if (found != ambushes_.end() && found->second.refuse > 0 && is_current) {
    --found->second.refuse;
    return {ErrorClass::other, found->second.refuse_fault};
  }
  return {ErrorClass::none, 0};
}

}  // namespace nandi::sim
