// Several counterexamples of a model, one for each cause.
//
// A model may be broken in thousands of states by one and the same mistake. The *cause* of a
// violating state is the property that it breaks together with the action classes marked as
// causes (model.h) on the shortest path by which it was found. A state whose causes include all of
// one that is known already is one more case of that. No run goes on past a violation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nandi/checker/path.h"
#include "nandi/checker/traversal.h"

namespace nandi::checker {

template <Model M>
struct Cause {
  std::string property;
  std::vector<std::string> classes;  ///< what else it took; empty: nothing out of the ordinary
  std::uint64_t states = 0;          ///< violating states found that it explains
  Path<M> path;                      ///< as short as any to one of them, replayed
};

template <Model M>
struct CauseSurvey {
  std::vector<Cause<M>> causes;  ///< by length of their paths
  /// Nothing: every state was explored that can be reached without a violation, so there are no
  /// more. `violation`: as many as were asked for; else the bound that ended it.
  std::optional<StopReason> stop;
};

/// "2 found, no more", "5 found, as many as asked for", "1 found until the search ended: ...".
[[nodiscard]] std::string describe_causes(std::size_t found, std::optional<StopReason> stop);

template <Model M>
class CauseSearch {
 public:
  using State = typename M::State;
  using Action = typename M::Action;

  CauseSearch(const M& model, std::size_t most, const ExploreOptions& options)
      : model_(model), most_(most), names_(names_of(model)), traversal_(model, options) {
    for (std::size_t c = 0; c < names_.action_classes.size(); ++c) {
      if (names_.action_classes[c].is_cause) cause_classes_ |= std::uint64_t{1} << c;
    }
  }

  /// Once. Errors as explorer.h's.
  CauseSurvey<M> run() {
    CauseSurvey<M> survey;
    survey.stop = traversal_.run(*this);
    for (const Found& found : found_) {
      Cause<M> cause;
      cause.property = std::string(names_.properties[found.property].name);
      for (std::size_t c = 0; c < names_.action_classes.size(); ++c) {
        if ((found.classes >> c & 1) != 0) {
          cause.classes.emplace_back(names_.action_classes[c].name);
        }
      }
      cause.states = found.states;
      cause.path = rebuild_path(model_, traversal_.visited(), found.first);
      require_violation(model_, cause.path, found.property);
      survey.causes.push_back(std::move(cause));
    }
    return survey;
  }

  // What Traversal asks of a visitor.
  bool enter(StateIndex index, const State& state) {
    if (index >= classes_.size()) classes_.resize(index + 1, 0);
    const std::uint64_t broken = model_.decided(state) & names_.invariants;
    if (broken == 0) return true;
    note(index, static_cast<unsigned>(__builtin_ctzll(broken)));
    return false;
  }
  void edge(StateIndex from, StateIndex to, const Action& action, bool is_new) {
    if (!is_new) return;
    if (to >= classes_.size()) classes_.resize(to + 1, 0);
    const std::uint64_t own = std::uint64_t{1} << model_.action_class(action);
    classes_[to] = classes_[from] | (own & cause_classes_);
  }
  std::uint64_t bytes() const { return classes_.capacity() * 8; }
  bool is_done() const { return found_.size() >= most_; }

 private:
  struct Found {
    unsigned property = 0;
    std::uint64_t classes = 0;
    std::uint64_t states = 0;
    StateIndex first = 0;
  };

  void note(StateIndex index, unsigned property) {
    const std::uint64_t classes = classes_[index];
    for (Found& found : found_) {
      if (found.property == property && (found.classes & ~classes) == 0) {
        ++found.states;
        return;
      }
    }
    found_.push_back({property, classes, 1, index});
  }

  const M& model_;
  std::size_t most_;
  ModelNames names_;
  std::uint64_t cause_classes_ = 0;
  Traversal<M> traversal_;
  std::vector<std::uint64_t> classes_;  ///< by state: causes on the path to it
  std::vector<Found> found_;
};

/// At most `most` causes.
template <Model M>
CauseSurvey<M> find_causes(const M& model, std::size_t most, const ExploreOptions& options = {}) {
  return CauseSearch<M>(model, most, options).run();
}

}  // namespace nandi::checker
