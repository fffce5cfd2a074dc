// The closed formulas of engine/bounds.h as lemmas: for every gap, group size, margin, delay and
// rate at once, that the scheme is exclusive at the formula's value, and that beyond it an
// execution breaks it.
#include "proof/lemmas.h"
#include "proof/overlap_terms.h"

namespace nandi::checker::proof {
namespace {

struct EdgeTerms {
  explicit EdgeTerms(z3::context& context)
      : earliest(context.real_const("earliest_slot")),
        latest(context.real_const("latest_slot")),
        margin(context.real_const("margin")),
        reply_delay(context.real_const("reply_delay")),
        drift(context.real_const("drift")),
        deviation(context.real_const("deviation")) {}

  [[nodiscard]] std::vector<z3::expr> ranges() const {
    return {0 < earliest, earliest <= latest, latest < 1,      0 < margin,
            margin < 1,   0 <= reply_delay,   reply_delay < 1, 0 <= drift,
            drift < 1,    0 <= deviation,     deviation < 1};
  }
  [[nodiscard]] OverlapParameters parameters() const {
    return {earliest, earliest, latest, margin, reply_delay, drift, deviation};
  }
  [[nodiscard]] std::vector<Shown> shown() const {
    return {{"earliest slot", earliest},  {"latest slot", latest}, {"margin", margin},
            {"reply delay", reply_delay}, {"drift", drift},        {"deviation", deviation}};
  }
  [[nodiscard]] std::vector<z3::expr> pins(z3::context& context) const {
    return {earliest == context.real_val(3, 20),
            latest == context.real_val(17, 20),
            reply_delay == 0,
            deviation == 0,
            margin == context.real_val(3, 20),
            drift == 0,
            margin == context.real_val(3, 10),
            drift == context.real_val(1, 10)};
  }
  /// Earliest offset of a granting tick's execution.
  [[nodiscard]] z3::expr earliest_grant() const {
    return earliest - drift - drift * drift * (1 + earliest);
  }

  z3::expr earliest, latest, margin, reply_delay, drift, deviation;
};

z3::expr conjunction(z3::context& context, const std::vector<z3::expr>& parts) {
  z3::expr all = context.bool_val(true);
  for (const z3::expr& part : parts) all = all && part;
  return all;
}

std::vector<Shown> with_execution(std::vector<Shown> shown, const OverlapTerms& t) {
  for (const Shown& more : std::vector<Shown>{{"A grants at", t.a3},
                                              {"B grants at", t.b3},
                                              {"B's next slot", t.b_next_slot},
                                              {"B holds for, local", t.held},
                                              {"store clock at t", t.store_now}}) {
    shown.push_back(more);
  }
  return shown;
}

/// margin + reply delay + deviation <= 1 + earliest - latest: exclusive.
Lemma margin_edge_holds(z3::context& context) {
  const EdgeTerms e(context);
  const OverlapTerms t(context);
  std::vector<z3::expr> definitions = e.ranges();
  definitions.push_back(e.drift == 0);
  return {"edge-margin-holds",
          "Without drift, margin, reply delay (where the deadline is counted from the reply) and "
          "clock deviation may together reach from the latest slot to the earliest one two "
          "intervals on.",
          "margin + reply delay + deviation <= 1 + earliest - latest implies no overlap",
          "QF_NRA",
          definitions,
          {{"within-edge", "margin + reply delay + deviation <= 1 + earliest - latest.",
            e.margin + e.reply_delay + e.deviation <= 1 + e.earliest - e.latest}},
          !conjunction(context, overlap(t, e.parameters())),
          e.pins(context),
          with_execution(e.shown(), t)};
}

/// Beyond the edge, by however little, this execution overlaps.
Lemma margin_edge_breaks(z3::context& context) {
  const EdgeTerms e(context);
  const OverlapTerms t(context);
  std::vector<z3::expr> definitions = e.ranges();
  for (const z3::expr& equation : std::vector<z3::expr>{
           e.drift == 0, t.a1 == e.earliest, t.a2 == 1 + e.earliest, t.a3 == 2 + e.earliest,
           t.b1 == -2 + e.earliest, t.b2 == -1 + e.earliest, t.b3 == e.earliest,
           t.a2_slot == e.earliest, t.a3_slot == e.earliest, t.b2_slot == e.earliest,
           t.b3_slot == e.earliest, t.b_next_slot == e.latest, t.a2_wait == 1, t.a3_wait == 1,
           t.b2_wait == 1, t.b3_wait == 1, t.reply == e.reply_delay, t.store_now == 2 + e.earliest,
           t.held == t.store_now - t.b3 - e.deviation}) {
    definitions.push_back(equation);
  }
  return {"edge-margin-breaks",
          "Beyond that sum an explicit execution has two leases in force on one index.",
          "margin + reply delay + deviation > 1 + earliest - latest: everything on its slot, B's "
          "next slot the latest, overlaps",
          "QF_NRA",
          definitions,
          {{"beyond-edge", "margin + reply delay + deviation > 1 + earliest - latest.",
            e.margin + e.reply_delay + e.deviation > 1 + e.earliest - e.latest}},
          conjunction(context, overlap(t, e.parameters())),
          e.pins(context),
          with_execution(e.shown(), t)};
}

/// How early one registration can be, by what the worker's clock gains over the wait for it.
Lemma drift_registration(z3::context& context) {
  const EdgeTerms e(context);
  const z3::expr from = context.real_const("from");
  const z3::expr bound = context.real_const("bound");
  const z3::expr to = context.real_const("to");
  const z3::expr target = context.real_const("target");
  const z3::expr wait = context.real_const("wait");
  return {"edge-drift-registration",
          "With clocks that run up to `drift` fast, a registration executes at most drift times "
          "its wait before its slot.",
          "to >= target - d (target - bound) for a tick before it at `bound` or later",
          "QF_NRA",
          {0 <= e.drift, e.drift < 1},
          {{"tick-after-bound", "The tick before executed at `bound` or later.", from >= bound},
           {"lower-rule", "The worker waits until the lower estimate reaches the slot.",
            wait >= target - from},
           {"drift-bound", "The store's clock advances by at least (1 - d) of the wait.",
            to - from >= (1 - e.drift) * wait}},
          to >= target - e.drift * (target - bound),
          {e.drift == context.real_val(1, 20), from == 0, bound == 0, wait == 1, target == 1},
          {{"drift", e.drift},
           {"from", from},
           {"bound", bound},
           {"wait", wait},
           {"target", target},
           {"to", to}}};
}

/// That lemma used twice: tick 2 from tick 1 at the start of its interval, tick 3 from tick 2.
Lemma drift_earliest_grant(z3::context& context) {
  const EdgeTerms e(context);
  const OverlapTerms t(context);
  const z3::expr second = context.real_const("second");
  return {"edge-drift-grant",
          "With clocks that run up to `drift` fast, a granting tick executes at f or later.",
          "b3 >= f = earliest - d - d^2 (1 + earliest)",
          "QF_NRA",
          {0 < e.earliest, e.earliest < 1, 0 <= e.drift, e.drift < 1,
           second == -1 + e.earliest - e.drift * (1 + e.earliest)},
          {{"lemma-registration-2", "edge-drift-registration of tick 2: b2 >= `second`.",
            t.b2 >= second},
           {"lemma-registration-3", "edge-drift-registration of tick 3, after a tick at `second`.",
            z3::implies(t.b2 >= second, t.b3 >= e.earliest - e.drift * (e.earliest - second))}},
          t.b3 >= e.earliest_grant(),
          {e.earliest == context.real_val(3, 20), e.drift == context.real_val(1, 20),
           t.b2 == second, t.b3 == 0},
          {{"earliest slot", e.earliest},
           {"drift", e.drift},
           {"tick 2 at", t.b2},
           {"tick 3 at", t.b3},
           {"f", e.earliest_grant()}}};
}

/// How far a lease reaches on the store's clock; span = 1 + latest + margin + reply delay.
Lemma drift_reach(z3::context& context) {
  const EdgeTerms e(context);
  const OverlapTerms t(context);
  const z3::expr f = context.real_const("f");
  const z3::expr span = context.real_const("span");
  return {"edge-drift-reach",
          "With rates within d, a lease granted at f or later is over on the store's clock by "
          "(1 + d) span - d f, where span = 1 + latest + margin + reply delay.",
          "store clock at t < (1 + d) span - d f",
          "QF_NRA",
          {0 <= e.drift, e.drift < 1},
          {{"lemma-edge-drift-grant-b", "The lemma edge-drift-grant, of B: b3 >= f.", t.b3 >= f},
           {"hold", "B holds by its own clock: held < span - b3.", t.held < span - t.b3},
           {"drift-bound", "store clock at t - b3 <= (1 + d) held.",
            t.store_now - t.b3 <= (1 + e.drift) * t.held}},
          t.store_now < (1 + e.drift) * span - e.drift * f,
          {e.drift == context.real_val(1, 20), span == 2, f == context.real_val(1, 10), t.b3 == f,
           t.held == 1, t.held == 2},
          {{"drift", e.drift},
           {"span", span},
           {"f", f},
           {"B grants at", t.b3},
           {"B holds for, local", t.held},
           {"store clock at t", t.store_now}}};
}

Lemma drift_edge_holds(z3::context& context) {
  const EdgeTerms e(context);
  const OverlapTerms t(context);
  const z3::expr f = context.real_const("f");
  const z3::expr span = context.real_const("span");
  return {"edge-drift-holds",
          "With rates within the formula the lease is over before the earliest newer grant.",
          "(1 + d) (span - f) <= 2 implies store clock at t < a3",
          "QF_NRA",
          {0 <= e.drift, e.drift < 1},
          {{"within-edge", "(1 + d) (span - f) <= 2.", (1 + e.drift) * (span - f) <= 2},
           {"lemma-edge-drift-grant-a", "The lemma edge-drift-grant, of A: a3 >= 2 + f.",
            t.a3 >= 2 + f},
           {"lemma-edge-drift-reach", "The lemma edge-drift-reach, of B.",
            t.store_now < (1 + e.drift) * span - e.drift * f}},
          t.store_now < t.a3,
          {e.drift == context.real_val(1, 20), f == context.real_val(1, 10), span == 2,
           t.a3 == 2 + f, t.store_now == 2 + f},
          {{"drift", e.drift},
           {"span", span},
           {"f", f},
           {"A grants at", t.a3},
           {"store clock at t", t.store_now}}};
}

/// Beyond the formula, by however little, this execution overlaps: fast clocks up to the grants
/// (this lemma), a slow one while B holds (the next).
Lemma drift_early_run(z3::context& context) {
  const EdgeTerms e(context);
  OverlapTerms t(context);
  const z3::expr first = e.earliest - e.drift * (1 + e.earliest);
  t.a1 = context.real_val(0);
  t.b1 = context.real_val(-2);
  t.a2 = 1 + first;
  t.b2 = -1 + first;
  t.b3 = (1 + e.drift) * first;
  t.a3 = 2 + t.b3;
  t.a2_slot = t.a3_slot = t.b2_slot = t.b3_slot = e.earliest;
  t.a2_wait = t.b2_wait = 1 + e.earliest;
  t.a3_wait = t.b3_wait = 1 + e.earliest - first;
  return {"edge-drift-early-run",
          "Granting ticks do execute as early as f: an explicit execution, every registration as "
          "early as fast clocks make it.",
          "a3 = 2 + f and b3 = f = (1 + d) (earliest - d (1 + earliest)) meet every rule",
          "QF_NRA",
          {0 < e.earliest, e.earliest <= e.latest, e.latest < 1, 0 <= e.drift, e.drift < 1},
          {{"grant-in-interval", "f >= 0: the tick still is of its own interval.", first >= 0}},
          conjunction(context, both_granted(t, e.parameters())),
          {e.earliest == context.real_val(3, 20), e.latest == context.real_val(17, 20),
           e.drift == context.real_val(1, 20), e.drift == context.real_val(1, 5)},
          {{"earliest slot", e.earliest},
           {"drift", e.drift},
           {"tick 2 at", t.b2},
           {"tick 3 at", t.b3}}};
}

Lemma drift_edge_breaks(z3::context& context) {
  const EdgeTerms e(context);
  OverlapTerms t(context);
  t.b_next_slot = e.latest;
  t.reply = e.reply_delay;
  t.store_now = t.a3;
  OverlapParameters parameters = e.parameters();
  parameters.deviation = context.real_val(0);
  return {"edge-drift-breaks",
          "Beyond the formula B, with a slow clock, holds until A's grant: two leases in force on "
          "one index.",
          "(1 + d) (span - f) > 2 implies both in force at a3, for held = 2 / (1 + d)",
          "QF_NRA",
          {0 < e.earliest, e.earliest <= e.latest, e.latest < 1, 0 < e.margin, 0 <= e.reply_delay,
           0 <= e.drift, e.drift < 1, t.held * (1 + e.drift) == 2},
          {{"beyond-edge", "(1 + d) (span - f) > 2.",
            (1 + e.drift) * (1 + e.latest + e.margin + e.reply_delay - t.b3) > 2},
           {"lemma-edge-drift-early-run", "The lemma edge-drift-early-run: a3 = 2 + b3.",
            t.a3 == 2 + t.b3}},
          conjunction(context, both_in_force(t, parameters)),
          {e.drift == context.real_val(1, 20), t.b3 == context.real_val(1, 10),
           e.earliest == context.real_val(3, 20), e.latest == context.real_val(17, 20),
           e.margin == context.real_val(3, 20), e.reply_delay == 0},
          with_execution(e.shown(), t)};
}

}  // namespace

std::vector<LemmaMaker> edge_lemmas() {
  return {margin_edge_holds, margin_edge_breaks, drift_registration, drift_earliest_grant,
          drift_reach,       drift_edge_holds,   drift_early_run,    drift_edge_breaks};
}

}  // namespace nandi::checker::proof
