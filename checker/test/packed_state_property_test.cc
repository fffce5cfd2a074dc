#include "nandi/checker/packed_state.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace nandi::checker {
namespace {

using Field = std::pair<std::uint64_t, unsigned>;

std::vector<Field> random_fields() {
  std::vector<Field> fields;
  // Fields that end exactly where a word does are as likely as any.
  const auto width = rc::gen::oneOf(rc::gen::inRange(0U, 65U), rc::gen::element(32U, 64U));
  for (const auto bits : *rc::gen::container<std::vector<unsigned>>(width)) {
    const auto value = *rc::gen::arbitrary<std::uint64_t>();
    // Values of full width are as likely as small ones.
    const std::uint64_t spread = value * 0x9E3779B97F4A7C15;
    fields.emplace_back(bits == 0 ? 0 : spread >> (64 - bits), bits);
  }
  return fields;
}

std::size_t total_bits(const std::vector<Field>& fields) {
  std::size_t bits = 0;
  for (const Field& field : fields) {
    bits += field.second;
  }
  return bits;
}

RC_GTEST_PROP(PackedState, FieldsComeBackAsTheyWentIn, ()) {
  const std::vector<Field> fields = random_fields();
  const std::size_t count = words_for(total_bits(fields)) + *rc::gen::inRange<std::size_t>(0, 3);
  std::vector<std::uint64_t> words(count, 0xAAAAAAAAAAAAAAAA);
  BitWriter writer(words.data(), count);
  for (const auto& [value, bits] : fields) {
    writer.put(value, bits);
  }
  writer.finish();
  BitReader reader(words.data(), count);
  for (const auto& [value, bits] : fields) {
    RC_ASSERT(reader.get(bits) == value);
  }
  // What no field covers is zero: otherwise one state had several packed forms.
  for (std::size_t rest = count * 64 - total_bits(fields); rest != 0; --rest) {
    RC_ASSERT(reader.get(1) == 0U);
  }
}

// The layout, independently: bit b of the row of fields is bit b % 64 of word b / 64.
RC_GTEST_PROP(PackedState, BitsAreLaidOutInOrder, ()) {
  const std::vector<Field> fields = random_fields();
  const std::size_t count = words_for(total_bits(fields));
  std::vector<std::uint64_t> expected(count, 0);
  std::size_t position = 0;
  for (const auto& [value, bits] : fields) {
    for (unsigned b = 0; b < bits; ++b, ++position) {
      expected[position / 64] |= (value >> b & 1U) << (position % 64);
    }
  }
  std::vector<std::uint64_t> words(count, ~std::uint64_t{0});
  BitWriter writer(words.data(), count);
  for (const auto& [value, bits] : fields) {
    writer.put(value, bits);
  }
  writer.finish();
  RC_ASSERT(words == expected);
}

TEST(PackedState, AValueThatDoesNotFitIsRefused) {
  std::uint64_t word = 0;
  BitWriter writer(&word, 1);
  writer.put(7, 3);
  EXPECT_THROW(writer.put(8, 3), std::logic_error);
  EXPECT_THROW(writer.put(1, 0), std::logic_error);
}

TEST(PackedState, MoreFieldsThanWordsAreRefused) {
  std::uint64_t word = 0;
  BitWriter writer(&word, 1);
  writer.put(0, 64);
  EXPECT_THROW(
      {
        writer.put(1, 1);
        writer.finish();
      },
      std::logic_error);
  BitReader reader(&word, 1);
  reader.get(64);
  EXPECT_THROW(reader.get(1), std::logic_error);
}

TEST(PackedState, BitsForCountsTheBitsOfTheLargestValue) {
  EXPECT_EQ(bits_for(0), 0U);
  EXPECT_EQ(bits_for(1), 1U);
  EXPECT_EQ(bits_for(7), 3U);
  EXPECT_EQ(bits_for(8), 4U);
  EXPECT_EQ(bits_for(~std::uint64_t{0}), 64U);
  EXPECT_EQ(words_for(0), 1U);
  EXPECT_EQ(words_for(64), 1U);
  EXPECT_EQ(words_for(65), 2U);
}

}  // namespace
}  // namespace nandi::checker
