#include "nandi/reports/timeline_collector.h"

#include <algorithm>
#include <iterator>

#include "lane_thinning.h"
#include "nandi/sim/property.h"
#include "nandi/sim/trace_text.h"

namespace nandi::reports {
namespace {

using sim::ActionKind;
using sim::TraceRecord;
using sim::TrueTime;

constexpr std::size_t kCounters = 4;

/// The message that an action concerns; an abandoned one may go without its number.
Message* find_message(std::vector<Message>& open, AttemptId attempt) {
  for (Message& message : open) {
    if (message.attempt == attempt || (attempt == 0 && !message.executed)) return &message;
  }
  return nullptr;
}

std::optional<std::int64_t> end_of(const TraceRecord& record) {
  if (record.lease_ends == TrueTime::max()) return std::nullopt;
  return record.lease_ends.count();
}

/// Faults that strike once and have no end in a trace; the others last until one, or until the run
/// ends.
bool is_momentary(std::string_view fault) {
  constexpr std::string_view kMomentary[] = {
      "clock_step",  "crash",  "del",     "evict",        "flushall",       "fork",
      "half_open",   "heal",   "join",    "leave",        "late_execution", "lose",
      "reconfigure", "refuse", "restart", "script_flush", "slot_migration"};
  return std::find(std::begin(kMomentary), std::end(kMomentary), fault) != std::end(kMomentary);
}

}  // namespace

TimelineCollector::TimelineCollector(Duration interval, std::optional<Focus> focus,
                                     TimelineLimits limits)
    : limits_(limits) {
  timeline_.interval = interval.count();
  timeline_.focus = std::move(focus);
}

TimelineCollector::Notes& TimelineCollector::notes(sim::WorkerId worker) {
  Notes& n = workers_[worker];
  if (n.lane.name.empty()) {
    n.lane.worker = worker;
    n.lane.name = sim::worker_name(worker);
  }
  return n;
}

void TimelineCollector::record(const TraceRecord& record) {
  const std::int64_t at = record.step.at.count();
  if (record.kind != sim::RecordKind::action) {
    on_fault(record);
  } else if (concerns_worker(record.step.action.kind)) {
    on_worker(record);
  } else {
    on_store(record.step.action, at);
  }
  TimelineEvent event;
  event.at = at;
  event.text = event_text(record);
  event.is_told = !sim::sentence(record).empty();
  event.is_change = record.lease_change == sim::LeaseChange::granted ||
                    record.lease_change == sim::LeaseChange::lost ||
                    record.lease_change == sim::LeaseChange::revived;
  if (record.kind == sim::RecordKind::action && concerns_worker(record.step.action.kind)) {
    event.worker = record.step.action.worker;
    event.after = workers_[*event.worker].view;
  }
  event.counters = counters_;
  keep(std::move(event));
}

void TimelineCollector::on_fault(const TraceRecord& record) {
  const std::int64_t at = record.step.at.count();
  if (record.kind == sim::RecordKind::fault_begins) {
    timeline_.bands.push_back({std::string(record.fault), at, at, record.struck});
    if (is_momentary(record.fault)) return;
    open_bands_.emplace(record.fault_number, timeline_.bands.size() - 1);
    return;
  }
  const auto found = open_bands_.find(record.fault_number);
  if (found == open_bands_.end()) return;
  timeline_.bands[found->second].to = at;
  open_bands_.erase(found);
}

void TimelineCollector::on_store(const sim::Action& action, std::int64_t at) {
  switch (action.kind) {
    case ActionKind::step_store_clock:
      cross_columns(TrueTime(at));
      store_clock_.step(TrueTime(at), Duration(action.value));
      begin_column(at);
      break;
    case ActionKind::set_store_clock_rate:
      cross_columns(TrueTime(at));
      store_clock_.set_rate(TrueTime(at), action.value);
      break;
    case ActionKind::flush_all: counters_.clear(); break;
    case ActionKind::erase_counter:
      std::erase_if(counters_, [&](const CounterView& counter) {
        return counter.interval == open_interval(at) - action.value;
      });
      break;
    default: break;
  }
}

void TimelineCollector::on_worker(const TraceRecord& record) {
  Notes& n = notes(record.step.action.worker);
  if (record.step.action.kind == ActionKind::execute && record.tick) count(*record.tick);
  follow_lane(n, record);
  follow_message(n, record);
  follow_view(n, record);
  if (record.step.action.kind == ActionKind::fork) {
    Notes& copy = notes(static_cast<sim::WorkerId>(record.step.action.value));
    copy.view = n.view;
    copy.view.wire = '-';
    const std::int64_t at = record.step.at.count();
    const bool holds = n.is_open && n.part.state == LaneState::holds;
    turn(copy, at, holds ? LaneState::holds : LaneState::idle, holds ? n.part.pair : Pair{}, "");
  }
}

/// The counter of the tick's interval, and of the one before, are known now.
void TimelineCollector::count(const Tick& tick) {
  const auto set = [&](std::int64_t interval, std::optional<std::uint32_t> value) {
    const auto found = std::find_if(counters_.begin(), counters_.end(),
                                    [&](const auto& c) { return c.interval == interval; });
    if (!value) {
      if (found != counters_.end()) counters_.erase(found);
    } else if (found != counters_.end()) {
      found->value = *value;
    } else {
      counters_.push_back({interval, *value});
    }
  };
  set(tick.interval - 1, tick.previous_count);
  set(tick.interval, tick.index + 1);
  std::sort(counters_.begin(), counters_.end(),
            [](const auto& a, const auto& b) { return a.interval < b.interval; });
  if (counters_.size() > kCounters) counters_.erase(counters_.begin());
}

void TimelineCollector::follow_message(Notes& n, const TraceRecord& record) {
  const sim::Action& action = record.step.action;
  const std::int64_t at = record.step.at.count();
  const auto done = [&](Message* message) {
    keep(*message);
    n.open.erase(n.open.begin() + (message - n.open.data()));
  };
  if (action.kind == ActionKind::wake && record.attempt != 0) {
    Message message;
    message.worker = action.worker;
    message.attempt = record.attempt;
    message.sent = at;
    n.open.push_back(message);
    return;
  }
  if (action.kind != ActionKind::execute && action.kind != ActionKind::deliver &&
      action.kind != ActionKind::refuse && action.kind != ActionKind::lose) {
    return;
  }
  Message* message = find_message(n.open, action.attempt);
  if (message == nullptr) return;
  if (action.kind == ActionKind::execute && record.tick) {
    message->executed = at;
    message->interval = record.tick->interval;
    message->index = record.tick->index;
    message->previous = record.tick->previous_count;
    message->ghost = record.ghost;
    if (record.ghost) done(message);
  } else if (action.kind == ActionKind::deliver && record.attempt == 0) {
    message->delivered = at;
    done(message);
  } else if (action.kind == ActionKind::refuse) {
    message->refused = true;
  } else if (action.kind == ActionKind::lose) {
    message->lost = at;
    done(message);
  }
}

void TimelineCollector::follow_view(Notes& n, const TraceRecord& record) {
  const sim::Action& action = record.step.action;
  WorkerView& view = n.view;
  const auto abandon = [&] {
    if (view.wire == 'q') ++view.ghosts;
    view.wire = '-';
  };
  switch (action.kind) {
    case ActionKind::join:
      view = WorkerView{};
      view.process = 'r';
      break;
    case ActionKind::leave:
      abandon();
      view.process = 'l';
      break;
    case ActionKind::pause: view.process = 's'; break;
    case ActionKind::resume: view.process = 'r'; break;
    case ActionKind::wake:
      if (record.attempt != 0) {
        abandon();
        view.wire = 'q';
      }
      break;
    case ActionKind::execute:
      if (record.ghost) {
        view.ghosts -= view.ghosts > 0 ? 1 : 0;
      } else {
        view.wire = 'p';
      }
      break;
    case ActionKind::refuse: view.wire = 'e'; break;
    case ActionKind::lose: view.wire = '-'; break;
    case ActionKind::deliver:
      view.wire = record.attempt != 0 ? 'q' : '-';
      if (record.tick) {
        view.interval = record.tick->interval;
        view.index = record.tick->index;
      }
      break;
    case ActionKind::drained: view.acts.reset(); break;
    default: break;
  }
  if (record.handed == sim::HandedOver::pair) view.acts = record.handed_pair;
  if (record.handed == sim::HandedOver::idle && !record.drain_begun) view.acts.reset();
  if (record.lease_change == sim::LeaseChange::lost) {
    view.lease.reset();
    view.lease_ends.reset();
  } else if (record.lease_change != sim::LeaseChange::none && action.kind != ActionKind::fork) {
    view.lease = record.lease;
    view.lease_ends = end_of(record);
  }
  if (record.departed) {
    abandon();
    view = WorkerView{'a', {}, {}, {}, {}, 0, '-', view.ghosts};
  }
}

void TimelineCollector::follow_lane(Notes& n, const TraceRecord& record) {
  const ActionKind kind = record.step.action.kind;
  const std::int64_t at = record.step.at.count();
  const LaneState without = n.view.process == 's' ? LaneState::stalled : LaneState::idle;
  const bool held = n.is_open && n.part.state == LaneState::holds;
  // A lease can run out while nothing happens to its worker.
  const bool ran_out = held && n.view.lease_ends && *n.view.lease_ends < at;
  if (ran_out) turn(n, *n.view.lease_ends, without, {}, "its lease ran out");
  switch (record.lease_change) {
    case sim::LeaseChange::granted:
    case sim::LeaseChange::revived:
      if (kind != ActionKind::fork) turn(n, at, LaneState::holds, record.lease, "");
      return;
    case sim::LeaseChange::lost: {
      std::string cause = cause_text(record.cause);
      if (cause.empty()) cause = kind == ActionKind::crash ? "it crashed" : "its clock was set";
      if (ran_out || !held) {
        n.part.cause = cause;
      } else {
        turn(n, std::min(at, record.lease_ends.count()), without, {}, cause);
      }
      break;
    }
    default: break;
  }
  const bool holds = n.is_open && n.part.state == LaneState::holds;
  if (kind == ActionKind::join) turn(n, at, LaneState::idle, {}, "");
  if (kind == ActionKind::pause && !holds) turn(n, at, LaneState::stalled, {}, n.part.cause);
  if (kind == ActionKind::resume && !holds) turn(n, at, LaneState::idle, {}, n.part.cause);
  if (record.departed) close(n, at);
}

void TimelineCollector::close(Notes& n, std::int64_t at) {
  if (!n.is_open) return;
  n.is_open = false;
  n.part.to = at;
  if (n.part.state == LaneState::holds) {
    add_share(n.part.from, n.part.pair, 1);
    add_share(at, n.part.pair, -1);
  }
  // What lasted no time but says why stays as a moment.
  if (n.part.to > n.part.from || !n.part.cause.empty()) n.lane.parts.push_back(n.part);
}

void TimelineCollector::turn(Notes& n, std::int64_t at, LaneState state, Pair pair,
                             const std::string& cause) {
  close(n, at);
  n.part = LanePart{at, at, state, pair, cause};
  n.is_open = true;
}

void TimelineCollector::add_share(std::int64_t at, Pair pair, int sign) {
  if (pair.count > 0) share_changes_[at] += sign / static_cast<double>(pair.count);
}

std::int64_t TimelineCollector::open_interval(std::int64_t at) const {
  return static_cast<std::int64_t>(
      floor_div(store_clock_.at(TrueTime(at)).count(), timeline_.interval));
}

/// A clock that was set shows an interval that did not begin at this moment.
void TimelineCollector::begin_column(std::int64_t at) {
  const std::int64_t number = open_interval(at);
  if (timeline_.columns.empty() || timeline_.columns.back().second != number) {
    timeline_.columns.emplace_back(at, number);
  }
}

void TimelineCollector::cross_columns(TrueTime until) {
  constexpr std::size_t kMost = 20'000;
  if (timeline_.columns.empty()) begin_column(store_clock_.since.count());
  while (timeline_.columns.size() < kMost) {
    const std::int64_t next = timeline_.columns.back().second + 1;
    const TrueTime begins = store_clock_.when(StoreTime(next * timeline_.interval));
    if (begins > until || begins == TrueTime::max()) return;
    timeline_.columns.emplace_back(begins.count(), next);
  }
}

void TimelineCollector::keep(TimelineEvent event) {
  ++timeline_.all_events;
  const bool is_after = !timeline_.focus || event.at > timeline_.focus->at;
  const std::size_t room = timeline_.focus ? limits_.events / 2 : limits_.events;
  if (is_after) {
    if (events_after_ == room) return;
    ++events_after_;
    events_.push_back(std::move(event));
    return;
  }
  events_.push_back(std::move(event));
  if (events_.size() <= room) return;
  const TimelineEvent& gone = events_.front();
  if (gone.worker) workers_[*gone.worker].before = gone.after;
  timeline_.counters_before = gone.counters;
  events_.pop_front();
}

void TimelineCollector::keep(const Message& message) {
  ++timeline_.all_messages;
  const std::int64_t at = message.sent.value_or(message.executed.value_or(0));
  const bool is_after = !timeline_.focus || at > timeline_.focus->at;
  const std::size_t room = timeline_.focus ? limits_.messages / 2 : limits_.messages;
  if (is_after && messages_after_ == room) return;
  if (is_after) ++messages_after_;
  messages_.push_back(message);
  if (!is_after && messages_.size() > room) messages_.pop_front();
}

Timeline TimelineCollector::finish(TrueTime end) {
  timeline_.end = end.count();
  cross_columns(end);
  for (Band& band : timeline_.bands) {
    for (const auto& [number, open] : open_bands_) {
      if (&band == &timeline_.bands[open]) band.to = timeline_.end;
    }
  }
  for (auto& [worker, n] : workers_) {
    const bool ran_out = n.is_open && n.part.state == LaneState::holds && n.view.lease_ends &&
                         *n.view.lease_ends < timeline_.end;
    if (ran_out) {
      turn(n, *n.view.lease_ends, n.view.process == 's' ? LaneState::stalled : LaneState::idle, {},
           "its lease ran out");
    }
    close(n, timeline_.end);
    for (const Message& message : n.open) keep(message);
  }
  choose_lanes();
  timeline_.shares = thinned_shares(share_changes_, timeline_.end);
  timeline_.events.assign(std::make_move_iterator(events_.begin()),
                          std::make_move_iterator(events_.end()));
  timeline_.messages.assign(messages_.begin(), messages_.end());
  std::stable_sort(timeline_.messages.begin(), timeline_.messages.end(),
                   [](const Message& a, const Message& b) { return a.sent < b.sent; });
  return std::move(timeline_);
}

/// The focus's workers first, then the others in their order, as many as there is room for.
void TimelineCollector::choose_lanes() {
  std::vector<sim::WorkerId> chosen;
  const auto choose = [&](sim::WorkerId worker) {
    const auto found = workers_.find(worker);
    if (found == workers_.end() || chosen.size() == limits_.lanes) return;
    if (found->second.lane.parts.empty()) return;
    if (std::find(chosen.begin(), chosen.end(), worker) == chosen.end()) chosen.push_back(worker);
  };
  if (timeline_.focus) {
    for (const sim::WorkerId worker : timeline_.focus->workers) choose(worker);
  }
  for (const auto& [worker, n] : workers_) choose(worker);
  std::sort(chosen.begin(), chosen.end());
  const std::size_t each =
      std::min(limits_.parts_a_lane, limits_.parts / std::max<std::size_t>(chosen.size(), 1));
  for (const auto& [worker, n] : workers_) {
    if (!n.lane.parts.empty()) ++timeline_.all_workers;
  }
  for (const sim::WorkerId worker : chosen) {
    Notes& n = workers_[worker];
    timeline_.is_merged = thin(n.lane, timeline_.end, each) || timeline_.is_merged;
    timeline_.lanes.push_back(std::move(n.lane));
    timeline_.before.emplace_back(worker, n.before);
  }
}

}  // namespace nandi::reports
