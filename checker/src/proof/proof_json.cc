#include <nlohmann/json.hpp>

#include "proof/proof_text.h"

namespace nandi::checker::proof {
namespace {

using Json = nlohmann::ordered_json;

Json numbers_json(const std::vector<NamedValue>& numbers) {
  Json json = Json::object();
  for (const NamedValue& number : numbers) json[number.name] = number.value;
  return json;
}

Json hypothesis_json(const HypothesisReport& hypothesis) {
  Json json{{"name", hypothesis.name},
            {"statement", hypothesis.statement},
            {"need", need_name(hypothesis.need)},
            {"expected_needed", hypothesis.expected_needed}};
  if (hypothesis.need == Need::needed) json["without"] = numbers_json(hypothesis.numbers);
  return json;
}

Json lemma_json(const LemmaReport& lemma) {
  Json json{{"name", lemma.name},
            {"statement", lemma.statement},
            {"formula", lemma.formula},
            {"verdict", sim::verdict_name(lemma.verdict())},
            {"outcome", outcome_name(lemma.outcome)},
            {"satisfiable", lemma.satisfiable},
            {"milliseconds", lemma.milliseconds},
            {"hypotheses", Json::array()}};
  if (lemma.outcome == Outcome::counterexample) {
    json["counterexample"] = numbers_json(lemma.numbers);
  }
  for (const HypothesisReport& hypothesis : lemma.hypotheses) {
    json["hypotheses"].push_back(hypothesis_json(hypothesis));
  }
  return json;
}

Json edge_json(const EdgeReport& edge) {
  return Json{
      {"name", edge.name},       {"at", edge.at},         {"value", edge.value},
      {"formula", edge.formula}, {"rule", edge.rule},     {"attained", edge.attained},
      {"decided", edge.decided}, {"agrees", edge.agrees}, {"milliseconds", edge.milliseconds}};
}

}  // namespace

std::string json_text(const ProofReport& report) {
  Json json{{"verdict", sim::verdict_name(report.verdict())},
            {"interrupted", report.interrupted},
            {"seconds", report.seconds},
            {"lemmas", Json::array()},
            {"edges", Json::array()}};
  for (const LemmaReport& lemma : report.lemmas) json["lemmas"].push_back(lemma_json(lemma));
  for (const EdgeReport& edge : report.edges) json["edges"].push_back(edge_json(edge));
  return json.dump(2) + "\n";
}

}  // namespace nandi::checker::proof
