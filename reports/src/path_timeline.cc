#include "path_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace nandi::reports {
namespace {

using checker::PathStep;
using checker::PathWorker;

constexpr std::size_t kMostOthers = 30;

std::string name_of(sim::WorkerId worker) {
  return std::string(1, static_cast<char>('A' + worker));
}

WorkerView view_of(const PathWorker& w) {
  WorkerView view;
  view.process = !w.is_present ? 'a' : w.is_stalled ? 's' : 'r';
  view.lease = w.held;
  if (w.held) view.lease_ends = w.ends;
  view.interval = w.interval;
  view.index = w.index;
  view.ghosts = w.abandoned;
  switch (w.wire) {
    case sim::Wire::none: break;
    case sim::Wire::requested:
    case sim::Wire::source_requested: view.wire = 'q'; break;
    case sim::Wire::replied:
    case sim::Wire::no_script: view.wire = 'p'; break;
    case sim::Wire::refused: view.wire = 'e'; break;
  }
  return view;
}

/// The worker from step to step, states of the same kind in one part.
Lane lane_of(const std::vector<PathStep>& steps, sim::WorkerId worker, std::int64_t end) {
  Lane lane{worker, name_of(worker), {}};
  bool is_present = false;
  for (const PathStep& step : steps) {
    const PathWorker& w = step.workers[worker];
    if (!lane.parts.empty() && is_present) lane.parts.back().to = step.at;
    const LaneState state = w.held         ? LaneState::holds
                            : w.is_stalled ? LaneState::stalled
                                           : LaneState::idle;
    const bool goes_on = is_present && w.is_present && lane.parts.back().state == state &&
                         (!w.held || lane.parts.back().pair == *w.held);
    const bool was_holding = is_present && lane.parts.back().state == LaneState::holds;
    is_present = w.is_present;
    if (!w.is_present || goes_on) continue;
    LanePart part{step.at, step.at, state, w.held.value_or(Pair{}), ""};
    // What took the lease away is the step itself; time alone ends it too.
    if (was_holding && !w.held) part.cause = step.worker == worker ? step.text : "its lease ended";
    lane.parts.push_back(part);
  }
  if (is_present) lane.parts.back().to = end;
  return lane;
}

std::vector<Message> messages_of(const std::vector<PathStep>& steps) {
  std::vector<Message> messages;
  std::map<sim::WorkerId, Message> open;
  AttemptId number = 0;
  const auto close = [&](sim::WorkerId worker) {
    const auto found = open.find(worker);
    if (found == open.end()) return;
    messages.push_back(found->second);
    open.erase(found);
  };
  for (const PathStep& step : steps) {
    if (!step.worker) continue;
    const sim::WorkerId worker = *step.worker;
    const bool is_sent =
        step.kind == sim::ActionKind::wake && step.workers[worker].wire == sim::Wire::requested;
    if (is_sent) {
      close(worker);
      open[worker] = Message{};
      open[worker].worker = worker;
      open[worker].attempt = ++number;
      open[worker].sent = step.at;
    }
    const auto found = open.find(worker);
    if (found == open.end()) continue;
    if (step.reply) {
      found->second.executed = step.at;
      found->second.interval = step.reply->interval;
      found->second.index = step.reply->index;
      found->second.previous = step.reply->previous_count;
    } else if (step.kind == sim::ActionKind::deliver) {
      found->second.delivered = step.at;
      close(worker);
    } else if (step.kind == sim::ActionKind::lose) {
      found->second.lost = step.at;
      close(worker);
    }
  }
  for (const auto& [worker, message] : open) messages.push_back(message);
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.sent < b.sent; });
  return messages;
}

std::vector<TimelineEvent> events_of(const std::vector<PathStep>& steps) {
  std::vector<TimelineEvent> events;
  const PathStep* before = nullptr;
  for (const PathStep& step : steps) {
    TimelineEvent event;
    event.at = step.at;
    event.worker = step.worker;
    event.text = step.text;
    event.is_told = step.worker.has_value();
    if (step.worker) {
      event.after = view_of(step.workers[*step.worker]);
      const auto held = [&](const PathStep* s) {
        return s == nullptr ? std::nullopt : s->workers[*step.worker].held;
      };
      event.is_change = held(before) != held(&step);
    }
    for (const checker::PathCounter& counter : step.counters) {
      event.counters.push_back({counter.interval, counter.value});
    }
    event.possible = step.others;
    if (event.possible.size() > kMostOthers) {
      const std::size_t more = event.possible.size() - kMostOthers;
      event.possible.resize(kMostOthers);
      event.possible.push_back(fmt::format("and {} more", more));
    }
    events.push_back(std::move(event));
    before = &step;
  }
  return events;
}

/// The tasks of all with an owner, as a sum of the holders' shares.
std::vector<ShareStep> shares_of(const std::vector<PathStep>& steps) {
  std::vector<ShareStep> shares;
  for (const PathStep& step : steps) {
    double share = 0;
    for (const PathWorker& w : step.workers) {
      if (w.held && w.held->count > 0) share += 1.0 / w.held->count;
    }
    if (!shares.empty() && shares.back().at == step.at) shares.pop_back();
    if (shares.empty() || shares.back().share != share) shares.push_back({step.at, share});
  }
  return shares;
}

/// Those whose leases share a task at the end: the two owners.
std::vector<sim::WorkerId> owners_of(const PathStep& last) {
  for (sim::WorkerId a = 0; a < last.workers.size(); ++a) {
    for (sim::WorkerId b = 0; b < a; ++b) {
      const std::optional<Pair>& p = last.workers[a].held;
      const std::optional<Pair>& q = last.workers[b].held;
      if (!p || !q || p->count == 0 || q->count == 0) continue;
      const std::uint32_t divisor = std::gcd(p->count, q->count);
      if (p->index == q->index || p->count != q->count ||
          p->index % divisor == q->index % divisor) {
        return last.worker == b ? std::vector{b, a} : std::vector{a, b};
      }
    }
  }
  std::vector<sim::WorkerId> all;
  if (last.worker) all.push_back(*last.worker);
  for (sim::WorkerId w = 0; w < last.workers.size(); ++w) {
    if (last.worker != w) all.push_back(w);
  }
  return all;
}

std::string focus_text(const PathStep& last, const std::vector<sim::WorkerId>& owners,
                       const std::string& property) {
  std::string text = property + ":";
  for (std::size_t o = 0; o < owners.size() && o < 2; ++o) {
    const std::optional<Pair>& held = last.workers[owners[o]].held;
    text += fmt::format("{} {} {}", o == 0 ? "" : " and", name_of(owners[o]),
                        held ? fmt::format("holds {} of {}", held->index, held->count)
                             : std::string("owns nothing"));
  }
  return text;
}

}  // namespace

Timeline path_timeline(const checker::LeaseCheck& check, const checker::LeaseCheckResult& result) {
  const std::vector<PathStep>& steps = result.path_steps;
  Timeline timeline;
  timeline.label = "the counterexample";
  timeline.unit = TimeUnit::ticks;
  timeline.interval = check.members.front().timing.interval.count();
  // What is held in the last tick is held to its end.
  timeline.end = steps.back().at + 1;
  for (std::int64_t at = 0; at <= timeline.end; at += timeline.interval) {
    timeline.columns.emplace_back(at, at / timeline.interval);
  }
  for (sim::WorkerId worker = 0; worker < check.members.size(); ++worker) {
    timeline.lanes.push_back(lane_of(steps, worker, timeline.end));
    timeline.before.emplace_back(worker, WorkerView{});
  }
  timeline.messages = messages_of(steps);
  timeline.events = events_of(steps);
  timeline.shares = shares_of(steps);
  timeline.all_workers = timeline.lanes.size();
  timeline.all_events = timeline.events.size();
  timeline.all_messages = timeline.messages.size();
  const std::vector<sim::WorkerId> owners = owners_of(steps.back());
  timeline.focus = Focus{steps.back().at, owners,
                         focus_text(steps.back(), owners, result.summary.violated), true};
  return timeline;
}

}  // namespace nandi::reports
