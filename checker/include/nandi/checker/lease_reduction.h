// Steps that LeaseModel leaves out where `reduction` is on, and why nothing is missed.
//
// The claim: if a state can be reached in which certain workers hold certain pairs, one can be
// reached without the steps left out in which they hold the same pairs (others may hold more). All
// invariants but never-stands-down, and all `sometimes`, are of that kind: what breaks them
// still does when somebody else holds a pair besides. Each rule turns a path into one that it
// permits, to a state that holds no less; the rules apply one after the other. Every path that is
// left is one of the whole model, so that a violation found is a real one, though perhaps longer
// than the shortest.
//
// Late stalls. A worker stalls only when something of it is due. A stall before that forbids only
// what need not happen anyway (a wake-up that is not due, a reply that may wait), so it can be
// moved back to the moment at which something is due, or left out if the worker goes on or crashes
// before. That uses up the bound on stalled workers for a shorter time.
//
// Late crashes. A worker that runs crashes only when something of it is due, or when its place may
// start again. Otherwise the crash can be moved back until one of the two is so: until then the
// worker need do nothing but let its request execute, where what was left of the crash would have
// executed as an abandoned one. Both raise the counter alike. It holds its lease for longer, and
// later there are no fewer abandoned requests. (A worker that is stalled crashes at any time: that
// ends a stall, which is bounded.)
//
// Late ghosts. An abandoned request executes only while another request is under way, or in the
// last tick of an interval. All that it does is raise the open counter, which is looked at when
// something executes and when the interval closes. Up to there it can be moved back: past the steps
// of workers, past ticks of time, past other abandoned requests. A request under way is also the
// only thing that could become one abandoned request too many meanwhile.
//
// First movers. If worker A has something due, is not stalled and has no request under way, then
// only A's own steps are explored: wake up, read the reply, stall, crash. (This is a persistent
// set: Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems", 1996.)
//   - None of them touches the store, or anything of another worker: they commute with every step
//     of the others, with abandoned requests (none of them makes one: there is no request) and
//     with the faults that are allowed here. Nobody else can make a step of A possible or
//     impossible, but for the bound on stalled workers: hence A does not go first where that is
//     reached, and a stall of B before that of A in one tick is undone in it and can be left out
//     (with drift it would let B's clock gain a tick, so A does not go first either).
//   - Time cannot pass before A has moved.
//   - So on a path on which A moves, its first step can be put first, to the same end. On a path on
//     which A does not move, A's waking up, or else its reading of the reply, can be put before it:
//     it holds no less. Where A holds a lease, waking up is due and must not be the lease's end;
//     otherwise A does not go first.
//   - Nothing is put off for ever: without time passing each worker reads a reply once and wakes up
//     twice (it gives up, then sends) at most, after that nothing of it is due and nobody goes
//     first. Stalls and crashes come before a resume or a start, which no first mover's steps
//     include: no cycle consists of states with a first mover.
//
// Refused with the reduction (find_error): never-stands-down, which a lease more can satisfy;
// fork, which reads a worker's memory; steps of the store's clock and intervals by the workers'
// clocks, which move what is due and what is open. Faults in the counters go together with
// everything but late ghosts. Include lease_model.h.
#pragma once

#include "nandi/checker/lease_model.h"

namespace nandi::checker {

template <class Rules, std::size_t W>
bool LeaseModel<Rules, W>::may_stall(const State& state, sim::WorkerId id) const {
  return may_pause(state) && (!check_.reduction || is_urgent(state, id));
}

template <class Rules, std::size_t W>
bool LeaseModel<Rules, W>::may_crash(const State& state, sim::WorkerId id) const {
  if (!check_.crashes) return false;
  return !check_.reduction || !state.world.worker(id).is_running() ||
         state.joins[id] < check_.joins || is_urgent(state, id);
}

template <class Rules, std::size_t W>
bool LeaseModel<Rules, W>::may_execute_abandoned(const State& state) const {
  const FaultBudgets& faults = check_.faults;
  if (!check_.reduction || faults.flush_all + faults.erase_open + faults.erase_closed != 0) {
    return true;
  }
  for (const auto& w : state.world.workers()) {
    if (w.wire == sim::Wire::requested) return true;
  }
  const std::int64_t interval = configs_[0].lease.timing.interval.count();
  return state.world.store_clock().at(state.world.now()).count() % interval == interval - 1;
}

template <class Rules, std::size_t W>
bool LeaseModel<Rules, W>::goes_first(const State& state, sim::WorkerId id) const {
  const auto& w = state.world.worker(id);
  if (!w.is_running() || w.wire == sim::Wire::requested || !is_urgent(state, id)) return false;
  const bool is_bound_open =
      check_.pauses == 0 || check_.pauses >= W || (check_.drift == 0 && may_pause(state));
  if (!is_bound_open) return false;
  if (!held(state, id)) return true;
  const LocalTime local = w.clock.at(state.world.now());
  const bool wakes = local >= w.engine.next_wakeup(configs_[id].lease);
  const bool lets_go = configs_[id].lease.rules.expires() && local >= w.engine.state().expires;
  return wakes && !lets_go;
}

/// By its situation, not by its number: with symmetry the choice must be the same for all states
/// that count as one.
template <class Rules, std::size_t W>
std::optional<sim::WorkerId> LeaseModel<Rules, W>::first_mover(const State& state) const {
  const std::size_t width = codec_.worker_words();
  const auto part = [&](sim::WorkerId id) {
    return std::span<const std::uint64_t>(state.packed.data() + id * width, width);
  };
  std::optional<sim::WorkerId> mover;
  for (sim::WorkerId id = 0; id < W; ++id) {
    if (!goes_first(state, id)) continue;
    if (!mover || std::lexicographical_compare(part(id).begin(), part(id).end(),
                                               part(*mover).begin(), part(*mover).end())) {
      mover = id;
    }
  }
  return mover;
}

}  // namespace nandi::checker
