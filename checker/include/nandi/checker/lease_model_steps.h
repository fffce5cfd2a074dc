// Implementation of LeaseModel; include lease_model.h.
#pragma once

#include <fmt/format.h>

#include "nandi/checker/lease_model.h"

namespace nandi::checker {

template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::for_each_successor(const State& from, Visit&& visit) const {
  State next = from;
  if (check_.reduction) {
    if (const auto mover = first_mover(from)) {
      step_worker(from, next, *mover, visit);
      return;
    }
  }
  const bool can_execute_abandoned = may_execute_abandoned(from);
  for (sim::WorkerId id = 0; id < W; ++id) {
    if (can_execute_abandoned) execute_abandoned(from, next, id, visit);
    step_worker(from, next, id, visit);
  }
  strike(from, next, visit);
  pass_time(from, next, visit);
}

template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::emit(const State& from, State& next, sim::WorkerId id,
                                LeaseAction action, Visit& visit) const {
  const bool touches_store =
      action.step == LeaseStep::execute || action.step == LeaseStep::execute_abandoned;
  const sim::Applied applied = next.world.apply(configs_, action.action);
  if (action.step == LeaseStep::refuse) {  // the answer arrives at once
    sim::Action deliver = action.action;
    deliver.kind = sim::ActionKind::deliver;
    next.world.apply(configs_, deliver);
  }
  auto& w = next.world.workers()[id];
  w.ghosts = std::min<std::uint16_t>(w.ghosts, check_.abandoned);
  if (applied.ticked) {
    next.drift[id] = 0;
    // A lease that is over was none, also where the engine has not been woken for its end.
    const bool had_lease = held(from, id).has_value();
    action.step = had_lease && applied.has_lease ? LeaseStep::renew
                  : applied.has_lease            ? LeaseStep::grant
                  : had_lease                    ? LeaseStep::release
                                                 : LeaseStep::learn;
  } else if (action.step == LeaseStep::give_up) {
    action.step = held(from, id) && !applied.has_lease ? LeaseStep::expire
                  : applied.request_sent               ? LeaseStep::send
                                                       : LeaseStep::give_up;
  }
  if (applied.departed) next.drift[id] = 0;
  next.was_settled = check_.settled && (from.was_settled || all_hold(next));
  codec_.pack_worker(next, id);
  const bool is_budgeted = action.step == LeaseStep::refuse || action.step == LeaseStep::lose;
  if (touches_store || is_budgeted || next.was_settled != from.was_settled) codec_.pack_rest(next);
  visit(std::as_const(action), std::as_const(next));
  next.world.workers()[id] = from.world.worker(id);
  next.drift[id] = from.drift[id];
  next.joins[id] = from.joins[id];
  next.was_settled = from.was_settled;
  if (touches_store) next.world.store() = from.world.store();
  if (is_budgeted) next.used = from.used;
  next.packed = from.packed;
}

template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::execute_abandoned(const State& from, State& next, sim::WorkerId id,
                                             Visit& visit) const {
  if (from.world.worker(id).ghosts == 0 || !has_room(from, id)) return;
  LeaseAction action;
  action.action.kind = sim::ActionKind::execute;
  action.action.worker = id;
  action.action.config = static_cast<std::uint16_t>(id);
  action.step = LeaseStep::execute_abandoned;
  emit(from, next, id, action, visit);
}

template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::step_worker(const State& from, State& next, sim::WorkerId id,
                                       Visit& visit) const {
  using sim::ActionKind;
  const auto& w = from.world.worker(id);
  LeaseAction action;
  action.action.worker = id;
  action.action.config = static_cast<std::uint16_t>(id);
  if (!w.is_present()) {
    if (from.joins[id] >= check_.joins) return;
    action.action.kind = ActionKind::join;
    action.action.extra = band_begin(configs_[id].lease.timing).count();
    action.step = LeaseStep::join;
    ++next.joins[id];
    emit(from, next, id, action, visit);
    return;
  }
  if (w.is_paused()) {
    action.action.kind = ActionKind::resume;
    action.step = LeaseStep::resume;
    emit(from, next, id, action, visit);
  } else if (may_stall(from, id)) {
    action.action.kind = ActionKind::pause;
    action.step = LeaseStep::pause;
    emit(from, next, id, action, visit);
  }
  const LocalTime local = w.clock.at(from.world.now());
  if (w.is_running() && local >= w.engine.next_wakeup(configs_[id].lease)) {
    action.action.kind = ActionKind::wake;
    action.step = LeaseStep::give_up;  // emit() looks what it was
    emit(from, next, id, action, visit);
  }
  action.action.attempt = w.wire_attempt;
  if (w.wire == sim::Wire::requested) step_request(from, next, id, visit);
  if (w.wire == sim::Wire::replied && w.is_running()) deliver(from, next, id, visit);
  action.action.attempt = 0;
  if (may_crash(from, id)) {
    action.action.kind = ActionKind::crash;
    action.step = LeaseStep::crash;
    emit(from, next, id, action, visit);
  }
  // A tick of its own: timers that are due are served before it, as before a tick of time.
  if (from.drift[id] < check_.drift && !is_urgent(from, id)) {
    action.action.kind = ActionKind::step_worker_clock;
    action.action.value = 1;
    action.step = LeaseStep::clock_lead;
    ++next.drift[id];
    emit(from, next, id, action, visit);
  }
}

/// What may happen to the request under way.
template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::step_request(const State& from, State& next, sim::WorkerId id,
                                        Visit& visit) const {
  LeaseAction action;
  action.action.worker = id;
  action.action.config = static_cast<std::uint16_t>(id);
  action.action.attempt = from.world.worker(id).wire_attempt;
  if (has_room(from, id)) {
    action.action.kind = sim::ActionKind::execute;
    action.step = LeaseStep::execute;
    emit(from, next, id, action, visit);
  }
  const bool may_refuse = check_.refusals || from.used.refuse < check_.faults.refuse;
  if (may_refuse && from.world.worker(id).is_running()) {
    action.action.kind = sim::ActionKind::refuse;
    action.action.error = ErrorClass::other;
    action.step = LeaseStep::refuse;
    if (!check_.refusals) ++next.used.refuse;
    emit(from, next, id, action, visit);
    action.action.error = ErrorClass::none;
  }
  if (from.used.lose < check_.faults.lose) {
    action.action.kind = sim::ActionKind::lose;
    action.step = LeaseStep::lose;
    ++next.used.lose;
    emit(from, next, id, action, visit);
  }
}

/// A reply arrives: where the slot is open (free slots, or no count to space against), every one in
/// the band is tried.
template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::deliver(const State& from, State& next, sim::WorkerId id,
                                   Visit& visit) const {
  const auto& w = from.world.worker(id);
  const LeaseTiming& timing = configs_[id].lease.timing;
  LeaseAction action;
  action.action.kind = sim::ActionKind::deliver;
  action.action.worker = id;
  action.action.config = static_cast<std::uint16_t>(id);
  action.action.attempt = w.wire_attempt;
  action.step = LeaseStep::learn;  // emit() looks what it was
  const bool is_free = check_.slots == Slots::free;
  if (!is_free && w.reply.previous_count) {
    emit(from, next, id, action, visit);
    return;
  }
  const std::int64_t first = band_begin(timing).count();
  const std::int64_t last = band_end(timing).count();
  for (std::int64_t offset = first; offset <= last; ++offset) {
    (is_free ? action.action.value : action.action.extra) = offset;
    emit(from, next, id, action, visit);
  }
}

template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::strike(const State& from, State& next, Visit& visit) const {
  const auto store_fault = [&](std::uint8_t FaultBudgets::*budget, sim::ActionKind kind,
                               LeaseStep step, std::int64_t value) {
    if (from.used.*budget >= check_.faults.*budget) return;
    LeaseAction action;
    action.action.kind = kind;
    action.action.value = value;
    action.step = step;
    next.world.apply(configs_, action.action);
    ++(next.used.*budget);
    codec_.pack(next);
    visit(std::as_const(action), std::as_const(next));
    next = from;
  };
  store_fault(&FaultBudgets::flush_all, sim::ActionKind::flush_all, LeaseStep::flush_all, 0);
  store_fault(&FaultBudgets::erase_open, sim::ActionKind::erase_counter, LeaseStep::erase_open, 0);
  store_fault(&FaultBudgets::erase_closed, sim::ActionKind::erase_counter, LeaseStep::erase_closed,
              1);
  for (std::int64_t by = -check_.step_back; by <= check_.step_forward; ++by) {
    if (by == 0) continue;
    store_fault(&FaultBudgets::store_step, sim::ActionKind::step_store_clock, LeaseStep::store_step,
                by);
  }
  if (from.used.lost_writes < check_.faults.lost_writes) lose_writes(from, next, visit);
  if (from.used.fork < check_.faults.fork) fork(from, next, visit);
}

/// A failover forgets the last registrations there were: those of the open interval, or while it
/// has none those of the one before.
template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::lose_writes(const State& from, State& next, Visit& visit) const {
  const IntervalNumber open = codec_.open_interval(from, 0);
  const auto count = [&](IntervalNumber interval) {
    for (const sim::Counter& counter : from.world.store().counters()) {
      if (counter.interval == interval) return counter.value;
    }
    return std::uint32_t{0};
  };
  const std::int64_t age = count(open) > 0 ? 0 : 1;
  const std::uint32_t most = std::min<std::uint32_t>(count(open - age), check_.writes_lost);
  for (std::uint32_t writes = 1; writes <= most; ++writes) {
    LeaseAction action;
    action.action.kind = sim::ActionKind::erase_counter;
    action.action.value = age;
    action.action.extra = count(open - age) - writes;
    action.step = LeaseStep::lose_writes;
    next.world.apply(configs_, action.action);
    ++next.used.lost_writes;
    codec_.pack(next);
    visit(std::as_const(action), std::as_const(next));
    next = from;
  }
}

template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::fork(const State& from, State& next, Visit& visit) const {
  for (sim::WorkerId source = 0; source < W; ++source) {
    for (sim::WorkerId target = 0; target < W; ++target) {
      if (!from.world.worker(source).is_present() || from.world.worker(target).is_present()) {
        continue;
      }
      LeaseAction action;
      action.action.kind = sim::ActionKind::fork;
      action.action.worker = source;
      action.action.value = target;
      action.step = LeaseStep::fork;
      action.target = static_cast<std::uint8_t>(target);
      next.world.apply(configs_, action.action);
      ++next.used.fork;
      next.drift[target] = from.drift[source];
      codec_.pack(next);
      visit(std::as_const(action), std::as_const(next));
      next = from;
    }
  }
}

/// Whether one more registration of worker `id` would be explored: by the counter that it would
/// raise, the others are closed.
template <class Rules, std::size_t W>
bool LeaseModel<Rules, W>::has_room(const State& state, sim::WorkerId id) const {
  const IntervalNumber open = codec_.open_interval(state, id);
  for (const sim::Counter& counter : state.world.store().counters()) {
    if (counter.interval == open) return counter.value < check_.registrations;
  }
  return true;
}

template <class Rules, std::size_t W>
bool LeaseModel<Rules, W>::may_pause(const State& state) const {
  std::size_t paused = 0;
  for (const auto& w : state.world.workers()) paused += w.is_paused() ? 1 : 0;
  return paused < check_.pauses;
}

/// Whether something of worker `id` must happen before the next tick of time.
template <class Rules, std::size_t W>
bool LeaseModel<Rules, W>::is_urgent(const State& state, sim::WorkerId id) const {
  const auto& w = state.world.worker(id);
  if (!w.is_present()) return false;
  const LocalTime local = w.clock.at(state.world.now());
  if (w.is_running() && local >= w.engine.next_wakeup(configs_[id].lease)) return true;
  if (check_.request_delay && w.wire == sim::Wire::requested &&
      (local - w.engine.state().sent).count() >= *check_.request_delay) {
    return true;
  }
  const StoreTime store_now = state.world.store_clock().at(state.world.now());
  return check_.reply_delay && w.is_running() && w.wire == sim::Wire::replied &&
         (store_now - w.reply.at).count() >= *check_.reply_delay;
}

template <class Rules, std::size_t W>
template <class Visit>
void LeaseModel<Rules, W>::pass_time(const State& from, State& next, Visit& visit) const {
  unsigned may_lag = 0;
  unsigned stopped = 0;
  for (sim::WorkerId id = 0; id < W; ++id) {
    if (is_urgent(from, id)) return;
    const bool is_stopped = check_.pauses_stop_clocks && from.world.worker(id).is_paused();
    const bool can =
        from.world.worker(id).is_present() && !is_stopped && from.drift[id] > -check_.drift;
    if (can) may_lag |= 1U << id;
    if (is_stopped) stopped |= 1U << id;
  }
  const std::int64_t interval = configs_[0].lease.timing.interval.count();
  const auto number = [&](const State& state) {
    return floor_div(state.world.store_clock().at(state.world.now()).count(), interval);
  };
  for (unsigned lagging = 0; lagging <= may_lag; ++lagging) {
    if ((lagging & ~may_lag) != 0) continue;
    next.world.advance_to(from.world.now() + Duration(1));
    for (sim::WorkerId id = 0; id < W; ++id) {
      if (((lagging | stopped) >> id & 1U) == 0) continue;
      next.world.workers()[id].clock.step(next.world.now(), Duration(-1));
      if ((stopped >> id & 1U) == 0) --next.drift[id];
    }
    if (!check_.joins_in_all && number(next) != number(from)) next.joins.fill(0);
    codec_.pack(next);
    LeaseAction action;
    action.lagging = static_cast<std::uint8_t>(lagging | stopped);
    visit(std::as_const(action), std::as_const(next));
    next = from;
  }
}

template <class Rules, std::size_t W>
bool LeaseModel<Rules, W>::all_hold(const State& state) const {
  for (sim::WorkerId id = 0; id < W; ++id) {
    if (!held(state, id)) return false;
  }
  return true;
}

template <class Rules, std::size_t W>
std::uint64_t LeaseModel<Rules, W>::decided(const State& state) const {
  enum Bit : std::uint64_t {
    kOverlap = 1,
    kTwoCounts = 2,
    kSharedTask = 4,
    kOutOfRange = 8,
    kAnyLease = 16,
    kAllHold = 32,
    kUnsettled = 64
  };
  std::uint64_t bits = 0;
  std::array<std::optional<Pair>, W> pairs;
  for (sim::WorkerId id = 0; id < W; ++id) pairs[id] = held(state, id);
  for (std::size_t a = 0; a < W; ++a) {
    if (!pairs[a]) continue;
    bits |= kAnyLease;
    if (pairs[a]->index >= pairs[a]->count) bits |= kOutOfRange;
    for (std::size_t b = a + 1; b < W; ++b) {
      if (!pairs[b]) continue;
      if (pairs[a]->index == pairs[b]->index) bits |= kOverlap;
      if (pairs[a]->count != pairs[b]->count) bits |= kTwoCounts;
      const std::uint32_t divisor = std::gcd(pairs[a]->count, pairs[b]->count);
      if (pairs[a]->index % divisor == pairs[b]->index % divisor) bits |= kSharedTask;
    }
  }
  if (all_hold(state)) bits |= kAllHold;
  if (state.was_settled && !all_hold(state)) bits |= kUnsettled;
  return reported_[bits];
}

template <class Rules, std::size_t W>
std::string LeaseModel<Rules, W>::describe_state(const State& state) const {
  const std::int64_t interval = configs_[0].lease.timing.interval.count();
  const std::int64_t store_now = state.world.store_clock().at(state.world.now()).count();
  std::string text = fmt::format("tick {} of interval", store_now % interval);
  for (sim::WorkerId id = 0; id < W; ++id) {
    const auto& w = state.world.worker(id);
    const char name = static_cast<char>('A' + id);
    if (!w.is_present()) {
      text += fmt::format("; {} absent", name);
    } else if (const auto pair = held(state, id)) {
      text += fmt::format("; {} holds {} of {}", name, pair->index, pair->count);
    } else {
      text += fmt::format("; {} owns nothing", name);
    }
    if (w.wire == sim::Wire::requested) text += ", request under way";
    if (w.wire == sim::Wire::replied) text += ", reply under way";
    if (w.ghosts > 0) text += fmt::format(", {} abandoned", w.ghosts);
  }
  return text;
}

template <class Rules, std::size_t W>
std::string LeaseModel<Rules, W>::describe_action(const Action& action) const {
  const std::string name(1, static_cast<char>('A' + action.action.worker));
  const std::int64_t slot = action.action.value > 0 ? action.action.value : action.action.extra;
  const std::string choice =
      slot > 0 ? fmt::format("; its next slot is tick {}", slot) : std::string();
  switch (action.step) {
    case LeaseStep::time_passes: {
      std::string text = "a tick of time passes";
      for (sim::WorkerId id = 0; id < W; ++id) {
        if ((action.lagging >> id & 1) != 0) {
          text += fmt::format(", {}'s clock stands still", static_cast<char>('A' + id));
        }
      }
      return text;
    }
    case LeaseStep::join: return name + " starts";
    case LeaseStep::crash: return name + " crashes";
    case LeaseStep::send: return name + " sends a registration";
    case LeaseStep::expire: return name + "'s lease ends by its own clock";
    case LeaseStep::give_up: return name + " gives up waiting for a reply";
    case LeaseStep::execute: return name + "'s registration executes";
    case LeaseStep::execute_abandoned: return name + "'s abandoned registration executes";
    case LeaseStep::grant: return name + " reads the reply and takes up its lease" + choice;
    case LeaseStep::renew: return name + " reads the reply and renews its lease" + choice;
    case LeaseStep::release: return name + " reads the reply and gives up its lease" + choice;
    case LeaseStep::learn: return name + " reads the reply and owns nothing" + choice;
    case LeaseStep::refuse: return name + "'s registration is refused";
    case LeaseStep::lose: return name + "'s registration is lost";
    case LeaseStep::pause: return name + " stalls";
    case LeaseStep::resume: return name + " runs again";
    case LeaseStep::clock_lead: return name + "'s clock gains a tick";
    case LeaseStep::flush_all: return "all keys are deleted";
    case LeaseStep::erase_open: return "the open interval's counter is deleted";
    case LeaseStep::erase_closed: return "the closed interval's counter is deleted";
    case LeaseStep::store_step:
      return fmt::format("the store's clock steps by {:+} ticks", action.action.value);
    case LeaseStep::lose_writes:
      return fmt::format("a failover loses writes: the {} interval's counter {}",
                         action.action.value == 0 ? "open" : "closed",
                         action.action.extra == 0
                             ? std::string("is gone")
                             : fmt::format("falls back to {}", action.action.extra));
    case LeaseStep::fork:
      return fmt::format("{}'s memory is duplicated: {} runs with it", name,
                         static_cast<char>('A' + action.target));
  }
  return "?";
}

}  // namespace nandi::checker
