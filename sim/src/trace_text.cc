#include "nandi/sim/trace_text.h"

#include <fmt/format.h>

#include "nandi/sim/property.h"
#include "nandi/sim/quantity_text.h"

namespace nandi::sim {
namespace {

std::string until_text(const TraceRecord& record) {
  return record.lease_ends == TrueTime::max() ? "for ever"
                                              : "until " + time_text(record.lease_ends);
}

std::string lease_clause(const TraceRecord& record) {
  switch (record.lease_change) {
    case LeaseChange::granted:
      return fmt::format(" and takes up {} {}", pair_text(record.lease), until_text(record));
    case LeaseChange::renewed:
      return fmt::format(" and keeps {} {}", pair_text(record.lease), until_text(record));
    case LeaseChange::lost:
      return fmt::format(" and lets go of {} ({})", pair_text(record.lease),
                         to_string(record.cause));
    case LeaseChange::revived:
      return fmt::format(" and so holds {} again", pair_text(record.lease));
    case LeaseChange::none: break;
  }
  return "";
}

std::string tick_clause(const Tick& tick) {
  const auto before = tick.interval - 1;
  return fmt::format("interval {}: index {}; {}", tick.interval, tick.index,
                     tick.previous_count
                         ? fmt::format("interval {} had {}", before, *tick.previous_count)
                         : fmt::format("interval {} had none", before));
}

std::string of_worker(const TraceRecord& record) {
  const Action& action = record.step.action;
  switch (action.kind) {
    case ActionKind::execute:
      if (!record.tick) return "";
      return (record.ghost ? "is counted once more by a request given up, in " : "registers in ") +
             tick_clause(*record.tick);
    case ActionKind::deliver:
      return record.lease_change == LeaseChange::none ? ""
                                                      : "reads the reply" + lease_clause(record);
    case ActionKind::wake:
      return record.lease_change == LeaseChange::lost ? "wakes" + lease_clause(record) : "";
    case ActionKind::take:
      if (record.handed == HandedOver::pair) {
        return "has its consumer begin on " + pair_text(record.handed_pair);
      }
      return record.drain_begun ? "has its consumer stop" : "";
    case ActionKind::drained: return "has its consumer stopped";
    case ActionKind::join: return "starts";
    case ActionKind::leave: return "is asked to stop" + lease_clause(record);
    case ActionKind::crash: return "crashes" + lease_clause(record);
    case ActionKind::pause: return "stalls";
    case ActionKind::fork:
      return fmt::format("is duplicated into {}", worker_name(static_cast<WorkerId>(action.value)));
    case ActionKind::resume: return "goes on";
    case ActionKind::lose: return "loses a message";
    case ActionKind::refuse: return fmt::format("is refused ({})", to_string(action.error));
    case ActionKind::step_worker_clock:
      return fmt::format("has its clock set by {}{}", duration_text(Duration(action.value)),
                         lease_clause(record));
    case ActionKind::set_worker_clock_rate:
      return fmt::format("has its clock run {} ppb fast", action.value);
    default: return "";
  }
}

std::string of_store(const Action& action) {
  switch (action.kind) {
    case ActionKind::step_store_clock:
      return fmt::format("the store's clock is set by {}", duration_text(Duration(action.value)));
    case ActionKind::set_store_clock_rate:
      return fmt::format("the store's clock runs {} ppb fast", action.value);
    case ActionKind::script_flush: return "the store forgets its scripts";
    case ActionKind::flush_all: return "the store forgets everything";
    case ActionKind::erase_counter:
      if (action.extra > 0) {
        return fmt::format("{} interval's counter falls back to {}",
                           action.value == 0 ? "the open" : "a closed", action.extra);
      }
      return action.value == 0 ? "the open interval's counter is deleted"
                               : "a closed interval's counter is deleted";
    default: return "";
  }
}

}  // namespace

std::string sentence(const TraceRecord& record) {
  if (record.kind != RecordKind::action) {
    return fmt::format("{} {}", record.fault,
                       record.kind == RecordKind::fault_begins ? "begins" : "ends");
  }
  const Action& action = record.step.action;
  if (!concerns_worker(action.kind)) return of_store(action);
  const std::string text = of_worker(record);
  return text.empty() ? "" : worker_name(action.worker) + " " + text;
}

}  // namespace nandi::sim
