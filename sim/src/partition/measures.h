// The measurements of the partition study on plain arrays: owners are positions in the lists of
// members.
#pragma once

#include <cstdint>
#include <vector>

#include "nandi/engine/partition/server.h"
#include "nandi/sim/partition/partition_study.h"

namespace nandi::sim {

using Members = std::vector<partition::Server>;
using Owners = std::vector<std::uint32_t>;

// Counts of items by why they moved; see MovementFigures.
struct MovementCounts {
  std::uint64_t items = 0;
  std::uint64_t moved = 0;
  std::uint64_t off_gone = 0;
  std::uint64_t to_new = 0;
  std::uint64_t by_weight = 0;
  std::uint64_t between_old = 0;
  std::uint64_t heirs = 0;
  std::uint64_t largest_heir = 0;
};

// Compares the items that are in both; every owner must be a position in its list.
MovementCounts count_movement(const Members& before, const Owners& owners_before,
                              const Members& after, const Owners& owners_after);

std::vector<std::uint64_t> count_loads(std::size_t members, const Owners& owners);

struct Balance {
  double max_over_mean = 0;
  double variation = 0;
};
// Against fair shares by weight.
Balance measure_balance(const Members& members, const std::vector<std::uint64_t>& loads);

// `variation` expected when each of `items` items falls on a member at random by weight.
double chance_variation(const Members& members, std::uint64_t items);

// Whether a scheme promises that an item moves only for a reason, over this change. Schemes by
// position do where one list goes on from the other.
bool promises_minimal(const SchemeSpec& scheme, const Members& before, const Members& after);

}  // namespace nandi::sim
