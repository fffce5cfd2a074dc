#include "schedule_line.h"

namespace nandi::sim {
namespace {

Action part_of(const Action& registration, ActionKind kind) {
  Action action;
  action.kind = kind;
  action.worker = registration.worker;
  if (kind != ActionKind::wake) action.attempt = registration.attempt;
  return action;
}

/// Whether the three actions are one registration at one moment.
bool is_registration(std::span<const TimedAction> three) {
  const Action& last = three[2].action;
  return three[0].at == three[2].at && three[1].at == three[2].at &&
         three[0].action == part_of(last, ActionKind::wake) &&
         three[1].action == part_of(last, ActionKind::execute) &&
         last == part_of(last, ActionKind::deliver);
}

}  // namespace

std::vector<ScheduleLine> lines_of(std::span<const TimedAction> schedule) {
  constexpr std::size_t kParts = 3;
  std::vector<ScheduleLine> lines;
  for (std::size_t i = 0; i < schedule.size();) {
    if (i + kParts <= schedule.size() && is_registration(schedule.subspan(i, kParts))) {
      lines.push_back({schedule[i].at, schedule[i + 2].action, true});
      i += kParts;
    } else {
      lines.push_back({schedule[i].at, schedule[i].action, false});
      ++i;
    }
  }
  return lines;
}

std::vector<TimedAction> actions_of(std::span<const ScheduleLine> lines) {
  std::vector<TimedAction> schedule;
  for (const ScheduleLine& line : lines) {
    if (!line.registers) {
      schedule.push_back({line.at, line.action});
      continue;
    }
    for (const ActionKind kind : {ActionKind::wake, ActionKind::execute, ActionKind::deliver}) {
      schedule.push_back({line.at, part_of(line.action, kind)});
    }
  }
  return schedule;
}

}  // namespace nandi::sim
