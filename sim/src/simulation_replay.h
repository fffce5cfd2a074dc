// Replaying schedules; include simulation.h.
#pragma once

#include <queue>
#include <tuple>

#include "simulation.h"

namespace nandi::sim {

/// The action and what watches it, without what would follow by chance.
template <class Rules>
Applied Simulation<Rules>::apply_alone(const Action& action) {
  const Applied applied = world_.apply(configs_, action);
  ledger_.observe(std::span<const Config>(configs_), world_, action, applied);
  const Moment<WorldType> m = moment(action, applied);
  properties_.observe(m);
  statistics_.observe(m);
  add_to_hash(action, applied);
  if (options_.trace != nullptr) write_record(action, applied);
  ++result_.actions;
  return applied;
}

template <class Rules>
RunResult Simulation<Rules>::replay(std::span<const TimedAction> schedule) {
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const auto& [at, action] = schedule[i];
    if (at < world_.now()) {
      throw std::invalid_argument("action " + std::to_string(i + 1) + " goes back in time");
    }
    world_.advance_to(at);
    if (!world_.enabled(configs_, action)) {
      throw std::invalid_argument("action " + std::to_string(i + 1) + ", " +
                                  std::string(to_string(action.kind)) + " of " +
                                  worker_name(action.worker) + ", cannot happen there");
    }
    apply_alone(action);
  }
  world_.advance_to(std::max(end_, world_.now()));
  return finish();
}

/// Whether the line can happen now, its attempt put right; where only the timer is not due yet,
/// `later` is when it is.
template <class Rules>
bool Simulation<Rules>::can_happen(ScheduleLine& line, TrueTime& later) const {
  Action& action = line.action;
  if (!concerns_worker(action.kind)) return true;
  if (action.worker >= world_.workers().size()) return false;
  const auto& worker = world_.worker(action.worker);
  if (line.registers || action.kind == ActionKind::wake) {
    if (!worker.is_running()) return false;
    const TrueTime due = world_.wakeup(configs_, action.worker);
    if (due > world_.now()) later = due;
    return due <= world_.now();
  }
  switch (action.kind) {
    case ActionKind::execute:
    case ActionKind::deliver:
    case ActionKind::refuse:
      // Attempt 0 is one that was given up.
      if (action.attempt != 0) action.attempt = worker.wire_attempt;
      if (action.attempt == 0 && worker.ghosts == 0) return false;
      break;
    case ActionKind::lose:
      if (action.attempt != worker.wire_attempt) action.attempt = 0;
      break;
    default: break;
  }
  return world_.enabled(configs_, action);
}

template <class Rules>
RunResult Simulation<Rules>::replay_what_can(std::span<const ScheduleLine> lines,
                                             std::vector<ScheduleLine>& applied) {
  constexpr int kMostDelays = 4;
  struct Waiting {
    TrueTime at;
    std::size_t place = 0;
    int delays = 0;
    bool operator>(const Waiting& other) const {
      return std::tie(at, place) > std::tie(other.at, other.place);
    }
  };
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting;
  for (std::size_t i = 0; i < lines.size(); ++i) waiting.push({lines[i].at, i, 0});
  while (!waiting.empty()) {
    const Waiting next = waiting.top();
    waiting.pop();
    if (next.at > end_) break;
    world_.advance_to(std::max(next.at, world_.now()));
    ScheduleLine line = lines[next.place];
    line.at = world_.now();
    TrueTime later = TrueTime::max();
    if (!can_happen(line, later)) {
      if (later != TrueTime::max() && next.delays < kMostDelays) {
        waiting.push({later, next.place, next.delays + 1});
      }
      continue;
    }
    if (!line.registers) {
      apply_alone(line.action);
      applied.push_back(line);
      continue;
    }
    Action action;
    action.worker = line.action.worker;
    const bool is_sent = apply_alone(action).request_sent;
    if (!is_sent) {  // it only let go of something: the registration is still to come
      applied.push_back({line.at, action, false});
      if (next.delays < kMostDelays) waiting.push({line.at, next.place, next.delays + 1});
      continue;
    }
    action.attempt = world_.worker(action.worker).wire_attempt;
    bool is_first = true;
    do {  // once more where the store did not know the script
      for (const ActionKind kind : {ActionKind::execute, ActionKind::deliver}) {
        action.kind = kind;
        apply_alone(action);
        if (!is_first) applied.push_back({line.at, action, false});
      }
      if (is_first) applied.push_back({line.at, action, true});
      is_first = false;
    } while (world_.worker(action.worker).wire != Wire::none);
  }
  world_.advance_to(std::max(end_, world_.now()));
  return finish();
}

}  // namespace nandi::sim
