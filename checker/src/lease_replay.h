// A path of the lease model as schedules for the simulator.
//
// In the model a lease is held in its last tick too, and things of one tick happen at one moment.
// In the simulator, as in production, a lease is over at its end, so two leases that share no more
// than a tick overlap only where the one began late in its tick and the other early in it. A
// schedule is therefore offered in several forms: one unit for a tick; and many units for a tick,
// with everything as early as its order and the timers let it be, but for one request, which is
// sent late in its tick. The simulator says which form shows the violation.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "nandi/checker/lease_model.h"
#include "nandi/checker/lease_story.h"
#include "nandi/checker/path.h"

namespace nandi::checker {

template <class Rules, std::size_t W>
class LeaseReplay {
 public:
  using M = LeaseModel<Rules, W>;

  LeaseReplay(const M& model, const Path<M>& path, std::int64_t units)
      : model_(model), path_(path), units_(units) {
    for (sim::MemberConfig<Rules> config : model.configs()) {
      config.lease.timing.interval = config.lease.timing.interval * units;
      config.lease.timing.attempt_timeout = config.lease.timing.attempt_timeout * units;
      config.lease.timing.resolution = config.lease.timing.resolution * units;
      if constexpr (std::is_base_of_v<sim::AblatedRules, Rules>) {
        config.lease.rules.extra_margin = config.lease.rules.extra_margin * units;
      }
      configs_.push_back(config);
    }
  }

  /// Nothing where an action cannot happen within its tick. `late`: number of the step that happens
  /// late in its tick.
  std::optional<LeaseSchedule> schedule(std::optional<std::size_t> late) {
    start();
    for (std::size_t i = 0; i < path_.steps.size(); ++i) {
      const auto& step = path_.steps[i];
      begin_ = step.state.world.now().count() * units_;
      at_ = std::max(at_, begin_);
      if (late == i) at_ = std::max(at_, begin_ + units_ - units_ / 8);
      if (!take(step.action)) return std::nullopt;
      if (step.action.action.kind == sim::ActionKind::wake && !follow_wake(step.state)) {
        return std::nullopt;
      }
    }
    return schedule_;
  }

  /// Numbers of the steps in which a request is sent.
  std::vector<std::size_t> sending_steps() const {
    std::vector<std::size_t> steps;
    for (std::size_t i = 0; i < path_.steps.size(); ++i) {
      if (path_.steps[i].action.action.kind == sim::ActionKind::wake) steps.push_back(i);
    }
    return steps;
  }

 private:
  void start() {
    schedule_ = LeaseSchedule{units_, {}};
    world_ = path_.initial.world;
    at_ = 0;
    const auto scaled = [&](auto time) { return decltype(time)(time.count() * units_); };
    world_.store_clock().shown = scaled(world_.store_clock().shown);
    for (auto& worker : world_.workers()) worker.clock.shown = scaled(worker.clock.shown);
    sim::Action load;
    load.kind = sim::ActionKind::script_load;
    apply(load);
    for (sim::WorkerId id = 0; id < W; ++id) {
      // The simulator's clocks show true time at first; those of path_.initial are set already.
      sim::Action set;
      set.kind = sim::ActionKind::step_worker_clock;
      set.worker = id;
      set.value = model_.check().members[id].clock_offset * units_;
      if (set.value != 0) schedule_.actions.push_back({sim::TrueTime(0), set});
    }
  }

  bool take(const LeaseAction& step) {
    if (step.step == LeaseStep::time_passes) {
      for (sim::WorkerId id = 0; id < W; ++id) {
        if ((step.lagging >> id & 1) == 0) continue;
        sim::Action lag;
        lag.kind = sim::ActionKind::step_worker_clock;
        lag.worker = id;
        lag.value = -units_;
        if (!apply(lag)) return false;
      }
      return true;
    }
    sim::Action action = step.action;
    switch (action.kind) {
      case sim::ActionKind::join:
      case sim::ActionKind::deliver:
      case sim::ActionKind::step_worker_clock:
      case sim::ActionKind::step_store_clock:
        action.value *= units_;
        action.extra *= units_;
        break;
      case sim::ActionKind::wake:
        at_ = std::max(at_, world_.wakeup(configs_, action.worker).count());
        break;
      default: break;
    }
    if (!apply(action)) return false;
    if (step.step != LeaseStep::refuse) return true;
    action.kind = sim::ActionKind::deliver;
    action.error = ErrorClass::none;
    return apply(action);
  }

  /// Back-off that is no whole number of ticks ends later here: the attempt that the model sends at
  /// once then needs a wake-up of its own.
  bool follow_wake(const typename M::State& wanted) {
    for (sim::WorkerId id = 0; id < W; ++id) {
      const bool is_sent = wanted.world.worker(id).engine.state().in_flight;
      const auto& worker = world_.worker(id);
      if (worker.engine.state().in_flight == is_sent) continue;
      if (!is_sent || !worker.is_running()) return false;
      at_ = std::max(at_, world_.wakeup(configs_, id).count());
      sim::Action wake;
      wake.worker = id;
      if (!apply(wake) || !worker.engine.state().in_flight) return false;
    }
    return true;
  }

  bool apply(sim::Action action) {
    if (at_ >= begin_ + units_ && at_ != begin_) return false;
    world_.advance_to(sim::TrueTime(at_));
    if (!world_.enabled(configs_, action)) return false;
    world_.apply(configs_, action);
    action.config = number_of_settings(model_.check(), action.config);
    schedule_.actions.push_back({sim::TrueTime(at_), action});
    return true;
  }

  const M& model_;
  const Path<M>& path_;
  std::int64_t units_;
  std::vector<sim::MemberConfig<Rules>> configs_;
  sim::World<Rules, sim::FixedStorage<W>> world_;
  LeaseSchedule schedule_;
  std::int64_t begin_ = 0;  ///< of the tick
  std::int64_t at_ = 0;
};

/// All forms, the plain one first.
template <class Rules, std::size_t W>
std::vector<LeaseSchedule> schedules_of(const LeaseModel<Rules, W>& model,
                                        const Path<LeaseModel<Rules, W>>& path) {
  constexpr std::int64_t kFine = 1000;
  std::vector<LeaseSchedule> all;
  LeaseReplay<Rules, W> plain(model, path, 1);
  if (auto schedule = plain.schedule({})) all.push_back(std::move(*schedule));
  LeaseReplay<Rules, W> fine(model, path, kFine);
  for (const std::size_t late : fine.sending_steps()) {
    if (auto schedule = fine.schedule(late)) all.push_back(std::move(*schedule));
  }
  return all;
}

}  // namespace nandi::checker
