// nandi-check's command: exit statuses, what it prints, what it writes.
#include "nandi/checker/check_command.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "command_fixture.h"

namespace nandi::checker {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kHolds = R"(name: sound
group: {interval: 5s, gap: 2/5}
check: {ticks: 5, workers: 1, slots: free, joins: 1, crashes: 1}
)";
constexpr const char* kViolated = R"(name: broken
group: {interval: 5s, gap: 2/5}
rules: {agreement: 1}
check: {ticks: 5, workers: 2, slots: free, joins: 1, registrations: 2}
expect: {verdict: violated, property: lease-exclusive, properties: [lease-exclusive]}
)";
constexpr const char* kVacuous = R"(name: vacuous
group: {interval: 4s, gap: 1/4}
check: {ticks: 4, workers: 1, slots: free, joins: 1}
)";

class CheckCommand : public CommandFixture {};

TEST_F(CheckCommand, the_exit_status_is_the_worst_verdict) {
  CheckRequest request;
  request.files = {file("holds.yaml", kHolds)};
  EXPECT_EQ(run(request), 0);
  EXPECT_THAT(out_.str(), HasSubstr("sound: holds (exhaustive, 1 worker, interval 5 ticks"));
  EXPECT_THAT(out_.str(), HasSubstr("assumed"));
  request.files.push_back(file("vacuous.yaml", kVacuous));
  EXPECT_EQ(run(request), 2);
  EXPECT_THAT(out_.str(), HasSubstr("'renew' never fired"));
  request.files.push_back(file("violated.yaml", kViolated));
  EXPECT_EQ(run(request), 1);
  request.files.push_back(directory_ / "absent.yaml");
  EXPECT_EQ(run(request), 65);
  EXPECT_THAT(err_.str(), HasSubstr("absent.yaml"));
}

TEST_F(CheckCommand, as_expected_is_about_what_the_file_declares) {
  CheckRequest request;
  request.as_expected = true;
  request.files = {file("holds.yaml", kHolds), file("violated.yaml", kViolated)};
  EXPECT_EQ(run(request), 0);
  request.files = {file("vacuous.yaml", kVacuous)};  // declares, by default, that it holds
  EXPECT_EQ(run(request), 2);
  std::string other = kViolated;
  other.replace(other.find("lease-exclusive"), 15, "one-count");
  request.files = {file("other.yaml", other)};
  EXPECT_EQ(run(request), 1);
  EXPECT_THAT(out_.str(), HasSubstr("not what the file declares"));
}

TEST_F(CheckCommand, a_bound_ends_in_unknown_with_what_is_left) {
  CheckRequest request;
  request.files = {file("holds.yaml", kHolds)};
  request.max_states = 1000;
  EXPECT_EQ(run(request), 2);
  EXPECT_THAT(out_.str(), HasSubstr("bound on states reached"));
  EXPECT_THAT(out_.str(), HasSubstr("not expanded"));
  std::atomic<bool> interrupt{true};
  request.max_states.reset();
  request.interrupt = &interrupt;
  EXPECT_EQ(run(request), 2);
  EXPECT_THAT(out_.str(), HasSubstr("interrupted"));
}

TEST_F(CheckCommand, a_random_walk_never_holds_and_finds_what_is_broken) {
  CheckRequest request;
  request.order = Exploring::random_walk;
  request.max_states = 20'000;
  request.files = {file("holds.yaml", kHolds)};
  EXPECT_EQ(run(request), 2);
  request.max_states = 10'000'000;
  request.files = {file("violated.yaml", kViolated)};
  EXPECT_EQ(run(request), 1);
}

TEST_F(CheckCommand, threads_and_reductions_leave_verdicts_as_they_are) {
  CheckRequest request;
  for (const bool is_reduced : {false, true}) {
    for (const bool by_fingerprints : {false, true}) {
      request.reduction = is_reduced;
      request.symmetry = is_reduced;
      request.fingerprints = by_fingerprints;
      request.threads = by_fingerprints ? 2U : 1U;
      request.files = {file("holds.yaml", kHolds)};
      EXPECT_EQ(run(request), 0);
      EXPECT_THAT(out_.str(),
                  HasSubstr(by_fingerprints ? "holds (fingerprints, collision probability at most "
                                            : "holds (exhaustive, 1 worker"));
      request.files = {file("violated.yaml", kViolated)};
      EXPECT_EQ(run(request), 1);
      EXPECT_THAT(out_.str(), HasSubstr(is_reduced        ? "not minimal"
                                        : by_fingerprints ? "unless fingerprints collided"
                                                          : "no shorter path exists"));
    }
  }
}

/// kHolds with further keys of its check.
std::string holds_with(const std::string& keys) {
  std::string text = kHolds;
  return text.replace(text.find("workers: 1"), 10, "workers: 1, " + keys);
}

TEST_F(CheckCommand, a_file_asks_for_reductions_and_flags_say_otherwise) {
  CheckRequest request;
  request.files = {
      file("asks.yaml", holds_with("reduction: true, fingerprints: true, threads: 2"))};
  EXPECT_EQ(run(request), 0);
  EXPECT_THAT(out_.str(), HasSubstr("commuting steps in one order"));
  EXPECT_THAT(out_.str(), HasSubstr("holds (fingerprints"));
  request.reduction = false;
  request.fingerprints = false;
  EXPECT_EQ(run(request), 0);
  EXPECT_THAT(out_.str(), Not(HasSubstr("commuting steps in one order")));
  EXPECT_THAT(out_.str(), HasSubstr("holds (exhaustive"));
}

/// What the program prints.
std::string output_of(const std::string& arguments) {
  const std::string command = std::string(NANDI_CHECK_PROGRAM) + " " + arguments;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  std::string text;
  for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe)) {
    text += static_cast<char>(byte);
  }
  pclose(pipe);
  return text;
}

TEST_F(CheckCommand, a_flag_that_is_not_given_leaves_what_the_file_asks_for) {
  const std::string path =
      file("asks.yaml", holds_with("symmetry: true, reduction: true, fingerprints: true")).string();
  const std::string asked = output_of(path);
  EXPECT_THAT(asked, HasSubstr("workers interchangeable; commuting steps in one order"));
  EXPECT_THAT(asked, HasSubstr("holds (fingerprints"));
  const std::string denied = output_of("--no-symmetry --no-reduction --no-fingerprints " + path);
  EXPECT_THAT(denied, Not(HasSubstr("interchangeable")));
  EXPECT_THAT(denied, Not(HasSubstr("commuting")));
  EXPECT_THAT(denied, HasSubstr("holds (exhaustive"));
  const std::string plain = file("plain.yaml", kHolds).string();
  EXPECT_THAT(output_of("--symmetry --reduction --fingerprints " + plain),
              HasSubstr("workers interchangeable; commuting steps in one order"));
}

TEST_F(CheckCommand, what_a_file_asks_for_and_an_order_cannot_have_is_refused) {
  CheckRequest request;
  request.order = Exploring::depth_first;
  request.files = {file("threads.yaml", holds_with("threads: 2"))};
  EXPECT_EQ(run(request), 64);
  EXPECT_THAT(err_.str(), HasSubstr("give --threads 1"));
  request.threads = 1;
  EXPECT_EQ(run(request), 0);
  request.files = {file("fingerprints.yaml", holds_with("fingerprints: true"))};
  EXPECT_EQ(run(request), 64);
  EXPECT_THAT(err_.str(), HasSubstr("give --no-fingerprints"));
  request.fingerprints = false;
  EXPECT_EQ(run(request), 0);
  request = {};
  request.counterexamples = 2;
  request.files = {directory_ / "fingerprints.yaml"};
  EXPECT_EQ(run(request), 64);
  EXPECT_THAT(err_.str(), HasSubstr("the file's `fingerprints`"));
  request.fingerprints = false;
  request.reduction = true;
  EXPECT_EQ(run(request), 64);
  EXPECT_THAT(err_.str(), HasSubstr("the file's `reduction`"));
}

TEST_F(CheckCommand, a_check_that_a_bound_ended_is_resumed) {
  CheckRequest request;
  request.files = {file("holds.yaml", kHolds)};
  request.json = (directory_ / "whole.json").string();
  ASSERT_EQ(run(request), 0);
  const auto counts_in = [](const std::string& path) {
    auto counts = nlohmann::json::parse(text_of(path))["files"][0]["counts"];
    counts.erase("bytes");
    return counts;
  };
  CheckRequest first = request;
  first.max_states = 1000;
  first.json.clear();
  first.checkpoint = (directory_ / "checkpoint").string();
  ASSERT_EQ(run(first), 2);
  CheckRequest second = request;
  second.resume = first.checkpoint;
  second.json = (directory_ / "resumed.json").string();
  EXPECT_EQ(run(second), 0);
  EXPECT_EQ(counts_in(second.json), counts_in(request.json));
  second.reduction = true;
  EXPECT_EQ(run(second), 65);
  EXPECT_THAT(err_.str(), HasSubstr("of another search"));
  std::filesystem::resize_file(first.checkpoint, 5000);
  second.reduction = false;
  EXPECT_EQ(run(second), 65);
  EXPECT_THAT(err_.str(), HasSubstr("truncated"));
}

TEST_F(CheckCommand, flags_that_do_not_go_together_are_named) {
  const auto conflict = [](const auto& set) {
    CheckRequest request;
    set(request);
    return find_conflict(request);
  };
  EXPECT_EQ(conflict([](CheckRequest&) {}), "");
  for (const Exploring order : {Exploring::depth_first, Exploring::random_walk}) {
    const auto in_order = [&](const auto& set) {
      return conflict([&](CheckRequest& r) {
        r.order = order;
        set(r);
      });
    };
    EXPECT_THAT(in_order([](CheckRequest& r) { r.threads = 2; }), HasSubstr("--threads"));
    EXPECT_THAT(in_order([](CheckRequest& r) { r.fingerprints = true; }),
                HasSubstr("--fingerprints"));
    EXPECT_THAT(in_order([](CheckRequest& r) { r.checkpoint = "f"; }), HasSubstr("--checkpoint"));
    EXPECT_THAT(in_order([](CheckRequest& r) { r.resume = "f"; }), HasSubstr("--resume"));
  }
  EXPECT_THAT(conflict([](CheckRequest& r) { r.keep_searching = true; }),
              HasSubstr("--keep-searching"));
  EXPECT_THAT(conflict([](CheckRequest& r) {
                r.resume = "f";
                r.files = {"a", "b"};
              }),
              HasSubstr("a single FILE"));
}

TEST_F(CheckCommand, the_reduction_is_refused_where_it_is_unsound) {
  std::string text = kHolds;
  text.replace(text.find("workers: 1"), 10, "workers: 1, settled: true");
  CheckRequest request;
  request.reduction = true;
  request.files = {file("settled.yaml", text)};
  EXPECT_EQ(run(request), 65);
  EXPECT_THAT(err_.str(), HasSubstr("reduction: cannot be combined with never-stands-down"));
}

TEST_F(CheckCommand, a_bad_setting_is_refused_with_its_place) {
  std::string text = kHolds;
  text.replace(text.find("ticks: 5"), 8, "ticks: 6");
  CheckRequest request;
  request.files = {file("bad.yaml", text)};
  EXPECT_EQ(run(request), 65);
  EXPECT_THAT(err_.str(), HasSubstr("bad.yaml:3:16: check.ticks: with 6, gap 0.4 does not lie"));
  EXPECT_THAT(err_.str(), HasSubstr("give 10"));
  request.files = {file("none.yaml", "name: none\ngroup: {interval: 5s}\nworkers: 2\n")};
  EXPECT_EQ(run(request), 65);
  EXPECT_THAT(err_.str(), HasSubstr("no `check` section"));
}

TEST_F(CheckCommand, a_violation_is_told_drawn_and_saved_for_the_simulator) {
  CheckRequest request;
  request.files = {file("violated.yaml", kViolated)};
  request.save = (directory_ / "found.yaml").string();
  request.dot = (directory_ / "graph.dot").string();
  EXPECT_EQ(run(request), 1);
  EXPECT_THAT(out_.str(), HasSubstr("lease-exclusive after:"));
  EXPECT_THAT(out_.str(), HasSubstr("A: starts; registers: index 0, no previous count"));
  EXPECT_THAT(out_.str(), HasSubstr("nandi-sim " + request.save));
  EXPECT_THAT(out_.str(), Not(HasSubstr("every step")));
  EXPECT_THAT(text_of(request.save), HasSubstr("# Found by: nandi-check --save"));
  EXPECT_THAT(text_of(request.save), HasSubstr("schedule:"));
  EXPECT_THAT(text_of(request.dot), HasSubstr("digraph"));
  request.show_path = true;
  EXPECT_EQ(run(request), 1);
  EXPECT_THAT(out_.str(), HasSubstr("> A sends a registration"));
  request.save = (directory_ / "no" / "such" / "place.yaml").string();
  EXPECT_EQ(run(request), 65);
  EXPECT_THAT(err_.str(), HasSubstr("cannot write"));
}

TEST_F(CheckCommand, json_on_standard_output_has_it_for_itself) {
  CheckRequest request;
  request.files = {file("holds.yaml", kHolds), file("violated.yaml", kViolated)};
  request.json = "-";
  EXPECT_EQ(run(request), 1);
  const auto json = nlohmann::json::parse(out_.str());
  EXPECT_EQ(json["format"], "nandi-check");
  EXPECT_EQ(json["version"], 1);
  ASSERT_EQ(json["files"].size(), 2U);
  EXPECT_EQ(json["files"][0]["verdict"], "holds");
  EXPECT_EQ(json["files"][0]["counts"]["frontier"], 0);
  EXPECT_GT(json["files"][0]["coverage"]["actions"]["renew"], 0);
  EXPECT_EQ(json["files"][1]["violated"], "lease-exclusive");
  EXPECT_FALSE(json["files"][1]["counterexample"]["story"].empty());
}

TEST(CheckMemory, is_written_with_its_unit) {
  EXPECT_EQ(memory_of("4GB"), 4'000'000'000U);
  EXPECT_EQ(memory_of("512MiB"), 512ULL << 20U);
  EXPECT_THROW(static_cast<void>(memory_of("much")), std::invalid_argument);
}

}  // namespace
}  // namespace nandi::checker
