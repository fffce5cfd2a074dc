// Lemmas about one worker: where its slot is, what its two estimates are worth, when a granting
// tick executes and when a lease ends.
#include "proof/lease_terms.h"
#include "proof/lemmas.h"

namespace nandi::checker::proof {
namespace {

/// The slot in reals: share stands for (index + 1/2) / members.
Lemma slot_band(z3::context& context) {
  const z3::expr length = context.real_const("interval_length");
  const z3::expr gap = context.real_const("gap");
  const z3::expr index = context.real_const("index");
  const z3::expr members = context.real_const("members");
  const z3::expr share = context.real_const("share");
  const z3::expr slot = context.real_const("slot");
  Lemma lemma{
      "slot-band",
      "A slot lies strictly inside the band.",
      "g I < slot < (1 - g) I for slot = g I + (i + 1/2) / m (1 - 2g) I",
      "QF_NRA",
      {length > 0, index >= 0, members >= 1, members * share == index + context.real_val(1, 2),
       slot == gap + share * (length - 2 * gap)},
      {{"index-in-range", "The index is below the number of members: i + 1 <= m.",
        index + 1 <= members},
       {"gap-below-half", "The gap is less than half an interval: 2 g I < I.", 2 * gap < length}},
      gap < slot && slot < length - gap,
      {length == 20, members == 2, gap == 3, index == 1, index == 2, gap == 11},
      {{"I", length}, {"g I", gap}, {"i", index}, {"m", members}, {"slot", slot}}};
  return lemma;
}

/// Rounding up by less than a unit, then down to the band's end: never before the exact slot unless
/// that keeps it in the band.
Lemma slot_rounding(z3::context& context) {
  const z3::expr exact = context.real_const("exact");
  const z3::expr rounded = context.real_const("rounded");
  const z3::expr band_begin = context.real_const("band_begin");
  const z3::expr band_end = context.real_const("band_end");
  const z3::expr gap = context.real_const("gap");
  const z3::expr length = context.real_const("interval_length");
  return {
      "slot-rounding",
      "The slot in whole units, rounded up and kept in the band, stays in the band.",
      "g I <= min(ceil(slot), I - ceil(g I)) <= (1 - g) I",
      "QF_LRA",
      {gap < exact, exact < length - gap, gap <= band_begin, band_begin < gap + 1,
       band_end == length - band_begin, rounded == z3::ite(exact <= band_end, rounded, band_end)},
      {{"rounds-up", "The slot is rounded up: exact <= rounded, unless the band ends before.",
        z3::implies(exact <= band_end, exact <= rounded)},
       {"kept-in-band", "It is not rounded past the band's last whole unit.", rounded <= band_end},
       {"unit-in-band", "The interval has a whole unit inside the band: ceil(g I) <= I / 2.",
        2 * band_begin <= length}},
      gap <= rounded && rounded <= length - gap,
      {length == 20, gap == 3, band_begin == 3, exact == 17 - context.real_val(1, 4)},
      {{"I", length},
       {"g I", gap},
       {"exact slot", exact},
       {"band begin", band_begin},
       {"band end", band_end},
       {"slot", rounded}}};
}

struct EstimateTerms {
  explicit EstimateTerms(z3::context& context)
      : at(context.real_const("at")),
        executed(context.real_const("executed")),
        sent(context.real_const("sent")),
        clock(context.real_const("clock")),
        received(context.real_const("received")),
        now(context.real_const("now")),
        store_now(context.real_const("store_now")),
        drift(context.real_const("drift")),
        resolution(context.real_const("resolution")) {}

  [[nodiscard]] std::vector<z3::expr> definitions() const {
    return {resolution >= 0, drift >= 0, now >= clock};
  }
  [[nodiscard]] std::vector<z3::expr> pins(z3::context& context) const {
    return {drift == context.real_val(1, 10),
            resolution == 1,
            at == 100,
            executed == 100,
            sent == 0,
            clock == 0,
            received == 0,
            now == 10,
            sent == clock,
            clock == received,
            store_now == executed + (now - clock)};
  }
  [[nodiscard]] std::vector<Shown> shown() const {
    return {{"at", at},
            {"store clock at execution", executed},
            {"sent", sent},
            {"local clock at execution", clock},
            {"received", received},
            {"local clock now", now},
            {"store clock now", store_now},
            {"drift", drift},
            {"resolution", resolution}};
  }

  z3::expr at, executed, sent, clock, received, now, store_now, drift, resolution;
};

Lemma lower_estimate(z3::context& context) {
  const EstimateTerms t(context);
  std::vector<z3::expr> definitions = t.definitions();
  definitions.push_back(t.now >= t.received);
  return {"lower-estimate",
          "The lower estimate is never ahead of the store's clock: registering on it is never "
          "early.",
          "at + (1 - drift) (now - received) <= store clock now",
          "QF_NRA",
          definitions,
          {{"stamp-floor", "The tick's time is not after its execution: at <= executed.",
            t.at <= t.executed},
           {"reply-after-execution",
            "The reply is received after the execution: clock <= received.", t.clock <= t.received},
           {"drift-bound",
            "The store's clock advances by at least (1 - drift) of the worker's: store now - "
            "executed >= (1 - drift) (now - clock).",
            t.store_now - t.executed >= (1 - t.drift) * (t.now - t.clock)},
           {"drift-below-one", "The drift bound is below 1.", t.drift < 1}},
          t.at + (1 - t.drift) * (t.now - t.received) <= t.store_now,
          t.pins(context),
          t.shown()};
}

Lemma upper_estimate(z3::context& context) {
  const EstimateTerms t(context);
  return {"upper-estimate",
          "The upper estimate is never behind the store's clock: letting go on it is never late, "
          "however late the reply was.",
          "store clock now <= at + resolution + (1 + drift) (now - sent)",
          "QF_NRA",
          t.definitions(),
          {{"stamp-resolution",
            "The tick's time is within the resolution of its execution: executed <= at + "
            "resolution.",
            t.executed <= t.at + t.resolution},
           {"sent-before-execution",
            "The local time was read before the request could execute: sent <= clock.",
            t.sent <= t.clock},
           {"drift-bound",
            "The store's clock advances by at most (1 + drift) of the worker's: store now - "
            "executed <= (1 + drift) (now - clock).",
            t.store_now - t.executed <= (1 + t.drift) * (t.now - t.clock)}},
          t.store_now <= t.at + t.resolution + (1 + t.drift) * (t.now - t.sent),
          t.pins(context),
          t.shown()};
}

Lemma interval_starts(z3::context& context) {
  const z3::expr later = context.real_const("later");
  const z3::expr earlier = context.real_const("earlier");
  const z3::expr length_a = context.real_const("length_later");
  const z3::expr length_b = context.real_const("length_earlier");
  return {"interval-starts",
          "Interval N starts at N I, so intervals two numbers apart start two intervals apart.",
          "M >= N + 2 implies M I >= N I + 2 I",
          "QF_NRA",
          {length_a > 0, length_b > 0},
          {{"two-apart", "The numbers differ by two or more.", later >= earlier + 2},
           {"equal-interval", "Both are counted in the same interval.", length_a == length_b}},
          later * length_a >= earlier * length_b + 2 * length_b,
          {length_b == 20, earlier == 10, later == 12, later == 11, length_a == 20, length_a == 10},
          {{"M", later}, {"N", earlier}, {"I of M", length_a}, {"I of N", length_b}}};
}

Lemma at_or_after_gap(z3::context& context) {
  const Scene scene(context, Scene::Cast::one);
  const WorkerTerms& a = scene.a;
  return {"at-or-after-gap",
          "A granting tick executes at g or later in its interval, less what the worker's clock "
          "gained on the store's.",
          "executed3 >= begin3 + g I - early",
          "QF_LIRA",
          scene_definitions(scene),
          {held_consecutive(scene), band(scene), lower_rule(scene), stamp(scene), causal(scene),
           store_monotone(scene)},
          a.granted.executed >= a.granted.begin + a.gap - early(a),
          scene_pins(scene),
          scene_shown(scene)};
}

Lemma expiry_bound(z3::context& context) {
  const Scene scene(context, Scene::Cast::one);
  const WorkerTerms& a = scene.a;
  return {"expiry-bound",
          "A lease issued in N is over when interval N+2 begins, give or take what the store's "
          "clock gained on the worker's; the reply's delay does not enter.",
          "store clock at t < begin3 + 2 I + late",
          "QF_LIRA",
          scene_definitions(scene),
          {own_expiry(scene), band(scene), margin_is_gap(scene), stamp(scene), causal(scene),
           store_monotone(scene)},
          scene.store_now < a.granted.begin + 2 * a.interval_length + late(scene, a),
          scene_pins(scene),
          scene_shown(scene)};
}

/// Not needed for safety: what the two estimates cost.
Lemma renewal_in_time(z3::context& context) {
  const z3::expr slot = context.real_const("slot_store_time");
  const z3::expr at = context.real_const("at");
  const z3::expr sent = context.real_const("sent");
  const z3::expr received = context.real_const("received");
  const z3::expr lag = context.real_const("wake_up_lag");
  const z3::expr trip = context.real_const("next_round_trip");
  const z3::expr margin = context.real_const("margin");
  const z3::expr gap = context.real_const("gap");
  const z3::expr resolution = context.real_const("resolution");
  const z3::expr due = received + (slot - at);
  const z3::expr renewed = due + lag + trip;
  return {"renewal-in-time",
          "A lease outlives its renewal when the last round trip, the wake-up lag and the next "
          "round trip together stay under the gap less the resolution (a price, not safety).",
          "(received - sent) + lag + next trip < g I - resolution implies the reply comes before "
          "the expiry",
          "QF_LRA",
          {gap > 0, resolution > 0, lag >= 0, trip >= 0, sent <= received, at < slot},
          {{"within-slack", "The three together stay under the gap less the resolution.",
            (received - sent) + lag + trip < gap - resolution},
           {"margin-not-below-gap", "The margin is no less than the gap.", margin >= gap}},
          renewed < sent + (slot + margin - at - resolution),
          {gap == 3, margin == 3, resolution == 1, slot == 217, at == 200, sent == 100,
           received == 100, lag == 0, trip == 0},
          {{"g I", gap},
           {"margin", margin},
           {"resolution", resolution},
           {"last round trip", received - sent},
           {"wake-up lag", lag},
           {"next round trip", trip},
           {"reply at", renewed},
           {"expiry at", sent + (slot + margin - at - resolution)}}};
}

}  // namespace

std::vector<LemmaMaker> worker_lemmas() {
  return {slot_band,       slot_rounding,   lower_estimate, upper_estimate,
          interval_starts, at_or_after_gap, expiry_bound,   renewal_in_time};
}

}  // namespace nandi::checker::proof
