#include "proof/overlap_terms.h"

namespace nandi::checker::proof {
namespace {

z3::expr real(z3::context& context, const char* name) { return context.real_const(name); }

/// A registration due at `slot` of the interval that begins at `begin`, sent when the lower
/// estimate from the execution `from` has got there, or later; wait counts everything up to its
/// execution: the earlier reply's delay, the wake-up lag, the request's delay.
void add_registration(std::vector<z3::expr>& constraints, const z3::expr& from, const z3::expr& to,
                      const z3::expr& wait, int begin, const z3::expr& slot, const z3::expr& drift,
                      Strictness strictness) {
  constraints.push_back(begin <= to && below(to, to.ctx().real_val(begin + 1), strictness));
  constraints.push_back(wait >= begin + slot - from && wait >= 0);
  constraints.push_back((1 - drift) * wait <= to - from && to - from <= (1 + drift) * wait);
}

}  // namespace

OverlapTerms::OverlapTerms(z3::context& context)
    : a1(real(context, "a1")),
      a2(real(context, "a2")),
      a3(real(context, "a3")),
      b1(real(context, "b1")),
      b2(real(context, "b2")),
      b3(real(context, "b3")),
      a2_slot(real(context, "a2_slot")),
      a3_slot(real(context, "a3_slot")),
      b2_slot(real(context, "b2_slot")),
      b3_slot(real(context, "b3_slot")),
      b_next_slot(real(context, "b_next_slot")),
      a2_wait(real(context, "a2_wait")),
      a3_wait(real(context, "a3_wait")),
      b2_wait(real(context, "b2_wait")),
      b3_wait(real(context, "b3_wait")),
      reply(real(context, "reply")),
      held(real(context, "held")),
      store_now(real(context, "store_now")) {}

z3::expr below(const z3::expr& a, const z3::expr& b, Strictness strictness) {
  return strictness == Strictness::open ? a < b : a <= b;
}

std::vector<z3::expr> both_granted(const OverlapTerms& t, const OverlapParameters& p,
                                   Strictness strictness) {
  const z3::expr one = t.store_now.ctx().real_val(1);
  std::vector<z3::expr> constraints{0 <= t.a1 && below(t.a1, one, strictness),
                                    -2 <= t.b1 && below(t.b1, -one, strictness)};
  for (const z3::expr& slot : {t.a2_slot, t.a3_slot}) {
    constraints.push_back(p.earliest_slot_a <= slot && below(slot, one, strictness));
  }
  for (const z3::expr& slot : {t.b2_slot, t.b3_slot}) {
    constraints.push_back(p.earliest_slot_b <= slot && slot <= p.latest_slot_b);
  }
  add_registration(constraints, t.a1, t.a2, t.a2_wait, 1, t.a2_slot, p.drift, strictness);
  add_registration(constraints, t.a2, t.a3, t.a3_wait, 2, t.a3_slot, p.drift, strictness);
  add_registration(constraints, t.b1, t.b2, t.b2_wait, -1, t.b2_slot, p.drift, strictness);
  add_registration(constraints, t.b2, t.b3, t.b3_wait, 0, t.b3_slot, p.drift, strictness);
  return constraints;
}

std::vector<z3::expr> both_in_force(const OverlapTerms& t, const OverlapParameters& p,
                                    Strictness strictness) {
  const z3::expr end = 1 + t.b_next_slot + p.margin_b - t.b3 + t.reply;
  return {p.earliest_slot_b <= t.b_next_slot && t.b_next_slot <= p.latest_slot_b,
          0 <= t.reply && t.reply <= p.reply_delay_b, 0 <= t.held && below(t.held, end, strictness),
          (1 - p.drift) * t.held <= t.store_now - t.b3 &&
              t.store_now - t.b3 <= (1 + p.drift) * t.held + p.deviation,
          t.a3 <= t.store_now};
}

std::vector<z3::expr> overlap(const OverlapTerms& t, const OverlapParameters& p,
                              Strictness strictness) {
  std::vector<z3::expr> constraints = both_granted(t, p, strictness);
  for (const z3::expr& constraint : both_in_force(t, p, strictness))
    constraints.push_back(constraint);
  return constraints;
}

}  // namespace nandi::checker::proof
