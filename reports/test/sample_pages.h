// A report of each kind, small enough to be read.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/run_lease_check.h"
#include "nandi/reports/assumption_report.h"
#include "nandi/reports/check_report.h"
#include "nandi/reports/comparison.h"
#include "nandi/reports/study_report.h"
#include "nandi/reports/tune_report.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/trace_writer.h"
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
  checker::LeaseCheckOptions options;
  options.explore.bounds.max_states = scenario.check->max_states;
  const checker::LeaseCheckResult result = run_lease_check(check, options);
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

/// Two seeds of one scenario, in folders as `--out` writes them. The figures over seeds are by
/// hand.
inline Report sample_comparison() {
  namespace fs = std::filesystem;
  const fs::path here = fs::current_path();
  const fs::path root =
      fs::temp_directory_path() / ("nandi-sample-comparison-" + std::to_string(getpid()));
  const sim::Scenario scenario =
      sim::read_scenario(sim::yaml::Document::parse(kQuiet, "quiet.yaml"), sim::whole_language());
  const auto write = [&](const char* name, std::uint64_t seed, const char* readiness) {
    fs::create_directories(root / name);
    std::ofstream(root / name / "verdict.json")
        << R"({"nandi_summary": 1, "scenario": "quiet", "evidence": "5 seeds", )"
        << R"("verdict": "holds", )"
        << R"("statistics": {"start": {"samples": 5, "median": 2000000}}, )"
        << R"("by_seed": {"readiness": )" << readiness << "}}";
    std::ofstream trace(root / name / "trace.ndjson");
    sim::TraceWriter writer(trace, scenario, seed);
    sim::RunOptions options;
    options.trace = &writer;
    const sim::RunResult run = sim::Simulator(scenario).run(seed, options);
    writer.finish(run.end, run.trace_hash);
  };
  write("before", 1, R"({"median": 5000000, "median_interval": [4000000, 7000000]})");
  write("after", 2, R"({"median": 8000000, "median_interval": [7500000, 9000000]})");
  fs::current_path(root);  // so that the page names the folders alike wherever it is made
  Report report = comparison_report({"before", "after"}, "nandi-sim compare before after");
  fs::current_path(here);
  fs::remove_all(root);
  return report;
}

/// Two intervals by two gaps: one breaks a bound, one fails, one is undecided, one is chosen.
inline sim::TuneResult sample_tuning() {
  constexpr Duration kSecond{kNanosecondsPerSecond};
  sim::TuneResult result;
  result.request.name = "mail-sender";
  result.request.latency_source = "p50=1ms,max=9ms";
  result.request.intervals = {kSecond, kSecond * 2};
  result.request.gaps = {Fraction(1, 10), Fraction(3, 20)};
  for (const Duration interval : result.request.intervals) {
    for (const Fraction& gap : result.request.gaps) {
      sim::TuneCell cell;
      cell.setting = {interval, gap};
      cell.bounds = {{"retry", 0.02, 0.25, "s", "two round trips take 20 ms of 250 ms"}};
      const double seconds = static_cast<double>(interval.count()) / 1e9;
      cell.measures = sim::TuneMeasures{};
      cell.measures->seeds = 64;
      cell.measures->ready_p50 = {3 * seconds, 2.9 * seconds, 3.1 * seconds};
      cell.measures->ready_p99 = {4 * seconds, 3.9 * seconds, std::nullopt};
      cell.measures->change_cost = {2 * seconds, 1.9 * seconds, 2.1 * seconds};
      cell.measures->losses_per_day = {8 / seconds, 6 / seconds, 10 / seconds};
      cell.measures->owned_share = {0.99, 0.98, 0.995};
      cell.measures->registrations_per_second = {3 / seconds, 3 / seconds, 3 / seconds};
      cell.measures->closest_approach = seconds * 0.9;
      result.cells.push_back(cell);
    }
  }
  result.cells[0].status = sim::TuneStatus::fails_bound;
  result.cells[0].bounds[0] = {"retry", 0.02, 0.01, "s", "two round trips take 20 ms of 10 ms"};
  result.cells[0].reason = "retry: two round trips take 20 ms of 10 ms";
  result.cells[0].measures.reset();
  result.cells[1].status = sim::TuneStatus::fails;
  result.cells[1].reason = "8 leases lost a worker-day";
  result.cells[3].status = sim::TuneStatus::passes;
  result.cells[3].on_front = true;
  result.recommendation = sim::TuneRecommendation{};
  result.recommendation->cell = 3;
  result.recommendation->confirmed = true;
  result.recommendation->validated = *result.cells[3].measures;
  result.recommendation->validated.seeds = 640;
  result.recommendation->sentence = "Use interval 2 s and gap 0.15.";
  result.recommendation->largest_group = 340;
  result.recommendation->largest_settled = 150;
  result.recommendation->edges = {
      {sim::TuneDirection::shorter_interval, 1, "8 leases lost a worker-day"},
      {sim::TuneDirection::larger_gap, std::nullopt, "the grid ends"}};
  result.by_members = {{3, 4, 64, {0.99, 0.98, 0.995}, {4, 3, 5}},
                       {30, 4, 64, {0.97, 0.96, 0.98}, {4, 3, 5}}};
  result.by_changes = {{3, 0, 64, {1, 0.999, 1}, {0, 0, 1}},
                       {3, 8, 64, {0.95, 0.94, 0.96}, {1, 0, 2}}};
  result.warnings = {"above 340 workers neighbours' slots are closer than the p99 jitter"};
  return result;
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
          {"comparison", sample_comparison()},
          {"tune", tune_report("", "nandi-sim tune --workers 3", sample_tuning())},
          {"partition", partition_report("partition.yaml", "nandi-sim partition.yaml",
                                         run_partition_study(partition))},
          {"keyspace", keyspace_report("keyspace.yaml", "nandi-sim keyspace.yaml",
                                       run_keyspace_study(keyspace))}};
}

}  // namespace nandi::reports
