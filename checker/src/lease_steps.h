// A path of the lease model step by step, with what else was possible at each.
#pragma once

#include <algorithm>
#include <vector>

#include "nandi/checker/lease_model.h"
#include "nandi/checker/path.h"
#include "nandi/checker/path_step.h"

namespace nandi::checker {

template <class Rules, std::size_t W>
class LeaseSteps {
 public:
  using M = LeaseModel<Rules, W>;
  using State = typename M::State;

  LeaseSteps(const M& model, const Path<M>& path) : model_(model), path_(path) {
    const auto& world = path.initial.world;
    first_interval_ = interval_of(world.store_clock().at(world.now()).count());
  }

  [[nodiscard]] std::vector<PathStep> all() const {
    std::vector<PathStep> steps;
    const State* before = &path_.initial;
    for (const auto& step : path_.steps) {
      steps.push_back(one(*before, step.action, step.state));
      before = &step.state;
    }
    return steps;
  }

 private:
  [[nodiscard]] PathStep one(const State& before, const LeaseAction& action,
                             const State& after) const {
    PathStep step;
    step.at = (after.world.now() - path_.initial.world.now()).count();
    step.text = model_.describe_action(action);
    step.others = others(before, action);
    if (action.step != LeaseStep::time_passes && action.step < LeaseStep::flush_all) {
      step.worker = action.action.worker;
      step.kind = action.action.kind;
      const auto& worker = after.world.worker(*step.worker);
      if (action.step == LeaseStep::execute) step.reply = shifted(worker.reply);
    }
    for (sim::WorkerId id = 0; id < W; ++id) step.workers.push_back(worker(after, id));
    for (const sim::Counter& counter : after.world.store().counters()) {
      step.counters.push_back({counter.interval - first_interval_, counter.value});
    }
    std::sort(step.counters.begin(), step.counters.end(),
              [](const auto& a, const auto& b) { return a.interval < b.interval; });
    return step;
  }

  [[nodiscard]] std::vector<std::string> others(const State& before,
                                                const LeaseAction& taken) const {
    std::vector<std::string> texts;
    model_.for_each_successor(before, [&](const LeaseAction& action, const State&) {
      if (!(action == taken)) texts.push_back(model_.describe_action(action));
    });
    return texts;
  }

  [[nodiscard]] PathWorker worker(const State& state, sim::WorkerId id) const {
    const auto& w = state.world.worker(id);
    PathWorker view;
    view.is_present = w.is_present();
    view.is_stalled = w.is_paused();
    view.held = model_.held(state, id);
    view.wire = w.wire;
    view.abandoned = w.ghosts;
    if (!view.is_present) return view;
    const LeaseState& engine = w.engine.state();
    if (engine.has_lease && model_.configs()[w.config].lease.rules.expires()) {
      const sim::TrueTime ends = w.clock.when(engine.expires);
      if (ends != sim::TrueTime::max()) {
        view.ends = (ends - path_.initial.world.now()).count();
      }
    }
    if (engine.has_held) {
      view.interval = engine.interval - first_interval_;
      view.index = engine.index;
    }
    return view;
  }

  [[nodiscard]] Tick shifted(Tick tick) const {
    tick.interval -= first_interval_;
    return tick;
  }

  /// Store times of the model are far from zero, so that division rounds down.
  [[nodiscard]] std::int64_t interval_of(std::int64_t store_time) const {
    return store_time / model_.check().members[0].timing.interval.count();
  }

  const M& model_;
  const Path<M>& path_;
  std::int64_t first_interval_ = 0;
};

}  // namespace nandi::checker
