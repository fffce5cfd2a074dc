// Lemmas about two workers whose leases are in force at one moment t: the three cases, and the
// theorem with every assumption stated at once.
#include "proof/lease_terms.h"
#include "proof/lemmas.h"

namespace nandi::checker::proof {
namespace {

constexpr const char* kLinear = "QF_LIRA";

z3::expr same_index_is_same_worker(const Scene& scene) {
  return z3::implies(scene.a.lease_index == scene.b.lease_index, scene.a.id == scene.b.id);
}

/// A case is a definition: what it says about the intervals is not an assumption to drop.
std::vector<z3::expr> definitions_in_case(const Scene& scene, const z3::expr& apart) {
  std::vector<z3::expr> definitions = scene_definitions(scene);
  definitions.push_back(apart);
  return definitions;
}

z3::expr apart(const Scene& scene) { return scene.a.granted.interval - scene.b.granted.interval; }

Lemma same_interval(z3::context& context) {
  const Scene scene(context, Scene::Cast::two);
  return {"case-same-interval",
          "Leases issued in the same interval on the same index belong to one worker.",
          "N_A = N_B and i_A = i_B imply A = B",
          kLinear,
          definitions_in_case(scene, apart(scene) == 0),
          {closed_index(scene), held_consecutive(scene), counter_unique(scene)},
          same_index_is_same_worker(scene),
          scene_pins(scene),
          scene_shown(scene)};
}

Lemma next_interval(z3::context& context) {
  const Scene scene(context, Scene::Cast::two);
  return {"case-next-interval",
          "Leases issued in consecutive intervals on the same index belong to one worker: both "
          "held that index in the interval before the earlier one.",
          "N_A = N_B + 1 and i_A = i_B imply A = B",
          kLinear,
          definitions_in_case(scene, apart(scene) == 1),
          {closed_index(scene), held_consecutive(scene), remembered_consecutive(scene),
           agreement(scene), counter_unique(scene)},
          same_index_is_same_worker(scene),
          scene_pins(scene),
          scene_shown(scene)};
}

/// From the two lemmas about one worker, not from the assumptions behind them.
Lemma later_interval(z3::context& context) {
  const Scene scene(context, Scene::Cast::two);
  const WorkerTerms& a = scene.a;
  const WorkerTerms& b = scene.b;
  return {"case-later-interval",
          "Two leases issued two or more intervals apart are never in force at one moment, "
          "whatever their indices.",
          "not (N_A >= N_B + 2)",
          kLinear,
          scene_definitions(scene),
          {{"lemma-at-or-after-gap", "The lemma at-or-after-gap, of A.",
            a.granted.executed >= a.granted.begin + a.gap - early(a)},
           {"lemma-expiry-bound", "The lemma expiry-bound, of B.",
            scene.store_now < b.granted.begin + 2 * b.interval_length + late(scene, b)},
           equal_interval(scene),
           causal(scene),
           store_monotone(scene),
           clock_deviation(scene)},
          apart(scene) < 2,
          scene_pins(scene),
          scene_shown(scene)};
}

std::vector<Hypothesis> everything(const Scene& scene) {
  return {counter_unique(scene),   closed_index(scene),
          held_consecutive(scene), remembered_consecutive(scene),
          agreement(scene),        equal_interval(scene),
          equal_gap(scene),        band(scene),
          lower_rule(scene),       own_expiry(scene),
          margin_is_gap(scene),    stamp(scene),
          causal(scene),           store_monotone(scene),
          clock_deviation(scene)};
}

Lemma index_exclusive(z3::context& context) {
  const Scene scene(context, Scene::Cast::two);
  return {"theorem-index-exclusive",
          "Two workers with leases in force on index i at the same moment are the same worker: any "
          "number of workers, any interval, any gap below half, any delays.",
          "i_A = i_B implies A = B",
          kLinear,
          scene_definitions(scene),
          everything(scene),
          same_index_is_same_worker(scene),
          scene_pins(scene),
          scene_shown(scene)};
}

Lemma same_count(z3::context& context) {
  const Scene scene(context, Scene::Cast::two);
  std::vector<Hypothesis> hypotheses = everything(scene);
  // The count of an interval is the same to all who read it, whoever was given which index.
  hypotheses.front() = count_final(scene);
  for (Hypothesis& hypothesis : hypotheses) {
    // Equal counts need only that tick 2 is of the interval before tick 3; what tick 2 itself was
    // paired with matters for the index alone.
    if (hypothesis.name == "remembered-consecutive") hypothesis.expected_needed = false;
  }
  return {"theorem-same-count",
          "All leases in force at one moment are on the same count n.",
          "n_A = n_B",
          kLinear,
          scene_definitions(scene),
          hypotheses,
          scene.a.lease_count == scene.b.lease_count,
          scene_pins(scene),
          scene_shown(scene)};
}

}  // namespace

std::vector<LemmaMaker> lease_lemmas() {
  return {same_interval, next_interval, later_interval, index_exclusive, same_count};
}

}  // namespace nandi::checker::proof
