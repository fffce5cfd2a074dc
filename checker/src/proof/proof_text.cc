#include "proof/proof_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>

namespace nandi::checker::proof {
namespace {

constexpr std::size_t kColumns = 100;

/// Words of `text`, broken before kColumns, every line indented.
void write_wrapped(std::ostream& out, std::size_t indent, std::string_view text) {
  const std::string margin(indent, ' ');
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && indent + line.size() + 1 + word.size() > kColumns) {
      out << margin << line << '\n';
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!line.empty()) out << margin << line << '\n';
}

/// "A tick 1: N 8, index 0; t: store clock 240", values of one group under its name.
std::string numbers_text(const std::vector<NamedValue>& numbers) {
  std::string text;
  std::string group;
  for (const NamedValue& number : numbers) {
    if (number.ordinary) continue;
    const std::size_t colon = number.name.find(": ");
    const std::string own = colon == std::string::npos ? "" : number.name.substr(0, colon);
    const std::string name =
        colon == std::string::npos ? number.name : number.name.substr(colon + 2);
    const bool same = !text.empty() && own == group;
    if (!text.empty()) text += same ? ", " : "; ";
    if (!same && !own.empty()) text += own + ": ";
    group = own;
    text += name + " = " + number.value;
  }
  return text;
}

void write_hypothesis(const HypothesisReport& hypothesis, std::ostream& out) {
  const bool expected = hypothesis.need != Need::unknown &&
                        (hypothesis.need == Need::needed) == hypothesis.expected_needed;
  out << fmt::format("  {:<10} {}{}\n", need_name(hypothesis.need), hypothesis.name,
                     expected ? "" : "   (NOT as claimed)");
  write_wrapped(out, 13, hypothesis.statement);
  if (hypothesis.need == Need::needed) {
    write_wrapped(out, 13, "Without it: " + numbers_text(hypothesis.numbers));
  }
}

void write_lemma(const LemmaReport& lemma, std::ostream& out) {
  out << fmt::format("{} {} ({:.1f} ms)\n", outcome_name(lemma.outcome), lemma.name,
                     lemma.milliseconds);
  write_wrapped(out, 2, lemma.statement);
  write_wrapped(out, 2, lemma.formula);
  if (lemma.outcome == Outcome::counterexample) {
    write_wrapped(out, 2, "Counterexample: " + numbers_text(lemma.numbers));
  }
  if (!lemma.satisfiable) out << "  VACUOUS: the hypotheses cannot all hold\n";
  for (const HypothesisReport& hypothesis : lemma.hypotheses) write_hypothesis(hypothesis, out);
  out << '\n';
}

void write_edges(const ProofReport& report, bool all_edges, std::ostream& out) {
  out << "edges, as fractions of the interval (largest safe value: no violation there, one just "
         "past it)\n";
  for (const EdgeReport& edge : report.edges) {
    const bool of_default =
        edge.at.find("g = 0.15") == 0 || edge.at.find("any g") == 0 || edge.at.find("d = ") == 0;
    if (!all_edges && of_default == false && edge.agrees) continue;
    out << fmt::format("  {:<52} {:<18} {:<20} {}\n", edge.name, edge.at, edge.value,
                       edge.agrees    ? "= " + edge.rule
                       : edge.decided ? "DIFFERS from the formula's " + edge.formula
                                      : std::string("undecided"));
  }
  out << '\n';
}

}  // namespace

void write_text(const ProofReport& report, bool all_edges, std::ostream& out) {
  std::size_t proved = 0;
  std::size_t needed = 0;
  std::size_t not_needed = 0;
  for (const LemmaReport& lemma : report.lemmas) {
    write_lemma(lemma, out);
    proved += lemma.outcome == Outcome::proved ? 1 : 0;
    for (const HypothesisReport& hypothesis : lemma.hypotheses) {
      needed += hypothesis.need == Need::needed ? 1 : 0;
      not_needed += hypothesis.need == Need::not_needed ? 1 : 0;
    }
  }
  write_edges(report, all_edges, out);
  const auto agreeing = std::count_if(report.edges.begin(), report.edges.end(),
                                      [](const EdgeReport& edge) { return edge.agrees; });
  out << fmt::format(
      "{} ({}{} of {} lemmas proved; hypotheses: {} needed, {} not needed; {} of {} edges equal "
      "their formulas; {:.1f} s)\n",
      sim::verdict_name(report.verdict()), report.interrupted ? "interrupted; so far " : "", proved,
      report.lemmas.size(), needed, not_needed, agreeing, report.edges.size(), report.seconds);
}

void write_list(const std::vector<LemmaReport>& lemmas, std::ostream& out) {
  for (const LemmaReport& lemma : lemmas) {
    out << lemma.name << '\n';
    write_wrapped(out, 2, lemma.statement);
    write_wrapped(out, 2, lemma.formula);
    for (const HypothesisReport& hypothesis : lemma.hypotheses) {
      write_wrapped(out, 4, hypothesis.name + ": " + hypothesis.statement);
    }
  }
}

}  // namespace nandi::checker::proof
