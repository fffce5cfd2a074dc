// Small runs that the tests of the pages share.
#pragma once

#include <string>

#include "nandi/reports/lease_report.h"
#include "nandi/sim/campaign.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/yaml/document.h"

namespace nandi::reports {

/// Three workers; one crashes and the store hangs for a moment.
inline constexpr const char* kQuiet = R"(name: quiet
group: {name: g, interval: 1s}
workers: 3
network: {request: {constant: 2ms}, reply: {constant: 2ms}}
timeline:
  - {at: 8s, crash: {workers: [1]}}
  - {at: 14s, hang: {for: 700ms}}
for: 20s
seeds: 1..5
expect:
  verdict: holds
  properties: [lease-exclusive]
)";

/// One agreeing interval in place of two: two workers come to hold one index.
inline constexpr const char* kBroken = R"(name: broken
group: {name: g, interval: 1s}
workers: 4
network: {request: {constant: 2ms}, reply: {constant: 2ms}}
rules: {agreement: 1}
for: 20s
seeds: 1..20
expect: {verdict: violated, property: lease-exclusive, properties: [lease-exclusive]}
)";

/// The scenario run as nandi-sim does; of a violation the first seed is shown.
inline Report sample_report(const std::string& text) {
  const sim::Simulator simulator(
      sim::read_scenario(sim::yaml::Document::parse(text, "sample.yaml")));
  sim::CampaignOptions options;
  options.seeds = simulator.scenario().seeds;
  const sim::CampaignResult result = run_campaign(simulator, options);
  const sim::Judgement judgement = judge(simulator.scenario(), result);
  LeaseRun run{simulator, result,  judgement, "sample.yaml", "nandi-sim sample.yaml", 1,
               {},        nullptr, "",        nullptr};
  for (std::size_t p = 0; p < result.properties.size(); ++p) {
    if (!judgement.properties[p].counts || !result.properties[p].first) continue;
    run.violation = &*result.properties[p].first;
    run.property = judgement.properties[p].name;
    run.seed = result.properties[p].first_seed;
  }
  return lease_report(run);
}

}  // namespace nandi::reports
