// `kind: keyspace`: how key names decide what a cluster can do. Runs the clustering lesson's model
// over numbers of nodes and ways of tagging, with the lesson's hash and with Redis's own.
//
// Properties: every key lives on exactly one node (the nodes' keys and bytes add up to the whole);
// keys that share a tag never part (T1 under branch and book tags, T2 under branch tags); and no
// more slots are in use than there are tags. A study is done with a verdict over them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "nandi/sim/keyspace/lending_model.h"
#include "nandi/sim/partition/study.h"
#include "nandi/sim/verdict.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/tree.h"
#include "nandi/sim/yaml/type.h"

namespace nandi::sim {

struct KeyspaceStudy {
  std::string kind = "keyspace";
  std::vector<KeyHash> hashes = {KeyHash::fnv1a_32};
  // Untagged keys are spread over each of these numbers of nodes.
  std::vector<std::uint32_t> nodes = {3, 4, 6, 8};
  // All taggings are spread over this many.
  std::uint32_t tagging_nodes = 6;
  LendingModel model;
  StudyExpectation expect;
};

// The format of the file, from which schema and reference can be made.
yaml::Type<KeyspaceStudy> keyspace_study_type();

// Throws yaml::LoadError. Precondition: the document's top-level `kind` is keyspace.
KeyspaceStudy load_keyspace_study(const yaml::Document& document);

// One hash's figures.
struct KeyspaceFigures {
  KeyHash hash = KeyHash::fnv1a_32;
  std::vector<LendingSpread> by_nodes;    // untagged
  std::vector<LendingSpread> by_tagging;  // none, branch, book
  // Slot of the tag branch:0, of the tag book:7, of the untagged key catalog:7; and their nodes
  // among tagging_nodes.
  std::uint32_t sample_slots[3] = {0, 0, 0};
  std::uint32_t sample_nodes[3] = {0, 0, 0};
};

struct KeyspaceResult {
  KeyspaceStudy study;
  std::vector<KeyspaceFigures> figures;
  std::vector<StudyProperty> properties;
  Verdict verdict = Verdict::unknown;
};

// `stop`, once set: end soon, with the hashes that are done; at least one is.
KeyspaceResult run_keyspace_study(const KeyspaceStudy& study,
                                  const std::atomic<bool>* stop = nullptr);

// The tables for people.
std::string keyspace_text(const KeyspaceResult& result);
// The same and the load of every node, for the report to draw.
yaml::Tree keyspace_json(const KeyspaceResult& result);

}  // namespace nandi::sim
