// --check-determinism names the first action in which two runs differ.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/determinism.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/trace.h"
#include "nandi/sim/yaml/document.h"

namespace nandi::sim::cli {
namespace {

/// Three workers, of which `victim` dies at 8 s.
Simulator group(const std::string& victim, const std::string& length = "20s") {
  const std::string text = R"(name: planted
group: {interval: 1s}
workers: 3
network: {request: {constant: 2ms}, reply: {constant: 2ms}}
timeline: [{at: 8s, crash: {workers: [)" +
                           victim + "]}}]\nfor: " + length + "\n";
  return Simulator(read_scenario(yaml::Document::parse(text, "planted.yaml")));
}

/// Runs `first` when it is called for the first time, then `second`.
SeedRun run_one_then_the_other(const Simulator& first, const Simulator& second) {
  return [&, calls = 0](const RunOptions& options) mutable {
    static_cast<void>((++calls == 1 ? first : second).run(7, options));
  };
}

std::string difference(const SeedRun& run) {
  try {
    return "alike: " + compare_runs(run, 7, {});
  } catch (const std::logic_error& found) {
    return found.what();
  }
}

/// The number, from 1, of the action of `kind` in a run of seed 7.
std::size_t number_of(const Simulator& simulator, ActionKind kind) {
  RecordingSink sink;
  RunOptions options;
  options.trace = &sink;
  static_cast<void>(simulator.run(7, options));
  std::size_t number = 0;
  for (const TraceRecord& record : sink.records()) {
    if (record.kind != RecordKind::action) continue;
    ++number;
    if (record.step.action.kind == kind) return number;
  }
  return 0;
}

std::size_t actions_of_run(const Simulator& simulator) {
  std::vector<std::uint64_t> hashes;
  RunOptions options;
  options.hashes = &hashes;
  static_cast<void>(simulator.run(7, options));
  return hashes.size();
}

TEST(Determinism, TwoRunsOfOneSimulatorAreAlike) {
  const Simulator simulator = group("1");
  const std::string text = difference(run_one_then_the_other(simulator, simulator));
  EXPECT_TRUE(text.starts_with("alike: seed 7 ran twice alike: ")) << text;
}

// Up to the crash both runs are the same; who dies is the first thing that differs.
TEST(Determinism, NamesThePlantedActionThatDiffers) {
  const Simulator first = group("1");
  const Simulator second = group("2");
  const std::size_t crash = number_of(first, ActionKind::crash);
  ASSERT_GT(crash, 10U) << "late enough that a run has to be searched";
  EXPECT_EQ(difference(run_one_then_the_other(first, second)),
            "two runs of seed 7 differ, first in action " + std::to_string(crash) +
                ": crash of w2 at 8.000 s");
}

TEST(Determinism, NamesTheFirstActionThatOnlyTheSecondRunTakes) {
  const Simulator first = group("1", "10s");
  const Simulator second = group("1");
  const std::string text = difference(run_one_then_the_other(first, second));
  const std::string expected = "two runs of seed 7 differ, first in action " +
                               std::to_string(actions_of_run(first) + 1) + ": ";
  EXPECT_TRUE(text.starts_with(expected)) << text;
  EXPECT_NE(text.find(" of w"), std::string::npos) << text;
}

TEST(Determinism, SaysThatTheSecondRunEndsEarlier) {
  const Simulator first = group("1");
  const Simulator second = group("1", "10s");
  EXPECT_EQ(difference(run_one_then_the_other(first, second)),
            "two runs of seed 7 differ, first in action " +
                std::to_string(actions_of_run(second) + 1) + ": the end of the second run");
}

}  // namespace
}  // namespace nandi::sim::cli
