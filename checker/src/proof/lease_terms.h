// The lease protocol in the solver's terms: ticks, workers, and the assumptions about them.
//
// Times are reals in any unit, interval numbers, indices and counts integers. Nothing bounds the
// number of workers, the length of the interval, or a delay.
#pragma once

#include <z3++.h>

#include <string>
#include <vector>

#include "proof/lemma.h"

namespace nandi::checker::proof {

/// One completed registration of a worker. `begin`, `at`, `executed` and the two store_* are
/// readings of the store's clock, `sent` and `received` of the worker's; true_* order the three
/// moments.
struct TickTerms {
  TickTerms(z3::context& context, const std::string& name);

  z3::expr interval;        ///< N
  z3::expr begin;           ///< start of interval N
  z3::expr at;              ///< the store time that the tick carries
  z3::expr executed;        ///< the store's clock at execution
  z3::expr sent;            ///< the worker's clock, read before the request could leave
  z3::expr received;        ///< the worker's clock, read after the reply was parsed
  z3::expr store_sent;      ///< the store's clock when `sent` was read
  z3::expr store_received;  ///< the store's clock when `received` was read
  z3::expr true_sent;
  z3::expr true_executed;
  z3::expr true_received;
  z3::expr index;  ///< raw count - 1
  z3::expr count;  ///< the count of interval N-1 that the tick carries
};

/// A worker whose lease is in force at the moment in question, t, with the three ticks that the
/// lease rests on: `granted` issued it, `before` gave the index that it is on, and implied the same
/// pair from the index that `earliest` gave.
struct WorkerTerms {
  WorkerTerms(z3::context& context, const std::string& worker_name);

  std::string name;
  z3::expr id;
  z3::expr interval_length;  ///< I
  z3::expr gap;              ///< g I, as a length
  z3::expr margin;           ///< past the next slot, where the lease ends
  z3::expr slot;             ///< offset at which the granting registration was due
  z3::expr next_slot;        ///< offset at which the one after is due
  z3::expr early_allowance;  ///< what the worker waits longer because of the drift it was told of
  z3::expr late_allowance;   ///< what it lets go earlier because of it
  z3::expr now;              ///< the worker's clock at t
  z3::expr lease_index;
  z3::expr lease_count;
  TickTerms earliest;
  TickTerms before;
  TickTerms granted;
};

/// Two workers, A and B, with leases in force at t; or A alone.
struct Scene {
  enum class Cast { one, two };
  Scene(z3::context& context, Cast cast);

  /// Whom the assumptions about one worker are stated of.
  [[nodiscard]] std::vector<const WorkerTerms*> workers() const;

  Cast cast;

  z3::expr store_now;   ///< the store's clock at t
  z3::expr true_now;    ///< t
  z3::expr resolution;  ///< of a tick's store time
  WorkerTerms a;
  WorkerTerms b;
};

// Ranges and interval arithmetic, which every lemma about a scene stands on.
std::vector<z3::expr> scene_definitions(const Scene& scene);
// Ordinary values for counterexamples, and what these show.
std::vector<z3::expr> scene_pins(const Scene& scene);
std::vector<Shown> scene_shown(const Scene& scene);

// By how much the store's clock advanced more than the worker's, from the sending of the granting
// registration to t, beyond what the worker allows for.
z3::expr late(const Scene& scene, const WorkerTerms& worker);
// By how much the worker's clock advanced more than the store's, from the receipt of tick `before`
// to the sending of the granting registration, beyond what the worker allows for.
z3::expr early(const WorkerTerms& worker);

// The assumptions, by the names that reports and the page use. Those about one worker are stated
// of each in the cast.
Hypothesis counter_unique(const Scene& scene);
Hypothesis count_final(const Scene& scene);
Hypothesis closed_index(const Scene& scene);
Hypothesis held_consecutive(const Scene& scene);
Hypothesis remembered_consecutive(const Scene& scene);
Hypothesis agreement(const Scene& scene);
Hypothesis equal_interval(const Scene& scene);
Hypothesis equal_gap(const Scene& scene);
Hypothesis band(const Scene& scene);
Hypothesis lower_rule(const Scene& scene);
Hypothesis own_expiry(const Scene& scene);
Hypothesis margin_is_gap(const Scene& scene);
Hypothesis stamp(const Scene& scene);
Hypothesis causal(const Scene& scene);
Hypothesis store_monotone(const Scene& scene);
Hypothesis clock_deviation(const Scene& scene);

}  // namespace nandi::checker::proof
