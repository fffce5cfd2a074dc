#include <string>
#include <vector>

#include "nandi/sim/properties.h"
#include "nandi/sim/scenario.h"

namespace nandi::sim {

// The one list of what the simulator cannot do yet. Take a line out when, and only when, the
// simulator obeys the field in full. A test holds every line against the language's own table.
const ScenarioSupport& simulator_support() {
  static const ScenarioSupport support{{
      "restart.same_seed",
      "rules.deadline_from",
      "rules.interval_clock",
      "rules.margin",
      "rules.spread",
      "scenario.clocks",
      "scenario.schedule",
      "timeline_event.clock_drift",
      "timeline_event.clock_freeze",
      "timeline_event.clock_step",
      "timeline_event.busy",
      "timeline_event.del",
      "timeline_event.evict",
      "timeline_event.failover",
      "timeline_event.flushall",
      "timeline_event.fork",
      "timeline_event.half_open",
      "timeline_event.heal",
      "timeline_event.late_execution",
      "timeline_event.loading",
      "timeline_event.lose",
      "timeline_event.maxclients",
      "timeline_event.oom",
      "timeline_event.partition",
      "timeline_event.readonly",
      "timeline_event.reconfigure",
      "timeline_event.refuse",
      "timeline_event.script_flush",
      "timeline_event.slot_migration",
      "timeline_event.store_restart",
      "timeline_event.suspend",
      "worker_set.attempt_timeout",
      "worker_set.clock",
      "worker_set.deadline_from",
      "worker_set.gap",
      "worker_set.interval",
      "join.attempt_timeout",
      "join.clock",
      "join.deadline_from",
      "join.gap",
      "join.interval",
  }};
  return support;
}

const ScenarioSupport& whole_language() {
  static const ScenarioSupport support;
  return support;
}

const std::vector<std::string>& property_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const PropertyInfo& info : property_infos()) list.emplace_back(info.name);
    return list;
  }();
  return names;
}

}  // namespace nandi::sim
