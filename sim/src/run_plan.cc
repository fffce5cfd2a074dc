#include "run_plan.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "nandi/sim/fault_catalogue.h"
#include "scenario_timing.h"

namespace nandi::sim {
namespace {

bool is_same(const PlannedConfig& a, const PlannedConfig& b) {
  return a.lease == b.lease && a.group == b.group &&
         a.interval_from_worker_clock == b.interval_from_worker_clock;
}

class Planner {
 public:
  explicit Planner(Scenario scenario) { plan_.scenario = std::move(scenario); }

  RunPlan plan() {
    const Scenario& scenario = plan_.scenario;
    for (const WorkerSet& set : scenario.workers) {
      const std::uint16_t member = add_member(set);
      plan_.initial.insert(plan_.initial.end(), set.count, member);
    }
    living_ = plan_.initial.size();
    plan_.capacity = living_;
    for (const TimelineEvent& event : scenario.timeline) {
      plan_.agenda.push_back(
          std::visit([this](const auto& e) { return plan_event(e); }, event.event));
      if (const FaultInfo* info = fault_of(event.event)) {
        plan_.agenda.back().fault = static_cast<std::uint16_t>(info - fault_catalogue().data());
      }
    }
    plan_.sources = scenario.timeline.size();
    if (scenario.swarm) {
      plan_.sources += scenario.swarm->membership.size() + scenario.swarm->faults.size();
    }
    plan_.is_ablated =
        std::any_of(plan_.configs.begin(), plan_.configs.end(),
                    [](const PlannedConfig& c) { return c.lease.rules != AblatedRules{}; }) ||
        std::any_of(scenario.schedule.begin(), scenario.schedule.end(), [](const TimedAction& a) {
          return a.action.kind == ActionKind::deliver && a.action.value > 0;  // a chosen slot
        });
    return std::move(plan_);
  }

 private:
  AgendaPlan plan_event(const Join& join) {
    living_ += join.workers.count;
    plan_.capacity += join.workers.count;
    return {add_member(join.workers), {}, {}};
  }
  AgendaPlan plan_event(const Restart& restart) {
    plan_.capacity += most(restart.workers);
    return {};
  }
  AgendaPlan plan_event(const Fork& fork) {
    const std::size_t copies = most(fork.workers);
    living_ += copies;
    plan_.capacity += copies;
    return {};
  }
  AgendaPlan plan_event(const StoreRestart& restart) { return undo(restart.lost_writes); }
  AgendaPlan plan_event(const Failover& failover) { return undo(failover.lost_writes); }
  AgendaPlan undo(std::uint32_t writes) {
    plan_.undone_writes = std::max(plan_.undone_writes, writes);
    return {};
  }
  AgendaPlan plan_event(const Reconfigure& change) {
    plan_.capacity += most(change.workers);
    AgendaPlan planned;
    const std::size_t members = plan_.members.size();
    for (std::size_t m = 0; m < members; ++m) planned.becomes.push_back(reconfigured(m, change));
    return planned;
  }
  template <class Other>
  AgendaPlan plan_event(const Other&) {
    return {};
  }

  [[nodiscard]] std::size_t most(const WorkerChoice& choice) const {
    switch (choice.kind) {
      case WorkerChoice::Kind::count: return std::min<std::size_t>(choice.count, living_);
      case WorkerChoice::Kind::ids: return choice.ids.size();
      case WorkerChoice::Kind::all: break;
    }
    return living_;
  }

  std::uint16_t add_member(const WorkerSet& set) {
    const Scenario& scenario = plan_.scenario;
    PlannedConfig config;
    config.lease.timing = timing_of(scenario.group, set);
    const Duration interval = config.lease.timing.interval;
    config.lease.rules = rules(interval, set.deadline_from);
    config.interval_from_worker_clock = scenario.rules.interval_clock == IntervalClock::worker;

    MemberPlan member;
    member.config = add_config(config);
    member.consumer = add_consumer(set.consumer.value_or(scenario.consumer));
    member.link = add_link(set.network);
    member.first_spread =
        multiply_floor(interval, set.first_spread.value_or(scenario.group.first_spread));
    member.kept_offset = set.kept_offset;
    member.clock = set.clock;
    plan_.members.push_back(member);
    return static_cast<std::uint16_t>(plan_.members.size() - 1);
  }

  [[nodiscard]] AblatedRules rules(Duration interval, std::optional<DeadlineFrom> deadline) const {
    const RuleSettings& settings = plan_.scenario.rules;
    AblatedRules rules;
    rules.agreement = static_cast<std::uint8_t>(settings.agreement);
    rules.does_expire = settings.expiry;
    rules.index_from = settings.index_from;
    rules.deadline_from = deadline.value_or(settings.deadline_from);
    rules.spread = settings.spread;
    rules.extra_margin = multiply_floor(interval, settings.margin);
    return rules;
  }

  std::uint16_t add_config(const PlannedConfig& config) {
    for (std::size_t c = 0; c < plan_.configs.size(); ++c) {
      if (is_same(plan_.configs[c], config)) return static_cast<std::uint16_t>(c);
    }
    plan_.configs.push_back(config);
    return static_cast<std::uint16_t>(plan_.configs.size() - 1);
  }

  std::uint16_t add_consumer(const ConsumerSettings& consumer) {
    const auto known = std::find(consumers_.begin(), consumers_.end(), consumer);
    if (known != consumers_.end()) return static_cast<std::uint16_t>(known - consumers_.begin());
    consumers_.push_back(consumer);
    plan_.consumers.push_back({Sampler(consumer.drain), consumer.overrun, consumer.ignore_expiry});
    return static_cast<std::uint16_t>(consumers_.size() - 1);
  }

  std::uint16_t add_link(const NetworkOverride& own) {
    NetworkSettings network = plan_.scenario.network;
    if (own.request) network.request = *own.request;
    if (own.reply) network.reply = *own.reply;
    if (own.jitter) network.jitter = *own.jitter;
    if (own.loss) network.loss = *own.loss;
    const auto known = std::find(plan_.networks.begin(), plan_.networks.end(), network);
    if (known != plan_.networks.end()) {
      return static_cast<std::uint16_t>(known - plan_.networks.begin());
    }
    plan_.networks.push_back(network);
    plan_.links.push_back(make_link(network));
    return static_cast<std::uint16_t>(plan_.links.size() - 1);
  }

  std::uint16_t reconfigured(std::size_t old, const Reconfigure& change) {
    MemberPlan member = plan_.members[old];
    PlannedConfig config = plan_.configs[member.config];
    LeaseTiming& timing = config.lease.timing;
    timing = timing_after(timing, change);
    config.lease.rules =
        rules(timing.interval, change.deadline_from.value_or(config.lease.rules.deadline_from));
    member.config = add_config(config);
    const auto known = std::find(plan_.members.begin(), plan_.members.end(), member);
    const auto place = static_cast<std::uint16_t>(known - plan_.members.begin());
    if (known == plan_.members.end()) plan_.members.push_back(member);
    return place;
  }

  RunPlan plan_;
  std::vector<ConsumerSettings> consumers_;
  std::size_t living_ = 0;
};

}  // namespace

Link make_link(const NetworkSettings& network) {
  return {Sampler(network.request),      Sampler(network.reply), Sampler(network.jitter.request),
          Sampler(network.jitter.reply), network.loss.request,   network.loss.reply};
}

RunPlan make_plan(Scenario scenario) { return Planner(std::move(scenario)).plan(); }

RunFacts RunPlan::facts() const {
  RunFacts facts;
  facts.workers = capacity;
  for (const PlannedConfig& config : configs) {
    facts.groups = std::max<std::size_t>(facts.groups, config.group + std::size_t{1});
    facts.timings.push_back(config.lease.timing);
  }
  if (scenario.settle) {
    facts.settle_from = TrueTime(scenario.settle->from.count());
    facts.settle_by =
        facts.settle_from + scenario.group.interval * std::int64_t{scenario.settle->within};
  }
  return facts;
}

std::int64_t parts_per_billion(Fraction rate) {
  return static_cast<std::int64_t>(Int128{rate.numerator()} * kPartsPerBillion /
                                   rate.denominator());
}

}  // namespace nandi::sim
