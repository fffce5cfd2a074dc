#include "nandi/sim/trace_writer.h"

#include <fmt/format.h>

#include <iterator>
#include <ostream>
#include <string_view>

namespace nandi::sim {
namespace {

std::string_view change_name(LeaseChange change) {
  switch (change) {
    case LeaseChange::granted: return "granted";
    case LeaseChange::renewed: return "renewed";
    case LeaseChange::lost: return "lost";
    case LeaseChange::revived: return "revived";
    case LeaseChange::none: break;
  }
  return "none";
}

using Line = std::back_insert_iterator<std::string>;

void add_action(Line out, const Action& action) {
  fmt::format_to(out, ",\"do\":\"{}\"", to_string(action.kind));
  if (!concerns_worker(action.kind)) {
    if (action.value != 0) fmt::format_to(out, ",\"value\":{}", action.value);
    return;
  }
  fmt::format_to(out, ",\"worker\":{}", action.worker);
  if (action.attempt != 0) fmt::format_to(out, ",\"attempt\":{}", action.attempt);
  if (action.kind == ActionKind::join) fmt::format_to(out, ",\"config\":{}", action.config);
  if (action.value != 0) fmt::format_to(out, ",\"value\":{}", action.value);
  if (action.extra != 0) fmt::format_to(out, ",\"extra\":{}", action.extra);
  if (action.error != ErrorClass::none) {
    fmt::format_to(out, ",\"error\":\"{}\"", to_string(action.error));
  }
}

void add_consequences(Line out, const TraceRecord& record) {
  if (record.attempt != 0) fmt::format_to(out, ",\"sent\":{}", record.attempt);
  if (record.ghost) fmt::format_to(out, ",\"ghost\":true");
  if (record.tick) {
    const Tick& tick = *record.tick;
    fmt::format_to(out, ",\"tick\":{{\"interval\":{},\"index\":{}", tick.interval, tick.index);
    if (tick.previous_count) fmt::format_to(out, ",\"previous\":{}", *tick.previous_count);
    fmt::format_to(out, ",\"at\":{}}}", tick.at.count());
  }
  if (record.lease_change != LeaseChange::none) {
    fmt::format_to(out, ",\"lease\":\"{}\",\"pair\":[{},{}]", change_name(record.lease_change),
                   record.lease.index, record.lease.count);
    if (record.lease_ends != TrueTime::max()) {
      fmt::format_to(out, ",\"ends\":{}", record.lease_ends.count());
    }
    if (record.lease_change == LeaseChange::lost) {
      fmt::format_to(out, ",\"cause\":\"{}\"", to_string(record.cause));
    }
  }
  if (record.handed == HandedOver::idle) fmt::format_to(out, ",\"handed\":\"idle\"");
  if (record.handed == HandedOver::pair) {
    fmt::format_to(out, ",\"handed\":[{},{}]", record.handed_pair.index, record.handed_pair.count);
  }
  if (record.drain_begun) fmt::format_to(out, ",\"drains\":true");
  if (record.departed) fmt::format_to(out, ",\"departed\":true");
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

TraceWriter::TraceWriter(std::ostream& out, const Scenario& scenario, std::uint64_t seed)
    : out_(out) {
  out_ << fmt::format(
      "{{\"nandi_trace\":{},\"scenario\":{},\"seed\":{},\"unit\":\"ns\",\"interval\":{}}}\n",
      kTraceVersion, json_string(scenario.name), seed, scenario.group.interval.count());
}

void TraceWriter::record(const TraceRecord& record) {
  std::string line;
  const Line out(line);
  fmt::format_to(out, "{{\"t\":{}", record.step.at.count());
  if (record.kind == RecordKind::action) {
    add_action(out, record.step.action);
    add_consequences(out, record);
  } else {
    fmt::format_to(out, ",\"fault\":\"{}\",\"number\":{},\"{}\":true", record.fault,
                   record.fault_number,
                   record.kind == RecordKind::fault_begins ? "begins" : "ends");
    if (!record.struck.empty()) {
      fmt::format_to(out, ",\"workers\":[{}]", fmt::join(record.struck, ","));
    }
  }
  line += "}\n";
  out_ << line;
}

void TraceWriter::finish(TrueTime end, std::uint64_t trace_hash) {
  out_ << fmt::format("{{\"t\":{},\"end\":true,\"hash\":\"{:016x}\"}}\n", end.count(), trace_hash);
}

}  // namespace nandi::sim
