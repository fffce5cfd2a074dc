// The loop of a simulation; include simulation.h.
#pragma once

#include "simulation.h"

namespace nandi::sim {

template <class Rules>
std::vector<MemberConfig<Rules>> Simulation<Rules>::configs_of(const RunPlan& plan) {
  std::vector<Config> configs;
  configs.reserve(plan.configs.size());
  for (const PlannedConfig& planned : plan.configs) {
    Config config;
    config.lease.timing = planned.lease.timing;
    config.group = planned.group;
    config.interval_from_worker_clock = planned.interval_from_worker_clock;
    if constexpr (std::is_same_v<Rules, AblatedRules>) config.lease.rules = planned.lease.rules;
    configs.push_back(config);
  }
  return configs;
}

template <class Rules>
RunResult Simulation<Rules>::run() {
  constexpr std::uint64_t kLookUpEvery = 4096;
  // Beyond so many workers their state no longer fits the nearest cache.
  constexpr std::size_t kLarge = 200;
  const bool is_large = places_.size() > kLarge;
  start();
  std::uint64_t popped = 0;
  while (!queue_.empty()) {
    const QueuedEvent event = queue_.pop();
    if (event.at > end_) break;
    if (is_large) prefetch(queue_.likely_next());
    if (options_.stop != nullptr && ++popped % kLookUpEvery == 0 &&
        options_.stop->load(std::memory_order_relaxed)) {
      result_.interrupted = true;
      break;
    }
    world_.advance_to(event.at);
    dispatch(event);
  }
  if (!result_.interrupted) world_.advance_to(std::max(end_, world_.now()));
  return finish();
}

/// Fetches early what the next event is going to touch.
template <class Rules>
void Simulation<Rules>::prefetch(const QueuedEvent* next) const {
  if (next == nullptr) return;
  constexpr std::size_t kLine = 64;
  const auto* worker = reinterpret_cast<const char*>(&world_.workers()[next->worker]);
  for (std::size_t at = 0; at < sizeof(Worker<Rules>); at += kLine) __builtin_prefetch(worker + at);
  __builtin_prefetch(&places_[next->worker]);
  __builtin_prefetch(&ledger_.leases().entry(next->worker));
  statistics_.prefetch(next->worker);
}

template <class Rules>
RunResult Simulation<Rules>::finish() {
  const Action nothing;
  const Applied none;
  properties_.finish(moment(nothing, none));
  statistics_.finish(world_.now(), ledger_.leases());
  result_.end = world_.now();
  result_.whole = statistics_.is_whole();
  result_.properties = properties_.outcomes();
  result_.statistics = statistics_.result();
  result_.statistics.closest.seed = result_.seed;
  result_.trace_hash = hash_.value();
  return std::move(result_);
}

template <class Rules>
void Simulation<Rules>::dispatch(const QueuedEvent& event) {
  switch (event.event_class()) {
    case EventClass::agenda: on_agenda(event); break;
    case EventClass::execute: on_execute(event); break;
    case EventClass::lose: on_lose(event); break;
    case EventClass::deliver: on_deliver(event); break;
    case EventClass::drained: on_drained(event); break;
    case EventClass::wake: on_wake(event); break;
  }
}

template <class Rules>
void Simulation<Rules>::on_execute(const QueuedEvent& event) {
  Place& place = places_[event.worker];
  Action action;
  action.kind = ActionKind::execute;
  action.worker = event.worker;
  action.attempt = event.data & ~kSourceBit;
  const auto& worker = world_.worker(event.worker);
  const bool is_current = worker.wire_attempt == action.attempt && worker.wire != Wire::none;
  if (!is_current && (event.data & kSourceBit) != 0) action.value = 1;
  if (place.special) [[unlikely]] {
    if (place.hung > 0) {
      hung_.push_back(event);
      for_active<Hang>(event.worker, [this](std::size_t fault) { struck(fault); });
      set_wake(event.worker, TrueTime::max());
      return;
    }
    if (const auto fault = dead_connection(event.worker, action.attempt)) {
      struck(*fault);
      on_lose(event);
      return;
    }
  }
  if (refusing_ > 0 || place.special) [[unlikely]] {
    const auto [error, fault] = refusal(event);
    if (error != ErrorClass::none) {
      action.kind = is_current ? ActionKind::refuse : ActionKind::lose;
      if (is_current) action.error = error;
      struck(fault);
    }
  }
  ++result_.events;
  perform(action);
}

template <class Rules>
void Simulation<Rules>::on_lose(const QueuedEvent& event) {
  const auto& worker = world_.worker(event.worker);
  const AttemptId attempt = event.data & ~(kReplyBit | kSourceBit);
  const bool is_current = worker.wire != Wire::none && worker.wire_attempt == attempt;
  // A lost reply of an abandoned attempt was discarded with it; a lost request still was a ghost.
  if ((event.data & kReplyBit) != 0 && !is_current) return;
  Action action;
  action.kind = ActionKind::lose;
  action.worker = event.worker;
  action.attempt = attempt;
  if (!is_current && (event.data & kSourceBit) != 0) action.value = 1;
  ++result_.events;
  perform(action);
}

template <class Rules>
void Simulation<Rules>::on_deliver(const QueuedEvent& event) {
  const auto& worker = world_.worker(event.worker);
  if (worker.is_paused()) {
    stash(event);
    return;
  }
  const bool is_current = worker.wire_attempt == event.data &&
                          (worker.wire == Wire::replied || worker.wire == Wire::refused ||
                           worker.wire == Wire::no_script);
  if (!is_current) return;
  Action action;
  action.kind = ActionKind::deliver;
  if (places_[event.worker].special) [[unlikely]] {
    notice_clock_faults(event.worker);
    if (const auto fault = dead_connection(event.worker, action.attempt)) {
      struck(*fault);
      action.kind = ActionKind::lose;
    }
  }
  action.worker = event.worker;
  action.attempt = event.data;
  ++result_.events;
  perform(action);
}

template <class Rules>
void Simulation<Rules>::on_drained(const QueuedEvent& event) {
  const auto& worker = world_.worker(event.worker);
  if (worker.work != Work::draining || places_[event.worker].drains != event.data) return;
  if (worker.is_paused()) {
    stash(event);
    return;
  }
  ++result_.events;
  act(ActionKind::drained, event.worker);
}

template <class Rules>
void Simulation<Rules>::on_wake(const QueuedEvent& event) {
  Place& place = places_[event.worker];
  if (place.generation != event.data) return;
  if (world_.worker(event.worker).is_paused()) {
    stash(event);
    return;
  }
  place.wake_at = TrueTime::max();
  if (world_.wakeup(configs_, event.worker) > world_.now()) {
    set_wake(event.worker, TrueTime::max());
    return;
  }
  if (place.special) [[unlikely]]
    notice_clock_faults(event.worker);
  Action action;
  action.kind = ActionKind::wake;
  action.worker = event.worker;
  ++result_.events;
  perform(action);
}

/// Makes an action happen and lets everything that watches see it.
template <class Rules>
void Simulation<Rules>::perform(const Action& action) {
  const Applied applied = world_.apply(configs_, action);
  ledger_.observe(std::span<const Config>(configs_), world_, action, applied);
  const Moment<WorldType> m = moment(action, applied);
  properties_.observe(m);
  statistics_.observe(m);
  check_ledger();
  add_to_hash(action, applied);
  if (options_.trace != nullptr) [[unlikely]]
    write_record(action, applied);
  ++result_.actions;
  if (watching_ && action.kind == ActionKind::execute) [[unlikely]]
    watch_execution(action.worker, applied);
  if (concerns_worker(action.kind)) follow(action, applied);
}

/// In debug builds: what was kept up to date action by action is what looking at every worker
/// gives.
template <class Rules>
void Simulation<Rules>::check_ledger() const {
#ifdef NANDI_DEBUG_CHECKS
  constexpr std::size_t kMost = 64;  // quadratic
  if (places_.size() > kMost) return;
  const std::span<const Config> configs(configs_);
  for (WorkerId w = 0; w < places_.size(); ++w) {
    const std::optional<Pair> held = world_.held_pair(configs, w);
    const std::optional<Pair> acted = world_.acted_pair(w);
    const IndexTable::Entry& lease = ledger_.leases().entry(w);
    const IndexTable::Entry& work = ledger_.work().entry(w);
    if (held.has_value() != ledger_.leases().has(w, world_.now()) ||
        (held && *held != lease.pair) || acted.has_value() != work.present ||
        (acted && *acted != work.pair)) {
      throw std::logic_error("the ledger and the world disagree about " + worker_name(w));
    }
  }
  if ((LeaseExclusive::violated_in(configs, world_) &&
       !properties_.template get<LeaseExclusive>().first_violation()) ||
      (WorkExclusive::violated_in(configs, world_) &&
       !properties_.template get<WorkExclusive>().first_violation())) {
    throw std::logic_error("two workers have one index, and no property has noticed");
  }
#endif
}

template <class Rules>
void Simulation<Rules>::follow(const Action& action, const Applied& applied) {
  const WorkerId worker = action.worker;
  TrueTime covered = TrueTime::max();
  if (applied.request_sent) {
    covered = send_request(worker);
  } else if (applied.reply_sent) {
    covered = send_reply(worker);
  }
  const bool kept = applied.has_lease && applied.lease_before == applied.lease_after;
  if (applied.had_lease && !kept) {
    places_[worker].lease_end = ledger_.lost_end();
  }
  if (applied.drain_begun) {
    begin_drain(worker);
  } else if (applied.hand_over_ready) {
    // One that ignores the expiry goes on until a reply tells it otherwise.
    if (!consumers_[places_[worker].consumer].ignore_expiry || action.kind != ActionKind::wake) {
      act(ActionKind::take, worker);
    } else {
      for_active<IgnoreExpiry>(worker, [this](std::size_t event) { struck(event); });
    }
  }
  set_wake(worker, covered);
}

template <class Rules>
TrueTime Simulation<Rules>::send_request(WorkerId id) {
  Place& place = places_[id];
  const auto& worker = world_.worker(id);
  const Link& link = links_[place.link];
  const std::uint64_t message =
      std::uint64_t{worker.wire_attempt} * 2 + (worker.wire == Wire::source_requested ? 1 : 0);
  auto [delay, is_lost] = fate(link, place, message, false);
  if (place.special) [[unlikely]]
    is_lost = waylay_request(id, message, delay) || is_lost;
  const TrueTime at = world_.now() + delay;
  queue_.push(at, is_lost ? EventClass::lose : EventClass::execute, id,
              worker.wire == Wire::source_requested ? worker.wire_attempt | kSourceBit
                                                    : worker.wire_attempt);
  return at;
}

template <class Rules>
TrueTime Simulation<Rules>::send_reply(WorkerId id) {
  Place& place = places_[id];
  const auto& worker = world_.worker(id);
  const Link& link = links_[place.link];
  const std::uint64_t message =
      std::uint64_t{worker.wire_attempt} * 2 + (worker.wire == Wire::no_script ? 0 : 1);
  auto [delay, is_lost] = fate(link, place, message, true);
  if (place.special) [[unlikely]]
    is_lost = waylay_reply(id, message) || is_lost;
  const TrueTime at = world_.now() + delay;
  queue_.push(at, is_lost ? EventClass::lose : EventClass::deliver, id,
              is_lost ? worker.wire_attempt | kReplyBit : worker.wire_attempt);
  return at;
}

/// How long a drain takes that begins now, the place.drains-th of its worker.
template <class Rules>
Duration Simulation<Rules>::drain_length(const ConsumerPlan& consumer, const Place& place) const {
  const Duration length =
      consumer.drain.sample(draws_(Stream::drain, place.identity, place.drains));
  const bool is_bounded = !consumer.overrun.allowed || consumer.overrun.limit;
  if (!is_bounded || place.lease_end == TrueTime::max()) return length;
  const TrueTime latest = place.lease_end + consumer.overrun.limit.value_or(Duration(0));
  return std::min(length, std::max(latest - world_.now(), Duration(0)));
}

template <class Rules>
void Simulation<Rules>::begin_drain(WorkerId worker) {
  Place& place = places_[worker];
  ++place.drains;
  const Duration length = drain_length(consumers_[place.consumer], place);
  if (place.special) [[unlikely]] {
    const ConsumerPlan& own = consumers_[plan_.members[place.member].consumer];
    const bool differs = drain_length(own, place) != length;
    for_active<SlowConsumer>(worker, [&](std::size_t event) {
      fired(event);
      if (differs) changed(event);
    });
  }
  if (length == Duration(0)) {
    act(ActionKind::drained, worker);
  } else {
    queue_.push(world_.now() + length, EventClass::drained, worker, place.drains);
  }
}

/// Sees to it that the worker is woken in time. `covered`: an event of its own comes then, which
/// ends here again.
template <class Rules>
void Simulation<Rules>::set_wake(WorkerId worker, TrueTime covered) {
  Place& place = places_[worker];
  if (!world_.worker(worker).is_present()) {
    ++place.generation;
    place.wake_at = TrueTime::max();
    return;
  }
  const TrueTime due = world_.wakeup(configs_, worker);
  // A timer in the queue that comes too early finds that out by itself.
  if (due >= covered || due == TrueTime::max() || place.wake_at <= due) return;
  place.wake_at = due;
  queue_.push(std::max(due, world_.now()), EventClass::wake, worker, ++place.generation);
}

template <class Rules>
void Simulation<Rules>::stash(const QueuedEvent& event) {
  for_active<Pause>(event.worker, [this](std::size_t fault) { changed(fault); });
  for_active<Suspend>(event.worker, [this](std::size_t fault) { changed(fault); });
  stashed_[event.worker].push_back(event);
}

template <class Rules>
void Simulation<Rules>::add_to_hash(const Action& action, const Applied& applied) {
  add_moment(hash_, moment(action, applied));
  if (options_.hashes != nullptr) [[unlikely]]
    options_.hashes->push_back(hash_.value());
}

template <class Rules>
void Simulation<Rules>::write_record(const Action& action, const Applied& applied) {
  options_.trace->record(record_of(moment(action, applied)));
}

}  // namespace nandi::sim
