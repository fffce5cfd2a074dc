#include "nandi/checker/explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/counter_race.h"
#include "models/endless_tree.h"
#include "models/graph.h"
#include "models/lamp.h"
#include "models/unjudged.h"

namespace nandi::checker {
namespace {

using models::CounterRace;
using models::EndlessTree;
using models::Graph;
using models::Lamp;
using sim::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Explorer, TheBulbBurnsOutInTwoSteps) {
  const auto result = explore_breadth_first(Lamp());
  ASSERT_EQ(result.summary.verdict, Verdict::violated);
  EXPECT_EQ(result.summary.violated, "never burnt");
  EXPECT_EQ(sim::exit_status(result.summary.verdict), 1);
  EXPECT_EQ(describe_path(Lamp(), *result.counterexample),
            "  0  off\n"
            "     > press the switch\n"
            "  1  on\n"
            "     > the bulb burns out\n"
            "  2  burnt\n");
}

TEST(Explorer, TheCounterRaceLosesAnUpdateInFourSteps) {
  const CounterRace model(2);
  const auto result = explore_breadth_first(model);
  ASSERT_EQ(result.summary.verdict, Verdict::violated);
  EXPECT_EQ(result.counterexample->steps.size(), 4U);
  EXPECT_EQ(result.counterexample->last().counter, 1);
  EXPECT_THAT(result.summary.evidence, HasSubstr("no shorter path exists"));
}

TEST(Explorer, DepthFirstSaysThatItsPathIsNotMinimal) {
  const auto result = explore_depth_first(CounterRace(2));
  ASSERT_EQ(result.summary.verdict, Verdict::violated);
  EXPECT_THAT(result.summary.evidence, HasSubstr("not minimal"));
}

// 0 leads to 1 first and to the bad 3 second; 1 leads to 3 by way of 2.
TEST(Explorer, DepthFirstTakesTheFirstSuccessorFirst) {
  const Graph model({{1, 4}, {2}, {3}, {}, {3}}, {0}, {3});
  EXPECT_EQ(explore_breadth_first(model).counterexample->steps.size(), 2U);
  EXPECT_EQ(explore_depth_first(model).counterexample->steps.size(), 3U);
}

TEST(Explorer, ADiamondHasFourStatesAndFourTransitions) {
  const Graph model({{1, 2}, {3}, {3}, {}}, {0}, {});
  for (const auto& result : {explore_breadth_first(model), explore_depth_first(model)}) {
    EXPECT_EQ(result.summary.verdict, Verdict::holds);
    EXPECT_EQ(sim::exit_status(result.summary.verdict), 0);
    EXPECT_EQ(result.summary.counts.states, 4U);
    EXPECT_EQ(result.summary.counts.transitions, 4U);
    EXPECT_EQ(result.summary.counts.depth, 2U);
    EXPECT_EQ(result.summary.counts.terminal, 1U);
    EXPECT_EQ(result.summary.counts.frontier, 0U);
  }
}

TEST(Explorer, ASelfLoopIsOneStateAndOneTransition) {
  const Graph model({{0}}, {0}, {});
  for (const auto& result : {explore_breadth_first(model), explore_depth_first(model)}) {
    EXPECT_EQ(result.summary.verdict, Verdict::holds);
    EXPECT_EQ(result.summary.counts.states, 1U);
    EXPECT_EQ(result.summary.counts.transitions, 1U);
    EXPECT_EQ(result.summary.counts.depth, 0U);
    EXPECT_EQ(result.summary.counts.terminal, 0U);
  }
}

TEST(Explorer, ABadInitialStateIsAViolationOfNoSteps) {
  const Graph model({{1}, {}}, {1, 0}, {0});
  const auto result = explore_breadth_first(model);
  ASSERT_EQ(result.summary.verdict, Verdict::violated);
  EXPECT_TRUE(result.counterexample->steps.empty());
  EXPECT_EQ(result.counterexample->initial, 0U);
}

TEST(Explorer, BothActionsThatLeadToOneSuccessorAreInThePath) {
  const Graph model({{2, 1, 2}, {}, {}}, {0}, {2});
  const auto result = explore_breadth_first(model);
  ASSERT_EQ(result.summary.verdict, Verdict::violated);
  ASSERT_EQ(result.counterexample->steps.size(), 1U);
  const auto& step = result.counterexample->steps[0];
  EXPECT_EQ(step.action, (Graph::Action{0, 0}));
  EXPECT_THAT(step.alternatives, ElementsAre(Graph::Action{0, 2}));
  EXPECT_THAT(describe_path(model, *result.counterexample),
              HasSubstr("edge 0 of 0 (or: edge 2 of 0)"));
}

TEST(Explorer, ASometimesThatIsNeverReachedMakesTheRunUnknown) {
  const auto result = explore_breadth_first(models::Unjudged<Lamp>());
  EXPECT_EQ(result.summary.verdict, Verdict::unknown);
  EXPECT_THAT(result.summary.vacuous, ElementsAre("'lit' was never reached"));
  EXPECT_EQ(result.summary.evidence, "vacuous: 'lit' was never reached in 3 states (exhaustive)");
}

TEST(Explorer, AnActionThatMustFireAndNeverDoesMakesTheRunUnknown) {
  // A race of no threads is over before it begins and has no read and no write.
  const auto result = explore_breadth_first(CounterRace(0));
  EXPECT_EQ(result.summary.verdict, Verdict::unknown);
  EXPECT_EQ(sim::exit_status(result.summary.verdict), 2);
  EXPECT_EQ(result.summary.reason, StopReason::exhausted);
  EXPECT_THAT(result.summary.vacuous,
              ElementsAre("action 'read' never fired", "action 'write' never fired"));
  EXPECT_THAT(result.summary.coverage.never_fired(), ElementsAre("read", "write"));

  ExploreOptions options;
  options.allow_vacuous = true;
  EXPECT_EQ(explore_breadth_first(CounterRace(0), options).summary.verdict, Verdict::holds);
}

TEST(Explorer, NoInitialStateIsUnknownWhateverTheOptions) {
  ExploreOptions options;
  options.allow_vacuous = true;
  const auto result = explore_breadth_first(Graph({{}}, {}, {}), options);
  EXPECT_EQ(result.summary.verdict, Verdict::unknown);
  EXPECT_THAT(result.summary.evidence, HasSubstr("there is no initial state"));
}

TEST(Explorer, CoverageCountsTransitionsOfEachClassAndStatesOfEachProperty) {
  // The first two steps: either thread reads; then the other reads or the same one writes.
  ExploreOptions options;
  options.bounds.max_depth = 2;
  const auto result = explore_breadth_first(CounterRace(2), options);
  EXPECT_EQ(result.summary.verdict, Verdict::unknown);
  EXPECT_EQ(result.summary.coverage.action_classes[0].name, "read");
  EXPECT_EQ(result.summary.coverage.action_classes[0].count, 4U);
  EXPECT_EQ(result.summary.coverage.action_classes[1].count, 2U);
  EXPECT_EQ(result.summary.coverage.properties[1].count, 0U);
}

// Node p of the tree is complete once 2p + 2 is in the set: with 1,000 nodes, 0 .. 998 and 999,
// those are 0 .. 498.
TEST(Explorer, TheBoundOnStatesEndsInUnknownWithTheFrontier) {
  ExploreOptions options;
  options.bounds.max_states = 1000;
  const auto result = explore_breadth_first(EndlessTree(), options);
  EXPECT_EQ(result.summary.verdict, Verdict::unknown);
  EXPECT_EQ(result.summary.reason, StopReason::max_states);
  EXPECT_EQ(result.summary.counts.states, 1000U);
  EXPECT_EQ(result.summary.counts.frontier, 501U);
  EXPECT_EQ(result.summary.counts.depth, 9U);  // 2^9 - 1 = 511 <= 999
  EXPECT_EQ(result.summary.evidence,
            "bound on states reached: no violation in 1,000 states, 501 of them not expanded, "
            "depth 9");
}

TEST(Explorer, ABoundThatTheModelJustFitsIsNoBound) {
  const Graph model({{1, 2}, {3}, {3}, {}}, {0}, {});
  ExploreOptions options;
  options.bounds.max_states = 4;
  EXPECT_EQ(explore_breadth_first(model, options).summary.verdict, Verdict::holds);
  EXPECT_EQ(explore_depth_first(model, options).summary.verdict, Verdict::holds);
  options.bounds.max_states = 3;
  EXPECT_EQ(explore_breadth_first(model, options).summary.reason, StopReason::max_states);
  EXPECT_EQ(explore_depth_first(model, options).summary.reason, StopReason::max_states);
}

TEST(Explorer, TheBoundOnMemoryEndsInUnknownAndIsKept) {
  for (const SearchOrder order : {SearchOrder::breadth_first, SearchOrder::depth_first}) {
    ExploreOptions options;
    options.bounds.max_bytes = 20'000'000;
    const auto result = explore(EndlessTree(), order, options);
    EXPECT_EQ(result.summary.verdict, Verdict::unknown);
    EXPECT_EQ(result.summary.reason, StopReason::max_memory);
    EXPECT_LE(result.summary.counts.bytes, 20'000'000U);
    // Not given up early: a state of one word costs 12 bytes and at most 10.7 in the table.
    EXPECT_GT(result.summary.counts.states, 500'000U);
    EXPECT_GT(result.summary.counts.frontier, 0U);
  }
}

// Depth 5: 2^6 - 1 nodes, of which the 2^5 deepest are not expanded.
TEST(Explorer, TheBoundOnDepthEndsInUnknownWithTheFrontier) {
  for (const SearchOrder order : {SearchOrder::breadth_first, SearchOrder::depth_first}) {
    ExploreOptions options;
    options.bounds.max_depth = 5;
    const auto result = explore(EndlessTree(), order, options);
    EXPECT_EQ(result.summary.verdict, Verdict::unknown);
    EXPECT_EQ(result.summary.reason, StopReason::max_depth);
    EXPECT_EQ(result.summary.counts.states, 63U);
    EXPECT_EQ(result.summary.counts.frontier, 32U);
    EXPECT_EQ(result.summary.counts.depth, 5U);
  }
}

TEST(Explorer, TheBoundOnTimeEndsInUnknown) {
  ExploreOptions options;
  options.bounds.max_seconds = 0.02;
  const auto result = explore_breadth_first(EndlessTree(), options);
  EXPECT_EQ(result.summary.verdict, Verdict::unknown);
  EXPECT_EQ(result.summary.reason, StopReason::max_time);
  EXPECT_GT(result.summary.counts.frontier, 0U);
}

TEST(Explorer, AnInterruptEndsInUnknownAndProgressIsReportedUntilThen) {
  for (const SearchOrder order : {SearchOrder::breadth_first, SearchOrder::depth_first}) {
    std::atomic<bool> interrupt{false};
    std::vector<Progress> reports;
    ExploreOptions options;
    options.interrupt = &interrupt;
    options.progress_seconds = 0.001;
    options.progress = [&](const Progress& progress) {
      reports.push_back(progress);
      interrupt = reports.size() == 3;
    };
    const auto result = explore(EndlessTree(), order, options);
    EXPECT_EQ(result.summary.verdict, Verdict::unknown);
    EXPECT_EQ(result.summary.reason, StopReason::interrupted);
    ASSERT_EQ(reports.size(), 3U);
    EXPECT_LT(reports[0].states, reports[2].states);
    EXPECT_GT(reports[2].states_per_second, 0);
    EXPECT_GT(reports[2].frontier, 0U);
    EXPECT_GT(reports[2].depth, 0U);
    EXPECT_GT(reports[2].bytes, 0U);
  }
}

TEST(Explorer, APropertyThatThrowsAtState1000IsAnErrorWithTheStatesLeft) {
  try {
    explore_breadth_first(EndlessTree(1000, std::nullopt));
    FAIL() << "no error";
  } catch (const ExplorationError& error) {
    // 1000 = 2 * 499 + 2 was just found, 499 is not complete: 0 .. 498 are.
    EXPECT_THAT(error.what(), HasSubstr("planted in a property"));
    EXPECT_THAT(error.what(), HasSubstr("1001 states found, 502 of them not expanded"));
    EXPECT_EQ(error.counts().states, 1001U);
    EXPECT_EQ(error.counts().frontier, 502U);
  }
}

TEST(Explorer, AnActionThatThrowsIsAnErrorInEitherOrder) {
  EXPECT_THROW(explore_breadth_first(EndlessTree(std::nullopt, 1000)), ExplorationError);
  // Depth-first goes left for ever: 2^10 - 1.
  EXPECT_THROW(explore_depth_first(EndlessTree(std::nullopt, 1023)), ExplorationError);
}

// A chain 0, 1, 2 of which the packed form forgets a flag that no state produced has and every
// state decoded has. With the flag, node 1 is bad, or leads on to the bad node 2.
class Forgetful {
 public:
  struct State {
    std::uint32_t node = 0;
    bool flag = false;
  };
  using Action = std::uint32_t;
  static constexpr std::size_t kMaxWords = 1;

  explicit Forgetful(std::uint32_t bad) : bad_(bad) {}

  std::size_t words() const { return 1; }
  void encode(const State& state, std::uint64_t* words) const { words[0] = state.node; }
  void decode(const std::uint64_t* words, State& state) const {
    state = {static_cast<std::uint32_t>(words[0]), true};
  }
  template <class Visit>
  void for_each_initial(Visit&& visit) const {
    visit(State{});
  }
  template <class Visit>
  void for_each_successor(const State& state, Visit&& visit) const {
    if (state.node == 0 || (state.node == 1 && state.flag)) {
      visit(state.node, State{state.node + 1, false});
    }
  }
  std::uint64_t decided(const State& state) const {
    return state.flag && state.node == bad_ ? 1U : 0U;
  }
  const std::array<Property, 1>& properties() const {
    static constexpr std::array<Property, 1> kProperties = {Property{"not bad"}};
    return kProperties;
  }
  const std::array<ActionClass, 1>& action_classes() const {
    static constexpr std::array<ActionClass, 1> kClasses = {ActionClass{"on"}};
    return kClasses;
  }
  std::size_t action_class(const Action& /*action*/) const { return 0; }
  std::string describe_state(const State& state) const { return std::to_string(state.node); }
  std::string describe_action(const Action& action) const { return std::to_string(action); }

 private:
  std::uint32_t bad_;
};

TEST(Explorer, AViolationThatIsNotThereOnReplayIsADefectAndNoVerdict) {
  EXPECT_THROW(explore_breadth_first(Forgetful(1)), WitnessError);
  EXPECT_THROW(explore_depth_first(Forgetful(1)), WitnessError);
}

TEST(Explorer, APathWithAStepThatIsNoneIsADefectAndNoVerdict) {
  EXPECT_THROW(explore_breadth_first(Forgetful(2)), WitnessError);
  EXPECT_THROW(explore_depth_first(Forgetful(2)), WitnessError);
}

class Misread : public Lamp {
 public:
  void decode(const std::uint64_t* words, State& state) const {
    Lamp::decode(words, state);
    state = state == State::burnt ? State::on : state;
  }
};

TEST(Explorer, APackedFormThatDecodesToAnotherStateIsAnError) {
  EXPECT_THROW(explore_breadth_first(Misread()), ExplorationError);
}

TEST(Path, ReplayRefusesAPathWithATamperedStep) {
  const CounterRace model(2);
  Path<CounterRace> path = *explore_breadth_first(model).counterexample;
  EXPECT_EQ(replay_path(model, path) & 1U, 1U);

  Path<CounterRace> skipped = path;
  skipped.steps.erase(skipped.steps.begin() + 1);
  EXPECT_THROW(replay_path(model, skipped), WitnessError);

  Path<CounterRace> other_action = path;
  other_action.steps[0].action.thread ^= 1U;
  EXPECT_THROW(replay_path(model, other_action), WitnessError);

  Path<CounterRace> other_start = path;
  other_start.initial.counter = 1;
  EXPECT_THROW(replay_path(model, other_start), WitnessError);
}

// A model that cannot be right is refused before it is explored.
class Misnamed : public Lamp {
 public:
  const std::array<Property, 2>& properties() const {
    static constexpr std::array<Property, 2> kTwice = {Property{"twice"}, Property{"twice"}};
    return kTwice;
  }
};
class TooWide : public Lamp {
 public:
  std::size_t words() const { return 2; }
};
class Unclassed : public Lamp {
 public:
  std::size_t action_class(const Action& /*action*/) const { return 2; }
};

TEST(Explorer, AModelThatContradictsItselfIsRefused) {
  EXPECT_THROW(explore_breadth_first(Misnamed()), std::invalid_argument);
  EXPECT_THROW(explore_breadth_first(TooWide()), std::invalid_argument);
  EXPECT_THROW(explore_breadth_first(Unclassed()), ExplorationError);
}

}  // namespace
}  // namespace nandi::checker
