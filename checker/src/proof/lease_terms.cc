#include "proof/lease_terms.h"

namespace nandi::checker::proof {
namespace {

// An ordinary day: g = 3/20, the default, in the smallest interval that puts it on whole units.
constexpr int kOrdinaryInterval = 20;
constexpr int kOrdinaryGap = 3;

z3::expr real(z3::context& context, const std::string& name) {
  return context.real_const(name.c_str());
}

z3::expr integer(z3::context& context, const std::string& name) {
  return context.int_const(name.c_str());
}

std::vector<const TickTerms*> ticks_of(const WorkerTerms& worker) {
  return {&worker.granted, &worker.before, &worker.earliest};
}

z3::expr each(const Scene& scene, z3::expr (*of_one)(const Scene&, const WorkerTerms&)) {
  const z3::expr of_a = of_one(scene, scene.a);
  return scene.cast == Scene::Cast::one ? of_a : of_a && of_one(scene, scene.b);
}

/// Starts of intervals of one length, for numbers that are equal, next to each other, or further.
z3::expr starts_follow(const TickTerms& later, const TickTerms& earlier, const z3::expr& length) {
  const z3::expr apart = later.interval - earlier.interval;
  const z3::expr moved = later.begin - earlier.begin;
  return z3::implies(apart == 0, moved == 0) && z3::implies(apart == 1, moved == length) &&
         z3::implies(apart == -1, moved == -length) &&
         z3::implies(apart >= 2, moved >= 2 * length) &&
         z3::implies(apart <= -2, moved <= -2 * length);
}

/// Interval N of the worker's ticks begins at N times `length`. A pin only: said of every length at
/// once it would be a product of two unknowns.
z3::expr counted_in(const WorkerTerms& worker, int length) {
  z3::expr formula = worker.interval_length == length;
  for (const TickTerms* tick : ticks_of(worker)) {
    formula = formula && tick->begin == length * z3::to_real(tick->interval);
  }
  return formula;
}

}  // namespace

TickTerms::TickTerms(z3::context& context, const std::string& name)
    : interval(integer(context, name + "_interval")),
      begin(real(context, name + "_begin")),
      at(real(context, name + "_at")),
      executed(real(context, name + "_executed")),
      sent(real(context, name + "_sent")),
      received(real(context, name + "_received")),
      store_sent(real(context, name + "_store_sent")),
      store_received(real(context, name + "_store_received")),
      true_sent(real(context, name + "_true_sent")),
      true_executed(real(context, name + "_true_executed")),
      true_received(real(context, name + "_true_received")),
      index(integer(context, name + "_index")),
      count(integer(context, name + "_count")) {}

WorkerTerms::WorkerTerms(z3::context& context, const std::string& worker_name)
    : name(worker_name),
      id(integer(context, name + "_worker")),
      interval_length(real(context, name + "_interval_length")),
      gap(real(context, name + "_gap")),
      margin(real(context, name + "_margin")),
      slot(real(context, name + "_slot")),
      next_slot(real(context, name + "_next_slot")),
      early_allowance(real(context, name + "_early_allowance")),
      late_allowance(real(context, name + "_late_allowance")),
      now(real(context, name + "_now")),
      lease_index(integer(context, name + "_lease_index")),
      lease_count(integer(context, name + "_lease_count")),
      earliest(context, name + "_earliest"),
      before(context, name + "_before"),
      granted(context, name + "_granted") {}

Scene::Scene(z3::context& context, Cast who)
    : cast(who),
      store_now(real(context, "store_now")),
      true_now(real(context, "true_now")),
      resolution(real(context, "resolution")),
      a(context, "A"),
      b(context, "B") {}

std::vector<const WorkerTerms*> Scene::workers() const {
  if (cast == Cast::one) return {&a};
  return {&a, &b};
}

std::vector<z3::expr> scene_definitions(const Scene& scene) {
  std::vector<z3::expr> definitions{scene.resolution >= 0};
  for (const WorkerTerms* worker : scene.workers()) {
    definitions.push_back(worker->interval_length > 0 && worker->gap > 0 &&
                          2 * worker->gap < worker->interval_length && worker->margin >= 0);
    definitions.push_back(worker->lease_index >= 0 && worker->lease_count >= 1);
    definitions.push_back(worker->early_allowance >= 0 && worker->late_allowance >= 0);
    // In force at t: the reply has been received by then.
    definitions.push_back(worker->granted.true_received <= scene.true_now);
    definitions.push_back(starts_follow(worker->granted, worker->before, worker->interval_length));
    for (const TickTerms* tick : ticks_of(*worker)) {
      definitions.push_back(tick->index >= 0 && tick->count >= 0);
      definitions.push_back(tick->begin <= tick->at &&
                            tick->at < tick->begin + worker->interval_length);
    }
  }
  if (scene.cast == Scene::Cast::one) return definitions;
  definitions.push_back(
      z3::implies(scene.a.interval_length == scene.b.interval_length,
                  starts_follow(scene.a.granted, scene.b.granted, scene.b.interval_length)));
  return definitions;
}

std::vector<z3::expr> scene_pins(const Scene& scene) {
  std::vector<z3::expr> pins;
  const WorkerTerms& a = scene.a;
  const WorkerTerms& b = scene.b;
  for (const WorkerTerms* worker : scene.workers()) {
    for (const int length : {kOrdinaryInterval, kOrdinaryInterval / 2, 2 * kOrdinaryInterval}) {
      pins.push_back(counted_in(*worker, length));
    }
    pins.push_back(worker->gap == kOrdinaryGap);
    pins.push_back(worker->margin == kOrdinaryGap);
  }
  pins.push_back(a.id == 1);
  if (scene.cast == Scene::Cast::two) {
    pins.push_back(b.id == 2);
    pins.push_back(b.granted.interval == 10);
    pins.push_back(a.granted.interval >= b.granted.interval);
  } else {
    pins.push_back(a.granted.interval == 10);
  }
  for (const WorkerTerms* worker : scene.workers()) {
    pins.push_back(worker->lease_index == 0);
    pins.push_back(worker->lease_count == 2);
    pins.push_back(worker->before.interval == worker->granted.interval - 1);
    pins.push_back(worker->earliest.interval == worker->before.interval - 1);
    for (const TickTerms* tick : ticks_of(*worker)) {
      pins.push_back(tick->sent == tick->executed && tick->received == tick->executed);
      pins.push_back(tick->store_sent == tick->executed);
      pins.push_back(tick->store_received == tick->executed);
      pins.push_back(tick->true_executed == tick->executed);
      pins.push_back(tick->true_sent == tick->executed && tick->true_received == tick->executed);
      pins.push_back(tick->at == tick->executed);
      pins.push_back(tick->executed < tick->begin + worker->interval_length);
      pins.push_back(tick->count == 2);
    }
    pins.push_back(worker->granted.executed == worker->granted.begin + worker->slot);
    const int offset = worker == &a ? kOrdinaryGap : kOrdinaryInterval - kOrdinaryGap;
    for (const TickTerms* tick : ticks_of(*worker)) {
      pins.push_back(tick->executed == tick->begin + offset);
    }
    pins.push_back(worker->early_allowance == 0 && worker->late_allowance == 0);
    pins.push_back(worker->now == scene.store_now);
  }
  pins.push_back(scene.true_now == scene.store_now);
  pins.push_back(scene.resolution == 0);
  pins.push_back(scene.store_now == a.granted.executed);
  pins.push_back(scene.store_now == b.granted.executed);
  return pins;
}

std::vector<Shown> scene_shown(const Scene& scene) {
  z3::context& context = scene.store_now.ctx();
  const z3::expr zero = context.real_val(0);
  const auto ordinary = [&](int value) { return context.real_val(value); };
  std::vector<Shown> shown{{"t: store clock", scene.store_now},
                           {"t: true time", scene.true_now, scene.store_now},
                           {"t: resolution", scene.resolution, zero}};
  for (const WorkerTerms* worker : scene.workers()) {
    const std::string& name = worker->name;
    shown.push_back({name + ": worker", worker->id});
    shown.push_back({name + ": lease i", worker->lease_index});
    shown.push_back({name + ": lease n", worker->lease_count});
    shown.push_back({name + ": slot", worker->slot});
    shown.push_back({name + ": next slot", worker->next_slot});
    shown.push_back({name + ": I", worker->interval_length, ordinary(kOrdinaryInterval)});
    shown.push_back({name + ": g I", worker->gap, ordinary(kOrdinaryGap)});
    shown.push_back({name + ": margin", worker->margin, ordinary(kOrdinaryGap)});
    shown.push_back({name + ": local clock at t", worker->now, scene.store_now});
    shown.push_back({name + ": early allowance", worker->early_allowance, zero});
    shown.push_back({name + ": late allowance", worker->late_allowance, zero});
    shown.push_back({name + ": late", late(scene, *worker), zero});
    shown.push_back({name + ": early", early(*worker), zero});
    for (const auto& [label, tick] :
         {std::pair{" tick 1: ", &worker->earliest}, std::pair{" tick 2: ", &worker->before},
          std::pair{" tick 3: ", &worker->granted}}) {
      shown.push_back({name + label + "N", tick->interval});
      shown.push_back({name + label + "index", tick->index});
      shown.push_back({name + label + "previous count", tick->count});
      shown.push_back({name + label + "store clock", tick->executed});
      shown.push_back({name + label + "carries", tick->at, tick->executed});
      for (const auto& [what, term] :
           {std::pair{"local sent", &tick->sent}, std::pair{"local received", &tick->received},
            std::pair{"store clock at sending", &tick->store_sent},
            std::pair{"store clock at receipt", &tick->store_received},
            std::pair{"true time of sending", &tick->true_sent},
            std::pair{"true time of execution", &tick->true_executed},
            std::pair{"true time of receipt", &tick->true_received}}) {
        shown.push_back({name + label + what, *term, tick->executed});
      }
      shown.push_back({name + label + "N begins", tick->begin,
                       kOrdinaryInterval * z3::to_real(tick->interval)});
    }
  }
  return shown;
}

z3::expr late(const Scene& scene, const WorkerTerms& worker) {
  return (scene.store_now - worker.granted.store_sent) - (worker.now - worker.granted.sent) -
         worker.late_allowance;
}

z3::expr early(const WorkerTerms& worker) {
  return (worker.granted.sent - worker.before.received) -
         (worker.granted.store_sent - worker.before.store_received) - worker.early_allowance;
}

Hypothesis counter_unique(const Scene& scene) {
  z3::expr formula = scene.a.id.ctx().bool_val(true);
  for (const TickTerms* of_a : {&scene.a.before, &scene.a.earliest}) {
    for (const TickTerms* of_b : {&scene.b.before, &scene.b.earliest}) {
      formula =
          formula && z3::implies(of_a->interval == of_b->interval && of_a->index == of_b->index,
                                 scene.a.id == scene.b.id);
    }
  }
  return {"counter-unique",
          "Within an interval the counter gives each index to one registration, and a "
          "registration belongs to one worker.",
          formula};
}

Hypothesis count_final(const Scene& scene) {
  z3::expr formula = scene.a.id.ctx().bool_val(true);
  for (const TickTerms* of_a : {&scene.a.granted, &scene.a.before}) {
    for (const TickTerms* of_b : {&scene.b.granted, &scene.b.before}) {
      formula =
          formula && z3::implies(of_a->interval == of_b->interval, of_a->count == of_b->count);
    }
  }
  return {"count-final",
          "A closed interval stays closed and its count is kept: all ticks of interval N carry the "
          "same previous count.",
          formula};
}

Hypothesis closed_index(const Scene& scene) {
  return {"closed-index",
          "The lease is on the index held from the closed interval and on that interval's count: "
          "(index of tick 2, previous count of tick 3).",
          each(scene, [](const Scene&, const WorkerTerms& w) {
            return w.lease_index == w.before.index && w.lease_count == w.granted.count;
          })};
}

Hypothesis held_consecutive(const Scene& scene) {
  return {"held-consecutive", "The held registration is of the interval before: N2 = N3 - 1.",
          each(scene, [](const Scene&, const WorkerTerms& w) {
            return w.before.interval == w.granted.interval - 1;
          })};
}

Hypothesis remembered_consecutive(const Scene& scene) {
  return {"remembered-consecutive",
          "The remembered pair was implied in the interval before, from the one before that: "
          "N1 = N2 - 1.",
          each(scene, [](const Scene&, const WorkerTerms& w) {
            return w.earliest.interval == w.before.interval - 1;
          })};
}

Hypothesis agreement(const Scene& scene) {
  return {"agreement",
          "The tick of the interval before implied the same pair: index of tick 1 = index of tick "
          "2, previous count of tick 2 = previous count of tick 3.",
          each(scene, [](const Scene&, const WorkerTerms& w) {
            return w.earliest.index == w.before.index && w.before.count == w.granted.count;
          })};
}

Hypothesis equal_interval(const Scene& scene) {
  return {"equal-interval", "All members use the same interval.",
          scene.a.interval_length == scene.b.interval_length};
}

Hypothesis equal_gap(const Scene& scene) {
  return {"equal-gap", "All members use the same gap.", scene.a.gap == scene.b.gap, false};
}

Hypothesis band(const Scene& scene) {
  return {"band", "Slots lie in the band: g I <= slot <= (1 - g) I.",
          each(scene, [](const Scene&, const WorkerTerms& w) {
            return w.gap <= w.slot && w.slot <= w.interval_length - w.gap && w.gap <= w.next_slot &&
                   w.next_slot <= w.interval_length - w.gap;
          })};
}

Hypothesis lower_rule(const Scene& scene) {
  return {"lower-rule",
          "A registration is sent when the lower estimate has reached its slot: "
          "at2 + (sent3 - received2) - early allowance >= begin2 + I + slot.",
          each(scene, [](const Scene&, const WorkerTerms& w) {
            return w.before.at + (w.granted.sent - w.before.received) - w.early_allowance >=
                   w.before.begin + w.interval_length + w.slot;
          })};
}

Hypothesis own_expiry(const Scene& scene) {
  return {"own-expiry",
          "A worker acts only while the upper estimate is before its expiry: at3 + resolution + "
          "(now - sent3) + late allowance < begin3 + I + next slot + margin.",
          each(scene, [](const Scene& s, const WorkerTerms& w) {
            return w.granted.at + s.resolution + (w.now - w.granted.sent) + w.late_allowance <
                   w.granted.begin + w.interval_length + w.next_slot + w.margin;
          })};
}

Hypothesis margin_is_gap(const Scene& scene) {
  return {"margin", "The lease ends at most one gap past the slot: margin <= g I.",
          each(scene, [](const Scene&, const WorkerTerms& w) { return w.margin <= w.gap; })};
}

Hypothesis stamp(const Scene& scene) {
  return {"stamp",
          "A tick carries the store's clock at its execution, rounded down by less than the "
          "resolution: at <= executed <= at + resolution.",
          each(scene, [](const Scene& s, const WorkerTerms& w) {
            z3::expr formula = w.id.ctx().bool_val(true);
            for (const TickTerms* tick : ticks_of(w)) {
              formula = formula && tick->at <= tick->executed &&
                        tick->executed <= tick->at + s.resolution;
            }
            return formula;
          })};
}

Hypothesis causal(const Scene& scene) {
  return {"causal",
          "A registration executes after the worker read its clock to send it and before it read "
          "its clock on receiving the reply.",
          each(scene, [](const Scene&, const WorkerTerms& w) {
            z3::expr formula = w.id.ctx().bool_val(true);
            for (const TickTerms* tick : ticks_of(w)) {
              formula = formula && tick->true_sent <= tick->true_executed &&
                        tick->true_executed <= tick->true_received;
            }
            return formula;
          })};
}

Hypothesis store_monotone(const Scene& scene) {
  return {
      "store-monotone",
      "The store's clock does not step back: what is later in true time, of sending, execution, "
      "receipt and t, is not earlier on it.",
      each(scene, [](const Scene& s, const WorkerTerms& w) {
        z3::expr formula =
            z3::implies(w.granted.true_executed <= s.true_now, w.granted.executed <= s.store_now);
        for (const TickTerms* tick : ticks_of(w)) {
          formula = formula &&
                    z3::implies(tick->true_sent <= tick->true_executed,
                                tick->store_sent <= tick->executed) &&
                    z3::implies(tick->true_executed <= tick->true_received,
                                tick->executed <= tick->store_received);
        }
        return formula;
      })};
}

Hypothesis clock_deviation(const Scene& scene) {
  return {"clock-deviation",
          "What the store's clock gains on the one worker's while it holds and what the other's "
          "gained on the store's before it registered, each beyond what the worker allows for, add "
          "up to at most the gap (rates, forward steps and stopped clocks alike).",
          late(scene, scene.b) + early(scene.a) <= scene.a.gap &&
              late(scene, scene.a) + early(scene.b) <= scene.b.gap};
}

}  // namespace nandi::checker::proof
