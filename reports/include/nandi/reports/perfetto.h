// PerfettoWriter: a run as a trace of events for Perfetto and Chrome's tracing page.
//
// Format: the JSON object form of the Trace Event Format ("X" complete events, "i" instants, "M"
// names), times in microseconds of true time with three decimals. Process 1 has a track for each
// worker (its leases and stalls), process 2 one for each connection (requests and replies), process
// 3 the store (registrations, counters) and the faults.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

#include "nandi/sim/trace.h"

namespace nandi::reports {

class PerfettoWriter final : public sim::TraceSink {
 public:
  /// `out` outlives the writer; its failures are the caller's to look for.
  PerfettoWriter(std::ostream& out, const std::string& scenario);
  void record(const sim::TraceRecord& record) override;
  /// Ends what goes on, and the file.
  void finish(sim::TrueTime end);

 private:
  struct Track {
    std::optional<std::int64_t> lease_since;
    std::string lease;
    std::optional<std::int64_t> lease_ends;
    std::optional<std::int64_t> stalled_since;
    std::optional<std::int64_t> sent;
    std::optional<std::int64_t> executed;
    AttemptId attempt = 0;
  };

  void on_worker(const sim::TraceRecord& record);
  void on_message(Track& track, const sim::TraceRecord& record);
  void end_lease(Track& track, sim::WorkerId worker, std::int64_t at, const std::string& why);
  void slice(int process, std::uint64_t track, const std::string& name, std::int64_t from,
             std::int64_t to, const std::string& arguments = "");
  void instant(int process, std::uint64_t track, const std::string& name, std::int64_t at);
  void name_track(int process, std::uint64_t track, const std::string& name);
  void event(const std::string& fields);

  std::ostream& out_;
  std::map<sim::WorkerId, Track> tracks_;
  std::map<std::uint32_t, std::pair<std::string, std::int64_t>> faults_;  ///< under way
  bool is_first_ = true;
};

}  // namespace nandi::reports
