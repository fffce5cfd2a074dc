#include "run_reports.h"

#include <ostream>
#include <utility>
#include <vector>

#include "cli/summary.h"
#include "nandi/reports/lease_report.h"
#include "nandi/reports/perfetto.h"
#include "nandi/reports/study_report.h"
#include "nandi/reports/summaries.h"
#include "nandi/sim/trace_writer.h"

namespace nandi::sim::cli {
namespace {

using reports::FolderFile;

FolderFile json_file(yaml::Tree tree) {
  return {"verdict.json", [tree = std::move(tree)](std::ostream& out) { write_json(tree, out); }};
}

}  // namespace

void RunReports::on_lease(const FinishedLease& finished) {
  reports::LeaseRun run{finished.simulator, finished.result, finished.judgement, finished.file,
                        finished.command,   finished.seed,   request_.length,    finished.violation,
                        finished.property,  request_.stop};
  reports::Report report = reports::lease_report(run);
  RunOptions options;
  options.length = request_.length;
  options.stop = request_.stop;
  const Scenario& scenario = finished.simulator.scenario();
  std::vector<FolderFile> files = {
      json_file(summary_json(scenario, finished.result, finished.judgement))};
  files.push_back({"trace.ndjson", [&](std::ostream& out) {
                     TraceWriter writer(out, scenario, finished.seed);
                     options.trace = &writer;
                     const RunResult traced = finished.simulator.run(finished.seed, options);
                     writer.finish(traced.end, traced.trace_hash);
                   }});
  if (request_.perfetto) {
    files.push_back({"trace.perfetto.json", [&](std::ostream& out) {
                       reports::PerfettoWriter writer(out, scenario.name);
                       options.trace = &writer;
                       writer.finish(finished.simulator.run(finished.seed, options).end);
                     }});
  }
  if (request_.csv) {
    files.push_back(
        {"metrics.csv", [csv = reports::metrics_csv(report)](std::ostream& out) { out << csv; }});
  }
  output_.add(std::move(report), std::move(files));
}

void RunReports::on_partition(const std::string& file, const std::string& command,
                              const PartitionResult& result) {
  output_.add(reports::partition_report(file, command, result),
              {json_file(partition_json(result))});
}

void RunReports::on_keyspace(const std::string& file, const std::string& command,
                             const KeyspaceResult& result) {
  output_.add(reports::keyspace_report(file, command, result), {json_file(keyspace_json(result))});
}

void RunReports::on_settling(const std::string& file, const std::string& command,
                             const SettlingResult& result) {
  output_.add(reports::settling_report(file, command, result),
              {json_file(settling_study_json(result))});
}

}  // namespace nandi::sim::cli
