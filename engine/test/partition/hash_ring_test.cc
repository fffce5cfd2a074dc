#include "nandi/engine/partition/hash_ring.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "nandi/engine/partition/item_hash.h"

namespace nandi::partition {
namespace {

std::vector<Server> fleet(int count) {
  std::vector<Server> servers;
  for (int i = 0; i < count; ++i) servers.push_back({"n" + std::to_string(i)});
  return servers;
}

const std::string& owner_name(const HashRing& ring, std::uint64_t hash) {
  return ring.servers()[ring.owner(hash)].name;
}

/// The circle walked point by point.
std::uint32_t owner_by_scan(const HashRing& ring, std::uint64_t hash) {
  for (std::size_t at = 0; at < ring.points().size(); ++at) {
    if (ring.points()[at] >= hash) return ring.point_owners()[at];
  }
  return ring.point_owners()[0];
}

double max_over_mean(const HashRing& ring, int items) {
  std::vector<int> load(ring.servers().size(), 0);
  for (int i = 0; i < items; ++i) ++load[ring.owner(item_hash(i))];
  return *std::max_element(load.begin(), load.end()) * static_cast<double>(load.size()) / items;
}

TEST(HashRing, PlacesKnownItemsAsAnIndependentDerivationDoes) {
  // Derived in Python from the definitions in hash_ring.h and item_hash.h.
  const HashRing one(fleet(10), 1);
  const HashRing fifty(fleet(10), 50);
  const char* const with_one[] = {"n4", "n1", "n7", "n3", "n8", "n8"};
  const char* const with_fifty[] = {"n6", "n6", "n4", "n4", "n8", "n3"};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(owner_name(one, item_hash(i)), with_one[i]) << i;
    EXPECT_EQ(owner_name(fifty, item_hash(i)), with_fifty[i]) << i;
  }
  EXPECT_EQ(owner_name(one, item_hash("task:1")), "n7");
  EXPECT_EQ(owner_name(fifty, item_hash("task:2")), "n4");
}

TEST(HashRing, LookupEqualsAWalkAlongTheCircle) {
  for (const int servers : {1, 2, 7}) {
    for (const std::uint32_t virtual_nodes : {1U, 3U, 100U}) {
      const HashRing ring(fleet(servers), virtual_nodes);
      std::vector<std::uint64_t> hashes = {0, 1, ~std::uint64_t{0}};
      for (const std::uint64_t point : ring.points()) {
        hashes.insert(hashes.end(), {point - 1, point, point + 1});
      }
      for (std::uint64_t i = 0; i < 1000; ++i) hashes.push_back(splitmix64(3, i));
      for (const std::uint64_t hash : hashes) {
        ASSERT_EQ(ring.owner(hash), owner_by_scan(ring, hash)) << hash;
      }
    }
  }
}

TEST(HashRing, InputOrderDoesNotMatter) {
  std::vector<Server> servers = fleet(20);
  const HashRing expected(servers, 40);
  for (std::uint64_t shuffle = 0; shuffle < 100; ++shuffle) {
    for (std::size_t i = servers.size() - 1; i > 0; --i) {
      std::swap(servers[i], servers[splitmix64(shuffle, i) % (i + 1)]);
    }
    const HashRing ring(servers, 40);
    ASSERT_EQ(ring.points(), expected.points());
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(owner_name(ring, item_hash(i)), owner_name(expected, item_hash(i)));
    }
  }
}

TEST(HashRing, SharesVaryByVirtualNodesAsTheTheorySays) {
  // With v points each the share of one of n servers is Beta(v, v (n - 1)) distributed, so its
  // coefficient of variation over servers and salts is sqrt((n - 1)/(n v + 1)); counting K items
  // adds (n - 1)/K to the square.
  constexpr int kServers = 10;
  constexpr int kItems = 4'000;
  constexpr std::uint64_t kSalts = 200;
  for (const std::uint32_t v : {1U, 10U, 100U}) {
    double squares = 0;
    for (std::uint64_t salt = 0; salt < kSalts; ++salt) {
      const HashRing ring(fleet(kServers), v, salt);
      std::vector<int> load(kServers, 0);
      for (int i = 0; i < kItems; ++i) ++load[ring.owner(item_hash(i))];
      for (const int items : load) {
        const double off = items * static_cast<double>(kServers) / kItems - 1;
        squares += off * off;
      }
    }
    const double cv = std::sqrt(squares / (kServers * static_cast<double>(kSalts)));
    const double theory = std::sqrt(9.0 / (kServers * v + 1) + 9.0 / kItems);
    EXPECT_NEAR(cv / theory, 1.0, 0.12) << v;  // 2,000 shares: about 3 % standard error
  }
}

TEST(HashRing, ImbalanceByVirtualNodesHasThePublishedShape) {
  // Ten nodes, 20,000 keys, one ring under BLAKE2b: max/mean 3.39, 1.38, 1.10, 1.04 with 1, 10,
  // 100, 1000 virtual nodes. Another hash is another draw: the published value must lie among
  // ours, and with one point each the mean must be the harmonic number H_10 = 2.93 (the largest
  // of ten uniform spacings).
  struct Row {
    std::uint32_t virtual_nodes;
    double published;
    int salts;
  };
  double previous = 100;
  for (const Row row :
       {Row{1, 3.39, 200}, Row{10, 1.38, 200}, Row{100, 1.10, 60}, Row{1000, 1.04, 20}}) {
    double least = 100;
    double most = 0;
    double sum = 0;
    for (int salt = 0; salt < row.salts; ++salt) {
      const HashRing ring(fleet(10), row.virtual_nodes, static_cast<std::uint64_t>(salt));
      const double imbalance = max_over_mean(ring, 20'000);
      least = std::min(least, imbalance);
      most = std::max(most, imbalance);
      sum += imbalance;
    }
    const double mean = sum / row.salts;
    EXPECT_LE(least, row.published) << row.virtual_nodes;
    EXPECT_GE(most, row.published) << row.virtual_nodes;
    EXPECT_LT(mean, previous);
    previous = mean;
    if (row.virtual_nodes == 1) {
      EXPECT_NEAR(mean, 2.93, 0.25);
    }
  }
}

TEST(HashRing, ALeavingServersLoadFallsOnOneNeighbourOrOnAll) {
  for (const std::uint32_t virtual_nodes : {1U, 100U}) {
    const HashRing before(fleet(10), virtual_nodes);
    std::vector<Server> rest = fleet(10);
    rest.erase(rest.begin() + 4);
    const HashRing after(rest, virtual_nodes);
    std::map<std::string, int> heirs;
    for (int i = 0; i < 20'000; ++i) {
      const std::string& old_owner = owner_name(before, item_hash(i));
      const std::string& new_owner = owner_name(after, item_hash(i));
      if (old_owner == "n4") {
        ++heirs[new_owner];
      } else {
        ASSERT_EQ(old_owner, new_owner);
      }
    }
    EXPECT_EQ(heirs.size(), virtual_nodes == 1 ? 1U : 9U);
  }
}

TEST(HashRing, WeightsAreShares) {
  const HashRing ring({{"a", 1}, {"b", 3}}, 500);
  int on_b = 0;
  for (int i = 0; i < 20'000; ++i) on_b += owner_name(ring, item_hash(i)) == "b" ? 1 : 0;
  EXPECT_NEAR(on_b, 15'000, 1'200);  // the share's standard deviation is 0.0137 of 20,000 = 194
}

TEST(HashRing, RefusesWhatHasNoPointsOrTooMany) {
  EXPECT_THROW(HashRing(fleet(3), 0), PartitionError);
  EXPECT_THROW(HashRing({}, 10), PartitionError);
  EXPECT_THROW(HashRing({{"a", 1'000'000}}, 100), PartitionError);
}

}  // namespace
}  // namespace nandi::partition
