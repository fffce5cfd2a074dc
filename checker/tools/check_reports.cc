#include "check_reports.h"

#include <ostream>
#include <utility>
#include <vector>

#include "nandi/checker/lease_story.h"
#include "nandi/reports/assumption_report.h"
#include "nandi/reports/check_report.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/trace_writer.h"

namespace nandi::checker {

/// A counterexample also as a scenario, and as the trace of its run in the simulator.
void CheckReports::on_check(const CheckedFile& checked) {
  std::vector<reports::FolderFile> files = {
      {"verdict.json", [&](std::ostream& out) { write_json(checked.tree, out); }}};
  ReplayableScenario replayable;
  if (!checked.result.schedules.empty()) {
    replayable = replayable_scenario(checked.check, checked.scenario.name + "-counterexample",
                                     checked.result.summary.violated, checked.result.schedules);
    files.push_back({"counterexample.yaml",
                     [&](std::ostream& out) { sim::write_scenario(replayable.scenario, out); }});
    files.push_back({"trace.ndjson", [&](std::ostream& out) {
                       sim::TraceWriter writer(out, replayable.scenario, 1);
                       sim::RunOptions options;
                       options.trace = &writer;
                       const sim::RunResult run =
                           sim::Simulator(replayable.scenario).run(1, options);
                       writer.finish(run.end, run.trace_hash);
                     }});
  }
  output_.add(reports::check_report({checked.scenario, checked.check, checked.result, checked.file,
                                     program_ + " " + checked.file, checked.as_expected}),
              std::move(files));
}

void CheckReports::on_table(const FinishedTable& table) {
  output_.add(
      reports::assumption_report({table.name, table.file, program_ + " --assumptions " + table.file,
                                  table.base, table.rows}),
      {{"verdict.json", [&](std::ostream& out) { sim::yaml::write_json(table.tree, out); }}});
}

}  // namespace nandi::checker
