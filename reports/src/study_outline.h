// What the reports of all studies have in common.
#pragma once

#include <string>
#include <vector>

#include "nandi/reports/report.h"
#include "nandi/sim/partition/study.h"

namespace nandi::reports {

/// Title, verdict, evidence, properties and command; the rest is the study's own.
[[nodiscard]] Report study_outline(const char* kind, const std::string& file,
                                   const std::string& command, sim::Verdict verdict,
                                   const std::vector<sim::StudyProperty>& properties,
                                   const sim::StudyExpectation& expect);

}  // namespace nandi::reports
