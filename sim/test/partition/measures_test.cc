#include "partition/measures.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nandi/sim/partition/study_draw.h"
#include "nandi/sim/partition/text_table.h"

namespace nandi::sim {
namespace {

using ::testing::HasSubstr;

TEST(Movement, IsSplitByItsReason) {
  // a leaves, d joins, c grows; positions: before a b c, after b c d.
  const Members before = {{"a"}, {"b"}, {"c"}};
  const Members after = {{"b"}, {"c", 2}, {"d"}};
  //                      a->b a->d b->b b->c b->d c->c c->b  new item
  const Owners from = {0, 0, 1, 1, 1, 2, 2};
  const Owners to = {0, 2, 0, 1, 2, 1, 0, 2};
  const MovementCounts counts = count_movement(before, from, after, to);
  EXPECT_EQ(counts.items, 7U);
  EXPECT_EQ(counts.moved, 5U);
  EXPECT_EQ(counts.off_gone, 2U);     // a->b, a->d
  EXPECT_EQ(counts.to_new, 1U);       // b->d
  EXPECT_EQ(counts.by_weight, 1U);    // b->c: c grew
  EXPECT_EQ(counts.between_old, 1U);  // c->b
  EXPECT_EQ(counts.heirs, 2U);
  EXPECT_EQ(counts.largest_heir, 1U);
}

TEST(Movement, LeastIsWhatEveryMemberGains) {
  const auto least = [](const Members& before, const Members& after) {
    return least_movement(before, after).value();
  };
  EXPECT_DOUBLE_EQ(least({{"a"}, {"b"}, {"c"}}, {{"a"}, {"b"}, {"c"}, {"d"}}), 1.0 / 4);
  EXPECT_DOUBLE_EQ(least({{"a"}, {"b"}, {"c"}, {"d"}}, {{"a"}, {"c"}, {"d"}}), 1.0 / 4);
  EXPECT_DOUBLE_EQ(least({{"a"}, {"b"}}, {{"b"}, {"a"}}), 0);
  EXPECT_DOUBLE_EQ(least({{"a"}}, {{"b"}}), 1);
  // Shares 1/2 and 1/2 become 1/4 and 3/4.
  EXPECT_DOUBLE_EQ(least({{"a"}, {"b"}}, {{"a"}, {"b", 3}}), 1.0 / 4);
  // Thirds of a, c, d become quarters, e and f get one each.
  EXPECT_DOUBLE_EQ(least({{"a"}, {"c"}, {"d"}}, {{"c"}, {"d"}, {"e"}, {"f"}}), 1.0 / 2);
}

TEST(Balance, ComparesWithFairSharesByWeight) {
  const Balance even = measure_balance({{"a"}, {"b", 3}}, {100, 300});
  EXPECT_DOUBLE_EQ(even.max_over_mean, 1);
  EXPECT_DOUBLE_EQ(even.variation, 0);
  // Loads 150 and 50 of fair 100 each: ratios 1.5 and 0.5.
  const Balance uneven = measure_balance({{"a"}, {"b"}}, {150, 50});
  EXPECT_DOUBLE_EQ(uneven.max_over_mean, 1.5);
  EXPECT_DOUBLE_EQ(uneven.variation, 0.5);
}

TEST(Balance, ChanceIsThatOfThrowingItems) {
  // Binomial(K, 1/n) over its mean: sqrt((n - 1)/K).
  const Members ten(10, {"x"});
  EXPECT_DOUBLE_EQ(chance_variation(ten, 900), std::sqrt(9.0 / 900));
}

TEST(Promise, OfPositionsIsKeptOnlyWhileOneListGoesOnFromTheOther) {
  SchemeSpec jump;
  jump.kind = PlacementKind::jump;
  EXPECT_TRUE(promises_minimal(jump, {{"a"}, {"b"}}, {{"a"}, {"b"}, {"c"}}));
  EXPECT_TRUE(promises_minimal(jump, {{"a"}, {"b"}, {"c"}}, {{"a"}}));
  EXPECT_FALSE(promises_minimal(jump, {{"a"}, {"b"}, {"c"}}, {{"b"}, {"c"}}));
  SchemeSpec modulo;
  EXPECT_FALSE(promises_minimal(modulo, {{"a"}}, {{"a"}, {"b"}}));
  modulo.must_be_minimal = true;
  EXPECT_TRUE(promises_minimal(modulo, {{"a"}}, {{"a"}, {"b"}}));
}

TEST(Membership, ChangesApplyInOrderAndNameWhatIsWrong) {
  const Members start = {{"a"}, {"b"}};
  EXPECT_EQ(apply_change(start, {"", {{"c", 2}}, {"a"}, {}}), (Members{{"b"}, {"c", 2}}));
  EXPECT_EQ(apply_change(start, {"", {}, {}, {{"b", 5}}}), (Members{{"a"}, {"b", 5}}));
  const auto refusal = [&](const MembershipChange& change) -> std::string {
    try {
      apply_change(start, change);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal({"", {{"a"}}, {}, {}}), HasSubstr("`a` joins, but it is there already"));
  EXPECT_THAT(refusal({"", {}, {"bb"}, {}}),
              HasSubstr("`bb` leaves, but it is not there; known names: a, b"));
  EXPECT_THAT(refusal({"", {}, {"a", "b"}, {}}), HasSubstr("nobody is left"));
}

TEST(Membership, ComesFromAGroupsOwnLeasesOnlyWhereTheyCoverAllIndices) {
  const std::vector<LeaseSpan> spans = {
      {10, "w1", true, 0, 2},  {12, "w2", true, 1, 2},   // settled: w1 w2
      {20, "w1", false, 0, 0}, {21, "w2", false, 0, 0},  // stand down for a joiner
      {30, "w1", true, 0, 3},  {31, "w3", true, 1, 3},   // not all yet
      {32, "w2", true, 2, 3},                            // settled: w1 w3 w2
      {40, "w2", true, 2, 3},                            // renewed: nothing new
      {50, "w3", false, 0, 0}, {60, "w2", true, 1, 2},   // w1 still holds (0, 3): not settled
      {60, "w1", true, 0, 2},                            // at the same time: settled w1 w2
  };
  const std::vector<MembershipStep> steps = membership_of(spans);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].members, (Members{{"w1"}, {"w2"}}));
  EXPECT_EQ(steps[1].members, (Members{{"w1"}, {"w3"}, {"w2"}}));
  EXPECT_EQ(steps[1].label, "0.032 s, n = 3");
  EXPECT_EQ(steps[2].members, (Members{{"w1"}, {"w2"}}));
}

TEST(Membership, TwoHoldersOfOneIndexAreNotAMembership) {
  const std::vector<LeaseSpan> spans = {{1, "w1", true, 0, 2}, {2, "w2", true, 0, 2}};
  EXPECT_TRUE(membership_of(spans).empty());
}

TEST(Summary, MeanAndIntervalAreThoseOfATextbook) {
  // 1 2 3 4 5: mean 3, standard deviation sqrt(2.5), t(4) = 2.776.
  const Summary summary = summarise({1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(summary.mean, 3);
  EXPECT_NEAR(summary.half_width, 2.776 * std::sqrt(2.5 / 5), 1e-12);
  EXPECT_EQ(summary.least, 1);
  EXPECT_EQ(summary.most, 5);
  EXPECT_EQ(summary_text(summary, 2), "3.00 ± 1.96");
  EXPECT_EQ(summary_text(summarise({7}), 1), "7.0");
  EXPECT_DOUBLE_EQ(student_975(13), 2.179);  // between 12 and 15 the wider one
  EXPECT_DOUBLE_EQ(student_975(5000), 1.962);
}

TEST(StudyDraw, GivesItsGoldenVectors) {
  // Derived in Python from the definition of SplitMix64 and of the keys in study_draw.h.
  EXPECT_EQ(study_draw(1, StudyStream::salt, 0), 6180444375122719049U);
  EXPECT_EQ(study_draw(1, StudyStream::item_id, 0), 9366171507420456997U);
  EXPECT_EQ(study_draw(1, StudyStream::item_id, 1), 1629752749486635868U);
  EXPECT_EQ(study_draw(2, StudyStream::shuffle, 7), 18257326442651833094U);
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6, 7};
  shuffle(order, 1);
  EXPECT_EQ(order, (std::vector<int>{1, 3, 4, 0, 5, 7, 2, 6}));
}

TEST(StudyDraw, BoundsExactlyAndRejectsTheUnevenRest) {
  EXPECT_EQ(bounded_draw(0xffffffffffffffffU, 10), 9U);
  EXPECT_EQ(bounded_draw(0x8000000000000001U, 10), 5U);  // product 5 2^64 + 10
  EXPECT_EQ(bounded_draw(123, 1), 0U);
  // 2^64 mod 10 = 6: a product's low half below 6 is rejected, so a draw of 0 is replaced.
  EXPECT_EQ(bounded_draw(0, 10), bounded_draw(partition::splitmix64(0), 10));
  // For a power of two nothing is rejected.
  EXPECT_EQ(bounded_draw(0, 16), 0U);
}

TEST(TextTable, AlignsByWhatIsSeenAndEndsNoLineWithSpaces) {
  TextTable table({"name", "value", "note"});
  table.align(2, TextTable::Align::left);
  table.add_row({"a", "1.00 ± 0.25", "x"});
  table.add_row({"longer", "2", ""});
  EXPECT_EQ(table.to_string(1),
            " name          value  note\n"
            " a       1.00 ± 0.25  x\n"
            " longer            2\n");
}

TEST(TextTable, RoundsHalvesUpFromTheExactFraction) {
  EXPECT_EQ(rounded(1175, 1000, 2), "1.18");
  EXPECT_EQ(rounded(1, 4, 1), "0.3");
  EXPECT_EQ(rounded(2, 3, 3), "0.667");
  EXPECT_EQ(rounded(999, 1000, 2), "1.00");
  EXPECT_EQ(rounded(5, 2, 0), "3");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(999), "999");
}

}  // namespace
}  // namespace nandi::sim
