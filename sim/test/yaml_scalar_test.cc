#include "nandi/sim/yaml/scalar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace nandi::sim::yaml {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Reads the value of `v: TEXT` with `reader`.
template <class Reader>
auto read(const std::string& text, Reader reader) {
  const Document document = Document::parse("v: " + text + "\n", "s.yaml");
  return reader(*document.root().find("v"));
}

template <class Reader>
std::string error_of(const std::string& text, Reader reader) {
  try {
    read(text, reader);
  } catch (const LoadError& error) {
    return error.what();
  }
  return "no error";
}

std::int64_t nanoseconds(const std::string& text) { return read(text, read_duration).count(); }

TEST(ReadDuration, knows_the_units_and_is_exact) {
  EXPECT_EQ(nanoseconds("20ns"), 20);
  EXPECT_EQ(nanoseconds("7us"), 7'000);
  EXPECT_EQ(nanoseconds("300ms"), 300'000'000);
  EXPECT_EQ(nanoseconds("5s"), 5'000'000'000);
  EXPECT_EQ(nanoseconds("2m"), 120'000'000'000);
  EXPECT_EQ(nanoseconds("1h"), 3'600'000'000'000);
  EXPECT_EQ(nanoseconds("1.5s"), 1'500'000'000);
  EXPECT_EQ(nanoseconds("0.1s"), 100'000'000);
}

TEST(ReadDuration, accepts_quotes_and_a_minus) {
  EXPECT_EQ(nanoseconds("\"5s\""), 5'000'000'000);
  EXPECT_EQ(nanoseconds("-1.25ms"), -1'250'000);
}

TEST(ReadDuration, demands_a_known_unit) {
  EXPECT_THAT(error_of("5", read_duration),
              AllOf(StartsWith("s.yaml:1:4: `5` has no unit;"), HasSubstr("`5ms` or `5s`")));
  EXPECT_THAT(error_of("0", read_duration), HasSubstr("has no unit"));
  EXPECT_THAT(error_of("5 s", read_duration), HasSubstr("unknown unit"));
  EXPECT_THAT(error_of("5sec", read_duration), HasSubstr("unknown unit"));
  EXPECT_THAT(error_of("1m30s", read_duration), HasSubstr("unknown unit"));
}

TEST(ReadDuration, refuses_what_is_no_number) {
  for (const char* text : {"s", "five", ".5s", "5.s", "+5s", "1e3s", "[5s]", "{a: 5s}"}) {
    EXPECT_NE(error_of(text, read_duration), "no error") << text;
  }
}

TEST(ReadDuration, refuses_parts_of_a_nanosecond) {
  EXPECT_THAT(error_of("1.5ns", read_duration), HasSubstr("finer than a nanosecond"));
  EXPECT_THAT(error_of("0.0000000001s", read_duration), HasSubstr("finer than a nanosecond"));
}

TEST(ReadDuration, refuses_overflow_at_its_exact_edge) {
  // 2^63 - 1 = 9223372036854775807
  EXPECT_EQ(nanoseconds("9223372036854775807ns"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(nanoseconds("9223372036.854775807s"), std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(error_of("9223372036854775808ns", read_duration), HasSubstr("too long"));
  EXPECT_THAT(error_of("9223372036.854775808s", read_duration), HasSubstr("too long"));
  EXPECT_THAT(error_of("9223372036854775807h", read_duration), HasSubstr("too long"));
  EXPECT_THAT(error_of("99999999999999999999999s", read_duration), HasSubstr("too long"));
}

TEST(FormatDuration, uses_the_largest_exact_unit) {
  EXPECT_EQ(format_duration(Duration(0)), "0s");
  EXPECT_EQ(format_duration(Duration(1'500'000'000)), "1500ms");
  EXPECT_EQ(format_duration(Duration(7'200'000'000'000)), "2h");
  EXPECT_EQ(format_duration(Duration(-90'000'000'000)), "-90s");
  EXPECT_EQ(format_duration(Duration(1'000'001)), "1000001ns");
}

TEST(ReadFraction, is_exact_and_in_lowest_terms) {
  EXPECT_EQ(read("0.15", read_fraction), Fraction(3, 20));
  EXPECT_EQ(read("3/20", read_fraction), Fraction(3, 20));
  EXPECT_EQ(read("15%", read_fraction), Fraction(3, 20));
  EXPECT_EQ(read("0.5%", read_fraction), Fraction(1, 200));
  EXPECT_EQ(read("50ppm", read_fraction), Fraction(1, 20'000));
  EXPECT_EQ(read("-50ppm", read_fraction), Fraction(-1, 20'000));
  EXPECT_EQ(read("0", read_fraction), Fraction(0, 1));
  EXPECT_EQ(read("2.50", read_fraction), Fraction(5, 2));
}

TEST(ReadFraction, refuses_what_is_no_fraction) {
  for (const char* text :
       {"1/0", "1/", "/2", "0.5/2", "1/2%", "1e-3", "0.15s", "half", "1/-2", "1 / 2"}) {
    EXPECT_NE(error_of(text, read_fraction), "no error") << text;
  }
  EXPECT_THAT(error_of("0.0000000000000000001", read_fraction), HasSubstr("too many digits"));
  EXPECT_THAT(error_of("1/9223372036854775808", read_fraction), HasSubstr("not a fraction"));
}

TEST(ReadCount, takes_plain_digits_within_the_bounds) {
  const auto count = [](const Value& value) { return read_count(value, 1, 100); };
  EXPECT_EQ(read("1", count), 1u);
  EXPECT_EQ(read("100", count), 100u);
  EXPECT_THAT(error_of("0", count), HasSubstr("write a whole number from 1 to 100"));
  EXPECT_THAT(error_of("101", count), HasSubstr("out of range"));
  EXPECT_THAT(error_of("010", count), HasSubstr("octal"));
  EXPECT_THAT(error_of("\"7\"", count), HasSubstr("remove the quotes"));
  for (const char* text :
       {"-1", "1.0", "1_000", "0x10", "three", "[1]", "99999999999999999999999"}) {
    EXPECT_NE(error_of(text, count), "no error") << text;
  }
}

TEST(ReadBoolean, knows_true_and_false_only) {
  EXPECT_TRUE(read("true", read_boolean));
  EXPECT_FALSE(read("false", read_boolean));
  for (const char* text : {"yes", "no", "on", "True", "\"true\"", "1"}) {
    EXPECT_THAT(error_of(text, read_boolean), HasSubstr("write `true` or `false`")) << text;
  }
}

TEST(ReadString, refuses_what_yaml_takes_for_something_else) {
  EXPECT_EQ(read("mail-sender", read_string), "mail-sender");
  EXPECT_EQ(read("\"5\"", read_string), "5");
  EXPECT_THAT(error_of("5", read_string), HasSubstr("put it in quotes: \"5\""));
  EXPECT_THAT(error_of("true", read_string), HasSubstr("put it in quotes"));
}

TEST(ReadName, suggests_the_nearest) {
  const auto name = [](const Value& value) { return read_name(value, {"holds", "violated"}); };
  EXPECT_EQ(read("violated", name), 1u);
  EXPECT_THAT(error_of("vilated", name), HasSubstr("did you mean `violated`?"));
  EXPECT_THAT(error_of("perhaps", name), HasSubstr("known names: holds, violated"));
}

TEST(ReadCountRange, includes_both_ends) {
  const auto range = [](const Value& value) { return read_count_range(value, 5000); };
  EXPECT_EQ(read("7", range), (std::pair<std::uint64_t, std::uint64_t>{7, 7}));
  EXPECT_EQ(read("1..1000", range), (std::pair<std::uint64_t, std::uint64_t>{1, 1000}));
  EXPECT_THAT(error_of("9..3", range), HasSubstr("write `3..9`"));
  for (const char* text : {"..5", "5..", "1..2..3", "1...3", "1..5001", "a..b", "1-5"}) {
    EXPECT_NE(error_of(text, range), "no error") << text;
  }
}

TEST(ReadSize, knows_decimal_and_binary_units) {
  EXPECT_EQ(read("8GB", read_size), 8'000'000'000u);
  EXPECT_EQ(read("8GiB", read_size), 8'589'934'592u);
  EXPECT_EQ(read("512B", read_size), 512u);
  for (const char* text : {"8", "8G", "GB", "8.5GB", "99999999999GiB", "-1GB"}) {
    EXPECT_NE(error_of(text, read_size), "no error") << text;
  }
  EXPECT_EQ(format_size(8'000'000'000), "8GB");
  EXPECT_EQ(format_size(3072), "3KiB");
}

}  // namespace
}  // namespace nandi::sim::yaml
