#include "nandi/sim/keyspace/hash_slot.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "nandi/sim/keyspace/slot_map.h"

namespace nandi::sim {
namespace {

TEST(HashSlot, CrcIsXmodem) {
  EXPECT_EQ(crc16("123456789"), 0x31c3);  // the Redis Cluster specification's check value
  EXPECT_EQ(crc16("123456789"), 12739);
  EXPECT_EQ(crc16(""), 0);
}

// All slots in this file were asked of a redis-server 7.0.15 with CLUSTER KEYSLOT.
TEST(HashSlot, ATagCountsWhereverItStands) {
  EXPECT_EQ(key_slot("bar"), 5061U);
  EXPECT_EQ(key_slot("{bar}"), 5061U);
  EXPECT_EQ(key_slot("foo{bar}zap"), 5061U);
  EXPECT_EQ(key_slot("foo{bar"), 15278U);
}

TEST(HashSlot, OnlyTheFirstTagCounts) {
  EXPECT_EQ(key_slot("foo{bar}{zap}"), 5061U);
  EXPECT_EQ(hashed_part("foo{{bar}}zap").text, "{bar");
  EXPECT_EQ(key_slot("foo{{bar}}zap"), 4015U);
}

TEST(HashSlot, EmptyBracesHashTheWholeKeyWhateverFollows) {
  EXPECT_EQ(key_slot("{}{name}"), 13627U);
  EXPECT_EQ(hashed_part("{}{name}").text, "{}{name}");
  EXPECT_EQ(hashed_part("{}{name}").because, HashedBecause::empty_braces);
}

TEST(HashSlot, ReasonsAreTold) {
  EXPECT_EQ(hashed_part("plain").because, HashedBecause::no_open);
  EXPECT_EQ(hashed_part("}plain").because, HashedBecause::no_open);
  EXPECT_EQ(hashed_part("a}{b").because, HashedBecause::no_close);
  EXPECT_EQ(hashed_part("a}{b}").because, HashedBecause::tag);
  EXPECT_EQ(hashed_part("a}{b}").text, "b");
}

TEST(HashSlot, GroupsShareASlotOnlyThroughATaggedPrefix) {
  EXPECT_EQ(key_slot("{a}"), 15495U);
  EXPECT_EQ(key_slot("{b}"), 3300U);
  EXPECT_EQ(key_slot("{c}"), 7365U);
  EXPECT_EQ(key_slot("{d}"), 11298U);
  for (const char* const name : {"a", "b", "c", "d"}) {
    EXPECT_EQ(key_slot(std::string("{p}{") + name + "}"), 16023U);
  }
}

TEST(HashSlot, CrossingIsAboutSlotsNotNodes) {
  const std::vector<std::string_view> same = {"{a}1", "x{a}2", "a"};
  const std::vector<std::string_view> different = {"a", "b"};
  EXPECT_FALSE(crosses_slots(same));
  EXPECT_TRUE(crosses_slots(different));
  EXPECT_FALSE(crosses_slots({}));
}

TEST(SlotMap, DividesAsRedisCliDoes) {
  // `redis-cli --cluster create` with three masters printed these ranges.
  const SlotMap three = SlotMap::redis_cli_ranges(3);
  EXPECT_EQ(three.nodes()[0].ranges[0], (SlotRange{0, 5460}));
  EXPECT_EQ(three.nodes()[1].ranges[0], (SlotRange{5461, 10922}));
  EXPECT_EQ(three.nodes()[2].ranges[0], (SlotRange{10923, 16383}));
}

TEST(SlotMap, EqualRangesFollowTheLessonsFormula) {
  for (const std::uint32_t nodes : {1U, 3U, 4U, 6U, 7U, 8U, 1000U}) {
    const SlotMap map = SlotMap::equal_ranges(nodes);
    for (std::uint32_t slot = 0; slot < kHashSlots; ++slot) {
      ASSERT_EQ(map.node_of(slot), slot * nodes / kHashSlots) << slot << " of " << nodes;
    }
    EXPECT_EQ(map.unserved(), 0U);
  }
}

TEST(SlotMap, RefusesOverlapsAndImpossibleSlotsByName) {
  EXPECT_THROW(SlotMap({{"a", {{0, 16384}}}}), std::invalid_argument);
  EXPECT_THROW(SlotMap({{"a", {{9, 8}}}}), std::invalid_argument);
  try {
    SlotMap({{"a", {{0, 100}}}, {"b", {{100, 200}}}});
    FAIL() << "an overlap was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "slot 100 is given to a and to b");
  }
  EXPECT_EQ(SlotMap({{"a", {{0, 99}}}}).unserved(), kHashSlots - 100);
}

}  // namespace
}  // namespace nandi::sim
