#include <fmt/format.h>

#include "nandi/reports/timeline_collector.h"
#include "nandi/sim/property.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/trace_text.h"

namespace nandi::reports {
namespace {

std::string plain_text(const sim::TraceRecord& record) {
  const sim::Action& action = record.step.action;
  switch (action.kind) {
    case sim::ActionKind::wake:
      return record.attempt == 0 ? "wakes" : fmt::format("sends registration {}", record.attempt);
    case sim::ActionKind::execute:
      return record.ghost ? "has a request executed that it gave up; the script is not cached"
                          : "has its request answered: the script is not cached";
    case sim::ActionKind::deliver:
      if (record.attempt != 0) return "sends the script's source";
      if (!record.tick) return "reads a refusal";
      return "reads the reply and owns nothing yet";
    case sim::ActionKind::take:
      return record.handed == sim::HandedOver::nothing ? "has nothing to hand over"
                                                       : "tells its consumer to stop";
    case sim::ActionKind::fork:
      return fmt::format("has its memory duplicated into {}",
                         sim::worker_name(static_cast<sim::WorkerId>(action.value)));
    default: return std::string(to_string(action.kind));
  }
}

}  // namespace

std::string event_text(const sim::TraceRecord& record) {
  std::string text = sim::sentence(record);
  if (!text.empty() || record.kind != sim::RecordKind::action) return text;
  const sim::Action& action = record.step.action;
  if (!sim::concerns_worker(action.kind)) {
    return fmt::format("the store: {}", to_string(action.kind));
  }
  return sim::worker_name(action.worker) + " " + plain_text(record);
}

std::string cause_text(LossCause cause) {
  switch (cause) {
    case LossCause::none: break;
    case LossCause::late: return "no registration was completed in time";
    case LossCause::disagreed: return "its index changed";
    case LossCause::count_changed: return "the number of members changed";
    case LossCause::no_previous: return "the counter of the interval before is gone";
    case LossCause::index_out_of_range: return "its index is not below the count";
    case LossCause::error: return "its registrations failed";
    case LossCause::aborted: return "it was asked to stop";
  }
  return "";
}

}  // namespace nandi::reports
