#include "nandi/reports/perfetto.h"

#include <fmt/format.h>

#include <ostream>

#include "nandi/reports/timeline_collector.h"
#include "nandi/sim/property.h"
#include "nandi/sim/trace_writer.h"

namespace nandi::reports {
namespace {

constexpr int kWorkers = 1;
constexpr int kConnections = 2;
constexpr int kStore = 3;
constexpr std::uint64_t kRegistrations = 1;
constexpr std::uint64_t kFaults = 2;

/// Nanoseconds as microseconds.
std::string micros(std::int64_t at) { return fmt::format("{}.{:03}", at / 1000, at % 1000); }

}  // namespace

PerfettoWriter::PerfettoWriter(std::ostream& out, const std::string& scenario) : out_(out) {
  out_ << "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"scenario\":" << sim::json_string(scenario)
       << "},\"traceEvents\":[\n";
  const std::pair<int, const char*> processes[] = {
      {kWorkers, "workers"}, {kConnections, "connections"}, {kStore, "store"}};
  for (const auto& [process, name] : processes) {
    event(fmt::format(
        "\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":\"{}\"}}", process,
        name));
  }
  name_track(kStore, kRegistrations, "registrations");
  name_track(kStore, kFaults, "faults");
}

void PerfettoWriter::event(const std::string& fields) {
  if (!is_first_) out_ << ",\n";
  is_first_ = false;
  out_ << '{' << fields << '}';
}

void PerfettoWriter::name_track(int process, std::uint64_t track, const std::string& name) {
  event(fmt::format(
      "\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}",
      process, track, sim::json_string(name)));
}

void PerfettoWriter::slice(int process, std::uint64_t track, const std::string& name,
                           std::int64_t from, std::int64_t to, const std::string& arguments) {
  event(fmt::format("\"ph\":\"X\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}{}",
                    sim::json_string(name), process, track, micros(from), micros(to - from),
                    arguments.empty() ? "" : ",\"args\":{" + arguments + "}"));
}

void PerfettoWriter::instant(int process, std::uint64_t track, const std::string& name,
                             std::int64_t at) {
  event(fmt::format("\"ph\":\"i\",\"s\":\"t\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}",
                    sim::json_string(name), process, track, micros(at)));
}

void PerfettoWriter::record(const sim::TraceRecord& record) {
  const std::int64_t at = record.step.at.count();
  if (record.kind == sim::RecordKind::fault_begins) {
    instant(kStore, kFaults, std::string(record.fault), at);
    faults_[record.fault_number] = {std::string(record.fault), at};
  } else if (record.kind == sim::RecordKind::fault_ends) {
    const auto found = faults_.find(record.fault_number);
    if (found == faults_.end()) return;
    slice(kStore, kFaults, found->second.first, found->second.second, at);
    faults_.erase(found);
  } else if (concerns_worker(record.step.action.kind)) {
    on_worker(record);
  } else {
    instant(kStore, kRegistrations, event_text(record), at);
  }
}

void PerfettoWriter::end_lease(Track& track, sim::WorkerId worker, std::int64_t at,
                               const std::string& why) {
  if (!track.lease_since) return;
  slice(kWorkers, worker, track.lease, *track.lease_since, at,
        "\"ended\":" + sim::json_string(why));
  track.lease_since.reset();
}

void PerfettoWriter::on_worker(const sim::TraceRecord& record) {
  const sim::Action& action = record.step.action;
  const std::int64_t at = record.step.at.count();
  const bool is_new = tracks_.find(action.worker) == tracks_.end();
  Track& track = tracks_[action.worker];
  if (is_new) {
    name_track(kWorkers, action.worker, sim::worker_name(action.worker));
    name_track(kConnections, action.worker, sim::worker_name(action.worker));
  }
  on_message(track, record);
  switch (record.lease_change) {
    case sim::LeaseChange::lost:
      end_lease(track, action.worker, std::min(at, record.lease_ends.count()),
                cause_text(record.cause));
      break;
    case sim::LeaseChange::granted:
    case sim::LeaseChange::revived:
      if (action.kind == sim::ActionKind::fork) break;
      track.lease_since = at;
      track.lease = "holds " + sim::pair_text(record.lease);
      break;
    default: break;
  }
  if (action.kind == sim::ActionKind::pause) track.stalled_since = at;
  const bool goes_on = action.kind == sim::ActionKind::resume || record.departed;
  if (goes_on && track.stalled_since) {
    instant(kWorkers, action.worker, "stalled", *track.stalled_since);
    instant(kWorkers, action.worker, "goes on", at);
    track.stalled_since.reset();
  }
  if (action.kind == sim::ActionKind::join || record.departed) {
    instant(kWorkers, action.worker, action.kind == sim::ActionKind::join ? "starts" : "is gone",
            at);
  }
}

void PerfettoWriter::on_message(Track& track, const sim::TraceRecord& record) {
  const sim::Action& action = record.step.action;
  const std::int64_t at = record.step.at.count();
  if (record.attempt != 0) {
    track.sent = at;
    track.executed.reset();
    track.attempt = record.attempt;
    return;
  }
  const bool is_current = action.attempt == track.attempt && track.sent;
  const std::string number = fmt::format("\"attempt\":{}", action.attempt);
  switch (action.kind) {
    case sim::ActionKind::execute:
      if (record.tick) {
        instant(
            kStore, kRegistrations,
            fmt::format("{}interval {}: {} has index {}", record.ghost ? "ghost in " : "",
                        record.tick->interval, sim::worker_name(action.worker), record.tick->index),
            at);
      }
      if (is_current) {
        slice(kConnections, action.worker, "request", *track.sent, at, number);
        track.executed = at;
      }
      break;
    case sim::ActionKind::deliver:
      if (is_current && track.executed) {
        slice(kConnections, action.worker, "reply", *track.executed, at, number);
        track.sent.reset();
      }
      break;
    case sim::ActionKind::lose:
      if (is_current) {
        slice(kConnections, action.worker, "lost", track.executed.value_or(*track.sent), at,
              number);
        track.sent.reset();
      }
      break;
    default: break;
  }
}

void PerfettoWriter::finish(sim::TrueTime end) {
  for (auto& [worker, track] : tracks_) end_lease(track, worker, end.count(), "the run ended");
  for (const auto& [number, fault] : faults_) {
    slice(kStore, kFaults, fault.first, fault.second, end.count());
  }
  out_ << "\n]}\n";
}

}  // namespace nandi::reports
