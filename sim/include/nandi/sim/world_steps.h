// Implementation of World; include world.h.
#pragma once

#include "nandi/sim/world.h"

namespace nandi::sim {

[[nodiscard]] constexpr bool concerns_worker(ActionKind kind) {
  switch (kind) {
    case ActionKind::step_store_clock:
    case ActionKind::set_store_clock_rate:
    case ActionKind::script_load:
    case ActionKind::script_flush:
    case ActionKind::flush_all:
    case ActionKind::erase_counter: return false;
    default: return true;
  }
}

template <class Rules, class Storage>
template <DiagnosticSink Sink>
Applied World<Rules, Storage>::apply(std::span<const Config> configs, const Action& action,
                                     Sink&& sink) {
  Applied applied;
  if (!concerns_worker(action.kind)) {
    apply_to_store(configs, action);
    return applied;
  }
  WorkerType& w = workers_[action.worker];
  if (action.kind == ActionKind::join) {
    const ClockModel<LocalClock> clock =
        w.clock;                            // set before the join where it is not the true one
    const std::uint16_t ghosts = w.ghosts;  // of an earlier process in this place
    const std::uint16_t source_ghosts = w.source_ghosts;
    w = WorkerType{};
    w.clock = clock;
    w.ghosts = ghosts;
    w.source_ghosts = source_ghosts;
    w.config = action.config;
    w.process = Process::running;
    w.engine.start(clock.at(now_) + Duration(action.value), Duration(action.extra));
    return applied;
  }
  if (action.kind == ActionKind::fork) {
    fork(w, workers_[static_cast<std::size_t>(action.value)]);
    return applied;
  }
  const Config& config = configs[w.config];
  const LeaseState& before = w.engine.state();
  applied.had_lease = before.has_lease;
  applied.lease_before = before.lease;
  apply_to_worker(config, action, w, applied, sink);
  const LeaseState& after = w.engine.state();
  applied.has_lease = after.has_lease;
  applied.lease_after = after.lease;
  return applied;
}

template <class Rules, class Storage>
template <class Sink>
void World<Rules, Storage>::apply_to_worker(const Config& config, const Action& action,
                                            WorkerType& w, Applied& applied, Sink& sink) {
  const LocalTime local = w.clock.at(now_);
  switch (action.kind) {
    case ActionKind::wake: wake(config, w, local, applied, sink); break;
    case ActionKind::execute: execute(config, action, w, applied); return;
    case ActionKind::deliver: deliver(config, action, w, local, applied, sink); break;
    case ActionKind::take: take(config, w, local, applied, sink); break;
    case ActionKind::lose: lose(action, w); return;
    case ActionKind::refuse:
      w.wire = Wire::refused;
      w.error = action.error;
      applied.reply_sent = true;
      return;
    case ActionKind::drained:
      w.work = Work::none;
      w.work_pair = Pair{};
      break;
    case ActionKind::leave:
      w.engine.on_stop(local, sink);
      abandon_wire(w);
      w.process = w.is_paused() ? Process::paused_stopping : Process::stopping;
      break;
    case ActionKind::crash: depart(w, applied); return;
    case ActionKind::pause:
      w.process = w.process == Process::running ? Process::paused : Process::paused_stopping;
      return;
    case ActionKind::resume:
      w.process = w.process == Process::paused ? Process::running : Process::stopping;
      break;
    case ActionKind::step_worker_clock: w.clock.step(now_, Duration(action.value)); return;
    case ActionKind::set_worker_clock_rate: w.clock.set_rate(now_, action.value); return;
    default: assert(false && "not an action of a worker"); return;
  }
  if (!w.is_present()) return;
  if (w.process == Process::stopping && w.work == Work::none &&
      w.engine.state().handed == Handed::idle) {
    depart(w, applied);
    return;
  }
  applied.hand_over_ready = w.is_running() && w.work != Work::draining &&
                            w.engine.has_hand_over(config.lease, w.clock.at(now_));
}

template <class Rules, class Storage>
template <class Sink>
void World<Rules, Storage>::wake(const Config& config, WorkerType& w, LocalTime local,
                                 Applied& applied, Sink& sink) {
  const std::optional<Attempt> attempt = w.engine.on_timer(config.lease, local, sink);
  if (w.wire != Wire::none && w.engine.current_attempt() != w.wire_attempt) abandon_wire(w);
  if (!attempt) return;
  w.wire = Wire::requested;
  w.wire_attempt = attempt->id;
  applied.request_sent = true;
}

template <class Rules, class Storage>
void World<Rules, Storage>::execute(const Config& config, const Action& action, WorkerType& w,
                                    Applied& applied) {
  const bool is_current = action.attempt == w.wire_attempt &&
                          (w.wire == Wire::requested || w.wire == Wire::source_requested);
  if (is_current && w.wire == Wire::requested && !store_.script_cached()) {
    w.wire = Wire::no_script;
    applied.reply_sent = true;
    return;
  }
  if (!is_current) {
    const bool carries_source = action.value != 0;
    w.remove_ghost(carries_source);
    applied.ghost = true;
    // An abandoned EVALSHA that meets an empty script cache counts nowhere.
    if (!carries_source && !store_.script_cached()) return;
  }
  store_.set_script_cached(true);
  const LeaseTiming& timing = config.lease.timing;
  const StoreTime store_now = store_clock_.at(now_);
  const std::int64_t number_from =
      config.interval_from_worker_clock ? w.clock.at(now_).count() : store_now.count();
  const auto number = static_cast<IntervalNumber>(floor_div(number_from, timing.interval.count()));
  Tick tick = store_.register_worker(config.group, timing, store_now, number);
  if (config.interval_from_worker_clock) {
    tick.at = StoreTime(number_from - number_from % timing.resolution.count());
  }
  applied.executed = true;
  applied.tick = tick;
  if (!is_current) return;
  w.wire = Wire::replied;
  w.reply = tick;
  applied.reply_sent = true;
}

template <class Rules, class Storage>
template <class Sink>
void World<Rules, Storage>::tick(const Config& config, const Action& action, WorkerType& w,
                                 LocalTime local, Sink& sink) {
  if (action.extra > 0) {
    LeaseState state = w.engine.state();
    state.kept_offset = Duration(action.extra);
    w.engine = BasicLeaseEngine<Rules>(state);
  }
  if constexpr (requires { config.lease.rules.chosen_offset; }) {
    if (action.value > 0) {
      BasicLeaseConfig<Rules> chosen = config.lease;
      chosen.rules.chosen_offset = Duration(action.value);
      w.engine.on_tick(chosen, w.wire_attempt, w.reply, local, local, sink);
      return;
    }
  }
  w.engine.on_tick(config.lease, w.wire_attempt, w.reply, local, local, sink);
}

template <class Rules, class Storage>
template <class Sink>
void World<Rules, Storage>::deliver(const Config& config, const Action& action, WorkerType& w,
                                    LocalTime local, Applied& applied, Sink& sink) {
  switch (w.wire) {
    case Wire::no_script:  // the store's client sends the source once, within the same attempt
      w.wire = Wire::source_requested;
      applied.request_sent = true;
      return;
    case Wire::replied:
      applied.ticked = true;
      applied.tick = w.reply;
      tick(config, action, w, local, sink);
      break;
    case Wire::refused:
      w.engine.on_failure(config.lease, w.wire_attempt, w.error, local, sink);
      break;
    default: assert(false && "nothing to deliver"); return;
  }
  w.wire = Wire::none;
  w.wire_attempt = 0;
  w.reply = Tick{};
  w.error = ErrorClass::none;
}

template <class Rules, class Storage>
template <class Sink>
void World<Rules, Storage>::take(const Config& config, WorkerType& w, LocalTime local,
                                 Applied& applied, Sink& sink) {
  const std::optional<HandOver> next = w.engine.take(config.lease, local, sink);
  if (!next) return;
  if (next->pair) {
    w.work = Work::acting;
    w.work_pair = *next->pair;
    applied.work_begun = true;
  } else {
    applied.handed_idle = true;
    if (w.work == Work::acting) {
      w.work = Work::draining;
      applied.drain_begun = true;
    }
  }
}

template <class Rules, class Storage>
void World<Rules, Storage>::lose(const Action& action, WorkerType& w) {
  if (w.wire != Wire::none && action.attempt == w.wire_attempt) {
    w.wire = Wire::none;
    w.wire_attempt = 0;
    w.reply = Tick{};
    w.error = ErrorClass::none;
    return;
  }
  w.remove_ghost(action.value != 0);
}

/// The copy has the memory and the clock of the original; the connection, with what is under way on
/// it, stays the original's.
template <class Rules, class Storage>
void World<Rules, Storage>::fork(const WorkerType& original, WorkerType& copy) {
  const std::uint16_t ghosts = copy.ghosts;
  const std::uint16_t source_ghosts = copy.source_ghosts;
  copy = original;
  copy.ghosts = ghosts;
  copy.source_ghosts = source_ghosts;
  copy.wire = Wire::none;
  copy.wire_attempt = 0;
  copy.reply = Tick{};
  copy.error = ErrorClass::none;
}

/// The attempt is no longer current: a request may still execute, a reply is discarded.
template <class Rules, class Storage>
void World<Rules, Storage>::abandon_wire(WorkerType& w) {
  if (w.wire == Wire::requested || w.wire == Wire::source_requested) ++w.ghosts;
  if (w.wire == Wire::source_requested) ++w.source_ghosts;
  w.wire = Wire::none;
  w.wire_attempt = 0;
  w.reply = Tick{};
  w.error = ErrorClass::none;
}

template <class Rules, class Storage>
void World<Rules, Storage>::depart(WorkerType& w, Applied& applied) {
  abandon_wire(w);
  const std::uint16_t ghosts = w.ghosts;
  const std::uint16_t source_ghosts = w.source_ghosts;
  const std::uint16_t config = w.config;
  const ClockModel<LocalClock> clock = w.clock;
  w = WorkerType{};
  w.ghosts = ghosts;
  w.source_ghosts = source_ghosts;
  w.config = config;
  w.clock = clock;
  applied.departed = true;
}

template <class Rules, class Storage>
void World<Rules, Storage>::apply_to_store(std::span<const Config> configs, const Action& action) {
  switch (action.kind) {
    case ActionKind::script_load: store_.set_script_cached(true); break;
    case ActionKind::step_store_clock: store_clock_.step(now_, Duration(action.value)); break;
    case ActionKind::set_store_clock_rate: store_clock_.set_rate(now_, action.value); break;
    case ActionKind::script_flush: store_.set_script_cached(false); break;
    case ActionKind::flush_all: store_.flush_all(); break;
    case ActionKind::erase_counter: {
      const Config& config = configs[action.config];
      const auto open = static_cast<IntervalNumber>(
          floor_div(store_clock_.at(now_).count(), config.lease.timing.interval.count()));
      store_.set_back(config.group, open - action.value, static_cast<std::uint32_t>(action.extra));
      break;
    }
    default: assert(false && "not an action on the store");
  }
}

template <class Rules, class Storage>
bool World<Rules, Storage>::enabled(std::span<const Config> configs, const Action& action) const {
  if (!concerns_worker(action.kind)) return true;
  if (action.worker >= workers_.size()) return false;
  const WorkerType& w = workers_[action.worker];
  const bool is_current = action.attempt == w.wire_attempt && w.wire != Wire::none;
  const bool is_request =
      is_current && (w.wire == Wire::requested || w.wire == Wire::source_requested);
  switch (action.kind) {
    case ActionKind::join: return !w.is_present() && action.config < configs.size();
    case ActionKind::step_worker_clock:
    case ActionKind::set_worker_clock_rate: return true;
    case ActionKind::execute: return is_request || (!is_current && w.has_ghost(action.value != 0));
    case ActionKind::lose: return is_current || w.has_ghost(action.value != 0);
    case ActionKind::refuse: return is_request;
    case ActionKind::deliver: return w.is_running() && is_current && !is_request;
    case ActionKind::wake:
      return w.is_running() && w.clock.at(now_) >= w.engine.next_wakeup(configs[w.config].lease);
    case ActionKind::take:
      return w.is_running() && w.work != Work::draining &&
             w.engine.has_hand_over(configs[w.config].lease, w.clock.at(now_));
    case ActionKind::drained: return w.is_running() && w.work == Work::draining;
    case ActionKind::leave: return w.process == Process::running || w.process == Process::paused;
    case ActionKind::crash: return w.is_present();
    case ActionKind::pause: return w.is_running();
    case ActionKind::resume: return w.is_paused();
    case ActionKind::fork:
      return w.is_present() && action.value >= 0 &&
             static_cast<std::size_t>(action.value) < workers_.size() &&
             !workers_[static_cast<std::size_t>(action.value)].is_present();
    default: return false;
  }
}

template <class Rules, class Storage>
template <class Visit>
void World<Rules, Storage>::actions(std::span<const Config> configs, Visit&& visit) const {
  constexpr ActionKind kPlain[] = {ActionKind::wake,  ActionKind::take,  ActionKind::drained,
                                   ActionKind::leave, ActionKind::crash, ActionKind::pause,
                                   ActionKind::resume};
  constexpr ActionKind kOfAttempt[] = {ActionKind::execute, ActionKind::deliver, ActionKind::lose};
  for (WorkerId id = 0; id < workers_.size(); ++id) {
    const WorkerType& w = workers_[id];
    Action action;
    action.worker = id;
    for (const ActionKind kind : kPlain) {
      action.kind = kind;
      if (enabled(configs, action)) visit(action);
    }
    for (const ActionKind kind : kOfAttempt) {
      action.kind = kind;
      action.attempt = w.wire_attempt;
      if (w.wire != Wire::none && enabled(configs, action)) visit(action);
      action.attempt = 0;  // an abandoned one
      for (const bool carries_source : {false, true}) {
        action.value = carries_source ? 1 : 0;
        if (kind != ActionKind::deliver && w.has_ghost(carries_source)) visit(action);
      }
      action.value = 0;
    }
  }
}

}  // namespace nandi::sim
