// The edges in numbers: each parameter's extremum by the solver's optimiser, against the closed
// formula (engine/bounds.h), for several gaps and group sizes.
#pragma once

#include <z3++.h>

#include <vector>

#include "nandi/checker/proof/proof_report.h"
#include "proof/lemma.h"

namespace nandi::checker::proof {

/// Computes every edge. The solver's value stands by itself: at it no violation exists, one
/// millionth past it there is one, both by separate queries.
[[nodiscard]] std::vector<EdgeReport> find_edges(z3::context& context,
                                                 const DischargeOptions& options);

}  // namespace nandi::checker::proof
