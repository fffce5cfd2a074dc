#include "measures.h"

#include <algorithm>
#include <cmath>  // tidy: allow determinism, because IEEE 754 rounds sqrt in one way only
#include <map>
#include <string>

namespace nandi::sim {

namespace {

constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

// For each of `members` its position in `others`, or kAbsent.
std::vector<std::uint32_t> positions(const Members& members, const Members& others) {
  std::map<std::string, std::uint32_t> position_of;
  for (std::uint32_t i = 0; i < others.size(); ++i) position_of[others[i].name] = i;
  std::vector<std::uint32_t> result;
  for (const partition::Server& member : members) {
    const auto found = position_of.find(member.name);
    result.push_back(found == position_of.end() ? kAbsent : found->second);
  }
  return result;
}

double total_weight(const Members& members) {
  double total = 0;
  for (const partition::Server& member : members) total += member.weight;
  return total;
}

}  // namespace

MovementCounts count_movement(const Members& before, const Owners& owners_before,
                              const Members& after, const Owners& owners_after) {
  const std::vector<std::uint32_t> old_in_new = positions(before, after);
  const std::vector<std::uint32_t> new_in_old = positions(after, before);
  std::vector<std::uint64_t> inherited(after.size(), 0);
  MovementCounts counts;
  counts.items = std::min(owners_before.size(), owners_after.size());
  for (std::size_t item = 0; item < counts.items; ++item) {
    const std::uint32_t from = owners_before[item];
    const std::uint32_t to = owners_after[item];
    if (old_in_new[from] == to) continue;
    ++counts.moved;
    if (old_in_new[from] == kAbsent) {
      ++counts.off_gone;
      ++inherited[to];
    } else if (new_in_old[to] == kAbsent) {
      ++counts.to_new;
    } else if (after[old_in_new[from]].weight < before[from].weight ||
               after[to].weight > before[new_in_old[to]].weight) {
      ++counts.by_weight;
    } else {
      ++counts.between_old;
    }
  }
  for (const std::uint64_t each : inherited) {
    counts.heirs += each > 0 ? 1U : 0U;
    counts.largest_heir = std::max(counts.largest_heir, each);
  }
  return counts;
}

std::vector<std::uint64_t> count_loads(std::size_t members, const Owners& owners) {
  std::vector<std::uint64_t> loads(members, 0);
  for (const std::uint32_t owner : owners) ++loads[owner];
  return loads;
}

Balance measure_balance(const Members& members, const std::vector<std::uint64_t>& loads) {
  double items = 0;
  for (const std::uint64_t load : loads) items += static_cast<double>(load);
  const double weights = total_weight(members);
  Balance balance;
  double squares = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const double fair = items * members[m].weight / weights;
    const double ratio = fair > 0 ? static_cast<double>(loads[m]) / fair : 1;
    balance.max_over_mean = std::max(balance.max_over_mean, ratio);
    squares += (ratio - 1) * (ratio - 1);
  }
  balance.variation = std::sqrt(squares / static_cast<double>(members.size()));
  return balance;
}

double chance_variation(const Members& members, std::uint64_t items) {
  const double weights = total_weight(members);
  double sum = 0;
  for (const partition::Server& member : members) {
    const double share = member.weight / weights;
    sum += (1 - share) / (static_cast<double>(items) * share);
  }
  return std::sqrt(sum / static_cast<double>(members.size()));
}

bool promises_minimal(const SchemeSpec& scheme, const Members& before, const Members& after) {
  if (scheme.must_be_minimal) return true;
  switch (scheme.kind) {
    case PlacementKind::rendezvous:
    case PlacementKind::ring: return true;
    case PlacementKind::jump:
    case PlacementKind::rendezvous_index: {
      const std::size_t shorter = std::min(before.size(), after.size());
      return std::equal(
          before.begin(), before.begin() + static_cast<std::ptrdiff_t>(shorter), after.begin(),
          [](const partition::Server& a, const partition::Server& b) { return a.name == b.name; });
    }
    case PlacementKind::modulo:
    case PlacementKind::maglev: break;
  }
  return false;
}

}  // namespace nandi::sim
