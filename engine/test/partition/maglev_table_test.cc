#include "nandi/engine/partition/maglev_table.h"

#include <algorithm>
#include <cstdint>
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

TEST(MaglevTable, FillsThePapersExampleAsThePaperDoes) {
  // Table 1 of the paper: M = 7; B0 prefers 3 0 4 1 5 2 6, B1 0 2 4 6 1 3 5, B2 3 4 5 6 0 1 2.
  const std::vector<MaglevTable::Preference> all = {{3, 4}, {0, 2}, {3, 1}};
  EXPECT_EQ(MaglevTable::populate(all, 7), (std::vector<std::uint32_t>{1, 0, 1, 0, 2, 2, 0}));
  const std::vector<MaglevTable::Preference> without_b1 = {{3, 4}, {3, 1}};
  EXPECT_EQ(MaglevTable::populate(without_b1, 7),
            (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1}));
}

TEST(MaglevTable, DividesItsEntriesEvenlyOrByWeight) {
  const MaglevTable even(fleet(10), 65537);
  std::vector<int> entries(10, 0);
  for (const std::uint32_t server : even.entries()) ++entries[server];
  const auto [least, most] = std::minmax_element(entries.begin(), entries.end());
  EXPECT_LE(*most - *least, 1);  // servers take turns

  const MaglevTable weighted({{"a", 1}, {"b", 3}}, 65537);
  EXPECT_EQ(std::count(weighted.entries().begin(), weighted.entries().end(), 1U), 49152);
}

TEST(MaglevTable, MovesLittleMoreThanTheLeastWhenAServerLeaves) {
  const MaglevTable before(fleet(10), 65537);
  std::vector<Server> rest = fleet(10);
  rest.erase(rest.begin() + 4);
  const MaglevTable after(rest, 65537);
  int forced = 0;
  int between_old = 0;
  for (std::uint64_t i = 0; i < 65537; ++i) {
    const std::string& old_owner = before.servers()[before.owner(i)].name;
    const std::string& new_owner = after.servers()[after.owner(i)].name;
    if (old_owner == "n4") {
      ++forced;
    } else if (old_owner != new_owner) {
      ++between_old;
    }
  }
  EXPECT_NEAR(forced, 6553.7, 1);
  EXPECT_GT(between_old, 0) << "the scheme does not promise the least movement";
  EXPECT_LT(between_old, 65537 / 20);
}

TEST(MaglevTable, InputOrderDoesNotMatter) {
  std::vector<Server> servers = fleet(12);
  const MaglevTable expected(servers, 1009);
  std::reverse(servers.begin(), servers.end());
  EXPECT_EQ(MaglevTable(servers, 1009).entries(), expected.entries());
}

TEST(MaglevTable, RefusesSizesThatDoNotWork) {
  EXPECT_THROW(MaglevTable(fleet(3), 65536), PartitionError);  // not a prime
  EXPECT_THROW(MaglevTable(fleet(3), 2), PartitionError);
  EXPECT_THROW(MaglevTable(fleet(12), 11), PartitionError);  // fewer entries than servers
  EXPECT_NO_THROW(MaglevTable(fleet(11), 11));
}

}  // namespace
}  // namespace nandi::partition
