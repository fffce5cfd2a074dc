// Liveness of a model: its reachable graph is built, every property decided on it (what that means:
// liveness_graph.h), and a violation returned as a lasso that has been replayed.
//
// A model that has liveness properties has, besides what `Model` asks for:
//   span of FairnessRule       fairness_rules() const        at most kMaxFairnessRules
//   std::uint8_t fairness_label(const A&) const
//       number of the rule that the step satisfies, kNoRule, or kDisturbing for a step that runs
//       in the scope of the properties take only finitely often
//   span of LivenessProperty   liveness_properties() const   at most kMaxLivenessProperties
//   LivenessGoals liveness_goals(const S&) const
//       functions of the packed form only
//
// Verdicts as in explorer.h: *holds* needs every reachable state and, for each property, a fair
// loop on which its goal is met and that says something; a bound or an interrupt ends in *unknown*.
// States must be told apart fully: a model that merges states which differ in who is who (symmetry)
// would make loops of what are none.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/liveness_summary.h"
#include "nandi/checker/path.h"
#include "nandi/checker/traversal.h"

namespace nandi::checker {

struct LivenessGoals {
  std::uint8_t met = 0;      ///< bit p: the goal of property p is met
  std::uint8_t telling = 0;  ///< bit p: it is met, and could have failed to be
};

template <class M>
concept LiveModel = Model<M> &&
    requires(const M& model, const typename M::State& state, const typename M::Action& action) {
  { model.fairness_rules() } -> SpanOf<FairnessRule>;
  { model.fairness_label(action) } -> std::same_as<std::uint8_t>;
  { model.liveness_properties() } -> SpanOf<LivenessProperty>;
  { model.liveness_goals(state) } -> std::same_as<LivenessGoals>;
};

/// A run that goes round for ever: the stem, then the loop again and again. The loop ends in the
/// state in which the stem does; without steps, the run stays there.
template <Model M>
struct Lasso {
  Path<M> stem;
  std::vector<Step<M>> loop;
};

template <Model M>
struct LivenessResult {
  LivenessSummary summary;
  std::optional<Lasso<M>> lasso;  ///< exactly when violated
};

/// The steps by their packed states; `labels` (by step, where given) says which of several actions
/// to the same state is meant. Throws WitnessError where there is none.
template <LiveModel M>
std::vector<Step<M>> follow(const M& model, typename M::State at,
                            const std::vector<std::vector<std::uint64_t>>& keys,
                            const std::vector<std::uint8_t>& labels) {
  std::vector<Step<M>> steps;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    bool is_found = false;
    const typename M::State from = at;
    model.for_each_successor(from,
                             [&](const typename M::Action& action, const typename M::State& next) {
                               if (is_found || pack(model, next) != keys[i]) return;
                               if (!labels.empty() && model.fairness_label(action) != labels[i])
                                 return;
                               steps.push_back({action, next, {}});
                               is_found = true;
                             });
    if (!is_found) {
      throw WitnessError(fmt::format("lasso: no action leads from {} to the next state",
                                     model.describe_state(from)));
    }
    at = steps.back().state;
  }
  return steps;
}

/// The stem and the loop `rounds` times, as one path. Each round is walked anew: what a model
/// leaves out of its packed form, such as the number of an attempt, goes on counting.
template <LiveModel M>
Path<M> unroll(const M& model, const Lasso<M>& lasso, std::size_t rounds) {
  std::vector<std::vector<std::uint64_t>> keys;
  std::vector<std::uint8_t> labels;
  for (const Step<M>& step : lasso.loop) {
    keys.push_back(pack(model, step.state));
    labels.push_back(model.fairness_label(step.action));
  }
  Path<M> path = lasso.stem;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<Step<M>> steps = follow(model, path.last(), keys, labels);
    path.steps.insert(path.steps.end(), steps.begin(), steps.end());
  }
  return path;
}

/// Walks the lasso through the model once more by its actions alone, the loop twice, and judges the
/// loop by what the model says of each state, not by the graph: it comes back to where it began,
/// takes no disturbing step, is fair, and breaks the property. Throws WitnessError where not.
template <LiveModel M>
void require_lasso(const M& model, const Lasso<M>& lasso, std::size_t p) {
  constexpr std::size_t kRounds = 2;
  replay_path(model, lasso.stem);
  const LivenessProperty property = model.liveness_properties()[p];
  const auto fail = [&](const std::string& what) {
    throw WitnessError(fmt::format("lasso for '{}': {}", property.name, what));
  };
  const auto begin = pack(model, lasso.stem.last());
  std::uint64_t taken = 0;
  std::uint64_t impossible = 0;
  bool is_on_goal = false;
  bool is_off_goal = false;
  typename M::State at = lasso.stem.last();
  const auto look = [&] {
    std::uint64_t possible = 0;
    bool goes_on = false;
    model.for_each_successor(at, [&](const typename M::Action& action, const typename M::State&) {
      const std::uint8_t label = model.fairness_label(action);
      if (label < kMaxFairnessRules) possible |= std::uint64_t{1} << label;
      goes_on = goes_on || label != kDisturbing;
    });
    impossible |= ~possible;
    (((model.liveness_goals(at).met >> p & 1) != 0) ? is_on_goal : is_off_goal) = true;
    if (lasso.loop.empty() && goes_on) fail("the run does not end where it is said to");
  };
  look();
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (const Step<M>& step : lasso.loop) {
      const std::uint8_t label = model.fairness_label(step.action);
      if (label == kDisturbing) fail("its loop has a disturbing step");
      if (label < kMaxFairnessRules) taken |= std::uint64_t{1} << label;
      std::optional<typename M::State> next;
      model.for_each_successor(
          at, [&](const typename M::Action& action, const typename M::State& state) {
            const bool is_meant =
                round == 0 ? action == step.action : model.fairness_label(action) == label;
            if (!next && is_meant && pack(model, state) == pack(model, step.state)) next = state;
          });
      if (!next) fail(model.describe_action(step.action) + " is not enabled on the loop");
      at = *next;
      look();
    }
    if (pack(model, at) != begin) fail("its loop does not come back");
  }
  for (std::size_t r = 0; r < model.fairness_rules().size(); ++r) {
    const bool is_weak = model.fairness_rules()[r].kind == FairnessKind::weak;
    if ((taken >> r & 1) == 0 && !(is_weak && (impossible >> r & 1) != 0)) {
      fail(fmt::format("its loop is not fair: {}", model.fairness_rules()[r].name));
    }
  }
  if (!is_off_goal || (is_on_goal && property.kind == LivenessKind::returns)) {
    fail("its loop keeps the property");
  }
}

template <LiveModel M>
class LivenessCheck {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  LivenessCheck(const M& model, const ExploreOptions& options)
      : model_(model), traversal_(model, options) {}

  /// Once. Errors as explorer.h's.
  LivenessResult<M> run() {
    GraphBuilder builder{model_, {}};
    const std::optional<StopReason> stop = traversal_.run(builder);
    LivenessGraph& graph = builder.graph;
    LivenessCounts counts;
    counts.states = traversal_.counts().states;
    counts.transitions = traversal_.counts().transitions;
    counts.frontier = traversal_.counts().frontier;
    counts.bytes = traversal_.counts().bytes + graph.bytes();
    LivenessResult<M> result;
    if (stop) {
      result.summary = conclude_unfinished(*stop, counts);
    } else {
      graph.first.push_back(graph.target.size());
      judge(graph, counts, result);
    }
    result.summary.seconds = traversal_.seconds();
    return result;
  }

 private:
  struct GraphBuilder {
    const M& model;
    LivenessGraph graph;

    bool enter(StateIndex /*index*/, const State& state) {
      // The number of edges so far; that of state 0 is there already.
      if (!graph.goals.empty()) graph.first.push_back(graph.target.size());
      const LivenessGoals goals = model.liveness_goals(state);
      graph.goals.push_back(goals.met);
      graph.telling.push_back(goals.telling);
      return true;
    }
    void edge(StateIndex /*from*/, StateIndex to, const Action& action, bool /*is_new*/) {
      graph.target.push_back(to);
      graph.label.push_back(model.fairness_label(action));
    }
    bool is_done() const { return false; }
    std::uint64_t bytes() const {
      // While components are sought: another copy of the edges, and what is kept for a state.
      return graph.bytes() + graph.target.size() * 5 + graph.goals.size() * 60;
    }
  };

  void judge(const LivenessGraph& graph, LivenessCounts& counts, LivenessResult<M>& result) {
    std::vector<std::string> vacuous;
    std::vector<FairnessRule> rules;
    for (std::size_t r = 0; r < model_.fairness_rules().size(); ++r) {
      rules.push_back(model_.fairness_rules()[r]);
    }
    for (std::size_t p = 0; p < model_.liveness_properties().size(); ++p) {
      const LivenessProperty property = model_.liveness_properties()[p];
      const LivenessFinding finding = find_fair_loop(graph, rules, p, property.kind);
      counts.fair_components = finding.fair;
      if (finding.loop) {
        result.lasso = lasso_of(graph, *finding.loop);
        require_lasso(model_, *result.lasso, p);
        result.summary = conclude_lasso(property, result.lasso->stem.steps.size(),
                                        result.lasso->loop.size(), counts);
        return;
      }
      if (finding.telling == 0) vacuous.emplace_back(property.name);
    }
    result.summary = conclude_liveness(vacuous, counts);
  }

  Lasso<M> lasso_of(const LivenessGraph& graph, const LoopInGraph& loop) const {
    const VisitedSet<0>& visited = traversal_.visited();
    Lasso<M> lasso;
    lasso.stem = rebuild_path(model_, visited, loop.start);
    std::vector<std::vector<std::uint64_t>> keys;
    std::vector<std::uint8_t> labels;
    for (const std::uint64_t edge : loop.edges) {
      const std::uint64_t* key = visited.key(graph.target[edge]);
      keys.emplace_back(key, key + visited.width());
      labels.push_back(graph.label[edge]);
    }
    lasso.loop = follow(model_, lasso.stem.last(), keys, labels);
    return lasso;
  }

  const M& model_;
  Traversal<M> traversal_;
};

template <LiveModel M>
LivenessResult<M> check_liveness(const M& model, const ExploreOptions& options = {}) {
  return LivenessCheck<M>(model, options).run();
}

}  // namespace nandi::checker
