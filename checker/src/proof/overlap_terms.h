// Two leases in force at one moment, issued two intervals apart, as constraints over rates: what
// the edges are computed from.
//
// The interval is 1 and interval N of B's issuing tick begins at 0 on the store's clock. Nothing of
// the closed formulas (engine/bounds.h) is used here.
#pragma once

#include <z3++.h>

#include <string>
#include <vector>

namespace nandi::checker::proof {

/// The parameters: numbers, or constants of the solver where they are what is sought.
struct OverlapParameters {
  z3::expr earliest_slot_a;  ///< of A, offset in its interval
  z3::expr earliest_slot_b;
  z3::expr latest_slot_b;
  z3::expr margin_b;
  /// Bound on the reply's delay, by the worker's clock, that a deadline counted from the receipt
  /// adds to the lease; 0 for a deadline counted from the request.
  z3::expr reply_delay_b;
  z3::expr drift;      ///< store advance within (1 +- drift) of the local advance
  z3::expr deviation;  ///< clock deviation on top of that, over B's lease
};

/// What happens: store times of executions, local spans between them.
struct OverlapTerms {
  explicit OverlapTerms(z3::context& context);

  z3::expr a1, a2, a3;  ///< executions of A's ticks in intervals N, N+1, N+2; a3 grants
  z3::expr b1, b2, b3;  ///< of B's in N-2, N-1, N; b3 grants
  z3::expr a2_slot, a3_slot, b2_slot, b3_slot, b_next_slot;
  z3::expr a2_wait, a3_wait, b2_wait, b3_wait;  ///< local, from execution to the next execution
  z3::expr reply;                               ///< delay of b3's reply, local
  z3::expr held;                                ///< local, from b3's execution to t
  z3::expr store_now;                           ///< the store's clock at t
};

/// `open`: the constraints as they are. `closed`: every < read as <=, for an optimiser that cannot
/// be trusted with strict bounds; wherever the open constraints can be met at all, both have the
/// same infima and suprema.
enum class Strictness { open, closed };

/// The constraints: satisfiable, when open, exactly when the parameters allow an overlap.
[[nodiscard]] std::vector<z3::expr> overlap(const OverlapTerms& terms,
                                            const OverlapParameters& parameters,
                                            Strictness strictness = Strictness::open);

/// The two halves of overlap(): how the leases came to be issued, and that both are in force at t.
[[nodiscard]] std::vector<z3::expr> both_granted(const OverlapTerms& terms,
                                                 const OverlapParameters& parameters,
                                                 Strictness strictness = Strictness::open);
[[nodiscard]] std::vector<z3::expr> both_in_force(const OverlapTerms& terms,
                                                  const OverlapParameters& parameters,
                                                  Strictness strictness = Strictness::open);

/// a < b, or a <= b when closed.
[[nodiscard]] z3::expr below(const z3::expr& a, const z3::expr& b, Strictness strictness);

}  // namespace nandi::checker::proof
