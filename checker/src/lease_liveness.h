// Liveness of the lease protocol: LeaseModel with what liveness.h asks for besides.
//
// A run in the scope of the properties has, from some moment on, no more of: starts, crashes,
// stalls, refusals, losses and faults. Clocks may go on to deviate within the check's bound, and
// abandoned requests to execute or not. Fair is a run on which time goes on for ever, and each
// worker's timers that are due, requests and replies under way and the end of a stall come about
// unless they stop being possible. How long a message takes is the check's: with a bound it is kept
// since time does not pass it; without one a reply may come too late again and again.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "nandi/checker/lease_model.h"
#include "nandi/checker/liveness.h"

namespace nandi::checker {

template <class Rules, std::size_t W>
class LiveLeaseModel : public LeaseModel<Rules, W> {
 public:
  using Base = LeaseModel<Rules, W>;
  using State = typename Base::State;
  using Action = typename Base::Action;

  /// Precondition: as LeaseModel's, and no symmetry.
  explicit LiveLeaseModel(const LeaseCheck& check) : Base(check) {
    for (const LivenessProperty& property : kProperties) {
      if (check.checks_liveness(property.name)) properties_.push_back(property);
    }
  }

  [[nodiscard]] std::span<const FairnessRule> fairness_rules() const { return kRules; }
  [[nodiscard]] std::span<const LivenessProperty> liveness_properties() const {
    return properties_;
  }

  [[nodiscard]] std::uint8_t fairness_label(const Action& action) const {
    if (action.step == LeaseStep::time_passes) return 0;
    const auto of_worker = [&](unsigned kind) {
      return static_cast<std::uint8_t>(1 + kind * W + action.action.worker);
    };
    switch (action.action.kind) {
      case sim::ActionKind::wake: return of_worker(0);
      case sim::ActionKind::execute:
        return action.step == LeaseStep::execute_abandoned ? kNoRule : of_worker(1);
      case sim::ActionKind::deliver: return of_worker(2);
      case sim::ActionKind::resume: return of_worker(3);
      case sim::ActionKind::step_worker_clock: return kNoRule;
      default: return kDisturbing;
    }
  }

  /// The goal of both is that every worker which is there holds a pair.
  [[nodiscard]] LivenessGoals liveness_goals(const State& state) const {
    bool is_anybody_there = false;
    for (sim::WorkerId id = 0; id < W; ++id) {
      if (!state.world.worker(id).is_present()) continue;
      is_anybody_there = true;
      if (!this->held(state, id)) return {};
    }
    const auto all = static_cast<std::uint8_t>((1U << properties_.size()) - 1);
    return {all, is_anybody_there ? all : std::uint8_t{0}};
  }

 private:
  static constexpr std::array<LivenessProperty, 2> kProperties = {
      LivenessProperty{"owned-for-ever", LivenessKind::stays},
      LivenessProperty{"comes-back", LivenessKind::returns}};

  static constexpr std::array<FairnessRule, 1 + 4 * W> make_rules() {
    std::array<FairnessRule, 1 + 4 * W> rules{};
    rules[0] = {"time goes on", FairnessKind::recurrent};
    constexpr std::string_view kNames[] = {"a timer that is due is served",
                                           "a request under way is executed",
                                           "a reply under way arrives", "a stall ends"};
    for (std::size_t r = 1; r < rules.size(); ++r) rules[r] = {kNames[(r - 1) / W]};
    return rules;
  }
  static constexpr std::array<FairnessRule, 1 + 4 * W> kRules = make_rules();

  std::vector<LivenessProperty> properties_;
};

/// The same path of the model that it is made of.
template <class Rules, std::size_t W>
Path<LeaseModel<Rules, W>> base_path(const Path<LiveLeaseModel<Rules, W>>& path) {
  Path<LeaseModel<Rules, W>> base;
  base.initial = path.initial;
  for (const auto& step : path.steps) base.steps.push_back({step.action, step.state, {}});
  return base;
}

}  // namespace nandi::checker
