// A run written out action by action, watched by the properties: for tests of single properties.
//
// Times are absolute, in units; the store's and all the workers' clocks show true time.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "nandi/sim/ablated_rules.h"
#include "nandi/sim/properties.h"

namespace nandi::sim {

inline constexpr std::int64_t kTestInterval = 1000;

template <class Rules = AblatedRules, class Watched = Properties>
class ScriptedRun {
 public:
  using WorldType = World<Rules, HeapStorage>;
  using Config = MemberConfig<Rules>;

  /// Interval 1000, gap 0.15, resolution 1; attempts may take half an interval.
  static Config plain_config(Rules rules = {}) {
    Config config;
    config.lease.timing.interval = Duration(kTestInterval);
    config.lease.timing.attempt_timeout = Duration(kTestInterval / 2);
    config.lease.timing.resolution = Duration(1);
    config.lease.rules = rules;
    return config;
  }

  explicit ScriptedRun(std::size_t workers, Rules rules = {})
      : ScriptedRun(workers, std::vector<Config>{plain_config(rules)}) {}

  ScriptedRun(std::size_t workers, std::vector<Config> configs)
      : configs_(std::move(configs)),
        ledger_(workers, groups(configs_)),
        properties_(facts(workers, configs_)) {
    world_.workers().resize(workers);
    world_.store().set_script_cached(true);
  }

  /// Applies an action at true time `at`; it must be enabled then.
  Applied act(std::int64_t at, const Action& action) {
    world_.advance_to(TrueTime(at));
    EXPECT_TRUE(world_.enabled(configs_, action))
        << to_string(action.kind) << " of " << worker_name(action.worker) << " at " << at;
    const Applied applied = world_.apply(configs_, action);
    ledger_.observe(std::span<const Config>(configs_), world_, action, applied);
    properties_.observe(moment(action, applied));
    return applied;
  }

  Applied act(std::int64_t at, ActionKind kind, WorkerId worker, std::int64_t value = 0,
              std::int64_t extra = kTestInterval / 2) {
    Action action;
    action.kind = kind;
    action.worker = worker;
    if (kind == ActionKind::execute || kind == ActionKind::deliver || kind == ActionKind::lose ||
        kind == ActionKind::refuse) {
      action.attempt = world_.worker(worker).wire_attempt;
      if (kind == ActionKind::refuse) action.error = ErrorClass::busy;
    } else {
      action.value = value;
    }
    if (kind == ActionKind::join) action.extra = extra;
    return act(at, action);
  }

  /// wake, execute and deliver, all at `at`.
  void registers(std::int64_t at, WorkerId worker) { registers(at, at, at, worker); }
  void registers(std::int64_t sent, std::int64_t executed, std::int64_t received, WorkerId worker) {
    act(sent, ActionKind::wake, worker);
    act(executed, ActionKind::execute, worker);
    act(received, ActionKind::deliver, worker);
  }

  /// Hands the consumer all there is to hand, draining in no time.
  void hands_over(std::int64_t at, WorkerId worker) {
    world_.advance_to(TrueTime(at));
    Action take;
    take.kind = ActionKind::take;
    take.worker = worker;
    while (world_.enabled(configs_, take)) {
      if (act(at, take).drain_begun) act(at, ActionKind::drained, worker);
    }
  }

  void finish(std::int64_t at) {
    world_.advance_to(TrueTime(at));
    properties_.finish(moment(Action{}, Applied{}));
  }

  /// When the worker wants to be woken.
  [[nodiscard]] std::int64_t wakeup(WorkerId worker) const {
    return world_.wakeup(configs_, worker).count();
  }

  template <class One>
  [[nodiscard]] const One& property() const {
    return properties_.template get<One>();
  }
  [[nodiscard]] const WorldType& world() const { return world_; }
  [[nodiscard]] std::span<const Config> configs() const { return configs_; }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

 private:
  static std::size_t groups(const std::vector<Config>& configs) {
    std::size_t count = 0;
    for (const Config& config : configs) count = std::max(count, config.group + std::size_t{1});
    return count;
  }
  static RunFacts facts(std::size_t workers, const std::vector<Config>& configs) {
    RunFacts facts;
    facts.workers = workers;
    facts.groups = groups(configs);
    for (const Config& config : configs) facts.timings.push_back(config.lease.timing);
    return facts;
  }
  Moment<WorldType> moment(const Action& action, const Applied& applied) const {
    return {world_.now(), action, applied, world_, configs_, ledger_};
  }

  std::vector<Config> configs_;
  WorldType world_;
  Ledger ledger_;
  Watched properties_;
};

}  // namespace nandi::sim
