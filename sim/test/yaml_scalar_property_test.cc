#include <gtest/gtest.h>
// rapidcheck's gtest header wants gtest before it
#include <rapidcheck/gtest.h>

#include <limits>
#include <regex>
#include <string>

#include "nandi/sim/yaml/names.h"
#include "nandi/sim/yaml/scalar.h"

namespace nandi::sim::yaml {
namespace {

template <class Reader>
auto read(const std::string& text, Reader reader) {
  const Document document = Document::parse("v: " + text + "\n", "s.yaml");
  return reader(*document.root().find("v"));
}

RC_GTEST_PROP(ReadDuration, a_written_duration_reads_back_equal, ()) {
  // The most negative count has no positive twin and cannot be written.
  const auto count = *rc::gen::suchThat(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t n) {
    return n != std::numeric_limits<std::int64_t>::min();
  });
  const auto unit = *rc::gen::element<std::int64_t>(1, 1'000, 1'000'000, 60'000'000'000);
  const Duration duration(count / unit * unit);
  RC_ASSERT(read(format_duration(duration), read_duration) == duration);
}

RC_GTEST_PROP(ReadFraction, a_written_fraction_reads_back_equal, ()) {
  const auto numerator =
      *rc::gen::inRange<std::int64_t>(-1'000'000'000'000'000'000, 1'000'000'000'000'000'000);
  const auto denominator =
      *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000'000'000),
                      rc::gen::element<std::int64_t>(1, 2, 20, 512, 1'000'000, 1'000'000'000));
  const Fraction fraction(numerator, denominator);
  const std::string text = to_string(fraction);
  RC_ASSERT(read(text, read_fraction) == fraction);
  RC_ASSERT(std::regex_match(text, std::regex(kFractionPattern)));
}

// A text is accepted by a reader exactly when an editor with the schema accepts it, but for what a
// regular expression cannot see (overflow, parts of a nanosecond, a zero denominator).
RC_GTEST_PROP(Patterns, agree_with_the_readers, ()) {
  const std::string text = *rc::gen::nonEmpty(
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789.-/%smhnup"))));
  const auto accepted = [&](auto reader) {
    const Document document = Document::parse("v: \"" + text + "\"\n", "s.yaml");
    try {
      reader(*document.root().find("v"));
      return std::string("yes");
    } catch (const LoadError& error) {
      const std::string what = error.what();
      for (const char* beyond : {"finer than", "too long", "too many digits"}) {
        if (what.find(beyond) != std::string::npos) return std::string("beyond");
      }
      return std::string("no");
    }
  };
  const std::string duration = accepted(read_duration);
  RC_ASSERT((duration != "no") == std::regex_match(text, std::regex(kDurationPattern)));
  const bool zero_denominator = std::regex_match(text, std::regex(".*/0+"));
  const std::string fraction = accepted(read_fraction);
  if (!zero_denominator) {
    RC_ASSERT((fraction != "no") == std::regex_match(text, std::regex(kFractionPattern)));
  }
}

RC_GTEST_PROP(EditDistance, is_symmetric_and_zero_only_for_equals, (std::string a, std::string b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
  RC_ASSERT(edit_distance(a, b) <= std::max(a.size(), b.size()));
}

}  // namespace
}  // namespace nandi::sim::yaml
