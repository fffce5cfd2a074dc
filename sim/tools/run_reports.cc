#include "run_reports.h"

#include <algorithm>
#include <ostream>

#include "cli/summary.h"
#include "nandi/reports/lease_report.h"
#include "nandi/reports/page.h"
#include "nandi/reports/perfetto.h"
#include "nandi/reports/run_folder.h"
#include "nandi/reports/study_report.h"
#include "nandi/reports/summaries.h"
#include "nandi/sim/trace_writer.h"

namespace nandi::sim::cli {
namespace {

using reports::FolderFile;

FolderFile page_file(const reports::Report& report) {
  return {"report.html", [&report](std::ostream& out) { out << html_page(report); }};
}

FolderFile json_file(yaml::Tree tree) {
  return {"verdict.json", [tree = std::move(tree)](std::ostream& out) { write_json(tree, out); }};
}

}  // namespace

/// One file has the folder to itself; several have one each, whatever they are called.
std::filesystem::path RunReports::folder_of(const std::string& title) {
  const std::filesystem::path folder = request_.folder;
  if (request_.files == 1) return folder;
  std::string name = reports::file_name_of(title);
  const auto same = std::count(used_names_.begin(), used_names_.end(), name);
  used_names_.push_back(name);
  if (same > 0) name += "-" + std::to_string(same + 1);
  return folder / name;
}

void RunReports::on_lease(const FinishedLease& finished) {
  reports::LeaseRun run{finished.simulator, finished.result, finished.judgement, finished.file,
                        finished.command,   finished.seed,   request_.length,    finished.violation,
                        finished.property,  request_.stop};
  const reports::Report& report = reports_.emplace_back(reports::lease_report(run));
  if (request_.folder.empty()) return;
  RunOptions options;
  options.length = request_.length;
  options.stop = request_.stop;
  const Scenario& scenario = finished.simulator.scenario();
  std::vector<FolderFile> files = {
      json_file(summary_json(scenario, finished.result, finished.judgement)), page_file(report)};
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
        {"metrics.csv", [&](std::ostream& out) { out << reports::metrics_csv(report); }});
  }
  reports::write_folder(folder_of(report.title), files);
}

void RunReports::on_partition(const std::string& file, const std::string& command,
                              const PartitionResult& result) {
  const reports::Report& report =
      reports_.emplace_back(reports::partition_report(file, command, result));
  if (request_.folder.empty()) return;
  reports::write_folder(folder_of(report.title),
                        {json_file(partition_json(result)), page_file(report)});
}

void RunReports::on_keyspace(const std::string& file, const std::string& command,
                             const KeyspaceResult& result) {
  const reports::Report& report =
      reports_.emplace_back(reports::keyspace_report(file, command, result));
  if (request_.folder.empty()) return;
  reports::write_folder(folder_of(report.title),
                        {json_file(keyspace_json(result)), page_file(report)});
}

void RunReports::finish(std::ostream& out) {
  if (request_.junit) {
    reports::write_folder(
        request_.folder,
        {{"junit.xml", [&](std::ostream& file) { file << reports::junit_xml(reports_); }}});
  }
  if (request_.is_markdown()) out << reports::markdown_summary(reports_);
}

}  // namespace nandi::sim::cli
