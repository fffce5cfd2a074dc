// Any bytes are a trace or one clear error, and what is read can be drawn.
#include <cstdint>
#include <sstream>
#include <string>

#include "nandi/reports/page.h"
#include "nandi/reports/timeline_collector.h"
#include "nandi/reports/trace_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  try {
    nandi::reports::TraceReader reader(in, "fuzz");
    nandi::reports::TimelineCollector collector(reader.header().interval, std::nullopt);
    const nandi::reports::TraceEnd end = reader.read(collector);
    nandi::reports::Report report;
    report.timelines.push_back(collector.finish(end.at));
    static_cast<void>(html_page(report));
  } catch (const nandi::reports::TraceError&) {
    return 0;
  }
  return 0;
}
