#include <algorithm>
#include <string>
#include <vector>

#include "nandi/sim/properties.h"
#include "nandi/sim/scenario.h"

namespace nandi::sim {

// The one list of what the simulator cannot do yet. Take a line out when, and only when, the
// simulator obeys the field in full. A test holds every line against the language's own table.
const ScenarioSupport& simulator_support() {
  static const ScenarioSupport support{{}};
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
    for (const std::string& name : check_property_names()) {
      if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
    }
    list.insert(list.end(), liveness_property_names().begin(), liveness_property_names().end());
    return list;
  }();
  return names;
}

const std::vector<std::string>& check_property_names() {
  static const std::vector<std::string> names = {"lease-exclusive", "one-count", "tasks-disjoint",
                                                 "index-below-count", "never-stands-down"};
  return names;
}

const std::vector<std::string>& liveness_property_names() {
  static const std::vector<std::string> names = {"owned-for-ever", "comes-back"};
  return names;
}

}  // namespace nandi::sim
