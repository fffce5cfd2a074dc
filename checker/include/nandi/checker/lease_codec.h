// LeaseCodec: the canonical packed form of a LeaseModel's state.
//
// One or two words for each worker, one for the rest. Everything is relative to now. What is left
// out or saturated, each with the reason why no later step can tell the difference:
//   - due, deadline: times already past count as now; a step only asks whether they are past.
//   - a lease whose expiry is before now: whatever the engine is told next, it first drops the
//   lease
//     and forgets `held` and `remembered`, so all three count as gone.
//   - sent: ages of `horizon` and more are one. The age decides the expiry, sent + (end - at - 1)
//     with end - at at most two intervals and the margin, hence past for such an age either way,
//     and the back-off, sent + at most an interval, hence "now" either way.
//   - held: an interval further back than the window behind N - 1 can be the predecessor of no
//     interval to come, so `held` is as good as forgotten (the window is widened by the intervals
//     that the store's clock may still step back), unless a reply under way is of the interval
//     after it. `remembered` goes with it.
//   - a reply: of its store time only the offset in its interval is kept, and intervals behind the
//     window are one: the slot that it leads to is computed from that offset, and the lease that it
//     could grant is over, unless rules are broken so that leases last longer or the store's clock
//     may step forward without the worker's (late_grants_); then
//     whether `held` is of the interval before it is kept.
//   - the lease's pair is the remembered one: a lease is issued by the tick that implied its pair.
//   - counters outside the window are read and written no more. Inside it no key has expired: it
//     was last written in its interval or later, and lives three intervals.
//   - the number of an attempt, diagnostics, and what was handed to the consumer decide nothing.
//   - the kept offset is chosen anew whenever it is used, a superset of keeping it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "nandi/checker/lease_check.h"
#include "nandi/checker/packed_state.h"
#include "nandi/sim/world.h"

namespace nandi::checker {

/// World plus the state of the budgets, and the packed form of all of it.
template <class Rules, std::size_t W>
struct LeaseModelState {
  sim::World<Rules, sim::FixedStorage<W>> world;
  std::array<std::int8_t, W> drift{};  ///< deviation of the clock since the worker's last tick
  std::array<std::uint8_t, W> joins{};
  FaultBudgets used;
  bool was_settled = false;  ///< all members have held leases at once
  std::array<std::uint64_t, 2 * W + 1> packed{};
};

template <class Rules, std::size_t W>
class LeaseCodec {
 public:
  using State = LeaseModelState<Rules, W>;
  using Worker = sim::Worker<Rules>;

  explicit LeaseCodec(const LeaseCheck& check);

  [[nodiscard]] std::size_t words() const { return W * worker_words_ + 1; }
  /// The only initial state: an empty store, nobody there, an interval just begun.
  void start(State& state) const;
  void pack(State& state) const {
    for (sim::WorkerId id = 0; id < W; ++id) pack_worker(state, id);
    pack_rest(state);
  }
  void pack_worker(State& state, sim::WorkerId id) const;
  void pack_rest(State& state) const;
  void unpack(const std::uint64_t* words, State& state) const;

  [[nodiscard]] std::size_t worker_words() const { return worker_words_; }
  [[nodiscard]] std::int64_t horizon() const { return horizon_; }
  /// The number that worker `id` would count the open interval by.
  [[nodiscard]] IntervalNumber open_interval(const State& state, sim::WorkerId id) const {
    const CheckedMember& member = check_.members[id];
    const std::int64_t shown = member.interval_from_worker_clock
                                   ? state.world.worker(id).clock.at(state.world.now()).count()
                                   : state.world.store_clock().at(state.world.now()).count();
    return static_cast<IntervalNumber>(floor_div(shown, interval_of(id)));
  }

 private:
  /// Intervals behind the open one that still matter: none that the store's clock would have to
  /// step back to, once it can do so no more.
  [[nodiscard]] std::int64_t oldest(const State& state) const {
    return state.used.store_step < check_.faults.store_step ? back_ : back_ - step_slack_;
  }
  /// Interval number that decoded states count from; far enough from zero for every window.
  static constexpr IntervalNumber kBase = 1000;
  static constexpr std::int64_t kKeyLifetime = 3;  ///< intervals, as RedisModel's

  [[nodiscard]] std::int64_t interval_of(sim::WorkerId id) const {
    return check_.members[id].timing.interval.count();
  }
  void pack_engine(const State& state, sim::WorkerId id, BitWriter& out) const;
  void pack_reply(const State& state, sim::WorkerId id, BitWriter& out) const;
  void unpack_worker(BitReader& in, State& state, sim::WorkerId id) const;
  void unpack_engine(BitReader& in, const State& state, sim::WorkerId id, LeaseState& engine) const;

  static constexpr unsigned kCountBits = 4;

  LeaseCheck check_;
  std::int64_t back_ = 1;        ///< intervals behind the open one that matter
  std::int64_t step_slack_ = 0;  ///< of which because the store's clock may step back
  std::int64_t forward_ = 0;     ///< and ahead of it
  std::int64_t horizon_ = 0;     ///< ticks that any scheduled time lies ahead at most
  std::int64_t timeout_ = 0;
  bool late_grants_ = false;  ///< a reply from behind the window can still grant a lease
  unsigned time_bits_ = 0;
  unsigned deadline_bits_ = 0;
  unsigned window_bits_ = 0;
  unsigned phase_bits_ = 0;
  unsigned drift_bits_ = 0;
  unsigned join_bits_ = 0;
  unsigned ghost_bits_ = 0;
  std::size_t worker_words_ = 1;
};

}  // namespace nandi::checker

#include "nandi/checker/lease_codec_fields.h"
