#include "nandi/checker/proof/proof_report.h"

#include <algorithm>

namespace nandi::checker::proof {
namespace {

using sim::Verdict;

/// A violation outweighs what is unknown, and that what holds.
Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::violated || b == Verdict::violated) return Verdict::violated;
  if (a == Verdict::unknown || b == Verdict::unknown) return Verdict::unknown;
  return Verdict::holds;
}

Verdict verdict_of(const HypothesisReport& hypothesis) {
  if (hypothesis.need == Need::unknown) return Verdict::unknown;
  const bool needed = hypothesis.need == Need::needed;
  if (needed != hypothesis.expected_needed) return Verdict::violated;
  return needed && hypothesis.numbers.empty() ? Verdict::unknown : Verdict::holds;
}

}  // namespace

Verdict LemmaReport::verdict() const {
  Verdict verdict = outcome == Outcome::proved           ? Verdict::holds
                    : outcome == Outcome::counterexample ? Verdict::violated
                                                         : Verdict::unknown;
  if (!satisfiable) verdict = worse(verdict, Verdict::unknown);
  for (const HypothesisReport& hypothesis : hypotheses) {
    verdict = worse(verdict, verdict_of(hypothesis));
  }
  return verdict;
}

Verdict ProofReport::verdict() const {
  if (lemmas.empty() && edges.empty()) return Verdict::unknown;
  Verdict verdict = interrupted ? Verdict::unknown : Verdict::holds;
  for (const LemmaReport& lemma : lemmas) verdict = worse(verdict, lemma.verdict());
  for (const EdgeReport& edge : edges) {
    verdict = worse(verdict, edge.agrees    ? Verdict::holds
                             : edge.decided ? Verdict::violated
                                            : Verdict::unknown);
  }
  return verdict;
}

}  // namespace nandi::checker::proof
