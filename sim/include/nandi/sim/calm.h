// Calm: since when nothing has disturbed a group, and the one change of membership before that.
//
// The protocol promises that a settled group stays settled only within bounds (protocol,
// "Statements of the seeds": "constant membership, spread and round trips within the bounds
// above"). This keeps those bounds, in O(1) an action: whatever lies outside of them, a change of
// membership and every fault is a disturbance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "nandi/engine/schedule.h"
#include "nandi/sim/action.h"
#include "nandi/sim/world.h"

namespace nandi::sim {

class Calm {
 public:
  static constexpr IntervalNumber kUnknown = std::numeric_limits<IntervalNumber>::min();

  enum class Change : std::uint8_t { none, join, departure };

  /// The last change of membership, as long as nothing else has disturbed the group since. A join
  /// is in the interval of the newcomer's first registration, a departure in that of the last
  /// registration of the one that left.
  struct LoneChange {
    Change kind = Change::none;
    IntervalNumber interval = kUnknown;
    bool was_calm = false;  ///< the group had settled before
  };

  Calm(std::size_t workers, std::size_t groups) : workers_(workers), groups_(groups) {}

  /// A disturbance reaches this far: a first registration within an interval of its join, indexes
  /// that settle two intervals later, two agreeing intervals after that, and the intervals that
  /// they are parts of.
  static constexpr std::int64_t kIntervalsToSettle = 8;

  template <class World>
  void observe(std::span<const typename World::Config> configs, const World& world,
               const Action& action, const Applied& applied) {
    const TrueTime now = world.now();
    if (!concerns_worker(action.kind)) {
      for (Group& group : groups_) disturb(group, now);
      return;
    }
    const auto& worker = world.worker(action.worker);
    const auto& config = configs[worker.config];
    if (limits_.size() < configs.size()) [[unlikely]]
      derive_limits(configs);
    const Limits& limits = limits_[worker.config];
    Group& group = groups_[config.group];
    Member& member = workers_[action.worker];
    switch (action.kind) {
      case ActionKind::join: join(config, group, member, now); return;
      case ActionKind::fork:
        workers_[static_cast<std::size_t>(action.value)] = member;
        if (member.present) ++group.present;
        disturb(group, now);
        return;
      case ActionKind::leave:
      case ActionKind::crash: depart(config, group, member, now); return;
      case ActionKind::execute: execute(limits, group, member, applied, world); return;
      case ActionKind::wake:
        if (applied.request_sent) member.sent = now;
        break;
      case ActionKind::deliver:
        if (applied.ticked) receive(limits, group, member, worker, *applied.tick, now);
        break;
      case ActionKind::take:
      case ActionKind::drained: return;
      case ActionKind::pause:
      case ActionKind::resume:
        stall(group, member, action.kind == ActionKind::pause);
        [[fallthrough]];
      default: disturb(group, now); return;
    }
    if (worker.engine.state().failures != 0) disturb(group, now);
  }

  /// When the group was last disturbed.
  [[nodiscard]] TrueTime disturbed_at(GroupId group) const { return groups_[group].disturbed; }
  /// Whether it has had the time to settle since.
  [[nodiscard]] bool is_calm(GroupId group, Duration interval, TrueTime now) const {
    if (groups_[group].stalled != 0) return false;
    return now - groups_[group].disturbed > interval * kIntervalsToSettle;
  }
  [[nodiscard]] LoneChange lone_change(GroupId group) const { return groups_[group].change; }
  /// Workers that run and were not asked to stop.
  [[nodiscard]] std::uint32_t present(GroupId group) const { return groups_[group].present; }
  /// Interval of the worker's first registration; kUnknown before.
  [[nodiscard]] IntervalNumber first_interval(WorkerId worker) const {
    return workers_[worker].first;
  }

 private:
  struct Member {
    TrueTime sent;
    StoreTime target = StoreTime::max();  ///< its next slot, on the store's clock
    Duration round_trip;                  ///< of its last registration
    IntervalNumber first = kUnknown;
    IntervalNumber interval = kUnknown;  ///< of its last registration
    std::uint32_t index = 0;
    std::uint32_t members = 0;  ///< among which that slot was spread
    bool present = false;
    bool stalled = false;
  };
  struct Group {
    TrueTime disturbed;
    LoneChange change;
    std::uint32_t present = 0;
    std::uint32_t stalled = 0;  ///< members that do not run: there is no telling for how long
  };

  /// What a configuration allows a calm group; derived once, for divisions are slow.
  struct Limits {
    Duration band;         ///< in which all slots lie
    Duration round_trips;  ///< two in a row, below this
  };

  static void stall(Group& group, Member& member, bool stalled) {
    stalled = stalled && member.present;
    if (stalled && !member.stalled) ++group.stalled;
    if (!stalled && member.stalled) --group.stalled;
    member.stalled = stalled;
  }

  static void disturb(Group& group, TrueTime now) {
    group.disturbed = now;
    group.change = LoneChange{};
  }

  /// Begins a change of membership. Several workers at one moment are one change.
  template <class Config>
  static void begin(const Config& config, Group& group, Change kind, IntervalNumber interval,
                    TrueTime now) {
    const bool goes_on = group.change.kind == kind && group.disturbed == now;
    if (goes_on && group.change.interval == interval) return;
    const bool was_calm = now - group.disturbed > config.lease.timing.interval * kIntervalsToSettle;
    disturb(group, now);
    if (!goes_on) group.change = {kind, interval, was_calm};
  }

  template <class Config>
  static void join(const Config& config, Group& group, Member& member, TrueTime now) {
    begin(config, group, Change::join, kUnknown, now);
    stall(group, member, false);
    member = Member{};
    member.present = true;
    ++group.present;
  }

  template <class Config>
  static void depart(const Config& config, Group& group, Member& member, TrueTime now) {
    if (!member.present) return;  // asked to stop before
    member.present = false;
    --group.present;
    stall(group, member, false);
    begin(config, group, Change::departure, member.interval, now);
  }

  static void register_first(Group& group, Member& member, IntervalNumber interval) {
    member.first = interval;
    LoneChange& change = group.change;
    if (change.kind != Change::join || change.interval == interval) return;
    if (change.interval == kUnknown) {
      change.interval = interval;
    } else {
      change = LoneChange{};  // newcomers of one moment that are counted in two intervals
    }
  }

  template <class Configs>
  void derive_limits(const Configs& configs) {
    limits_.clear();
    for (const auto& config : configs) {
      const LeaseTiming& timing = config.lease.timing;
      const Duration gap = gap_margin(timing);
      // Protocol: a lease outlives a renewal only if the last round trip, the wake-up lag and the
      // next round trip together stay under the gap; the drift bound and the resolution are paid
      // from it.
      const Duration paid =
          timing.resolution + Duration(2) + multiply_ceil(timing.interval * 4, timing.drift);
      limits_.push_back({timing.interval - gap * 2, gap - paid});
    }
  }

  /// Whether `late` >= floor(band / members), the least distance of two slots; without dividing.
  static bool is_past_next_slot(Duration band, Duration late, std::uint32_t members) {
    return (Int128{late.count()} + 1) * members > band.count();
  }

  template <class World>
  static void execute(const Limits& limits, Group& group, Member& member, const Applied& applied,
                      const World& world) {
    if (!applied.executed) return;
    const TrueTime now = world.now();
    const Tick& tick = *applied.tick;
    if (applied.ghost || !member.present) {
      disturb(group, now);
      return;
    }
    if (member.first == kUnknown) register_first(group, member, tick.interval);
    // An order that noise can change: this far behind its slot, another's may have passed.
    if (member.target != StoreTime::max() && member.members > 0) {
      const Duration late = world.store_clock().at(now) - member.target;
      if (late < Duration(0) || is_past_next_slot(limits.band, late, member.members)) {
        disturb(group, now);
      }
    }
    // Indexes move in the interval of a join, and in the one after a last registration.
    const IntervalNumber moves_until =
        group.change.interval + (group.change.kind == Change::departure ? 1 : 0);
    const bool had_settled_index = group.change.interval != kUnknown &&
                                   tick.interval > moves_until &&
                                   member.interval == tick.interval - 1;
    if (had_settled_index && member.index != tick.index) group.change = LoneChange{};
    member.interval = tick.interval;
    member.index = tick.index;
  }

  template <class WorkerType>
  static void receive(const Limits& limits, Group& group, Member& member, const WorkerType& worker,
                      const Tick& tick, TrueTime now) {
    const Duration round_trip = now - member.sent;
    if (member.round_trip + round_trip >= limits.round_trips) disturb(group, now);
    member.round_trip = round_trip;
    member.target = tick.at + (worker.engine.state().due - worker.clock.at(now));
    member.members = tick.previous_count ? members_for_slot(tick) : 0;
  }

  std::vector<Member> workers_;
  std::vector<Group> groups_;
  std::vector<Limits> limits_;  ///< by configuration, which do not change
};

}  // namespace nandi::sim
