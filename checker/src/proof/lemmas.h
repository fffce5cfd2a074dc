// The argument for exclusivity as a list of lemmas (checker/proof.md is the page to read).
#pragma once

#include <z3++.h>

#include <vector>

#include "proof/lemma.h"

namespace nandi::checker::proof {

// States a lemma in a context of its own: what a solver does with a lemma must not depend on which
// were stated before it.
using LemmaMaker = Lemma (*)(z3::context&);

// Slots, estimates, grants and expiries: what one worker's rules give.
std::vector<LemmaMaker> worker_lemmas();
// Two workers with leases in force at one moment.
std::vector<LemmaMaker> lease_lemmas();
// Pairs and the tasks that they share.
std::vector<LemmaMaker> task_lemmas();
// The closed formulas of the edges, for all parameters at once.
std::vector<LemmaMaker> edge_lemmas();

// All of them, in the order of the argument.
std::vector<LemmaMaker> all_lemmas();

}  // namespace nandi::checker::proof
