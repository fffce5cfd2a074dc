// What the studies `kind: partition` and `kind: keyspace` share: the verdict that a file declares,
// and the properties that a study decides.
#pragma once

#include <string>
#include <vector>

#include "nandi/sim/verdict.h"
#include "nandi/sim/yaml/tree.h"
#include "nandi/sim/yaml/type.h"

namespace nandi::sim {

struct StudyExpectation {
  Verdict verdict = Verdict::holds;
  // Name of the property that decides; empty: any.
  std::string property;
  friend bool operator==(const StudyExpectation&, const StudyExpectation&) = default;
};

yaml::Type<StudyExpectation> study_expectation_type();

struct StudyProperty {
  std::string name;
  Verdict verdict = Verdict::unknown;
  // What was looked at, or the first thing that contradicts.
  std::string evidence;
};

// That the study was ended before it was through: unknown. `how_far`: "after 3 of 10 seeds".
StudyProperty interrupted_study(const std::string& how_far);

// Violated if one is, else unknown if one is or there is none, else holds.
Verdict verdict_of(const std::vector<StudyProperty>& properties);

// Whether the outcome is exactly the declared one: the verdict, and the named property (when one is
// named) among those that have it.
bool as_expected(const StudyExpectation& expected, const std::vector<StudyProperty>& properties);

std::string properties_text(const std::vector<StudyProperty>& properties);
yaml::Tree properties_json(const std::vector<StudyProperty>& properties);

}  // namespace nandi::sim
