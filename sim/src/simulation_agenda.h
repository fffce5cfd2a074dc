// What the timeline of a scenario does to a simulation; include simulation.h.
#pragma once

#include "simulation.h"

namespace nandi::sim {

template <class Rules>
void Simulation<Rules>::start() {
  const Scenario& scenario = plan_.scenario;
  // Where in an interval the run starts is as arbitrary as when somebody starts a fleet.
  const auto interval = static_cast<std::uint64_t>(scenario.group.interval.count());
  const auto phase =
      static_cast<std::int64_t>(bounded(draws_(Stream::start_phase, 0, 0), interval));
  Action clock;
  clock.kind = ActionKind::step_store_clock;
  clock.value = phase + scenario.clocks.store.offset.count();
  perform(clock);
  own_store_rate_ = parts_per_billion(scenario.clocks.store.drift);
  if (own_store_rate_ != 0) set_store_rate();
  for (const std::uint16_t member : plan_.initial) join({member, kNoWorker});
  for (std::size_t e = 0; e < scenario.timeline.size(); ++e) {
    put_on_agenda(TrueTime(scenario.timeline[e].at.count()), AgendaKind::begin, e);
  }
  if (scenario.settle) {
    put_on_agenda(TrueTime(scenario.settle->from.count()), AgendaKind::heal, 0);
  }
}

template <class Rules>
void Simulation<Rules>::on_agenda(const QueuedEvent& event) {
  const std::size_t number = event.data & ((1U << 30) - 1);
  switch (static_cast<AgendaKind>(event.data >> 30)) {
    case AgendaKind::begin: begin_fault(number); break;
    case AgendaKind::end: end_fault(number); break;
    case AgendaKind::join: join(pending_joins_[number]); break;
    case AgendaKind::heal:
      heal();
      statistics_.faults_over(world_.now());
      break;
  }
}

template <class Rules>
void Simulation<Rules>::begin_fault(std::size_t event) {
  if (options_.without == event) return;
  ++result_.faults[event].armed;
  const std::size_t lasting = active_.size();
  std::visit([&](const auto& e) { begin(e, event); }, plan_.scenario.timeline[event].event);
  if (active_.size() == lasting) fault_over(event);
}

template <class Rules>
void Simulation<Rules>::fault_over(std::size_t event) {
  const std::optional<std::uint16_t>& row = plan_.agenda[event].fault;
  if (row) statistics_.fault_over(*row, world_.now());
}

template <class Rules>
void Simulation<Rules>::end_fault(std::size_t active) {
  if (active_[active].ended) return;
  active_[active].ended = true;
  const ActiveFault fault = active_[active];  // what follows may add faults
  record_fault(RecordKind::fault_ends, fault.event, fault.workers);
  std::visit([&](const auto& e) { end(e, active); }, plan_.scenario.timeline[fault.event].event);
  statistics_.fault_ended(world_.now());
  fault_over(fault.event);
}

template <class Rules>
std::size_t Simulation<Rules>::activate(std::size_t event, std::vector<WorkerId> workers,
                                        std::optional<Duration> length) {
  record_fault(RecordKind::fault_begins, event, workers);
  active_.push_back({event, std::move(workers), false});
  const std::size_t active = active_.size() - 1;
  if (length) put_on_agenda(world_.now() + *length, AgendaKind::end, active);
  return active;
}

template <class Rules>
void Simulation<Rules>::record_fault(RecordKind kind, std::size_t event,
                                     const std::vector<WorkerId>& workers) {
  if (options_.trace == nullptr) return;
  TraceRecord record;
  record.kind = kind;
  record.step.at = world_.now();
  record.fault = event_name(plan_.scenario.timeline[event].event);
  record.fault_number = static_cast<std::uint32_t>(event);
  record.struck = workers;
  options_.trace->record(record);
}

template <class Rules>
void Simulation<Rules>::join(const PendingJoin& pending) {
  const WorkerId id = next_worker_++;
  const MemberPlan& member = plan_.members[pending.member];
  Place& place = places_[id];
  identify(place, pending.identity == kNoWorker ? id : pending.identity);
  place.member = pending.member;
  place.link = member.link;
  place.consumer = member.consumer;
  const LeaseTiming& timing = configs_[member.config].lease.timing;

  ClockError clock;
  if (member.clock) {
    clock = *member.clock;
  } else {
    const WorkerClockErrors& errors = plan_.scenario.clocks.workers;
    const auto offsets =
        static_cast<std::uint64_t>((errors.offset.to - errors.offset.from).count()) + 1;
    clock.offset =
        errors.offset.from + Duration(static_cast<std::int64_t>(bounded(
                                 draws_(Stream::clock_offset, place.identity, 0), offsets)));
    const std::int64_t least = parts_per_billion(errors.drift.from);
    const auto rates = static_cast<std::uint64_t>(parts_per_billion(errors.drift.to) - least) + 1;
    const std::int64_t rate = least + static_cast<std::int64_t>(bounded(
                                          draws_(Stream::clock_drift, place.identity, 0), rates));
    clock.drift = Fraction(rate, kPartsPerBillion);
  }
  set_clock(id, clock);

  Action action;
  action.kind = ActionKind::join;
  action.worker = id;
  action.config = member.config;
  if (member.first_spread > Duration(0)) {
    action.value =
        static_cast<std::int64_t>(bounded(draws_(Stream::first_offset, place.identity, 0),
                                          static_cast<std::uint64_t>(member.first_spread.count())));
  }
  if (member.kept_offset) {
    action.extra = multiply_ceil(timing.interval, *member.kept_offset).count();
  } else {
    const auto width = static_cast<std::uint64_t>((band_end(timing) - band_begin(timing)).count());
    action.extra = band_begin(timing).count() +
                   static_cast<std::int64_t>(
                       bounded(draws_(Stream::kept_offset, place.identity, 0), width + 1));
  }
  perform(action);
  // What strikes everybody strikes newcomers too.
  for (std::size_t a = 0; a < active_.size(); ++a) {
    if (active_[a].ended) continue;
    std::visit(
        [&](const auto& e) {
          if (includes_newcomers(e)) {
            active_[a].workers.push_back(id);
            afflict(e, a, id);
          }
        },
        plan_.scenario.timeline[active_[a].event].event);
  }
}

template <class Rules>
void Simulation<Rules>::set_clock(WorkerId worker, const ClockError& error) {
  if (error.offset != Duration(0)) {
    act(ActionKind::step_worker_clock, worker, error.offset.count());
  }
  const std::int64_t rate = parts_per_billion(error.drift);
  if (rate != 0) {
    own_rates_[worker] = rate;
    set_rate(worker);
  }
}

template <class Rules>
WorkerId Simulation<Rules>::identity_of(std::size_t event, std::uint32_t nth) const {
  const std::optional<std::uint32_t>& number = plan_.scenario.timeline[event].draws_as;
  constexpr int kMostStarted = 15;  // bits; apart from the numbers that workers have
  return number ? ((*number + 1) << kMostStarted) + nth : kNoWorker;
}

/// Living workers, in rising order.
template <class Rules>
template <class Accept>
std::vector<WorkerId> Simulation<Rules>::chosen(const WorkerChoice& choice, std::size_t event,
                                                Accept accept) const {
  std::vector<WorkerId> living;
  for (WorkerId w = 0; w < next_worker_; ++w) {
    const bool is_named = choice.kind != WorkerChoice::Kind::ids ||
                          std::binary_search(choice.ids.begin(), choice.ids.end(), w);
    if (is_named && world_.worker(w).is_present() && accept(w)) living.push_back(w);
  }
  if (choice.kind != WorkerChoice::Kind::count) return living;
  const std::uint32_t draws_as =
      plan_.scenario.timeline[event].draws_as.value_or(static_cast<std::uint32_t>(event));
  const std::size_t wanted = std::min<std::size_t>(choice.count, living.size());
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::size_t pick = i + bounded(draws_(Stream::choice, draws_as, i), living.size() - i);
    std::swap(living[i], living[pick]);
  }
  living.resize(wanted);
  std::sort(living.begin(), living.end());
  return living;
}

}  // namespace nandi::sim
