#include "nandi/sim/partition/study.h"

#include <algorithm>

#include <fmt/format.h>

#include "nandi/sim/yaml/record.h"

namespace nandi::sim {

yaml::Type<StudyExpectation> study_expectation_type() {
  return yaml::Record<StudyExpectation>("study-expectation", "The outcome that the file declares.")
      .optional("verdict", &StudyExpectation::verdict,
                yaml::enum_type<Verdict>({{Verdict::holds, "holds"},
                                          {Verdict::violated, "violated"},
                                          {Verdict::unknown, "unknown"}}),
                "The verdict over all properties.", "violated")
      .optional("property", &StudyExpectation::property, yaml::string_type(),
                "The property that has this verdict.", "minimal-movement")
      .type();
}

StudyProperty interrupted_study(const std::string& how_far) {
  return {"finished", Verdict::unknown, "interrupted " + how_far};
}

Verdict verdict_of(const std::vector<StudyProperty>& properties) {
  const auto any = [&properties](Verdict verdict) {
    return std::any_of(properties.begin(), properties.end(),
                       [verdict](const StudyProperty& each) { return each.verdict == verdict; });
  };
  if (any(Verdict::violated)) return Verdict::violated;
  return properties.empty() || any(Verdict::unknown) ? Verdict::unknown : Verdict::holds;
}

bool as_expected(const StudyExpectation& expected, const std::vector<StudyProperty>& properties) {
  if (verdict_of(properties) != expected.verdict) return false;
  if (expected.property.empty()) return true;
  return std::any_of(properties.begin(), properties.end(), [&](const StudyProperty& each) {
    return each.name == expected.property && each.verdict == expected.verdict;
  });
}

std::string properties_text(const std::vector<StudyProperty>& properties) {
  std::string text;
  for (const StudyProperty& each : properties) {
    text += fmt::format("{}: {} ({})\n", each.name, verdict_name(each.verdict), each.evidence);
  }
  return text;
}

yaml::Tree properties_json(const std::vector<StudyProperty>& properties) {
  using yaml::Tree;
  Tree list = Tree::sequence();
  for (const StudyProperty& each : properties) {
    Tree item = Tree::mapping();
    item.add("name", Tree::string(each.name));
    item.add("verdict", Tree::string(std::string(verdict_name(each.verdict))));
    item.add("evidence", Tree::string(each.evidence));
    list.append(std::move(item));
  }
  return list;
}

}  // namespace nandi::sim
