// A lemma as the solver sees it, and how it is discharged.
#pragma once

#include <z3++.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "nandi/checker/proof/proof_report.h"

namespace nandi::checker::proof {

/// An assumption that the run leaves out in turn.
struct Hypothesis {
  std::string name;
  std::string statement;
  z3::expr formula;
  bool expected_needed = true;
};

/// Something that a counterexample shows.
struct Shown {
  std::string name;
  z3::expr term;
  std::optional<z3::expr> ordinary = std::nullopt;  ///< what it equals on an ordinary day
};

/// One conjunct of a query, and the name that it is listed under.
struct Assertion {
  std::string name;
  z3::expr formula;
};

/// definitions and hypotheses imply claim, for all values of the free constants.
///
/// Definitions only say what the constants mean (ranges, the case under study) and always stand.
/// Pins are ordinary values (I = 20, no delay); a counterexample takes as many of them as it can,
/// in their order, so that its numbers differ from an ordinary day only where they have to.
struct Lemma {
  std::string name;
  std::string statement;
  std::string formula;
  std::string logic;  ///< SMT-LIB logic of its files
  std::vector<z3::expr> definitions;
  std::vector<Hypothesis> hypotheses;
  z3::expr claim;
  std::vector<z3::expr> pins;
  std::vector<Shown> shown;
};

/// A query as it was decided, for a second solver: the conjunction of the assertions.
struct Query {
  std::string name;   ///< file name without its ending
  std::string about;  ///< a sentence for the file's head
  std::string logic;
  std::string status;  ///< "sat" or "unsat"
  std::vector<Assertion> assertions;
};

/// A query's file: its name without the ending, and its text.
struct QueryFile {
  std::string name;
  std::string text;
};

struct DischargeOptions {
  unsigned timeout_milliseconds = 20'000;   ///< per query
  std::vector<QueryFile>* files = nullptr;  ///< where to record the queries, if anywhere
  const std::atomic<bool>* interrupt = nullptr;

  /// What was begun is then left unfinished.
  [[nodiscard]] bool is_interrupted() const { return interrupt != nullptr && interrupt->load(); }
  /// For a solver or an optimizer. z3 takes SIGINT for itself while it runs unless it is told not
  /// to; the query would be given up, and the program would never hear of it.
  [[nodiscard]] z3::params parameters(z3::context& context) const {
    z3::params params(context);
    params.set("timeout", timeout_milliseconds);
    params.set("ctrl_c", false);
    return params;
  }
};

/// Proves the lemma, then leaves out each hypothesis in turn.
[[nodiscard]] LemmaReport discharge(z3::context& context, const Lemma& lemma,
                                    const DischargeOptions& options);

/// An exact number of a model, readable: "17", "-3/2".
[[nodiscard]] std::string number_text(const z3::expr& value);

}  // namespace nandi::checker::proof
