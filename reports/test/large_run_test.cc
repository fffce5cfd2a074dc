// A run of a million events as a page: what was left out is said, and the page can still be sent
// and opened. How long a browser takes is measured by hand, with the page that NANDI_KEEP_PAGE=FILE
// keeps (README.md, "The page").
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "nandi/reports/page.h"
#include "nandi/reports/timeline_collector.h"
#include "nandi/reports/trace_reader.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/trace_writer.h"
#include "nandi/sim/yaml/document.h"

namespace nandi::reports {
namespace {

using ::testing::HasSubstr;

/// Round trips vary more than the slots of 100 workers are apart, so that leases change all the
/// time and there is much to draw.
constexpr const char* kMillion = R"(name: million
group: {name: g, interval: 1s}
workers: 100
network: {request: {uniform: {from: 1ms, to: 40ms}}, reply: {uniform: {from: 1ms, to: 40ms}}}
for: 3000s
seeds: 1..1
)";

class LargeRun : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("nandi-large-run-" + std::to_string(getpid()) + ".ndjson");
};

TEST_F(LargeRun, OfAMillionEventsIsAPageBelowTwentyMegabytesThatSaysItIsSampled) {
  const sim::Scenario scenario =
      sim::read_scenario(sim::yaml::Document::parse(kMillion, "million.yaml"));
  {
    std::ofstream out(path_, std::ios::binary);
    sim::TraceWriter writer(out, scenario, 1);
    sim::RunOptions options;
    options.trace = &writer;
    const sim::RunResult run = sim::Simulator(scenario).run(1, options);
    writer.finish(run.end, run.trace_hash);
  }
  std::ifstream in(path_, std::ios::binary);
  TraceReader reader(in, path_.string());
  TimelineCollector collector(reader.header().interval, std::nullopt);
  const TraceEnd end = reader.read(collector);
  Report report;
  report.title = "million";
  report.timelines.push_back(collector.finish(end.at));
  ASSERT_GE(report.timelines.front().all_events, 1'000'000U);
  const std::string page = html_page(report);
  EXPECT_LT(page.size(), 20'000'000U);
  EXPECT_THAT(page, HasSubstr("This run is sampled: 60 of 100 workers have a lane."));
  if (const char* keep = std::getenv("NANDI_KEEP_PAGE")) std::ofstream(keep) << page;
}

}  // namespace
}  // namespace nandi::reports
