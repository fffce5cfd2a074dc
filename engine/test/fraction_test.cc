#include "nandi/engine/fraction.h"

#include <gtest/gtest.h>

namespace nandi {
namespace {

TEST(Fraction, is_kept_in_lowest_terms) {
  EXPECT_EQ(Fraction(15, 100), Fraction(3, 20));
  EXPECT_EQ(Fraction(15, 100).numerator(), 3);
  EXPECT_EQ(Fraction(15, 100).denominator(), 20);
  EXPECT_EQ(Fraction(0, 7), Fraction());
}

TEST(Fraction, compares_exactly_where_doubles_would_not) {
  // The two differ by 1/(q (q+1)), about 1e-34: equal as doubles.
  constexpr std::int64_t q = 100'000'000'000'000'000;
  EXPECT_LT(Fraction(1, q + 1), Fraction(1, q));
  EXPECT_EQ(Fraction(1, 3) <=> Fraction(2, 6), std::strong_ordering::equal);
  EXPECT_GT(Fraction(1, 2), Fraction(499'999'999, 1'000'000'000));
}

TEST(Fraction, a_decimal_is_read_exactly) {
  EXPECT_EQ(parse_fraction("0.15"), Fraction(3, 20));
  EXPECT_EQ(parse_fraction("0.150"), Fraction(3, 20));
  EXPECT_EQ(parse_fraction("3/20"), Fraction(3, 20));
  EXPECT_EQ(parse_fraction("7"), Fraction(7, 1));
  EXPECT_EQ(parse_fraction("0.1"), Fraction(1, 10));
  EXPECT_EQ(parse_fraction("0"), Fraction());
}

TEST(Fraction, anything_else_is_refused) {
  for (const char* text : {"", ".", ".5", "1.", "-0.1", "+1", "1e-3", "0,15", "1/0", "1/", "/2",
                           " 1", "1 ", "0x1", "1/2/3", "1.2.3", "nan", "0.1234567890123456789"}) {
    EXPECT_EQ(parse_fraction(text), std::nullopt) << '"' << text << '"';
  }
}

TEST(Fraction, is_printed_in_the_shortest_exact_form_and_read_back) {
  EXPECT_EQ(to_string(Fraction(3, 20)), "0.15");
  EXPECT_EQ(to_string(Fraction(1, 3)), "1/3");
  EXPECT_EQ(to_string(Fraction(7, 1)), "7");
  EXPECT_EQ(to_string(Fraction(5, 4)), "1.25");
  EXPECT_EQ(to_string(Fraction(1, 1000)), "0.001");
  EXPECT_EQ(to_string(Fraction(-1, 4)), "-0.25");
  for (const Fraction f : {Fraction(3, 20), Fraction(1, 3), Fraction(22, 7), Fraction(1, 1024)}) {
    EXPECT_EQ(parse_fraction(to_string(f)), f);
  }
}

TEST(Fraction, products_round_to_the_named_side_for_both_signs) {
  // 10 * 1/3 = 3.33; -10 * 1/3 = -3.33.
  EXPECT_EQ(multiply_floor(Duration(10), Fraction(1, 3)), Duration(3));
  EXPECT_EQ(multiply_ceil(Duration(10), Fraction(1, 3)), Duration(4));
  EXPECT_EQ(multiply_floor(Duration(-10), Fraction(1, 3)), Duration(-4));
  EXPECT_EQ(multiply_ceil(Duration(-10), Fraction(1, 3)), Duration(-3));
  EXPECT_EQ(multiply_floor(Duration(20), Fraction(3, 20)), Duration(3));
  EXPECT_EQ(multiply_ceil(Duration(20), Fraction(3, 20)), Duration(3));
}

TEST(Fraction, a_product_that_overflows_64_bits_on_the_way_is_exact) {
  // 9e18 * 2/3 = 6e18, while 9e18 * 2 is above 2^63.
  EXPECT_EQ(multiply_floor(Duration(9'000'000'000'000'000'000), Fraction(2, 3)),
            Duration(6'000'000'000'000'000'000));
}

}  // namespace
}  // namespace nandi
