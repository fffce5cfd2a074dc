#include "nandi/engine/partition/rendezvous.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace nandi::partition {
namespace {

std::vector<Server> fleet(int count) {
  std::vector<Server> servers;
  for (int i = 0; i < count; ++i) servers.push_back({"n" + std::to_string(i)});
  return servers;
}

template <class Placement>
const std::string& owner_name(const Placement& placement, std::uint64_t hash) {
  return placement.servers()[placement.owner(hash)].name;
}

TEST(Rendezvous, PlacesKnownItemsAsAnIndependentDerivationDoes) {
  // Derived in Python from the definitions in rendezvous.h and item_hash.h.
  const Rendezvous placement(fleet(10));
  const char* const expected[] = {"n9", "n7", "n9", "n6", "n5", "n9"};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(owner_name(placement, item_hash(i)), expected[i]);
  EXPECT_EQ(owner_name(placement, item_hash("task:1")), "n3");
  EXPECT_EQ(owner_name(placement, item_hash("task:2")), "n1");
}

TEST(Rendezvous, OneServerOwnsEverything) {
  const Rendezvous placement({{"only"}});
  const WeightedRendezvous weighted({{"only", 7}});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(placement.owner(item_hash(i)), 0U);
    EXPECT_EQ(weighted.owner(item_hash(i)), 0U);
  }
}

TEST(Rendezvous, RefusesBadServersWithAReason) {
  EXPECT_THROW(Rendezvous({}), PartitionError);
  EXPECT_THROW(Rendezvous({{"a"}, {"a"}}), PartitionError);
  EXPECT_THROW(Rendezvous({{""}}), PartitionError);
  EXPECT_THROW(Rendezvous({{"a", 0}}), PartitionError);
  EXPECT_THROW(WeightedRendezvous({{"a", kMaxWeight + 1}}), PartitionError);
  try {
    Rendezvous({{"a", 1}, {"b", 2}});
    FAIL() << "unequal weights were taken";
  } catch (const PartitionError& error) {
    EXPECT_NE(std::string(error.what()).find("WeightedRendezvous"), std::string::npos);
  }
}

TEST(WeightedRendezvous, GivesEveryServerItsShare) {
  const std::vector<Server> servers = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 10}};
  const WeightedRendezvous placement(servers);
  std::vector<double> load(4, 0);
  constexpr int kItems = 160'000;
  for (int i = 0; i < kItems; ++i) load[placement.owner(item_hash(i))] += 1;
  for (std::size_t s = 0; s < 4; ++s) {
    // Binomial(160000, w/16): five standard deviations are at most 1000.
    EXPECT_NEAR(load[s], kItems * servers[s].weight / 16.0, 1000) << servers[s].name;
  }
}

TEST(WeightedRendezvous, WithEqualWeightsPlacesAsTheUnweightedOne) {
  const Rendezvous plain(fleet(10));
  std::vector<Server> servers = fleet(10);
  for (Server& server : servers) server.weight = 5;
  const WeightedRendezvous weighted(servers);
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(plain.owner(item_hash(i)), weighted.owner(item_hash(i))) << i;
  }
}

TEST(WeightedRendezvous, ARaisedWeightOnlyAttracts) {
  const WeightedRendezvous before({{"a", 1}, {"b", 2}, {"c", 3}});
  const WeightedRendezvous after({{"a", 1}, {"b", 4}, {"c", 3}});
  int moved = 0;
  for (int i = 0; i < 40'000; ++i) {
    const std::string& old_owner = owner_name(before, item_hash(i));
    const std::string& new_owner = owner_name(after, item_hash(i));
    if (old_owner == new_owner) continue;
    ++moved;
    ASSERT_EQ(new_owner, "b");
  }
  // b's share goes from 1/3 to 1/2: 1/6 of 40,000, standard deviation 75.
  EXPECT_NEAR(moved, 6667, 375);
}

}  // namespace
}  // namespace nandi::partition
