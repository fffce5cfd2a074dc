// Whether keys that are used together stay together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nandi/sim/keyspace/key_lint.h"
#include "nandi/sim/keyspace/key_list.h"

namespace nandi::sim {

SetFinding judge_set(const KeySet& set, const KeyList& list);

// Calls `each` with every binding of the names, whose values must all be listed, in the order of
// the lists, the last name fastest. False, and no call, when there are more than `most`.
bool for_bindings(const KeyList& list, const std::vector<std::string>& names, std::uint64_t most,
                  const std::function<void(const KeyBinding&)>& each);

// Those of the names that have no values in the list.
std::vector<std::string> unlisted_of(const KeyList& list, const std::vector<std::string>& names);

}  // namespace nandi::sim
