#include "nandi/engine/partition/item_hash.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace nandi::partition {
namespace {

TEST(ItemHash, SplitMix64GivesThePublishedSequences) {
  // Seed 1234567: Rosetta Code, "Pseudo-random numbers/Splitmix64". Seed 0: the reference C file.
  EXPECT_EQ(splitmix64(1234567, 0), 6457827717110365317U);
  EXPECT_EQ(splitmix64(1234567, 1), 3203168211198807973U);
  EXPECT_EQ(splitmix64(1234567, 2), 9817491932198370423U);
  EXPECT_EQ(splitmix64(1234567, 3), 4593380528125082431U);
  EXPECT_EQ(splitmix64(1234567, 4), 16408922859458223821U);
  EXPECT_EQ(splitmix64(0, 0), 0xe220a8397b1dcdafU);
  EXPECT_EQ(splitmix64(0, 1), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(splitmix64(0, 2), 0x06c45d188009454fU);
}

TEST(ItemHash, Fnv1aGivesThePublishedVectors) {
  // Fowler, Noll, Vo: the test suite of draft-eastlake-fnv.
  EXPECT_EQ(fnv1a_32(""), 0x811c9dc5U);
  EXPECT_EQ(fnv1a_32("a"), 0xe40c292cU);
  EXPECT_EQ(fnv1a_32("foobar"), 0xbf9cf968U);
  EXPECT_EQ(fnv1a_64(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a_64("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a_64("foobar"), 0x85944171f73967e8U);
}

TEST(ItemHash, Xxh64GivesThePublishedVectors) {
  EXPECT_EQ(xxh64(""), 0xef46db3751d8e999U);
  EXPECT_EQ(xxh64("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(xxh64("abc"), 0x44bc2cf5ad770999U);
  EXPECT_EQ(xxh64("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1U);
  EXPECT_EQ(xxh64("xxhash", 20141025), 0xb559b98d844e0635U);
}

TEST(ItemHash, Xxh64AgreesWithTheReferenceLibraryAtEveryKindOfLength) {
  // Byte i of the input is (37 i + 11) mod 256; values printed by libxxhash 0.8.1.
  struct Row {
    std::size_t length;
    std::uint64_t seed_zero;
    std::uint64_t seed_gamma;
  };
  constexpr Row kRows[] = {
      {1, 0xf592c0c7639c4cb6U, 0x3f7ebbd0a20f83ccU},
      {3, 0x22c08528601d4f27U, 0xb829b5fbba7f12fbU},
      {4, 0xfb1e5cf2f1ae4d95U, 0x4d32e4c842c6371eU},
      {7, 0x5613ac510496c04eU, 0x566314bf1bda8aabU},
      {8, 0x57cb2b7521f3e21aU, 0x696e1fe0e0df37f4U},
      {15, 0x90a9714eb00e8d29U, 0x17069dd519d90d9dU},
      {16, 0xc6843cef99721174U, 0x223fc12e174c04d1U},
      {31, 0xe4a0e629e519a4aeU, 0xa348b910bc65b7bdU},
      {32, 0xcc6b8aaada790b2dU, 0x41c2eada450d18f0U},
      {33, 0x35ec49850475a832U, 0xb6f8c0b76af8f9daU},
      {63, 0xbf9f0ba3cf95b28aU, 0xdcfe31720304f52bU},
      {64, 0x155ccce4bf32befcU, 0x4779d2a26a5085a9U},
      {100, 0x4826e367566ea023U, 0xe38491a6daeb0e8aU},
  };
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes.push_back(static_cast<char>((37 * i + 11) % 256));
  for (const Row& row : kRows) {
    const std::string_view input = std::string_view(bytes).substr(0, row.length);
    EXPECT_EQ(xxh64(input), row.seed_zero) << row.length;
    EXPECT_EQ(xxh64(input, kGoldenGamma), row.seed_gamma) << row.length;
  }
}

TEST(ItemHash, AnIdHashesAlikeInEveryIntegerTypeThatHoldsIt) {
  EXPECT_EQ(item_hash(7), item_hash(std::uint8_t{7}));
  EXPECT_EQ(item_hash(7), item_hash(std::int64_t{7}));
  EXPECT_EQ(item_hash(-7), item_hash(std::int64_t{-7}));
  EXPECT_EQ(item_hash(std::int16_t{-7}), item_hash(std::int64_t{-7}));
  EXPECT_NE(item_hash(-7), item_hash(7));
  EXPECT_NE(item_hash(7), item_hash("7"));
}

}  // namespace
}  // namespace nandi::partition
