// The explorers' counts against those of independent_counts.py, which shares nothing with them.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "independent_model.h"
#include "models/counter_race.h"
#include "models/fischer.h"
#include "models/two_phase_commit.h"
#include "models/unjudged.h"
#include "nandi/checker/explorer.h"

namespace nandi::checker {
namespace {

struct GraphCounts {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t depth = 0;
  std::uint64_t violating = 0;
};

GraphCounts independently(const std::string& arguments) {
  GraphCounts counts;
  std::istringstream in = ask_independently(NANDI_INDEPENDENT_COUNTS, arguments);
  in >> counts.states >> counts.transitions >> counts.depth >> counts.violating;
  EXPECT_TRUE(in) << arguments << ": " << in.str();
  return counts;
}

template <Model M>
void agrees(const M& model, const models::Unjudged<M>& unjudged, const std::string& arguments) {
  SCOPED_TRACE(arguments);
  const GraphCounts expected = independently(arguments);
  ExploreOptions options;
  options.allow_vacuous = true;
  for (const SearchOrder order : {SearchOrder::breadth_first, SearchOrder::depth_first}) {
    const Summary summary = explore(unjudged, order, options).summary;
    EXPECT_EQ(summary.reason, StopReason::exhausted);
    EXPECT_EQ(summary.counts.states, expected.states);
    EXPECT_EQ(summary.counts.transitions, expected.transitions);
    if (order == SearchOrder::breadth_first) {
      EXPECT_EQ(summary.counts.depth, expected.depth);
    }
  }
  EXPECT_EQ(explore_breadth_first(model).summary.verdict,
            expected.violating == 0 ? sim::Verdict::holds : sim::Verdict::violated);
}

template <Model M, class... Arguments>
void agrees_for(const std::string& name, Arguments... arguments) {
  std::string text = name;
  ((text += fmt::format(" {}", +arguments)), ...);
  agrees(M(arguments...), models::Unjudged<M>(arguments...), text);
}

TEST(IndependentCounts, OfTwoPhaseCommitAgree) {
  for (unsigned managers = 1; managers <= 5; ++managers) {
    SCOPED_TRACE(managers);
    // With one resource manager everything that can happen does, too.
    agrees_for<models::TwoPhaseCommit>("two_phase_commit", managers);
  }
}

TEST(IndependentCounts, OfTheCounterRaceAgree) {
  for (unsigned threads = 1; threads <= 4; ++threads) {
    agrees_for<models::CounterRace>("counter_race", threads);
  }
}

TEST(IndependentCounts, OfFischerAgree) {
  const std::array<std::array<std::uint8_t, 3>, 6> settings = {
      {{2, 1, 2}, {2, 1, 1}, {2, 3, 2}, {3, 2, 3}, {3, 1, 0}, {4, 1, 2}}};
  for (const auto& [processes, write_within, wait] : settings) {
    agrees_for<models::Fischer>("fischer", static_cast<unsigned>(processes), write_within, wait);
  }
}

}  // namespace
}  // namespace nandi::checker
