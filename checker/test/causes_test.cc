#include "nandi/checker/causes.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "models/graph.h"

namespace nandi::checker {
namespace {

// A drawn graph whose first edge of each node is an ordinary step, the second fault a, the third
// fault b.
class FaultyGraph : public models::Graph {
 public:
  using Graph::Graph;
  const std::array<ActionClass, 3>& action_classes() const { return kFaults; }
  std::size_t action_class(const Action& action) const { return action.edge; }

 private:
  static constexpr std::array<ActionClass, 3> kFaults = {ActionClass{"step"},
                                                         ActionClass{"fault a", false, true},
                                                         ActionClass{"fault b", false, true}};
};

// 0 goes on in 1 after nothing, in 2 after fault a, in 3 after fault b. From 2 one bad node is a
// step away and another one fault b; from 3 one.
FaultyGraph two_causes() { return {{{1, 2, 3}, {1}, {4, 2, 6}, {5}, {}, {}, {}}, {0}, {4, 5, 6}}; }

std::vector<std::string> names(const CauseSurvey<FaultyGraph>& survey) {
  std::vector<std::string> all;
  for (const auto& cause : survey.causes) {
    std::string name = cause.property;
    for (const std::string& one : cause.classes) name += ", " + one;
    all.push_back(name);
  }
  return all;
}

TEST(Causes, five_are_asked_for_where_there_are_two) {
  const auto survey = find_causes(two_causes(), 5);
  EXPECT_EQ(names(survey), (std::vector<std::string>{"not bad, fault a", "not bad, fault b"}));
  EXPECT_FALSE(survey.stop);
  EXPECT_EQ(describe_causes(survey.causes.size(), survey.stop), "2 found, no more");
  // Node 6 takes fault a as well, so it is one more case of that.
  EXPECT_EQ(survey.causes[0].states, 2U);
  EXPECT_EQ(survey.causes[1].states, 1U);
  EXPECT_EQ(survey.causes[0].path.steps.size(), 2U);
}

TEST(Causes, the_search_ends_with_as_many_as_were_asked_for) {
  const auto survey = find_causes(two_causes(), 1);
  EXPECT_EQ(names(survey), std::vector<std::string>{"not bad, fault a"});
  EXPECT_EQ(describe_causes(1, survey.stop), "1 found, as many as asked for");
}

TEST(Causes, a_bound_is_not_taken_for_the_end) {
  // A bad node at once, and a chain that the bound cuts.
  const FaultyGraph graph({{1, 2}, {}, {3}, {4}, {}}, {0}, {1});
  ExploreOptions options;
  options.bounds.max_states = 4;
  const auto survey = find_causes(graph, 5, options);
  EXPECT_EQ(survey.causes.size(), 1U);
  EXPECT_EQ(survey.stop, StopReason::max_states);
  EXPECT_NE(describe_causes(1, survey.stop), "1 found, no more");
}

TEST(Causes, a_sound_model_has_none) {
  const auto survey = find_causes(FaultyGraph({{0}}, {0}, {}), 3);
  EXPECT_TRUE(survey.causes.empty());
  EXPECT_EQ(describe_causes(0, survey.stop), "0 found, no more");
}

}  // namespace
}  // namespace nandi::checker
