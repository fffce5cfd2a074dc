// Liveness of worker groups, as nandi-check says it.
#include <gmock/gmock.h>

#include <string>

#include "command_fixture.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/simulator.h"

namespace nandi::checker {
namespace {

using testing::HasSubstr;
using testing::Not;

// Round trips take no time, so spread slots keep their order: the group settles for ever.
constexpr const char* kCheck =
    "check: {ticks: 8, workers: 2, slots: engine, abandoned: 0, request_delay: 0, "
    "reply_delay: 0, liveness: [owned-for-ever, comes-back]}\n";
constexpr const char* kGroup = "name: group\ngroup: {interval: 8s, gap: 1/4}\n";

class LivenessCommand : public CommandFixture {};

TEST_F(LivenessCommand, a_calm_group_owns_its_indices_for_ever_and_comes_back) {
  EXPECT_EQ(run(request_of(std::string(kGroup) + kCheck)), 0) << out_.str();
  EXPECT_THAT(out_.str(), HasSubstr("index-below-count, owned-for-ever, comes-back"));
  EXPECT_THAT(out_.str(), HasSubstr("parts with fair loops"));
}

// Without spreading it is chance who comes first, in every interval again.
TEST_F(LivenessCommand, endless_reordering_is_told_as_a_stem_and_a_loop_and_replayed) {
  CheckRequest request = request_of(std::string(kGroup) + "rules: {spread: off}\n" + kCheck);
  request.save = (directory_ / "saved.yaml").string();
  EXPECT_EQ(run(request), 1);
  EXPECT_THAT(out_.str(), HasSubstr("owned-for-ever' is violated: after "));
  EXPECT_THAT(out_.str(), HasSubstr("and from here on again and again:"));
  const sim::Scenario saved = sim::load_scenario(request.save, sim::whole_language());
  EXPECT_FALSE(saved.schedule.empty());
  // The simulator takes every step of it, or throws.
  EXPECT_NO_THROW((void)sim::Simulator(saved).run(0));
}

// With unbounded delays every reply may come after its attempt has been given up.
TEST_F(LivenessCommand, replies_that_are_always_late_leave_a_worker_without_an_index) {
  CheckRequest request = request_of(
      std::string(kGroup) +
      "check: {ticks: 8, workers: 1, slots: engine, abandoned: 0, liveness: [comes-back]}\n");
  EXPECT_EQ(run(request), 1);
  EXPECT_THAT(out_.str(), HasSubstr("gives up waiting"));
}

TEST_F(LivenessCommand, what_does_not_go_with_it_is_refused) {
  const std::string symmetric = std::string(kGroup) +
                                "check: {ticks: 8, workers: 2, symmetry: true, liveness: "
                                "[comes-back]}\n";
  EXPECT_EQ(run(request_of(symmetric)), 65);
  EXPECT_THAT(err_.str(), HasSubstr("symmetry"));
  CheckRequest request = request_of(std::string(kGroup) + kCheck);
  for (const Exploring order : {Exploring::depth_first, Exploring::random_walk}) {
    request.order = order;
    EXPECT_EQ(run(request), 64);
    EXPECT_THAT(err_.str(), HasSubstr("--order"));
  }
  request = request_of(std::string(kGroup) +
                       "check: {ticks: 8, workers: 1, symmetry: true, request_delay: 0, "
                       "reply_delay: 0}\n");
  request.liveness = true;
  EXPECT_EQ(run(request), 65);
}

TEST_F(LivenessCommand, a_bound_ends_in_unknown) {
  CheckRequest request = request_of(std::string(kGroup) + kCheck);
  request.max_states = 100;
  EXPECT_EQ(run(request), 2);
  EXPECT_THAT(out_.str(), Not(HasSubstr("holds")));
}

}  // namespace
}  // namespace nandi::checker
