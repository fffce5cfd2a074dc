#include "story.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "nandi/sim/trace_text.h"
#include "terminal.h"

namespace nandi::sim::cli {
namespace {

/// Of other workers only that they come and go.
bool belongs(const TraceRecord& record, const std::vector<WorkerId>& workers) {
  if (record.kind != RecordKind::action || !concerns_worker(record.step.action.kind)) return true;
  const ActionKind kind = record.step.action.kind;
  return kind == ActionKind::join || kind == ActionKind::leave || kind == ActionKind::crash ||
         kind == ActionKind::fork ||
         std::find(workers.begin(), workers.end(), record.step.action.worker) != workers.end();
}

}  // namespace

std::string story(std::span<const TraceRecord> records, const Violation& violation) {
  constexpr std::size_t kLines = 12;
  std::vector<std::string> lines;
  const auto line = [](TrueTime at, const std::string& text) {
    return fmt::format("  {}  {}\n", padded_left(time_text(at), 12), text);
  };
  for (const TraceRecord& record : records) {
    if (!belongs(record, violation.workers)) continue;
    const std::string text = sentence(record);
    if (!text.empty()) lines.push_back(line(record.step.at, text));
  }
  std::string text;
  const std::size_t first = lines.size() > kLines ? lines.size() - kLines : 0;
  for (std::size_t l = first; l < lines.size(); ++l) text += lines[l];
  return text + line(violation.at, "=> " + violation.text);
}

std::string story(const Simulator& simulator, std::uint64_t seed, const Violation& violation) {
  constexpr std::int64_t kIntervals = 4;
  RecordingSink sink(violation.at - simulator.scenario().group.interval * kIntervals, violation.at);
  RunOptions options;
  options.trace = &sink;
  options.length = violation.at - TrueTime(0);
  static_cast<void>(simulator.run(seed, options));
  return story(sink.records(), violation);
}

}  // namespace nandi::sim::cli
