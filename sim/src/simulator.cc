#include "nandi/sim/simulator.h"

#include <stdexcept>
#include <utility>

#include "nandi/sim/properties.h"
#include "nandi/sim/swarm.h"
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
  if (plan_->scenario.swarm) return run_drawn(seed, options);
  return with_rules(*plan_, seed, options, [](auto& simulation) { return simulation.run(); });
}

RunResult Simulator::run_drawn(std::uint64_t seed, const RunOptions& options) const {
  SwarmDraw draw = draw_swarm(plan_->scenario, seed);
  const RunPlan plan = make_plan(std::move(draw.scenario));
  RunResult result = with_rules(plan, seed, options, [](auto& run) { return run.run(); });
  std::vector<FaultCount> counts(plan_->sources);
  for (std::size_t e = 0; e < result.faults.size(); ++e) {
    FaultCount& count = counts[draw.sources[e]];
    count.armed += result.faults[e].armed;
    count.fired += result.faults[e].fired;
    count.changed += result.faults[e].changed;
  }
  result.faults = std::move(counts);
  for (std::size_t p = 0; p < result.properties.size(); ++p) {
    const PropertyInfo& info = property_infos()[p];
    const bool is_promised = info.name == WorkExclusive::kInfo.name      ? !draw.stalls
                             : info.name == HeldWithinExpiry::kInfo.name ? !draw.skews
                             : info.kind == PropertyKind::timing         ? !draw.mixes
                                                                         : true;
    if (!is_promised) result.properties[p] = PropertyOutcome{};
  }
  return result;
}

RunResult Simulator::replay(std::span<const TimedAction> schedule,
                            const RunOptions& options) const {
  return with_rules(*plan_, 0, options,
                    [&](auto& simulation) { return simulation.replay(schedule); });
}

}  // namespace nandi::sim
