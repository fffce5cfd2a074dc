// The visited set against std::map: exact whatever the hashes, and in order of insertion.
#include "nandi/checker/visited_set.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

namespace nandi::checker {
namespace {

constexpr std::uint64_t kMany = 1U << 20U;
constexpr std::uint64_t kBytes = std::uint64_t{64} << 20U;

// Keys from a small range, so that many are known already.
template <std::size_t kWords>
void agrees_with_a_map(std::size_t words, bool all_collide) {
  VisitedSet<kWords> set(words, kMany, kBytes);
  std::map<std::vector<std::uint64_t>, StateIndex> reference;
  // Fewer than make the table grow: it is refilled by the true hash.
  const auto count = *rc::gen::inRange<std::size_t>(0, all_collide ? 700 : 5000);
  const auto range = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t draw = folded_product(seed + i, 0x9E3779B97F4A7C15) % range;
    std::vector<std::uint64_t> key(words, draw / 3);
    key[draw % words] += draw << 40U;
    const std::uint64_t hash = all_collide ? ~std::uint64_t{0} : set.hash(key.data());
    const auto parent = static_cast<StateIndex>(i / 2);
    const Insertion insertion = set.insert(key.data(), hash, parent);
    const auto [position, added] =
        reference.emplace(key, static_cast<StateIndex>(reference.size()));
    RC_ASSERT(insertion.outcome == (added ? InsertOutcome::added : InsertOutcome::known));
    RC_ASSERT(insertion.index == position->second);
    if (added) {
      RC_ASSERT(set.parent(insertion.index) == parent);
    }
  }
  RC_ASSERT(set.size() == reference.size());
  for (const auto& [key, index] : reference) {
    RC_ASSERT(std::vector<std::uint64_t>(set.key(index), set.key(index) + words) == key);
    if (!all_collide) {
      RC_ASSERT(set.find(key.data()) == index);
    }
  }
}

RC_GTEST_PROP(VisitedSet, OfOneWordAgreesWithAMap, ()) { agrees_with_a_map<1>(1, false); }
RC_GTEST_PROP(VisitedSet, OfThreeWordsAgreesWithAMap, ()) { agrees_with_a_map<3>(3, false); }
RC_GTEST_PROP(VisitedSet, OfARunTimeWidthAgreesWithAMap, ()) {
  agrees_with_a_map<0>(*rc::gen::inRange<std::size_t>(1, 9), false);
}
RC_GTEST_PROP(VisitedSet, IsExactEvenIfAllHashesCollide, ()) { agrees_with_a_map<2>(2, true); }

TEST(VisitedSet, FindsNothingThatWasNotInserted) {
  VisitedSet<1> set(1, kMany, kBytes);
  const std::uint64_t key = 5;
  const std::uint64_t other = 6;
  set.insert(&key, set.hash(&key), kNoState);
  EXPECT_EQ(set.find(&key), 0U);
  EXPECT_EQ(set.find(&other), kNoState);
  EXPECT_EQ(set.parent(0), kNoState);
}

TEST(VisitedSet, KeysStayWhereTheyAreWhileItGrows) {
  VisitedSet<1> set(1, kMany, kBytes);
  std::uint64_t key = 0;
  set.insert(&key, set.hash(&key), kNoState);
  const std::uint64_t* const first = set.key(0);
  for (key = 1; key < 300'000; ++key) {
    ASSERT_EQ(set.insert(&key, set.hash(&key), 0).outcome, InsertOutcome::added);
  }
  EXPECT_EQ(set.key(0), first);
  EXPECT_EQ(*set.key(299'999), 299'999U);
}

TEST(VisitedSet, NeverTakesMoreThanItsBoundOnMemory) {
  for (const std::uint64_t bound : {400'000U, 1'000'000U, 5'000'000U, 11'000'000U}) {
    VisitedSet<1> set(1, kMany, bound);
    std::uint64_t key = 0;
    while (set.insert(&key, set.hash(&key), 0).outcome == InsertOutcome::added) {
      ASSERT_LE(set.bytes(), bound);
      ++key;
    }
    EXPECT_EQ(set.insert(&key, set.hash(&key), 0).outcome, InsertOutcome::out_of_memory);
    // What is in stays in.
    std::uint64_t last = key - 1;
    EXPECT_EQ(set.insert(&last, set.hash(&last), 0).outcome, InsertOutcome::known);
  }
}

TEST(VisitedSet, SaysWhichBoundWasReached) {
  VisitedSet<1> set(1, 10, kBytes);
  for (std::uint64_t key = 0; key < 10; ++key) {
    EXPECT_EQ(set.insert(&key, set.hash(&key), 0).outcome, InsertOutcome::added);
  }
  const std::uint64_t more = 10;
  EXPECT_EQ(set.insert(&more, set.hash(&more), 0).outcome, InsertOutcome::full_of_states);
}

// The table is filled between 3/8 and 3/4 and has entries of 4 bytes, a key of one word has 8 and
// its parent 4; the arrays are committed in steps of 2 MiB each.
TEST(VisitedSet, TakesAtMost23BytesForAKeyOfOneWord) {
  VisitedSet<1> set(1, 4 * kMany, 4 * kBytes);
  for (std::uint64_t key = 0; key < 3'000'000; ++key) {
    set.insert(&key, set.hash(&key), 0);
    if (key > 1'000'000 && key % 4096 == 0) {
      ASSERT_LE(set.bytes(), (12 + 11) * (key + 1) + (std::uint64_t{4} << 20U));
    }
  }
}

}  // namespace
}  // namespace nandi::checker
