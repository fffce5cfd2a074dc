#include "nandi/sim/simulator.h"

#include <stdexcept>

#include "simulation.h"

namespace nandi::sim {
namespace {

template <class Run>
RunResult with_rules(const RunPlan& plan, std::uint64_t seed, const RunOptions& options,
                     const Run& run) {
  if (plan.is_ablated) {
    Simulation<AblatedRules> simulation(plan, seed, options);
    return run(simulation);
  }
  Simulation<ProtocolRules> simulation(plan, seed, options);
  return run(simulation);
}

}  // namespace

Simulator::Simulator(const Scenario& scenario)
    : plan_(std::make_unique<const RunPlan>(make_plan(scenario))) {}
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;
Simulator::~Simulator() = default;

const Scenario& Simulator::scenario() const { return plan_->scenario; }
bool Simulator::is_production() const { return !plan_->is_ablated; }

RunResult Simulator::run(std::uint64_t seed, const RunOptions& options) const {
  if (!plan_->scenario.schedule.empty()) {
    return replay(plan_->scenario.schedule, options);
  }
  return with_rules(*plan_, seed, options, [](auto& simulation) { return simulation.run(); });
}

RunResult Simulator::replay(std::span<const TimedAction> schedule,
                            const RunOptions& options) const {
  return with_rules(*plan_, 0, options,
                    [&](auto& simulation) { return simulation.replay(schedule); });
}

}  // namespace nandi::sim
