#include "study_outline.h"

#include <fmt/format.h>

#include <filesystem>

namespace nandi::reports {

Report study_outline(const char* kind, const std::string& file, const std::string& command,
                     sim::Verdict verdict, const std::vector<sim::StudyProperty>& properties,
                     const sim::StudyExpectation& expect) {
  Report report;
  report.kind = kind;
  report.title = std::filesystem::path(file).stem().string();
  report.file = file;
  report.verdict = verdict;
  report.as_expected = as_expected(expect, properties);
  report.command = command;
  if (expect.verdict != sim::Verdict::holds) {
    report.expected = sim::verdict_name(expect.verdict);
    if (!expect.property.empty()) report.expected += " (" + expect.property + ")";
  }
  report.evidence = fmt::format("{} properties", properties.size());
  for (const sim::StudyProperty& property : properties) {
    report.properties.push_back({property.name, property.verdict, property.evidence, "", "", true});
    if (verdict != sim::Verdict::holds && property.verdict == verdict) {
      report.evidence = property.name + ": " + property.evidence;
    }
  }
  return report;
}

}  // namespace nandi::reports
