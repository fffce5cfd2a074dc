#include "nandi/checker/state_graph.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/graphml.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/property_map/dynamic_property_map.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <ostream>
#include <utility>

namespace nandi::checker {

namespace {

using Csr = boost::compressed_sparse_row_graph<boost::directedS>;

class NodeWriter {
 public:
  explicit NodeWriter(const StateGraph& graph) : graph_(graph) {}
  void operator()(std::ostream& out, std::size_t index) const {
    const StateGraph::Node& node = graph_.nodes[index];
    out << " [label=" << boost::escape_dot_string(node.text);
    if (node.initial) {
      out << ", peripheries=2";
    }
    if (node.bad) {
      out << ", style=filled, fillcolor=salmon";
    } else if (node.cut) {
      out << ", style=dashed";
    }
    if (node.on_path) {
      out << ", penwidth=3";
    }
    out << "]";
  }

 private:
  const StateGraph& graph_;
};

class EdgeWriter {
 public:
  EdgeWriter(const StateGraph& graph, const Csr& csr) : graph_(graph), csr_(csr) {}
  void operator()(std::ostream& out, const Csr::edge_descriptor& descriptor) const {
    const StateGraph::Edge& edge = graph_.edges[get(boost::edge_index, csr_, descriptor)];
    out << " [label=" << boost::escape_dot_string(edge.text);
    if (edge.on_path) {
      out << ", penwidth=3";
    }
    out << "]";
  }

 private:
  const StateGraph& graph_;
  const Csr& csr_;
};

/// Sorted by source already, so that the index of an edge is its position in graph.edges.
Csr csr_of(const StateGraph& graph) {
  std::vector<std::pair<std::size_t, std::size_t>> ends;
  ends.reserve(graph.edges.size());
  for (const StateGraph::Edge& edge : graph.edges) {
    ends.emplace_back(edge.from, edge.to);
  }
  return Csr(boost::edges_are_sorted, ends.begin(), ends.end(), graph.nodes.size());
}

}  // namespace

void write_dot(std::ostream& out, const StateGraph& graph) {
  const Csr csr = csr_of(graph);
  boost::write_graphviz(out, csr, NodeWriter(graph), EdgeWriter(graph, csr));
}

void write_graphml(std::ostream& out, const StateGraph& graph) {
  const Csr csr = csr_of(graph);
  const auto of_node = [&](auto member) {
    return boost::make_function_property_map<std::size_t>(
        [&graph, member](std::size_t node) { return graph.nodes[node].*member; });
  };
  const auto of_edge = [&](auto member) {
    return boost::make_function_property_map<Csr::edge_descriptor>(
        [&graph, &csr, member](const Csr::edge_descriptor& edge) {
          return graph.edges[get(boost::edge_index, csr, edge)].*member;
        });
  };
  boost::dynamic_properties properties;
  properties.property("text", of_node(&StateGraph::Node::text));
  properties.property("initial", of_node(&StateGraph::Node::initial));
  properties.property("bad", of_node(&StateGraph::Node::bad));
  properties.property("on_path", of_node(&StateGraph::Node::on_path));
  properties.property("cut", of_node(&StateGraph::Node::cut));
  properties.property("text", of_edge(&StateGraph::Edge::text));
  properties.property("on_path", of_edge(&StateGraph::Edge::on_path));
  boost::write_graphml(out, csr, properties, true);
}

}  // namespace nandi::checker
