#include "nandi/checker/state_graph.h"

#include <gtest/gtest.h>

#include <sstream>

#include "models/endless_tree.h"
#include "models/graph.h"
#include "models/lamp.h"
#include "nandi/checker/explorer.h"

namespace nandi::checker {
namespace {

using models::EndlessTree;
using models::Graph;
using models::Lamp;

std::string dot(const StateGraph& graph) {
  std::ostringstream out;
  write_dot(out, graph);
  return out.str();
}

TEST(StateGraph, TheLampIsDrawnWithItsCounterexampleInBold) {
  const auto result = explore_breadth_first(Lamp());
  EXPECT_EQ(dot(collect_graph(Lamp(), 100, &*result.counterexample)),
            "digraph G {\n"
            "0 [label=off, peripheries=2, penwidth=3];\n"
            "1 [label=on, penwidth=3];\n"
            "2 [label=burnt, style=filled, fillcolor=salmon, penwidth=3];\n"
            "0->1  [label=\"press the switch\", penwidth=3];\n"
            "1->0  [label=\"press the switch\"];\n"
            "1->2  [label=\"the bulb burns out\", penwidth=3];\n"
            "}\n");
}

TEST(StateGraph, ParallelEdgesAreAllDrawnAndTheOneTakenIsMarked) {
  const Graph model({{1, 1}, {}}, {0}, {1});
  const auto result = explore_breadth_first(model);
  const StateGraph graph = collect_graph(model, 100, &*result.counterexample);
  ASSERT_EQ(graph.edges.size(), 2U);
  EXPECT_TRUE(graph.edges[0].on_path);
  EXPECT_FALSE(graph.edges[1].on_path);
}

TEST(StateGraph, StatesWhoseSuccessorsDoNotFitAreMarkedAsCut) {
  const StateGraph graph = collect_graph(EndlessTree(), 3);
  ASSERT_EQ(graph.nodes.size(), 3U);
  EXPECT_FALSE(graph.nodes[0].cut);
  EXPECT_TRUE(graph.nodes[1].cut);
  EXPECT_TRUE(graph.nodes[2].cut);
  EXPECT_EQ(graph.edges.size(), 2U);
}

TEST(StateGraph, GraphMlHasTheNodesAndEdgesWithTheirTexts) {
  const auto result = explore_breadth_first(Lamp());
  std::ostringstream out;
  write_graphml(out, collect_graph(Lamp(), 100, &*result.counterexample));
  const std::string text = out.str();
  const auto count = [&](const std::string& what) {
    std::size_t times = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(count("<node id="), 3U);
  EXPECT_EQ(count("<edge id="), 3U);
  EXPECT_EQ(count(">burnt<"), 1U);
  EXPECT_EQ(count(">press the switch<"), 2U);
  EXPECT_EQ(text.find("<graphml"), text.find("<", text.find("?>") + 2));
}

}  // namespace
}  // namespace nandi::checker
