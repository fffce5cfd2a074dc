// One run of a LeaseCheck with a model of a fixed size; instantiated once for each size and rules
// in lease_run_<workers>.cc, since these are the slow templates of the room.
#pragma once

#include <sstream>

#include "lease_liveness.h"
#include "lease_path.h"
#include "lease_replay.h"
#include "lease_steps.h"
#include "nandi/checker/causes.h"
#include "nandi/checker/explorer.h"
#include "nandi/checker/lease_model.h"
#include "nandi/checker/random_walk.h"
#include "nandi/checker/run_lease_check.h"
#include "nandi/checker/state_graph.h"

namespace nandi::checker {

/// Liveness on a graph of its own; the result is of the invariants so far, and they hold.
template <class Rules, std::size_t W>
void add_liveness(const LeaseCheck& check, const LeaseCheckOptions& options,
                  LeaseCheckResult& result, std::optional<Path<LeaseModel<Rules, W>>>& shown) {
  constexpr std::size_t kRounds = 3;  // of the loop in a schedule for the simulator
  const LiveLeaseModel<Rules, W> model(check);
  const auto found = check_liveness(model, options.explore);
  result.liveness = found.summary;
  result.summary.verdict = found.summary.verdict;
  result.summary.reason = found.summary.reason;
  result.summary.evidence = found.summary.evidence;
  result.summary.violated = found.summary.violated;
  result.summary.vacuous = found.summary.vacuous;
  result.summary.seconds += found.summary.seconds;
  if (!found.lasso) return;
  const std::size_t stem = found.lasso->stem.steps.size();
  const Path<LeaseModel<Rules, W>> once = base_path(unroll(model, *found.lasso, 1));
  result.loop_steps = found.lasso->loop.size();
  result.steps = once.steps.size();
  result.path = describe_path(static_cast<const LeaseModel<Rules, W>&>(model), once);
  result.story = tell(model, once, stem);
  result.path_steps = LeaseSteps<Rules, W>(model, once).all();
  if (result.story.empty() || !result.story.back().in_loop) {
    const std::int64_t interval = check.members[0].timing.interval.count();
    const auto tick = [](const auto& state) {
      return state.world.store_clock().at(state.world.now()).count();
    };
    const std::int64_t last = tick(found.lasso->stem.last());
    result.story.push_back({last / interval - tick(once.initial) / interval, last % interval,
                            "nothing but time passes", true});
  }
  const Path<LeaseModel<Rules, W>> rounds = base_path(unroll(model, *found.lasso, kRounds));
  result.schedules = schedules_of(static_cast<const LeaseModel<Rules, W>&>(model), rounds);
  shown = once;
}

template <class Rules, std::size_t W>
void add_causes(const LeaseModel<Rules, W>& model, const LeaseCheckOptions& options,
                LeaseCheckResult& result) {
  const auto survey = find_causes(model, options.counterexamples, options.explore);
  for (const auto& cause : survey.causes) {
    result.causes.push_back({cause.property, cause.classes, cause.states, cause.path.steps.size(),
                             tell(model, cause.path)});
  }
  result.causes_found = describe_causes(survey.causes.size(), survey.stop);
}

template <class Rules, std::size_t W>
LeaseCheckResult run_sized_check(const LeaseCheck& check, const LeaseCheckOptions& options) {
  using M = LeaseModel<Rules, W>;
  const M model(check);
  ExploreOptions explore_options = options.explore;
  explore_options.is_reduced = check.reduction;
  explore_options.checkpoint.identity = identity_of(check);
  Exploration<M> exploration;
  if (options.order == Exploring::random_walk) {
    WalkOptions walk;
    walk.seed = options.seed;
    walk.max_steps = options.walk_steps;
    walk.keep_searching = options.keep_searching;
    walk.explore = explore_options;
    exploration = RandomWalk<M>(model, walk).run();
  } else {
    exploration = explore(model,
                          options.order == Exploring::depth_first ? SearchOrder::depth_first
                                                                  : SearchOrder::breadth_first,
                          explore_options);
  }
  LeaseCheckResult result;
  result.summary = exploration.summary;
  result.bounds = describe_bounds(check);
  if (exploration.counterexample) {
    const Path<M>& path = *exploration.counterexample;
    result.steps = path.steps.size();
    result.path = describe_path(model, path);
    result.story = tell(model, path);
    result.path_steps = LeaseSteps<Rules, W>(model, path).all();
    result.schedules = schedules_of(model, path);
    if (options.counterexamples > 1) add_causes(model, options, result);
  }
  if (!check.liveness.empty() && result.summary.verdict == sim::Verdict::holds) {
    add_liveness(check, options, result, exploration.counterexample);
  }
  if (options.graph_states > 0) {
    const Path<M>* path = exploration.counterexample ? &*exploration.counterexample : nullptr;
    std::ostringstream dot;
    const StateGraph graph = collect_graph(model, options.graph_states, path);
    write_dot(dot, graph);
    result.dot = dot.str();
    std::ostringstream graphml;
    write_graphml(graphml, graph);
    result.graphml = graphml.str();
  }
  return result;
}

/// The engine of production where nothing about it is broken or chosen by the checker.
template <std::size_t W>
LeaseCheckResult run_check_of(const LeaseCheck& check, const LeaseCheckOptions& options) {
  bool is_production = check.slots == Slots::engine;
  for (const CheckedMember& member : check.members) {
    is_production = is_production && member.rules == sim::AblatedRules{};
  }
  return is_production ? run_sized_check<ProtocolRules, W>(check, options)
                       : run_sized_check<sim::AblatedRules, W>(check, options);
}

extern template LeaseCheckResult run_check_of<1>(const LeaseCheck&, const LeaseCheckOptions&);
extern template LeaseCheckResult run_check_of<2>(const LeaseCheck&, const LeaseCheckOptions&);
extern template LeaseCheckResult run_check_of<3>(const LeaseCheck&, const LeaseCheckOptions&);
extern template LeaseCheckResult run_check_of<4>(const LeaseCheck&, const LeaseCheckOptions&);

}  // namespace nandi::checker
