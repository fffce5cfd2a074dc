// Random sequences of joins, leaves and changes of weight over every scheme: each item has exactly
// one live owner, input order does not matter, and where a scheme promises it an item changes
// servers only because its old one gave way or its new one came or grew.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "nandi/engine/partition/hash_ring.h"
#include "nandi/engine/partition/maglev_table.h"
#include "nandi/engine/partition/rendezvous.h"
#include "nandi/engine/partition/scheme.h"

namespace nandi::partition {
namespace {

constexpr int kItems = 150;
constexpr int kNames = 12;

/// One step: the server's new weight, 0 for leaving.
struct Change {
  int server = 0;
  std::uint32_t weight = 0;
};

std::ostream& operator<<(std::ostream& out, const Change& change) {
  return out << "n" << change.server << "=" << change.weight;
}

rc::Gen<std::vector<Change>> arbitrary_changes(std::uint32_t max_weight) {
  return rc::gen::container<std::vector<Change>>(
      rc::gen::map(rc::gen::pair(rc::gen::inRange(0, kNames),
                                 rc::gen::inRange<std::uint32_t>(0, max_weight + 1)),
                   [](const std::pair<int, std::uint32_t>& drawn) {
                     return Change{drawn.first, drawn.second};
                   }));
}

using Weights = std::map<std::string, std::uint32_t>;
using Owners = std::vector<std::string>;

template <class Placement>
Owners owners_of(const Placement& placement) {
  Owners owners;
  for (int id = -kItems / 2; id < kItems / 2; ++id) {
    const std::uint32_t owner = placement.owner(item_hash(id));
    owners.push_back(owner < placement.servers().size() ? placement.servers()[owner].name : "?");
  }
  return owners;
}

std::vector<Server> in_order(const Weights& weights, bool reversed) {
  std::vector<Server> servers;
  for (const auto& [name, weight] : weights) servers.push_back({name, weight});
  if (reversed) std::reverse(servers.begin(), servers.end());
  return servers;
}

std::uint32_t weight_of(const Weights& weights, const std::string& name) {
  const auto found = weights.find(name);
  return found == weights.end() ? 0 : found->second;
}

/// What is wrong with a scheme over a history, or nothing. `place` maps a list of servers to the
/// owner of each item.
template <class Place>
std::optional<std::string> fault_in(const std::vector<Change>& changes, bool minimal, Place place) {
  Weights weights = {{"n0", 1}};
  Owners before = place(in_order(weights, false));
  for (const Change& change : changes) {
    Weights next = weights;
    const std::string name = "n" + std::to_string(change.server);
    if (change.weight == 0) {
      next.erase(name);
    } else {
      next[name] = change.weight;
    }
    if (next.empty()) continue;
    const Owners after = place(in_order(next, false));
    if (place(in_order(next, true)) != after) return "input order matters";
    for (std::size_t item = 0; item < after.size(); ++item) {
      if (next.count(after[item]) == 0) return "owner is not live: " + after[item];
      if (!minimal || before[item] == after[item]) continue;
      const bool gave_way = weight_of(next, before[item]) < weight_of(weights, before[item]);
      const bool grew = weight_of(next, after[item]) > weight_of(weights, after[item]);
      if (!gave_way && !grew) return "moved between old servers: " + before[item];
    }
    weights = next;
    before = after;
  }
  return std::nullopt;
}

RC_GTEST_PROP(Partition, RendezvousKeepsItsPromisesOverAnyHistory, ()) {
  const auto changes = *arbitrary_changes(1);
  const auto fault = fault_in(changes, true, [](std::vector<Server> servers) {
    return owners_of(Rendezvous(std::move(servers)));
  });
  RC_ASSERT(fault == std::nullopt);
}

RC_GTEST_PROP(Partition, WeightedRendezvousKeepsItsPromisesOverAnyHistory, ()) {
  const auto changes = *arbitrary_changes(5);
  const auto fault = fault_in(changes, true, [](std::vector<Server> servers) {
    return owners_of(WeightedRendezvous(std::move(servers)));
  });
  RC_ASSERT(fault == std::nullopt);
}

RC_GTEST_PROP(Partition, TheRingKeepsItsPromisesOverAnyHistory, ()) {
  const auto changes = *arbitrary_changes(4);
  const auto virtual_nodes = *rc::gen::element<std::uint32_t>(1, 2, 20);
  const auto fault = fault_in(changes, true, [&](std::vector<Server> servers) {
    return owners_of(HashRing(std::move(servers), virtual_nodes));
  });
  RC_ASSERT(fault == std::nullopt);
}

RC_GTEST_PROP(Partition, MaglevHasALiveOwnerForEveryItemOverAnyHistory, ()) {
  const auto changes = *arbitrary_changes(3);
  const auto fault = fault_in(changes, false, [](std::vector<Server> servers) {
    return owners_of(MaglevTable(std::move(servers), 251));
  });
  RC_ASSERT(fault == std::nullopt);
}

RC_GTEST_PROP(Partition, NumberSchemesMoveOnlyToAndFromTheLastIndices, ()) {
  const auto history =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(1, 40));
  for (const Scheme scheme : {Scheme::kRendezvous, Scheme::kJump, Scheme::kModulo}) {
    for (std::size_t step = 1; step < history.size(); ++step) {
      const std::uint32_t n = history[step - 1];
      const std::uint32_t m = history[step];
      for (int id = -kItems / 2; id < kItems / 2; ++id) {
        const std::uint32_t before = index_of(scheme, id, n);
        const std::uint32_t after = index_of(scheme, id, m);
        RC_ASSERT(after < m);
        if (scheme == Scheme::kModulo) continue;
        RC_ASSERT(before == after || before >= m || after >= n);
      }
    }
  }
}

/// Rendezvous by position in the list instead of by name.
struct ByPosition {
  std::vector<Server> list;
  const std::vector<Server>& servers() const { return list; }
  std::uint32_t owner(std::uint64_t hash) const {
    return rendezvous_index(hash, static_cast<std::uint32_t>(list.size()));
  }
};

/// A ring whose points were not taken out when their server left.
struct StaleRing {
  HashRing ring;
  std::size_t live;
  const std::vector<Server>& servers() const { return ring.servers(); }
  std::uint32_t owner(std::uint64_t hash) const { return ring.owner(hash); }
};

TEST(PartitionProperty, CatchesPlantedFaults) {
  const std::vector<Change> changes = {{1, 1}, {2, 1}, {3, 1}, {1, 0}};
  const auto by_position = fault_in(changes, true, [](std::vector<Server> servers) {
    return owners_of(ByPosition{std::move(servers)});
  });
  EXPECT_EQ(by_position, "input order matters");

  const auto shifted = fault_in(changes, true, [](std::vector<Server> servers) {
    return owners_of(ByPosition{canonical_servers(std::move(servers))});
  });
  ASSERT_TRUE(shifted.has_value());
  EXPECT_EQ(shifted->rfind("moved between old servers", 0), 0U);

  std::vector<Server> ever = {{"n0"}};
  const auto stale = fault_in(changes, true, [&](const std::vector<Server>& servers) {
    for (const Server& server : servers) {
      if (std::find(ever.begin(), ever.end(), server) == ever.end()) ever.push_back(server);
    }
    return owners_of(StaleRing{HashRing(ever, 5), servers.size()});
  });
  ASSERT_TRUE(stale.has_value());
  EXPECT_EQ(*stale, "owner is not live: n1");
}

}  // namespace
}  // namespace nandi::partition
