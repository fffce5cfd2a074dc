#include "nandi/reports/check_report.h"

#include <fmt/format.h>

#include "nandi/sim/partition/text_table.h"
#include "narrative.h"
#include "path_timeline.h"

namespace nandi::reports {
namespace {

Table coverage_table(const std::vector<checker::CoverageEntry>& entries, const char* title) {
  Table table{title, "", {"what", "how often"}, {}};
  for (const checker::CoverageEntry& entry : entries) {
    table.rows.push_back({entry.name, sim::grouped(entry.count)});
  }
  return table;
}

std::vector<std::pair<std::string, std::string>> facts_of(const CheckRun& run) {
  const checker::Summary& summary = run.result.summary;
  const checker::Counts& counts = summary.counts;
  return {{"bounds", run.result.bounds},
          {"assumed", checker::describe_assumptions(run.check)},
          {"states", sim::grouped(counts.states)},
          {"transitions", sim::grouped(counts.transitions)},
          {"longest shortest path", fmt::format("{} steps", counts.depth)},
          {"states not expanded", sim::grouped(counts.frontier)},
          {"why it ended", std::string(checker::stop_reason_text(summary.reason))}};
}

Finding finding_of(const checker::Summary& summary, const std::string& name) {
  if (summary.violated == name) {
    return {name, sim::Verdict::violated, "the counterexample below", "", "", true};
  }
  if (summary.verdict == sim::Verdict::holds) {
    return {name, sim::Verdict::holds, "in every reachable state", "", "", true};
  }
  return {name,
          sim::Verdict::unknown,
          summary.verdict == sim::Verdict::violated ? "the search ended at a violation of another"
                                                    : summary.evidence,
          "",
          "",
          true};
}

/// The bounds of the counterexample's story, as the checker tells it.
std::vector<StoryLine> story_of_path(const checker::LeaseCheckResult& result) {
  std::vector<StoryLine> story;
  for (const checker::StoryLine& line : result.story) {
    story.push_back({fmt::format("interval {}, tick {}", line.interval, line.tick), line.text});
  }
  return story;
}

}  // namespace

Report check_report(const CheckRun& run) {
  const checker::Summary& summary = run.result.summary;
  Report report;
  report.kind = summary.verdict == sim::Verdict::violated ? "counterexample" : "check";
  report.title = run.scenario.name;
  report.file = run.file;
  report.verdict = summary.verdict;
  report.evidence = summary.evidence;
  report.as_expected = run.as_expected;
  report.command = run.command;
  if (run.scenario.expect.verdict != sim::Verdict::holds) {
    report.expected = sim::verdict_name(run.scenario.expect.verdict);
    if (!run.scenario.expect.property.empty()) {
      report.expected += " (" + run.scenario.expect.property + ")";
    }
  }
  for (const std::string& name : sim::check_property_names()) {
    if (run.check.checks(name)) report.properties.push_back(finding_of(summary, name));
  }
  report.facts = facts_of(run);
  if (!run.result.path_steps.empty()) {
    Timeline timeline = path_timeline(run.check, run.result);
    report.violation = Violation{summary.violated, timeline.focus->text, timeline.focus->workers,
                                 timeline.focus->at, story_of_path(run.result)};
    report.sections.push_back(ownership_section(timeline));
    report.timelines.push_back(std::move(timeline));
  }
  report.sections.push_back(
      {"What was explored",
       "How often each kind of action was taken over all states, and each property was looked at. "
       "What never happened was not put to the test.",
       {coverage_table(summary.coverage.action_classes, "actions"),
        coverage_table(summary.coverage.properties, "properties")}});
  return report;
}

}  // namespace nandi::reports
