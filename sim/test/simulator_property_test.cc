// Random schedules of everything that may happen to a group, under the protocol's assumptions: no
// two workers ever hold one index. A failure shrinks to few events, prints them as a scenario file
// and the command that runs it.
#include <gtest/gtest.h>
// rapidcheck's macros need gtest first.
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "nandi/sim/properties.h"
#include "nandi/sim/simulator.h"

namespace nandi::sim {
namespace {

constexpr std::int64_t kSecond = kNanosecondsPerSecond;
constexpr std::int64_t kMillisecond = kNanosecondsPerMillisecond;

/// One event in small numbers, so that shrinking makes it simpler.
struct Step {
  int kind = 0;
  int at = 0;      ///< tenths of a second
  int worker = 0;  ///< 0 to 7
  int size = 0;    ///< fifths of a second, or percent
};

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << "{" << step.kind << " at " << step.at << " of " << step.worker << " size "
             << step.size << "}";
}

Event event_of(const Step& step) {
  WorkerChoice one;
  one.kind = WorkerChoice::Kind::ids;
  one.ids = {static_cast<WorkerId>(step.worker)};
  const Duration length(kSecond / 5 * (step.size + 1));
  switch (step.kind) {
    case 0: return Join{};
    case 1: return Leave{one};
    case 2: return Crash{one};
    case 3: return Restart{one, length, false};
    case 4: return Pause{one, length};
    case 5: return Hang{one, length};
    case 6: return Hang{WorkerChoice{}, length};
    case 7: {
      JitterChange jitter;
      jitter.request = ExponentialDelay{Duration(kMillisecond * (step.size + 1) * 5)};
      jitter.reply = ExponentialDelay{Duration(kMillisecond * (step.size + 1) * 5)};
      jitter.length = Duration(2 * kSecond);
      return jitter;
    }
    case 8: return Lose{one, 1, step.size % 2 == 0 ? Message::reply : Message::request};
    case 9: return LateExecution{one, length};
    case 10: return Refuse{one, static_cast<std::uint32_t>(step.size % 3 + 1)};
    default: {
      LossChange loss;
      loss.request = Fraction(step.size, 100);
      loss.reply = Fraction(step.size, 100);
      loss.length = Duration(3 * kSecond);
      return loss;
    }
  }
}

Scenario scenario_of(int workers, std::vector<Step> steps) {
  Scenario scenario;
  scenario.name = "random-schedule";
  scenario.group.interval = Duration(kSecond);
  WorkerSet set;
  set.count = static_cast<std::uint32_t>(workers);
  scenario.workers = {set};
  scenario.network.request =
      LognormalDelay{Duration(2 * kMillisecond), Duration(20 * kMillisecond)};
  scenario.network.reply = LognormalDelay{Duration(2 * kMillisecond), Duration(20 * kMillisecond)};
  scenario.length = Duration(15 * kSecond);
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.at < b.at; });
  for (const Step& step : steps) {
    TimelineEvent timed;
    timed.at = Duration(kSecond / 10 * step.at);
    timed.event = event_of(step);
    scenario.timeline.push_back(std::move(timed));
  }
  return scenario;
}

rc::Gen<Step> any_step() {
  return rc::gen::build<Step>(rc::gen::set(&Step::kind, rc::gen::inRange(0, 12)),
                              rc::gen::set(&Step::at, rc::gen::inRange(0, 120)),
                              rc::gen::set(&Step::worker, rc::gen::inRange(0, 8)),
                              rc::gen::set(&Step::size, rc::gen::inRange(0, 30)));
}

/// The first violated property of the run, or an empty name.
std::string violated(const Scenario& scenario, std::uint64_t seed,
                     std::initializer_list<std::string_view> names) {
  const RunResult run = Simulator(scenario).run(seed);
  for (std::size_t p = 0; p < run.properties.size(); ++p) {
    const std::string_view name = property_infos()[p].name;
    if (std::find(names.begin(), names.end(), name) == names.end()) continue;
    if (run.properties[p].first) return std::string(name) + ": " + run.properties[p].first->text;
  }
  return "";
}

/// Writes the scenario next to the test's other output; how to run it again.
std::string again(const Scenario& scenario, std::uint64_t seed) {
  const char* directory = std::getenv("TMPDIR");
  const std::string path =
      std::string(directory != nullptr ? directory : "/tmp") + "/random-schedule.yaml";
  std::ofstream file(path);
  write_scenario(scenario, file);
  return "nandi-sim " + path + " --seed " + std::to_string(seed);
}

RC_GTEST_PROP(RandomSchedules, KeepLeasesExclusive, ()) {
  const int workers = *rc::gen::inRange(1, 6);
  const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
  const auto seed = static_cast<std::uint64_t>(*rc::gen::inRange(1, 1'000'000));
  const Scenario scenario = scenario_of(workers, steps);
  const std::string what = violated(scenario, seed, {"lease-exclusive"});
  if (!what.empty()) RC_FAIL(what + "\n" + again(scenario, seed));
}

RC_GTEST_PROP(RandomSchedules, AreReplayedAlike, ()) {
  const int workers = *rc::gen::inRange(1, 6);
  const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
  const auto seed = static_cast<std::uint64_t>(*rc::gen::inRange(1, 1'000'000));
  const Simulator simulator(scenario_of(workers, steps));
  RecordingSink sink;
  RunOptions options;
  options.trace = &sink;
  const RunResult run = simulator.run(seed, options);
  std::vector<TimedAction> schedule;
  for (const TraceRecord& record : sink.records()) {
    if (record.kind == RecordKind::action) schedule.push_back(record.step);
  }
  RC_ASSERT(simulator.replay(schedule).trace_hash == run.trace_hash);
}

/// Joins, crashes and long hangs of a settled group.
rc::Gen<Step> harsh_step() {
  return rc::gen::build<Step>(rc::gen::set(&Step::kind, rc::gen::element(0, 2, 5)),
                              rc::gen::set(&Step::at, rc::gen::inRange(50, 90)),
                              rc::gen::set(&Step::worker, rc::gen::inRange(0, 4)),
                              rc::gen::set(&Step::size, rc::gen::inRange(20, 30)));
}

/// Some random schedule catches a variant that is broken on purpose, and it shrinks to a few
/// events.
TEST(RandomSchedules, CatchAWorkerThatNeverLetsGoInAFewEvents) {
  std::optional<std::size_t> fewest;  // of the last failure, which is the shrunk one
  const bool passed = rc::check("a worker that never lets go (meant to fail)", [&] {
    const auto steps = *rc::gen::container<std::vector<Step>>(harsh_step());
    Scenario scenario = scenario_of(4, steps);
    scenario.rules.expiry = false;
    if (violated(scenario, 1, {"lease-exclusive"}).empty()) return;
    fewest = steps.size();
    RC_FAIL("caught");
  });
  EXPECT_FALSE(passed);
  ASSERT_TRUE(fewest);
  EXPECT_LE(*fewest, 4U);
}

}  // namespace
}  // namespace nandi::sim
