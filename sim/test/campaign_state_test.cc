// A campaign that is cut off goes on as if it had not been.
#include "nandi/sim/campaign_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "nandi/sim/judgement.h"
#include "swarm_scenario.h"

namespace nandi::sim {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kSeeds = 200;

Scenario failing_scenario() {
  Scenario scenario = swarm_scenario();
  scenario.rules.agreement = 1;  // some seeds violate, so that tallies have texts
  return scenario;
}

CampaignOptions options_of(unsigned jobs) {
  CampaignOptions options;
  options.seeds = {1, kSeeds};
  options.jobs = jobs;
  return options;
}

void expect_same(const CampaignResult& a, const CampaignResult& b) {
  EXPECT_EQ(a.runs, b.runs);
  EXPECT_EQ(a.trace_hash, b.trace_hash);
  EXPECT_EQ(a.statistics, b.statistics);
  EXPECT_EQ(a.by_seed, b.by_seed);
  EXPECT_EQ(a.faults, b.faults);
  EXPECT_EQ(a.failing_seeds, b.failing_seeds);
  EXPECT_EQ(a.events, b.events);
  for (std::size_t p = 0; p < a.properties.size(); ++p) {
    EXPECT_EQ(a.properties[p].reached, b.properties[p].reached);
    EXPECT_EQ(a.properties[p].first_seed, b.properties[p].first_seed);
    ASSERT_EQ(a.properties[p].first.has_value(), b.properties[p].first.has_value());
    if (a.properties[p].first) {
      EXPECT_EQ(a.properties[p].first->text, b.properties[p].first->text);
      EXPECT_EQ(a.properties[p].first->workers, b.properties[p].first->workers);
    }
  }
}

/// The state of the campaign after it was stopped somewhere in its middle.
/// Threads may finish what is left before they see the stop: then it is run again.
std::string state_of_a_stopped_run(const Simulator& simulator, unsigned jobs) {
  for (int left = 200; left > 0; --left) {
    std::atomic<bool> stop{false};
    CampaignOptions options = options_of(jobs);
    options.stop = &stop;
    options.progress = [&](const CampaignProgress& progress) {
      if (progress.done >= 70) stop = true;
    };
    const std::uint64_t fingerprint = campaign_fingerprint(simulator.scenario(), options);
    std::string state;
    options.save = [&](const CampaignPart& part) {
      std::ostringstream out;
      write_campaign_state(out, fingerprint, part);
      state = out.str();
    };
    if (run_campaign(simulator, options).interrupted) return state;
  }
  ADD_FAILURE() << "no campaign was stopped before its end";
  return {};
}

TEST(CampaignState, AStoppedCampaignGoesOnToTheSameResultAndRepeatsNoSeed) {
  const Simulator simulator(failing_scenario());
  const CampaignResult whole = run_campaign(simulator, options_of(1));
  for (const unsigned jobs : {1U, 3U}) {
    std::istringstream state(state_of_a_stopped_run(simulator, jobs));
    CampaignOptions options = options_of(jobs);
    const CampaignPart part =
        read_campaign_state(state, "state", campaign_fingerprint(simulator.scenario(), options));
    EXPECT_GE(part.next, 50U);
    EXPECT_LT(part.next, kSeeds);
    options.resume = &part;
    std::uint64_t least_done = kSeeds;
    std::uint64_t reports = 0;
    options.progress = [&](const CampaignProgress& progress) {
      least_done = std::min(least_done, progress.done);
      EXPECT_EQ(progress.before, part.result.runs);
      ++reports;
    };
    expect_same(run_campaign(simulator, options), whole);
    EXPECT_GE(least_done, part.result.runs);
    EXPECT_EQ(reports, kSeeds - part.result.runs) << "one for each seed that was run";
  }
}

TEST(CampaignState, AFinishedCampaignRunsNothingMore) {
  const Simulator simulator(failing_scenario());
  CampaignOptions options = options_of(2);
  std::optional<CampaignPart> last;
  options.save = [&](const CampaignPart& part) { last = part; };
  const CampaignResult whole = run_campaign(simulator, options);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->next, kSeeds + 1);
  options.resume = &*last;
  options.progress = [](const CampaignProgress&) { FAIL() << "a seed was run"; };
  options.save = nullptr;
  const CampaignResult again = run_campaign(simulator, options);
  expect_same(again, whole);
  EXPECT_FALSE(again.interrupted);
}

class BadState : public ::testing::Test {
 protected:
  BadState() {
    const Simulator simulator(failing_scenario());
    fingerprint_ = campaign_fingerprint(simulator.scenario(), options_of(1));
    state_ = state_of_a_stopped_run(simulator, 1);
  }

  std::string refusal(const std::string& text, std::uint64_t fingerprint) {
    std::istringstream in(text);
    try {
      static_cast<void>(read_campaign_state(in, "some.state", fingerprint));
    } catch (const CampaignStateError& error) {
      return error.what();
    }
    return "";
  }

  std::uint64_t fingerprint_ = 0;
  std::string state_;
};

TEST_F(BadState, IsRefusedWithWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(refusal(state_, fingerprint_), "");
  EXPECT_THAT(refusal("hello\n", fingerprint_), HasSubstr("some.state: this is no state"));
  EXPECT_THAT(refusal(state_, fingerprint_ + 1), HasSubstr("of another campaign"));
  std::string other_version = state_;
  other_version.replace(other_version.find(" 2\n"), 3, " 9\n");
  EXPECT_THAT(refusal(other_version, fingerprint_), HasSubstr("another version"));
  for (const std::size_t length : {state_.size() / 3, state_.size() / 2, state_.size() - 10}) {
    EXPECT_THAT(refusal(state_.substr(0, length), fingerprint_), HasSubstr("cut off or damaged"));
  }
  std::string damaged = state_;
  const std::size_t digit = damaged.find_first_of("12345678", damaged.find("of ") + 30);
  damaged[digit] = static_cast<char>(damaged[digit] + 1);
  EXPECT_THAT(refusal(damaged, fingerprint_), HasSubstr("cut off or damaged"));
  EXPECT_THAT(refusal(damaged, fingerprint_), HasSubstr("remove the file"));
}

TEST(CampaignState, TheFingerprintIsOfEverythingThatTheResultDependsOn) {
  const Scenario scenario = failing_scenario();
  const CampaignOptions options = options_of(1);
  const std::uint64_t own = campaign_fingerprint(scenario, options);
  EXPECT_EQ(own, campaign_fingerprint(scenario, options_of(7))) << "not of the number of threads";
  CampaignOptions other = options;
  other.seeds.last = 7;
  EXPECT_NE(own, campaign_fingerprint(scenario, other));
  other = options;
  other.length = Duration(kNanosecondsPerSecond);
  EXPECT_NE(own, campaign_fingerprint(scenario, other));
  Scenario reseeded = scenario;
  reseeded.swarm->fault_seed = 3;
  EXPECT_NE(own, campaign_fingerprint(reseeded, options));
}

TEST(CampaignState, TheFileIsReplacedAsAWhole) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("nandi-state-" + std::to_string(getpid()));
  const Simulator simulator(failing_scenario());
  CampaignOptions options = options_of(1);
  const std::uint64_t fingerprint = campaign_fingerprint(simulator.scenario(), options);
  EXPECT_FALSE(load_campaign_state(path, fingerprint));
  options.save = [&](const CampaignPart& part) { save_campaign_state(path, fingerprint, part); };
  const CampaignResult result = run_campaign(simulator, options);
  const std::optional<CampaignPart> loaded = load_campaign_state(path, fingerprint);
  ASSERT_TRUE(loaded);
  options.resume = &*loaded;
  options.save = nullptr;
  expect_same(run_campaign(simulator, options), result);
  std::filesystem::remove(path);
  EXPECT_THROW(save_campaign_state(path / "no" / "such", fingerprint, CampaignPart{}),
               std::runtime_error);
}

}  // namespace
}  // namespace nandi::sim
