#include "nandi/sim/keyspace/keyspace_study.h"

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "nandi/sim/yaml/record.h"

namespace nandi::sim {

namespace {

using yaml::count_type;

yaml::Type<LendingModel> lending_model_type() {
  const auto share = yaml::fraction_type({std::nullopt, Fraction(0, 1), Fraction(1, 1), {}});
  const auto bytes = count_type<std::uint32_t>(1, 1'000'000);
  return yaml::Record<LendingModel>("lending-model", "The library whose loans write the keys.")
      .optional("books", &LendingModel::books, count_type<std::uint32_t>(1, 1'000'000),
                "Number of books.", "3000")
      .optional("loans", &LendingModel::loans, count_type<std::uint32_t>(1, 1'000'000),
                "Number of loans drawn.", "12000")
      .optional("queue_share", &LendingModel::queue_share, share,
                "Share of the books with a waiting queue.", "0.25")
      .optional("seed", &LendingModel::seed, count_type<std::uint32_t>(0, 0xffffffffU),
                "Seed of the linear congruential generator.", "20260731")
      .optional("branch_shares", &LendingModel::branch_shares, yaml::list_type(share, 1),
                "Share of the loans by branch.", "[0.5, 0.3, 0.2]")
      .optional("catalog_bytes", &LendingModel::catalog_bytes, bytes,
                "Size of a catalog entry in bytes.", "240")
      .optional("loan_bytes", &LendingModel::loan_bytes, bytes, "Size of a loan in bytes.", "96")
      .optional("queue_bytes", &LendingModel::queue_bytes, bytes,
                "Size of a waiting queue in bytes.", "128")
      .optional("counter_bytes", &LendingModel::counter_bytes, bytes,
                "Size of a branch's counter in bytes.", "64")
      .type();
}

KeyspaceFigures figures_of(const KeyspaceStudy& study, const LendingData& data, KeyHash hash) {
  KeyspaceFigures figures;
  figures.hash = hash;
  for (const std::uint32_t nodes : study.nodes) {
    figures.by_nodes.push_back(spread_lending(study.model, data, hash, Tagging::none, nodes));
  }
  for (const Tagging tagging : kTaggings) {
    figures.by_tagging.push_back(
        spread_lending(study.model, data, hash, tagging, study.tagging_nodes));
  }
  const char* const samples[] = {"{branch:0}catalog:7", "{book:7}catalog:7", "catalog:7"};
  for (std::size_t i = 0; i < 3; ++i) {
    figures.sample_slots[i] = slot_of(hash, samples[i]);
    figures.sample_nodes[i] = equal_range_node(figures.sample_slots[i], study.tagging_nodes);
  }
  return figures;
}

// Collects what was checked, and the first contradiction.
class Finding {
 public:
  explicit Finding(std::string name) : name_(std::move(name)) {}

  void require(bool holds, const std::string& otherwise) {
    ++checks_;
    if (!holds && contradiction_.empty()) contradiction_ = otherwise;
  }

  StudyProperty result() const {
    if (!contradiction_.empty()) return {name_, Verdict::violated, contradiction_};
    if (checks_ == 0) return {name_, Verdict::unknown, "nothing to check"};
    return {name_, Verdict::holds, fmt::format("{} spreads", checks_)};
  }

 private:
  std::string name_;
  std::string contradiction_;
  int checks_ = 0;
};

std::vector<StudyProperty> decide(const KeyspaceResult& result) {
  Finding one_node("one-node-per-key");
  Finding together("tagged-keys-stay-together");
  Finding slots("no-more-slots-than-tags");
  const LendingModel& model = result.study.model;
  for (const KeyspaceFigures& figures : result.figures) {
    for (const auto* list : {&figures.by_nodes, &figures.by_tagging}) {
      for (const LendingSpread& spread : *list) {
        const std::string where = fmt::format("{}, tag {}, {} nodes", key_hash_name(figures.hash),
                                              tagging_name(spread.tagging), spread.nodes);
        const auto sum = [](const std::vector<std::uint64_t>& parts) {
          return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
        };
        one_node.require(
            sum(spread.node_keys) == spread.keys && sum(spread.node_bytes) == spread.bytes,
            where + ": the nodes' keys or bytes do not add up");
        if (spread.tagging == Tagging::none) continue;
        const bool by_branch = spread.tagging == Tagging::branch;
        together.require(spread.t1_in_one_slot == spread.loans &&
                             (!by_branch || spread.t2_in_one_slot == spread.loans),
                         where + ": keys of one tag are in several slots");
        // Under the book tag the branches' counters are hashed whole: a tag each.
        const std::uint64_t branches = model.branch_shares.size();
        slots.require(spread.slots_used <= branches + (by_branch ? 0 : model.books),
                      fmt::format("{}: {} slots in use", where, spread.slots_used));
      }
    }
  }
  return {one_node.result(), together.result(), slots.result()};
}

}  // namespace

yaml::Type<KeyspaceStudy> keyspace_study_type() {
  const auto node_count = count_type<std::uint32_t>(1, kHashSlots);
  return yaml::Record<KeyspaceStudy>("keyspace-study",
                                     "How the names of keys divide a cluster (`kind: keyspace`).")
      .required("kind", &KeyspaceStudy::kind,
                yaml::known_string_type("kind of study", {"keyspace"}), "What the file describes.",
                "keyspace")
      .optional("hashes", &KeyspaceStudy::hashes,
                yaml::list_type(yaml::enum_type<KeyHash>(
                                    {{KeyHash::fnv1a_32, "fnv1a-32"}, {KeyHash::crc16, "crc16"}}),
                                1),
                "The lesson's hash, Redis's, or both: one set of tables each.", "[fnv1a-32, crc16]")
      .optional("nodes", &KeyspaceStudy::nodes, yaml::list_type(node_count, 1),
                "Numbers of nodes over which untagged keys are spread.", "[3, 4, 6, 8]")
      .optional("tagging_nodes", &KeyspaceStudy::tagging_nodes, node_count,
                "Number of nodes over which each tagging is spread.", "6")
      .optional("model", &KeyspaceStudy::model, lending_model_type(),
                "The library whose loans write the keys.", "{books: 500}")
      .optional("expect", &KeyspaceStudy::expect, study_expectation_type(),
                "The outcome that the file declares.", "{verdict: holds}")
      .type();
}

KeyspaceStudy load_keyspace_study(const yaml::Document& document) {
  return keyspace_study_type().read(document.root());
}

KeyspaceResult run_keyspace_study(const KeyspaceStudy& study, const std::atomic<bool>* stop) {
  KeyspaceResult result;
  result.study = study;
  const LendingData data = draw_lending(study.model);
  const auto is_stopped = [stop] { return stop != nullptr && *stop; };
  for (const KeyHash hash : study.hashes) {
    if (!result.figures.empty() && is_stopped()) break;
    result.figures.push_back(figures_of(study, data, hash));
  }
  result.properties = decide(result);
  if (result.figures.size() < study.hashes.size()) {
    result.properties.push_back(interrupted_study(
        fmt::format("after {} of {} hashes", result.figures.size(), study.hashes.size())));
  }
  result.verdict = verdict_of(result.properties);
  return result;
}

}  // namespace nandi::sim
