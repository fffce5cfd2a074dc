// A proof report as text for a person and as JSON for a program.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "nandi/checker/proof/proof_report.h"

namespace nandi::checker::proof {

/// `all_edges`: the whole table; else those of the default gap.
void write_text(const ProofReport& report, bool all_edges, std::ostream& out);

/// Lemmas and hypotheses by name, nothing about what became of them.
void write_list(const std::vector<LemmaReport>& lemmas, std::ostream& out);

/// One object: verdict, seconds, lemmas, edges. Numbers of counterexamples are exact, so strings.
[[nodiscard]] std::string json_text(const ProofReport& report);

}  // namespace nandi::checker::proof
