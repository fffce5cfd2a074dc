#include "nandi/reports/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "nandi/sim/scenario_event.h"
#include "nandi/sim/trace_writer.h"

namespace nandi::reports {
namespace {

using Json = nlohmann::json;

/// What is wrong with a line, without its place.
struct LineError {
  std::string what;
};

/// Lines are as long as a list of struck workers; beyond this it is no trace.
constexpr std::size_t kLongestLine = 1U << 20;
/// Workers are numbered from 0 without gaps; a page keeps something for each.
constexpr std::uint64_t kMostWorkers = 1'000'000;

template <class T>
T whole(const Json& json, const char* key, std::uint64_t most = std::numeric_limits<T>::max()) {
  const auto found = json.find(key);
  if (found == json.end()) throw LineError{fmt::format("the key \"{}\" is missing", key)};
  const bool fits = std::is_signed_v<T>
                        ? found->is_number_integer() &&
                              (!found->is_number_unsigned() || found->get<std::uint64_t>() <= most)
                        : found->is_number_unsigned() && found->get<std::uint64_t>() <= most;
  if (!fits) throw LineError{fmt::format("\"{}\" is no whole number that fits", key)};
  return static_cast<T>(found->get<T>());
}

template <class T>
T whole_or(const Json& json, const char* key, T otherwise) {
  return json.contains(key) ? whole<T>(json, key) : otherwise;
}

bool flag(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return false;
  if (!found->is_boolean()) throw LineError{fmt::format("\"{}\" is not true or false", key)};
  return found->get<bool>();
}

std::string text(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) {
    throw LineError{fmt::format("\"{}\" is missing or no text", key)};
  }
  return found->get<std::string>();
}

/// The value of an enumeration, which is dense from 0, by its name.
template <class Enum>
Enum named(const std::string& name, Enum last, const char* what) {
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    if (to_string(static_cast<Enum>(value)) == name) return static_cast<Enum>(value);
  }
  throw LineError{fmt::format("'{}' is no {}", name, what)};
}

Pair pair_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  const bool is_pair = found != json.end() && found->is_array() && found->size() == 2 &&
                       (*found)[0].is_number_unsigned() && (*found)[1].is_number_unsigned();
  if (!is_pair) throw LineError{fmt::format("\"{}\" is no pair [i, n]", key)};
  const auto index = (*found)[0].get<std::uint64_t>();
  const auto count = (*found)[1].get<std::uint64_t>();
  if (index > kMaxCount || count > kMaxCount) {
    throw LineError{fmt::format("\"{}\" is a pair beyond all groups", key)};
  }
  return {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(count)};
}

void read_action(const Json& json, sim::TraceRecord& record) {
  sim::Action& action = record.step.action;
  action.kind = named(text(json, "do"), sim::ActionKind::erase_counter, "action");
  action.value = whole_or<std::int64_t>(json, "value", 0);
  action.extra = whole_or<std::int64_t>(json, "extra", 0);
  if (!concerns_worker(action.kind)) return;
  action.worker = static_cast<sim::WorkerId>(whole<std::uint64_t>(json, "worker", kMostWorkers));
  if (action.kind == sim::ActionKind::fork &&
      (action.value < 0 || action.value > static_cast<std::int64_t>(kMostWorkers))) {
    throw LineError{"\"value\" of a fork is no worker"};
  }
  action.attempt = whole_or<AttemptId>(json, "attempt", 0);
  action.config = whole_or<std::uint16_t>(json, "config", 0);
  if (json.contains("error")) {
    action.error = named(text(json, "error"), ErrorClass::other, "class of errors");
    record.error = action.error;
  }
}

void read_tick(const Json& json, sim::TraceRecord& record) {
  const auto found = json.find("tick");
  if (found == json.end()) return;
  if (!found->is_object()) throw LineError{"\"tick\" is no object"};
  Tick tick;
  tick.interval = whole<std::int64_t>(*found, "interval");
  tick.index = static_cast<std::uint32_t>(whole<std::uint64_t>(*found, "index", kMaxCount));
  if (found->contains("previous")) {
    tick.previous_count =
        static_cast<std::uint32_t>(whole<std::uint64_t>(*found, "previous", kMaxCount));
  }
  tick.at = StoreTime(whole<std::int64_t>(*found, "at"));
  record.tick = tick;
}

void read_lease(const Json& json, sim::TraceRecord& record) {
  if (!json.contains("lease")) return;
  const std::string change = text(json, "lease");
  if (change == "granted") {
    record.lease_change = sim::LeaseChange::granted;
  } else if (change == "renewed") {
    record.lease_change = sim::LeaseChange::renewed;
  } else if (change == "lost") {
    record.lease_change = sim::LeaseChange::lost;
    record.cause = named(text(json, "cause"), LossCause::aborted, "cause");
  } else if (change == "revived") {
    record.lease_change = sim::LeaseChange::revived;
  } else {
    throw LineError{fmt::format("'{}' is no change of a lease", change)};
  }
  record.lease = pair_of(json, "pair");
  record.lease_ends =
      sim::TrueTime(whole_or<std::int64_t>(json, "ends", std::numeric_limits<std::int64_t>::max()));
}

void read_hand_over(const Json& json, sim::TraceRecord& record) {
  const auto found = json.find("handed");
  if (found == json.end()) return;
  if (found->is_string() && *found == "idle") {
    record.handed = sim::HandedOver::idle;
    return;
  }
  record.handed = sim::HandedOver::pair;
  record.handed_pair = pair_of(json, "handed");
}

void read_fault(const Json& json, sim::TraceRecord& record) {
  const std::string name = text(json, "fault");
  const auto& known = sim::event_names();
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) throw LineError{fmt::format("'{}' is no event of a timeline", name)};
  record.fault = *found;
  record.fault_number = whole<std::uint32_t>(json, "number");
  record.kind = flag(json, "begins") ? sim::RecordKind::fault_begins : sim::RecordKind::fault_ends;
  const auto workers = json.find("workers");
  if (workers == json.end()) return;
  if (!workers->is_array()) throw LineError{"\"workers\" is no list"};
  for (const Json& worker : *workers) {
    if (!worker.is_number_unsigned() || worker.get<std::uint64_t>() > kMostWorkers) {
      throw LineError{"\"workers\" holds what is no worker"};
    }
    record.struck.push_back(worker.get<sim::WorkerId>());
  }
}

sim::TraceRecord record_of(const Json& json) {
  sim::TraceRecord record;
  record.step.at = sim::TrueTime(whole<std::int64_t>(json, "t"));
  if (json.contains("fault")) {
    read_fault(json, record);
    return record;
  }
  read_action(json, record);
  record.attempt = whole_or<AttemptId>(json, "sent", 0);
  record.ghost = flag(json, "ghost");
  record.drain_begun = flag(json, "drains");
  record.departed = flag(json, "departed");
  read_tick(json, record);
  read_lease(json, record);
  read_hand_over(json, record);
  return record;
}

Json object_of(const std::string& line) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) throw LineError{"the line is no JSON object"};
  return json;
}

}  // namespace

void TraceReader::fail(const std::string& what) const {
  throw TraceError(fmt::format("{}:{}: {}; take a trace that nandi-sim --trace or --out wrote",
                               name_, number_, what));
}

bool TraceReader::next_line(std::string& line) {
  ++number_;
  if (!std::getline(in_, line)) return false;
  if (line.size() > kLongestLine) fail("the line is longer than any of a trace");
  return true;
}

TraceReader::TraceReader(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {
  std::string line;
  if (!next_line(line)) fail("the file is empty");
  try {
    const Json json = object_of(line);
    const auto version = whole<std::int64_t>(json, "nandi_trace");
    if (version != sim::kTraceVersion) {
      fail(fmt::format("version {} of the format; this program reads version {}", version,
                       sim::kTraceVersion));
    }
    header_.scenario = text(json, "scenario");
    header_.seed = whole<std::uint64_t>(json, "seed");
    header_.interval = Duration(whole<std::int64_t>(json, "interval"));
  } catch (const LineError& error) {
    fail(error.what);
  }
  if (header_.interval <= Duration(0)) fail("\"interval\" is not above 0");
}

TraceEnd TraceReader::read(sim::TraceSink& sink) {
  std::string line;
  sim::TrueTime before = sim::TrueTime(0);
  while (next_line(line)) {
    try {
      const Json json = object_of(line);
      const sim::TrueTime at(whole<std::int64_t>(json, "t"));
      if (at < before) fail("the time goes backwards");
      before = at;
      if (flag(json, "end")) return {at, text(json, "hash")};
      sink.record(record_of(json));
    } catch (const LineError& error) {
      fail(error.what);
    }
  }
  fail("the last line, with the hash, is missing");
}

}  // namespace nandi::reports
