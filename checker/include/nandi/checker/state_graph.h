// The explored graph of a small model, described, for drawing.
//
// States are numbered in breadth-first order, the initial ones first. Edges are sorted by source,
// in the model's order of actions; parallel edges stay apart.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/model.h"
#include "nandi/checker/path.h"
#include "nandi/checker/visited_set.h"

namespace nandi::checker {

struct StateGraph {
  struct Node {
    std::string text;
    bool initial = false;
    // Breaks an invariant.
    bool bad = false;
    bool on_path = false;
    // Its successors are not in the graph: the bound on states was reached.
    bool cut = false;
  };
  struct Edge {
    StateIndex from = 0;
    StateIndex to = 0;
    std::string text;
    bool on_path = false;
  };

  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

// Graphviz's language, through Boost.Graph. Initial states have a double border, bad ones are
// filled, a path is drawn bold, states with unexplored successors are dashed.
void write_dot(std::ostream& out, const StateGraph& graph);

// GraphML, for graph editors and libraries, through Boost.Graph. Nodes have `text`, `initial`,
// `bad`, `on_path` and `cut`, edges `text` and `on_path`.
void write_graphml(std::ostream& out, const StateGraph& graph);

// Marks the path in a graph whose nodes are numbered as in `visited`, as far as it is in it.
template <Model M>
void mark_path(StateGraph& graph, const M& model, const VisitedSet<0>& visited,
               const Path<M>& path) {
  StateIndex at = visited.find(pack(model, path.initial).data());
  for (const Step<M>& step : path.steps) {
    if (at == kNoState) {
      return;
    }
    graph.nodes[at].on_path = true;
    const StateIndex to = visited.find(pack(model, step.state).data());
    const std::string text = model.describe_action(step.action);
    for (StateGraph::Edge& edge : graph.edges) {
      edge.on_path |= edge.from == at && edge.to == to && edge.text == text;
    }
    at = to;
  }
  if (at != kNoState) {
    graph.nodes[at].on_path = true;
  }
}

// At most `max_states` states; the path, if there is one, is marked.
template <Model M>
StateGraph collect_graph(const M& model, std::uint64_t max_states, const Path<M>* path = nullptr) {
  using State = typename M::State;
  VisitedSet<0> visited(model.words(), max_states, std::uint64_t{1} << 30U);
  const auto index_of = [&](const State& state) {
    const auto key = pack(model, state);
    return visited.insert(key.data(), visited.hash(key.data()), kNoState).index;
  };
  std::uint64_t invariants = 0;
  for (std::size_t i = 0; i < model.properties().size(); ++i) {
    if (model.properties()[i].kind == PropertyKind::invariant) {
      invariants |= std::uint64_t{1} << i;
    }
  }

  StateGraph graph;
  model.for_each_initial([&](const State& state) { index_of(state); });
  const std::uint64_t initial = visited.size();
  for (StateIndex index = 0; index < visited.size(); ++index) {
    State state;
    model.decode(visited.key(index), state);
    StateGraph::Node node;
    node.text = model.describe_state(state);
    node.initial = index < initial;
    node.bad = (model.decided(state) & invariants) != 0;
    model.for_each_successor(state, [&](const typename M::Action& action, const State& next) {
      const StateIndex to = index_of(next);
      if (to == kNoState) {
        node.cut = true;
      } else {
        graph.edges.push_back({index, to, model.describe_action(action), false});
      }
    });
    graph.nodes.push_back(std::move(node));
  }
  if (path != nullptr) {
    mark_path(graph, model, visited, *path);
  }
  return graph;
}

}  // namespace nandi::checker
