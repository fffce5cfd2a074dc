// The trace of a run as NDJSON: one JSON object a line, version 1 (sim/README.md, "Trace").
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "nandi/sim/scenario.h"
#include "nandi/sim/trace.h"

namespace nandi::sim {

inline constexpr int kTraceVersion = 1;

class TraceWriter final : public TraceSink {
 public:
  /// Writes the first line. `out` outlives the writer; its failures are the caller's to look for.
  TraceWriter(std::ostream& out, const Scenario& scenario, std::uint64_t seed);
  void record(const TraceRecord& record) override;
  /// Writes the last line, with the hash of the run.
  void finish(TrueTime end, std::uint64_t trace_hash);

 private:
  std::ostream& out_;
};

/// A text as a JSON string, with its quotes.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace nandi::sim
