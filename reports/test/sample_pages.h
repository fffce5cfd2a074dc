// A report of each kind, small enough to be read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/run_lease_check.h"
#include "nandi/reports/assumption_report.h"
#include "nandi/reports/check_report.h"
#include "nandi/reports/study_report.h"
#include "sample_reports.h"

namespace nandi::reports {

/// One agreeing interval in place of two, explored exhaustively.
inline constexpr const char* kChecked = R"(name: checked
group: {name: g, interval: 5s, gap: 2/5}
workers: 2
rules: {agreement: 1}
check: {ticks: 5, workers: 2, slots: free, joins: 1, registrations: 3}
expect: {verdict: violated, property: lease-exclusive}
)";

/// The protocol itself, as far as 2,000 states reach.
inline constexpr const char* kUnfinished = R"(name: unfinished
group: {name: g, interval: 5s, gap: 2/5}
workers: 2
check: {ticks: 5, workers: 2, slots: free, joins: 1, registrations: 3, max_states: 2000}
expect: {verdict: unknown}
)";

/// Two workers that start once each, messages that take no time.
inline constexpr const char* kAssumed = R"(name: assumed
group: {name: g, interval: 5s, gap: 2/5}
workers: 2
check: {ticks: 5, workers: 2, slots: free, joins: 1, registrations: 3, request_delay: 0,
        reply_delay: 0, symmetry: true}
)";

inline constexpr const char* kPartition = R"(kind: partition
seeds: 0..3
items: {count: 400}
servers: [a, b, c]
changes:
  - {label: one joins, join: [d]}
  - {label: one leaves, leave: [b]}
schemes: [{scheme: modulo}, {scheme: rendezvous}, {scheme: ring, virtual_nodes: 10}]
)";

inline constexpr const char* kKeyspace = R"(kind: keyspace
hashes: [crc16]
nodes: [3, 6]
tagging_nodes: 3
model: {books: 60, loans: 200}
)";

inline Report sample_check(std::string text) {
  const sim::Scenario scenario =
      sim::read_scenario(sim::yaml::Document::parse(text, "checked.yaml"), sim::whole_language());
  const checker::LeaseCheck check = checker::lease_check_of(scenario);
  const checker::LeaseCheckResult result = run_lease_check(check);
  return check_report({scenario, check, result, "checked.yaml", "nandi-check checked.yaml", true});
}

/// One drop that breaks the group, and the same beside one that does not; times as if all took 1.5
/// s.
inline Report sample_assumptions() {
  checker::LeaseCheck base = checker::lease_check_of(sim::read_scenario(
      sim::yaml::Document::parse(kAssumed, "assumed.yaml"), sim::whole_language()));
  base.properties = {"lease-exclusive"};
  std::vector<checker::AssumptionRow> rows;
  for (const char* name : {"nothing", "del_open", "del_closed", "del_open+del_closed",
                           "reply/nothing", "reply/reply_delay", "mixed/nothing"}) {
    checker::AssumptionOptions options;
    options.row = name;
    checker::AssumptionRow row = explore_assumptions(base, options).front();
    for (checker::AssumptionTrial& trial : row.trials) trial.seconds = 1.5;
    rows.push_back(std::move(row));
  }
  return assumption_report(
      {"assumed", "assumed.yaml", "nandi-check --assumptions assumed.yaml", base, rows});
}

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

/// By the name of its golden page.
inline std::vector<std::pair<std::string, Report>> sample_pages() {
  const sim::PartitionStudy partition =
      sim::load_partition_study(sim::yaml::Document::parse(kPartition, "partition.yaml"));
  const sim::KeyspaceStudy keyspace =
      sim::load_keyspace_study(sim::yaml::Document::parse(kKeyspace, "keyspace.yaml"));
  return {{"lease-run", sample_report(replaced(kQuiet, "1..5", "1..1"))},
          {"campaign", sample_report(kQuiet)},
          {"violation", sample_report(kBroken)},
          {"counterexample", sample_check(kChecked)},
          {"check", sample_check(kUnfinished)},
          {"assumptions", sample_assumptions()},
          {"partition", partition_report("partition.yaml", "nandi-sim partition.yaml",
                                         run_partition_study(partition))},
          {"keyspace", keyspace_report("keyspace.yaml", "nandi-sim keyspace.yaml",
                                       run_keyspace_study(keyspace))}};
}

}  // namespace nandi::reports
