// One run of a LeaseCheck with a model of a fixed size; instantiated once for each size and rules
// in lease_run_<workers>.cc, since these are the slow templates of the room.
#pragma once

#include <sstream>

#include "lease_path.h"
#include "lease_replay.h"
#include "lease_steps.h"
#include "nandi/checker/explorer.h"
#include "nandi/checker/lease_model.h"
#include "nandi/checker/random_walk.h"
#include "nandi/checker/run_lease_check.h"
#include "nandi/checker/state_graph.h"

namespace nandi::checker {

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
  }
  if (options.graph_states > 0) {
    const Path<M>* path = exploration.counterexample ? &*exploration.counterexample : nullptr;
    std::ostringstream dot;
    write_dot(dot, collect_graph(model, options.graph_states, path));
    result.dot = dot.str();
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
