// Scenarios with a swarm, for the tests of campaigns.
#pragma once

#include <sstream>
#include <string>

#include "nandi/sim/scenario.h"

namespace nandi::sim {

/// A group under common trouble, all assumptions kept; `rest` are further lines of the file.
inline Scenario swarm_scenario(const std::string& rest = "") {
  const std::string text = R"(name: small-swarm
group: {interval: 1s}
workers: 4
settle: {from: 20s, within: 14}
for: 35s
swarm:
  workers: 2..5
  network: {median: {from: 50us, to: 10ms}, tail: 2..10}
  membership:
    join: {probability: 60%, times: 1..3}
    leave: {probability: 40%}
  faults:
    pause: {probability: 40%, times: 1..3, workers: 1..2, for: {from: 10ms, to: 5s}}
    hang: {probability: 30%, for: {from: 10ms, to: 5s}}
    lose: {probability: 50%, times: 1..3, count: 1..3}
    late_execution: {probability: 30%, by: {from: 10ms, to: 5s}}
    store_clock_step: {probability: 30%, by: {from: -4s, to: 4s}}
    flushall: {probability: 30%}
)";
  return read_scenario(yaml::Document::parse(text + rest, "swarm.yaml"));
}

inline std::string written(const Scenario& scenario) {
  std::ostringstream out;
  write_scenario(scenario, out);
  return out.str();
}

inline Scenario read_back(const Scenario& scenario) {
  return read_scenario(yaml::Document::parse(written(scenario), "again.yaml"));
}

}  // namespace nandi::sim
