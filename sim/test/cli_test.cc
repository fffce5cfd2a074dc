// What nandi-sim prints, writes and exits with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/lane_view.h"
#include "cli/run_files.h"
#include "cli/terminal.h"
#include "nandi/sim/properties.h"

namespace nandi::sim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kQuiet = R"(name: quiet
group: {name: g, interval: 1s}
workers: 3
network: {request: {constant: 2ms}, reply: {constant: 2ms}}
timeline:
  - {at: 8s, crash: {workers: [1]}}
for: 20s
seeds: 1..5
expect:
  verdict: holds
  properties: [lease-exclusive]
)";

constexpr const char* kBroken = R"(name: broken
group: {name: g, interval: 1s}
workers: 4
network: {request: {constant: 2ms}, reply: {constant: 2ms}}
rules: {agreement: 1}
for: 20s
seeds: 1..20
expect: {verdict: violated, property: lease-exclusive, properties: [lease-exclusive]}
)";

struct Ran {
  int status = 0;
  std::string out;
  std::string err;
};

class Cli : public ::testing::Test {
 protected:
  Cli() {
    directory_ =
        std::filesystem::temp_directory_path() / ("nandi-cli-test-" + std::to_string(getpid()));
    std::filesystem::create_directories(directory_);
  }
  ~Cli() override { std::filesystem::remove_all(directory_); }
  Cli(const Cli&) = delete;
  Cli& operator=(const Cli&) = delete;

  std::filesystem::path file(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }
  std::string read(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(directory_ / name).rdbuf();
    return text.str();
  }
  static Ran run(RunRequest request) {
    std::ostringstream out;
    std::ostringstream err;
    const int status = run_files(request, out, err);
    return {status, out.str(), err.str()};
  }

  std::filesystem::path directory_;
};

TEST_F(Cli, ExitsWithTheVerdict) {
  RunRequest request;
  request.files = {file("quiet.yaml", kQuiet)};
  EXPECT_EQ(run(request).status, 0);
  request.files = {file("broken.yaml", kBroken)};
  EXPECT_EQ(run(request).status, 1);
  std::string vacuous = kQuiet;
  vacuous.insert(vacuous.find("for: 20s"), "  - {at: 12s, hang: {for: 1us}}\n");
  request.files = {file("vacuous.yaml", vacuous)};
  EXPECT_EQ(run(request).status, 2);
}

TEST_F(Cli, OfSeveralFilesTheWorstVerdictCountsAndABadFileBeforeAll) {
  RunRequest request;
  request.quiet = true;
  request.files = {file("quiet.yaml", kQuiet), file("broken.yaml", kBroken)};
  EXPECT_EQ(run(request).status, 1);
  request.files.push_back(file("bad.yaml", "name: bad\nworkers: 3\n"));
  request.files.push_back(file("last.yaml", kQuiet));
  const Ran ran = run(request);
  EXPECT_EQ(ran.status, kBadFile);
  EXPECT_THAT(ran.err, HasSubstr("bad.yaml:"));
  EXPECT_THAT(ran.out, HasSubstr("quiet: holds (5 seeds)"));
}

TEST_F(Cli, AsExpectedExitsWithZeroOnlyForTheDeclaredVerdict) {
  RunRequest request;
  request.as_expected = true;
  request.quiet = true;
  request.files = {file("broken.yaml", kBroken)};
  EXPECT_EQ(run(request).status, 0);
  std::string unexpected = kQuiet;
  unexpected.replace(unexpected.find("verdict: holds"), 14,
                     "verdict: violated\n  property: lease-exclusive");
  request.files = {file("unexpected.yaml", unexpected)};
  EXPECT_EQ(run(request).status, 1);
}

TEST_F(Cli, TellsTheStoryOfAViolationAndHowToSeeItAgain) {
  RunRequest request;
  const std::filesystem::path path = file("broken.yaml", kBroken);
  request.files = {path};
  const Ran ran = run(request);
  EXPECT_THAT(ran.out, HasSubstr("how lease-exclusive was violated in seed 1"));
  EXPECT_THAT(ran.out, HasSubstr("takes up"));
  EXPECT_THAT(ran.out, HasSubstr("=> w"));
  const std::string command = "again: nandi-sim " + path.string() + " --seed ";
  ASSERT_THAT(ran.out, HasSubstr(command));
  request.seeds = SeedRange{std::stoull(ran.out.substr(ran.out.find(command) + command.size())), 0};
  request.seeds->last = request.seeds->first;
  EXPECT_EQ(run(request).status, 1);
}

// w1 of three dies: the other two stand down once each in each of five seeds.
TEST_F(Cli, ATableHasAHeadAndOneRowForEachFile) {
  RunRequest request;
  request.table = true;
  request.files = {file("quiet.yaml", kQuiet), file("broken.yaml", kBroken)};
  const Ran ran = run(request);
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out.find("| scenario | verdict |"), 0U) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("| quiet | holds (5 seeds) | 10 | "));
  EXPECT_THAT(ran.out, HasSubstr("| broken | violated ("));
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 4);
}

TEST_F(Cli, WritesTheSummaryAsVersionedJson) {
  RunRequest request;
  request.files = {file("quiet.yaml", kQuiet)};
  request.json = (directory_ / "out.json").string();
  run(request);
  const auto json = nlohmann::json::parse(read("out.json"));
  EXPECT_EQ(json["nandi_summary"], 1);
  EXPECT_EQ(json["scenario"], "quiet");
  EXPECT_EQ(json["verdict"], "holds");
  EXPECT_EQ(json["seeds"]["run"], 5);
  EXPECT_EQ(json["interval"], 1'000'000'000);
  EXPECT_EQ(json["properties"].size(), property_infos().size());
  EXPECT_EQ(json["events"][0]["fired"], 5);
  EXPECT_GT(json["statistics"]["departure"]["median"], 1'000'000'000);

  // On the standard output it is alone; what people read goes to the error stream.
  request.json = "-";
  const Ran ran = run(request);
  EXPECT_EQ(nlohmann::json::parse(ran.out), json);
  EXPECT_THAT(ran.err, HasSubstr("quiet: holds"));
}

// The only jitter is the millisecond of the store's clock: two of its roundings differ by more than
// x with probability (1 - x)^2, which is one in a thousand at x = 0.968 ms (and 0.1 % more for the
// drift allowed for). A band of 0.7 s has 722 such slots; the spread is drawn, so 1 % either way.
TEST_F(Cli, WarnsOfAGroupWhoseSlotsAreCloserThanTheJitter) {
  const auto summary_of = [&](int workers) {
    RunRequest request;
    request.files = {file("large.yaml", "name: large\ngroup: {interval: 1s}\nworkers: " +
                                            std::to_string(workers) + "\nfor: 2s\n")};
    request.json = (directory_ / "out.json").string();
    return run(request);
  };
  EXPECT_THAT(summary_of(712).out, Not(HasSubstr("warning")));
  auto settling = nlohmann::json::parse(read("out.json"))["settling"];
  EXPECT_EQ(settling["workers"], 712);
  EXPECT_EQ(settling["slots_apart"], 700'000'000 / 712);
  EXPECT_NEAR(settling["spread"].get<double>(), 969'000, 9'690);
  EXPECT_NEAR(settling["largest_group"].get<double>(), 722, 8);
  EXPECT_EQ(settling["beyond"], false);
  EXPECT_FALSE(settling.contains("warning"));

  const Ran beyond = summary_of(732);
  settling = nlohmann::json::parse(read("out.json"))["settling"];
  EXPECT_EQ(settling["beyond"], true);
  const std::string largest = std::to_string(settling["largest_group"].get<int>());
  EXPECT_THAT(beyond.out, HasSubstr("warning: too large to settle: above " + largest + " workers"));
  EXPECT_THAT(beyond.out, HasSubstr("of 732 the slots are 956 us apart"));
  EXPECT_THAT(beyond.out, HasSubstr(settling["warning"].get<std::string>()));
}

TEST_F(Cli, WritesNoOutputOverTheScenarioOrOverAnother) {
  const std::string text = "name: kept\ngroup: {interval: 1s}\nworkers: 2\nfor: 5s\n";
  RunRequest request;
  request.files = {file("kept.yaml", text)};
  request.json = (directory_ / "." / "kept.yaml").string();
  Ran ran = run(request);
  EXPECT_EQ(ran.status, 64);
  EXPECT_THAT(ran.err, HasSubstr("is a scenario too; name another file"));
  EXPECT_EQ(read("kept.yaml"), text);
  request.json = (directory_ / "both").string();
  request.trace = request.json;
  ran = run(request);
  EXPECT_EQ(ran.status, 64);
  EXPECT_THAT(ran.err, HasSubstr("is --json too"));
}

TEST_F(Cli, HasNothingToSayOfTheSlotsOfOneWorker) {
  RunRequest request;
  request.files = {file("one.yaml", "name: one\ngroup: {interval: 1s}\nworkers: 1\nfor: 2s\n")};
  request.json = (directory_ / "out.json").string();
  run(request);
  EXPECT_TRUE(nlohmann::json::parse(read("out.json"))["settling"].is_null());
}

TEST_F(Cli, WritesATraceWhoseEveryLineIsJson) {
  RunRequest request;
  request.files = {file("quiet.yaml", kQuiet)};
  request.trace = (directory_ / "trace.ndjson").string();
  request.seeds = SeedRange{3, 3};
  run(request);
  std::istringstream lines(read("trace.ndjson"));
  std::string line;
  std::vector<nlohmann::json> records;
  while (std::getline(lines, line)) records.push_back(nlohmann::json::parse(line));
  ASSERT_GT(records.size(), 100U);
  EXPECT_EQ(records.front()["nandi_trace"], 1);
  EXPECT_EQ(records.front()["seed"], 3);
  EXPECT_EQ(records.back()["end"], true);
  std::int64_t before = 0;
  std::size_t granted = 0;
  for (std::size_t r = 1; r < records.size(); ++r) {
    EXPECT_GE(records[r]["t"].get<std::int64_t>(), before);
    before = records[r]["t"].get<std::int64_t>();
    if (records[r].value("lease", "") == "granted") ++granted;
  }
  EXPECT_GE(granted, 5U) << "three at the start, two after the crash";
}

TEST_F(Cli, ChecksDeterminismByRunningASeedTwice) {
  RunRequest request;
  request.files = {file("quiet.yaml", kQuiet)};
  request.check_determinism = true;
  const Ran ran = run(request);
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("seed 1 ran twice alike"));
}

TEST_F(Cli, NamesAFaultInTheStoryByItsKey) {
  RunRequest request;
  request.files = {file("endless.yaml", R"(name: endless
group: {name: g, interval: 1s}
workers: 4
network: {request: {constant: 2ms}, reply: {constant: 2ms}}
rules: {expiry: off}
timeline: [{at: 9s, hang: {for: 9s, workers: [0, 1]}}]
for: 30s
seeds: 1..20
expect: {verdict: violated, property: lease-exclusive, properties: [lease-exclusive]}
)")};
  const Ran ran = run(request);
  ASSERT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("  hang begins\n"));
  EXPECT_THAT(ran.out, HasSubstr("closest approach: OVERLAP without end: index "));
}

TEST_F(Cli, RefusesAnOptionThatWouldBePassedOver) {
  const auto refused = [&](RunRequest request, const std::string& option) {
    request.files = {file("keys.yaml", "kind: keyspace\n")};
    const Ran ran = run(request);
    EXPECT_EQ(ran.status, 64) << option;
    EXPECT_THAT(ran.err, HasSubstr(option));
    EXPECT_EQ(ran.out, "") << option;
  };
  RunRequest request;
  request.quiet = true;
  RunRequest traced = request;
  traced.trace = (directory_ / "t").string();
  refused(traced, "--trace");
  RunRequest shortened = request;
  shortened.length = Duration(1);
  refused(shortened, "--for");
  RunRequest twice = request;
  twice.check_determinism = true;
  refused(twice, "--check-determinism");
  RunRequest seeded = request;
  seeded.seeds = SeedRange{1, 2};
  refused(seeded, "--seeds");
  RunRequest timed = request;
  timed.lookup_clock = [] { return std::int64_t{0}; };
  refused(timed, "--time-lookups");
  RunRequest both = request;
  both.json = "-";
  both.trace = "-";
  refused(both, "standard output");
}

TEST_F(Cli, ColoursOnlyWhenAskedAndKeepsToTheWidth) {
  RunRequest request;
  request.files = {file("quiet.yaml", kQuiet)};
  request.width = 70;
  const Ran plain = run(request);
  EXPECT_THAT(plain.out, Not(HasSubstr("\x1b[")));
  std::istringstream lines(plain.out.substr(plain.out.find("seed 1\n")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 70U) << line;
  request.use_colour = true;
  EXPECT_THAT(run(request).out, HasSubstr("\x1b[1;32mholds"));
}

TEST(Terminal, WritesDurationsShortAndRounded) {
  EXPECT_EQ(duration_text(Duration(0)), "0");
  EXPECT_EQ(duration_text(Duration(999)), "999 ns");
  EXPECT_EQ(duration_text(Duration(1'500)), "1.50 us");
  EXPECT_EQ(duration_text(Duration(12'345'678)), "12.3 ms");
  EXPECT_EQ(duration_text(Duration(5'000'000'000)), "5.00 s");
  EXPECT_EQ(duration_text(Duration(-150'000'000'000)), "-150 s");
  EXPECT_EQ(duration_text(Duration(999'499'999)), "999 ms");
  EXPECT_EQ(duration_text(Duration(999'500'000)), "1.00 s") << "not 1000 ms";
  EXPECT_EQ(intervals_text(Duration(12'340'000'000), Duration(5'000'000'000)), "2.47");
}

TEST(Terminal, WritesMomentsInMillisecondsAndEarlierOnesInTheirOwnUnit) {
  EXPECT_EQ(time_text(TrueTime(0)), "0.000 s");
  EXPECT_EQ(time_text(TrueTime(12'345'678'901)), "12.346 s");
  EXPECT_EQ(time_text(TrueTime(1'000'000)), "0.001 s");
  EXPECT_EQ(time_text(TrueTime(12)), "12 ns") << "runs of a checker's ticks last no millisecond";
  EXPECT_EQ(time_text(TrueTime(999'000)), "999 us");
}

TEST(LaneView, ShowsWhoHoldsWhatWhen) {
  // Ten seconds in ten columns: w0 joins at 2 s, holds index 3 from 4 s to 8 s, crashes at 9 s.
  LaneView view;
  const auto record = [&](std::int64_t at, ActionKind kind, LeaseChange change) {
    TraceRecord r;
    r.step.at = TrueTime(at * kNanosecondsPerSecond);
    r.step.action.kind = kind;
    r.lease_change = change;
    r.lease = Pair{3, 5};
    r.lease_ends = TrueTime(9 * kNanosecondsPerSecond);
    r.departed = kind == ActionKind::crash;
    view.record(r);
  };
  record(2, ActionKind::join, LeaseChange::none);
  record(4, ActionKind::deliver, LeaseChange::granted);
  record(8, ActionKind::deliver, LeaseChange::lost);
  record(9, ActionKind::crash, LeaseChange::none);
  Scenario scenario;
  scenario.group.interval = Duration(kNanosecondsPerSecond);
  // 40 columns is the least width; 5 of them are the label's.
  const std::string text = view.draw(scenario, TrueTime(10 * kNanosecondsPerSecond), 40, 10);
  EXPECT_THAT(text, HasSubstr("w0          .......33333333333333....\n"));
}

TEST_F(Cli, AFailingSeedBecomesAScenarioFileThatFailsAlikeAndIsNamedInACommand) {
  RunRequest request;
  request.files = {file("broken.yaml", kBroken)};
  request.regressions = directory_ / "found";
  request.program = "nandi-sim";
  const Ran ran = run(request);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("regression of lease-exclusive: "));
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(request.regressions)) {
    found.push_back(entry.path());
  }
  ASSERT_EQ(found.size(), 1U) << "and nothing beside it";
  EXPECT_THAT(ran.out, HasSubstr("again: nandi-sim " + found.front().string()));
  RunRequest again;
  again.files = found;
  again.as_expected = true;
  const Ran replayed = run(again);
  EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
  EXPECT_THAT(replayed.out, HasSubstr("lease-exclusive"));
}

TEST_F(Cli, OptionsOfCampaignsThatWouldBePassedOverAreRefused) {
  RunRequest request;
  request.files = {file("quiet.yaml", kQuiet)};
  request.fault_seed = 7;
  const Ran faultless = run(request);
  EXPECT_EQ(faultless.status, kUsage);
  EXPECT_THAT(faultless.err, HasSubstr("--fault-seed is for scenarios with a `swarm` only"));

  request.fault_seed.reset();
  request.files.push_back(file("broken.yaml", kBroken));
  request.resume = (directory_ / "state").string();
  EXPECT_EQ(run(request).status, kUsage);
}

TEST_F(Cli, ACampaignSaysWhatItMeasuredOverSeedsWithIntervals) {
  RunRequest request;
  request.files = {file("quiet.yaml", kQuiet)};
  request.json = (directory_ / "summary.json").string();
  const Ran ran = run(request);
  EXPECT_THAT(ran.out, HasSubstr("over seeds; in brackets"));
  EXPECT_THAT(ran.out, HasSubstr("recovery: crash"));
  const auto json = nlohmann::json::parse(read("summary.json"));
  const auto& readiness = json["by_seed"]["readiness"];
  EXPECT_EQ(readiness["samples"], 5);
  EXPECT_GE(readiness["most"], json["statistics"]["readiness"]["most"]);
  // Of five values the least and the greatest hold the median with 93.75 % only.
  EXPECT_TRUE(readiness["median_interval"][0].is_null());
  EXPECT_TRUE(readiness["median_interval"][1].is_null());
}

}  // namespace
}  // namespace nandi::sim::cli
