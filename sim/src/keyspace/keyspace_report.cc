#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "nandi/sim/keyspace/keyspace_study.h"
#include "nandi/sim/partition/text_table.h"

namespace nandi::sim {

namespace {

using yaml::Tree;

std::string kib(std::uint64_t bytes) { return rounded(bytes, 1024, 1); }

std::string percent(std::uint64_t part, std::uint64_t whole, unsigned digits = 2) {
  return rounded(part * 100, whole, digits) + "%";
}

// Busiest node over the mean.
std::string imbalance(const LendingSpread& spread) {
  return rounded(spread.busiest_bytes() * spread.nodes, spread.bytes, 3);
}

std::string nodes_table(const KeyspaceFigures& figures) {
  TextTable table({"nodes", "keys", "KiB held", "KiB on busiest", "imbalance", "T1 on one node",
                   "T2 on one node"});
  for (const LendingSpread& spread : figures.by_nodes) {
    table.add_row({fmt::format("{}", spread.nodes), fmt::format("{}", spread.keys),
                   kib(spread.bytes), kib(spread.busiest_bytes()), imbalance(spread),
                   percent(spread.t1_on_one_node, spread.loans),
                   percent(spread.t2_on_one_node, spread.loans)});
  }
  return table.to_string(2);
}

std::string tagging_table(const KeyspaceFigures& figures) {
  TextTable table({"tag", "slots used", "keys", "KiB held", "KiB on busiest", "imbalance",
                   "T1 on one node", "T2 on one node"});
  for (const LendingSpread& spread : figures.by_tagging) {
    table.add_row({std::string(tagging_name(spread.tagging)), fmt::format("{}", spread.slots_used),
                   fmt::format("{}", spread.keys), kib(spread.bytes), kib(spread.busiest_bytes()),
                   imbalance(spread), percent(spread.t1_on_one_node, spread.loans),
                   percent(spread.t2_on_one_node, spread.loans)});
  }
  return table.to_string(2);
}

std::string load_table(const LendingSpread& spread) {
  std::vector<std::string> header = {"node"};
  std::vector<std::string> keys_row = {"keys"};
  std::vector<std::string> kib_row = {"KiB"};
  for (std::uint32_t node = 0; node < spread.nodes; ++node) {
    header.push_back(fmt::format("n{}", node));
    keys_row.push_back(fmt::format("{}", spread.node_keys[node]));
    kib_row.push_back(kib(spread.node_bytes[node]));
  }
  TextTable table(std::move(header));
  table.add_row(std::move(keys_row));
  table.add_row(std::move(kib_row));
  return table.to_string(2);
}

std::string slot_table(const KeyspaceFigures& figures) {
  TextTable table({"tag", "T1 in one slot", "T2 in one slot"});
  for (const LendingSpread& spread : figures.by_tagging) {
    table.add_row({std::string(tagging_name(spread.tagging)),
                   percent(spread.t1_in_one_slot, spread.loans),
                   percent(spread.t2_in_one_slot, spread.loans)});
  }
  return table.to_string(2);
}

std::string formulas(const KeyspaceStudy& study, const KeyspaceFigures& figures) {
  std::vector<std::string> header = {"n"};
  std::vector<std::string> three = {"K = 3"};
  std::vector<std::string> four = {"K = 4"};
  for (const std::uint32_t nodes : study.nodes) {
    const std::uint64_t n = nodes;
    header.push_back(fmt::format("{}", n));
    three.push_back(percent(1, n * n));
    four.push_back(percent(1, n * n * n));
  }
  TextTable table(std::move(header));
  table.add_row(std::move(three));
  table.add_row(std::move(four));
  std::string text =
      "Whatever the draw: K untagged keys meet on one of n nodes with probability "
      "(1/n)^(K-1)\n" +
      table.to_string(2);
  text += fmt::format("  usable slots: {} under branch tags, {} under book tags\n",
                      study.model.branch_shares.size(), study.model.books);
  text += fmt::format("  slots: branch:0 -> {}, book:7 -> {}, untagged catalog:7 -> {}\n",
                      figures.sample_slots[0], figures.sample_slots[1], figures.sample_slots[2]);
  text += fmt::format("  their nodes out of {}: {}, {}, {}\n", study.tagging_nodes,
                      figures.sample_nodes[0], figures.sample_nodes[1], figures.sample_nodes[2]);
  return text;
}

std::string shares_text(const LendingModel& model) {
  std::string text;
  for (const Fraction share : model.branch_shares) {
    if (!text.empty()) text += '/';
    text += to_string(Fraction(share.numerator() * 100, share.denominator()));
  }
  return text;
}

Tree spread_json(const LendingSpread& spread) {
  const auto integer = [](std::uint64_t value) {
    return Tree::integer(static_cast<std::int64_t>(value));
  };
  Tree out = Tree::mapping();
  out.add("tagging", Tree::string(std::string(tagging_name(spread.tagging))));
  out.add("nodes", integer(spread.nodes));
  out.add("slots_used", integer(spread.slots_used));
  out.add("keys", integer(spread.keys));
  out.add("bytes", integer(spread.bytes));
  out.add("loans", integer(spread.loans));
  out.add("t1_on_one_node", integer(spread.t1_on_one_node));
  out.add("t2_on_one_node", integer(spread.t2_on_one_node));
  out.add("t1_in_one_slot", integer(spread.t1_in_one_slot));
  out.add("t2_in_one_slot", integer(spread.t2_in_one_slot));
  out.add("imbalance", Tree::literal(imbalance(spread)));
  Tree bytes = Tree::sequence();
  for (const std::uint64_t each : spread.node_bytes) bytes.append(integer(each));
  out.add("node_bytes", std::move(bytes));
  Tree counts = Tree::sequence();
  for (const std::uint64_t each : spread.node_keys) counts.append(integer(each));
  out.add("node_keys", std::move(counts));
  return out;
}

}  // namespace

std::string keyspace_text(const KeyspaceResult& result) {
  const LendingModel& model = result.study.model;
  std::string text = fmt::format(
      "Key space of a lending library: {} books, {} branches (shares {} %), {} loans, seed {}\n"
      "Bytes: catalog entry {}, loan {}, waiting queue {}, branch counter {}. {} hash slots, equal "
      "ranges per node.\n"
      "T1 touches catalog entry, loan and queue; T2 the branch counter too.\n"
      "Model and figures follow the lesson \"Clustering\", In-Memory Stores and Caching Systems, "
      "academia.sh (CC BY-SA 4.0).\n",
      grouped(model.books), model.branch_shares.size(), shares_text(model), grouped(model.loans),
      model.seed, model.catalog_bytes, model.loan_bytes, model.queue_bytes, model.counter_bytes,
      grouped(kHashSlots));
  for (const KeyspaceFigures& figures : result.figures) {
    const LendingSpread& branch = figures.by_tagging[1];
    text += fmt::format(
        "\nHash {}{}\n", key_hash_name(figures.hash),
        figures.hash == KeyHash::crc16 ? ", as Redis Cluster does" : ", as in the lesson");
    text += "\nUntagged keys over more nodes: the bytes divide, the transactions break\n";
    text += nodes_table(figures);
    text += fmt::format("\nThree ways of tagging over {} nodes\n", result.study.tagging_nodes);
    text += tagging_table(figures);
    text += fmt::format("\nLoad of each of {} nodes when the tag is the branch\n", branch.nodes);
    text += load_table(branch);
    text += "\nOne node is not enough for Redis, which wants one slot\n";
    text += slot_table(figures);
    text += '\n' + formulas(result.study, figures);
  }
  return text + '\n' + properties_text(result.properties);
}

Tree keyspace_json(const KeyspaceResult& result) {
  Tree out = Tree::mapping();
  out.add("format", Tree::string("nandi-keyspace-study/1"));
  out.add("verdict", Tree::string(std::string(verdict_name(result.verdict))));
  out.add("properties", properties_json(result.properties));
  out.add("study", keyspace_study_type().write(result.study));
  Tree hashes = Tree::sequence();
  for (const KeyspaceFigures& figures : result.figures) {
    Tree each = Tree::mapping();
    each.add("hash", Tree::string(std::string(key_hash_name(figures.hash))));
    Tree by_nodes = Tree::sequence();
    for (const LendingSpread& spread : figures.by_nodes) by_nodes.append(spread_json(spread));
    each.add("untagged_by_nodes", std::move(by_nodes));
    Tree by_tagging = Tree::sequence();
    for (const LendingSpread& spread : figures.by_tagging) by_tagging.append(spread_json(spread));
    each.add("by_tagging", std::move(by_tagging));
    hashes.append(std::move(each));
  }
  out.add("hashes", std::move(hashes));
  return out;
}

}  // namespace nandi::sim
