// What the names of keys mean for a cluster: the slot of each key and why, which transactions and
// scripts stay together, what breaks later, what is hot and what is stored many times.
//
// A transaction (and the keys that a script declares) must be in one hash slot, or the cluster
// refuses it with CROSSSLOT. Keys that a script only builds are not looked at beforehand: the
// script fails while it runs when one of them is on another node, and works while they happen to
// be on one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nandi/sim/keyspace/key_list.h"
#include "nandi/sim/verdict.h"
#include "nandi/sim/yaml/tree.h"

namespace nandi::sim {

struct KeyFinding {
  int line = 0;
  std::string pattern;
  std::string hashed;  // the part that is hashed
  HashedBecause because = HashedBecause::no_open;
  std::string remark;                 // about braces that do not do what they seem to
  std::vector<std::string> unlisted;  // placeholders in the hashed part without values
  std::vector<std::uint32_t> slots;   // rising; of all values, or empty when some are unlisted
  std::uint64_t keys = 0;             // of all values; 0 when some are unlisted
  std::uint64_t copies = 1;           // of each record, by placeholders that `of=` leaves out
  std::uint64_t bytes = 0;            // of all its keys together
};

struct SetFinding {
  int line = 0;
  std::string name;
  Verdict verdict = Verdict::unknown;
  std::string statement;
  std::string advice;  // empty when it holds
};

struct NodeLoad {
  std::string name;
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  double share = 0;  // of the load
};

struct KeyLint {
  std::string file;
  std::vector<KeyFinding> patterns;
  std::vector<SetFinding> sets;
  std::vector<std::string> warnings;
  // With a map of slots and at least one key whose values are all listed.
  std::vector<NodeLoad> nodes;
  double imbalance = 0;        // busiest node over the mean
  std::string measure;         // of the load: "keys", "bytes", "weights"
  std::uint64_t left_out = 0;  // patterns that are not counted: unlisted values
  Verdict verdict = Verdict::unknown;
};

// Violated when a set can be refused or fail; unknown when one cannot be decided or there is
// nothing at all.
KeyLint lint_keys(const KeyList& list);

std::string key_lint_text(const KeyLint& lint);
yaml::Tree key_lint_json(const KeyLint& lint);

}  // namespace nandi::sim
