// The file that the key linter reads: names of keys, what is done with them, and the cluster.
//
//   # a comment: a line that begins with #
//   {branch:<b>}catalog:<k>                  a key pattern: any line of one word
//   key "with space:<k>" bytes=96 of=k       the same with its size, and what identifies a record
//   values b 0..5                            what <b> stands for: a range, or words
//   weights b 34 24 16 12 9 5                how much load falls on each of them
//   transaction lend: KEY KEY ...            keys of one command or MULTI/EXEC
//   script count: KEY ... -> KEY ...         keys that a script declares -> keys that it builds
//   group orders prefix=app:                 a worker group: keys of its registration script
//   nodes 3                                  that many masters as redis-cli --cluster create makes
//   node n0 0-5460 7000                      or each master with its hash slots
//   interval 29400000                        what <N> stands for now
//
// Words are separated by blanks; one in double quotes may hold blanks and the escapes \" \\ \n \t
// and \xHH. Errors are yaml::LoadError with file, line and column.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/sim/keyspace/key_pattern.h"
#include "nandi/sim/keyspace/slot_map.h"

namespace nandi::sim {

struct KeyLine {
  int line = 0;
  KeyPattern pattern;
  std::uint64_t bytes = 0;  // 0: not said
  // Placeholders that identify what is stored; the others only multiply it.
  std::optional<std::vector<std::string>> of;
};

// Keys that are used together.
struct KeySet {
  int line = 0;
  std::string name;
  bool script = false;
  std::vector<KeyPattern> declared;  // of a transaction: all
  std::vector<KeyPattern> built;     // of a script only
};

struct GroupLine {
  int line = 0;
  std::string name;
  std::string prefix;
};

struct KeyList {
  std::string file;
  std::vector<KeyLine> patterns;
  std::vector<KeySet> sets;  // those of groups too
  std::vector<GroupLine> groups;
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, std::vector<std::uint64_t>> weights;  // as many as values
  std::optional<SlotMap> slots;
  std::int64_t interval = 0;
};

KeyList read_key_list(std::string_view text, const std::string& file);

// Every line is a key, byte for byte: no words, no comments, no placeholders.
KeyList read_literal_keys(std::string_view text, const std::string& file);

// Adds a worker group: the key that its registration script declares and the counters that the
// script builds.
void add_group(KeyList& list, const std::string& name, const std::string& prefix, int line);

}  // namespace nandi::sim
