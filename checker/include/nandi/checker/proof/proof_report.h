// What a proof run found: plain values, no solver types, for texts, JSON and tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nandi/sim/verdict.h"

namespace nandi::checker::proof {

/// A quantity of a counterexample, exact: "slot" = "17", "A tick 1: store clock" = "-3/2".
struct NamedValue {
  std::string name;  ///< "group: name" or "name"
  std::string value;
  bool ordinary = false;  ///< what it is on an ordinary day too (no delay, I = 20): texts omit it
};

enum class Outcome {
  proved,          ///< no assignment satisfies the hypotheses and breaks the claim
  counterexample,  ///< one does: its numbers are given
  unknown,         ///< the solver gave up (its time limit): never counted as proved
};

[[nodiscard]] constexpr std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::proved: return "proved";
    case Outcome::counterexample: return "counterexample";
    case Outcome::unknown: break;
  }
  return "unknown";
}

/// What became of a lemma when one hypothesis was left out.
enum class Need {
  needed,      ///< the lemma fails without it: numbers given
  not_needed,  ///< proved without it
  unknown,
};

[[nodiscard]] constexpr std::string_view need_name(Need need) {
  switch (need) {
    case Need::needed: return "needed";
    case Need::not_needed: return "not needed";
    case Need::unknown: break;
  }
  return "unknown";
}

struct HypothesisReport {
  std::string name;
  std::string statement;        ///< in words, with the formula
  bool expected_needed = true;  ///< what the page claims; a surprise fails the run
  Need need = Need::unknown;
  std::vector<NamedValue> numbers;  ///< needed: how the lemma fails without it
};

struct LemmaReport {
  std::string name;
  std::string statement;  ///< in words
  std::string formula;    ///< the claim
  Outcome outcome = Outcome::unknown;
  double milliseconds = 0;          ///< of the proof alone, without the ablations
  bool satisfiable = false;         ///< hypotheses and definitions can all hold: not vacuous
  std::vector<NamedValue> numbers;  ///< counterexample: with every hypothesis in place
  std::vector<HypothesisReport> hypotheses;

  /// holds: proved, not vacuous, and every hypothesis as needed as expected.
  [[nodiscard]] sim::Verdict verdict() const;
};

/// One edge: where a parameter stops being safe.
struct EdgeReport {
  std::string name;       ///< "stand-down margin, deadline from the request"
  std::string at;         ///< the fixed parameters: "g = 3/20, n = 5"
  std::string value;      ///< the solver's extremum, exact
  std::string formula;    ///< the closed formula's value
  std::string rule;       ///< the closed formula
  bool attained = false;  ///< whether a violation exists at the extremum itself
  bool decided = false;   ///< the solver answered every query
  bool agrees = false;    ///< solver and formula equal, safe on the one side, violated on the other
  double milliseconds = 0;
};

struct ProofReport {
  std::vector<LemmaReport> lemmas;
  std::vector<EdgeReport> edges;
  double seconds = 0;
  bool interrupted = false;  ///< lemmas and edges are those that were decided before

  /// holds: everything as claimed. unknown: what is not as claimed is all undecided. A report that
  /// is empty, or was interrupted with everything as claimed so far, is unknown.
  [[nodiscard]] sim::Verdict verdict() const;
};

}  // namespace nandi::checker::proof
