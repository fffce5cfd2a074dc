// What a trace keeps of one moment of a run: its record, and its part of the hash.
#pragma once

#include "nandi/sim/property.h"
#include "nandi/sim/trace.h"

namespace nandi::sim {

/// After every action of a run.
template <class World>
[[gnu::always_inline]] inline void add_moment(TraceHash& hash, const Moment<World>& m) {
  hash.add(static_cast<std::uint64_t>(m.now.count()));
  hash.add(static_cast<std::uint64_t>(m.action.kind) | std::uint64_t{m.action.worker} << 8 |
           std::uint64_t{m.action.attempt} << 40);
  if (m.applied.tick) {
    hash.add(static_cast<std::uint64_t>(m.applied.tick->interval) << 32 ^ m.applied.tick->index ^
             std::uint64_t{m.applied.tick->previous_count.value_or(0)} << 48);
  }
  if (m.ledger.change() != LeaseChange::none) {
    hash.add(static_cast<std::uint64_t>(m.ledger.change()) << 60 ^ m.applied.lease_after.index ^
             std::uint64_t{m.applied.lease_after.count} << 30);
  }
  if (m.action.value != 0 || m.action.extra != 0) {
    hash.add(static_cast<std::uint64_t>(m.action.value));
    hash.add(static_cast<std::uint64_t>(m.action.extra));
  }
}

template <class World>
[[nodiscard, gnu::cold, gnu::noinline]] TraceRecord record_of(const Moment<World>& m) {
  const Action& action = m.action;
  const Applied& applied = m.applied;
  TraceRecord record;
  record.step = TimedAction{m.now, action};
  record.tick = applied.tick;
  record.lease_change = m.ledger.change();
  record.ghost = applied.ghost;
  record.drain_begun = applied.drain_begun;
  record.departed = applied.departed;
  if (action.kind == ActionKind::fork && record.lease_change != LeaseChange::none) {
    const auto copy = static_cast<WorkerId>(action.value);  // which holds what the original does
    record.lease = m.world.worker(copy).engine.state().lease;
    record.lease_ends = m.ledger.leases().entry(copy).ends;
  } else if (concerns_worker(action.kind)) {
    const auto& worker = m.world.worker(action.worker);
    const bool is_lost = record.lease_change == LeaseChange::lost;
    record.lease = is_lost ? applied.lease_before : applied.lease_after;
    if (is_lost) {
      record.lease_ends = m.ledger.ended_at();
      record.cause = worker.engine.state().last_loss;
    } else if (record.lease_change != LeaseChange::none) {
      record.lease_ends = m.ledger.leases().entry(action.worker).ends;
    }
    record.handed = applied.work_begun    ? HandedOver::pair
                    : applied.handed_idle ? HandedOver::idle
                                          : HandedOver::nothing;
    if (applied.work_begun) record.handed_pair = worker.work_pair;
    if (applied.request_sent) record.attempt = worker.wire_attempt;
    if (action.kind == ActionKind::refuse) record.error = action.error;
  }
  return record;
}

}  // namespace nandi::sim
