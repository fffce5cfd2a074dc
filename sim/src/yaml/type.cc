#include "nandi/sim/yaml/type.h"

#include <fmt/ranges.h>

namespace nandi::sim::yaml {
namespace {

Tree typed(const char* type) { return Tree::mapping().add("type", Tree::string(type)); }

Tree text_pattern(const std::string& pattern) {
  return typed("string").add("pattern", Tree::string(pattern));
}

std::string without_sign(const std::string& pattern) {
  const std::string sign = "^-?";
  return "^" + pattern.substr(sign.size());
}

void require_limits(const Value& value, Fraction read, const FractionLimits& limits,
                    const std::string& wanted) {
  const bool accepted =
      (!limits.above || read > *limits.above) && (!limits.at_least || read >= *limits.at_least) &&
      (!limits.at_most || read <= *limits.at_most) && (!limits.below || read < *limits.below);
  if (!accepted) {
    value.fail(fmt::format("{} is out of range", value.description()), "write a " + wanted);
  }
}

}  // namespace

Type<Duration> duration_type(Duration least) {
  const bool is_signed = least < Duration(0);
  std::string text = "duration";
  if (is_signed) text = "duration of any sign";
  if (least > Duration(0)) text = "duration above 0";
  if (least > Duration(1)) text = fmt::format("duration from {}", format_duration(least));
  const std::string pattern = is_signed ? kDurationPattern : without_sign(kDurationPattern);
  return {[least, is_signed, text](const Value& value) {
            const Duration read = read_duration(value);
            if (!is_signed && read < least) {
              value.fail(fmt::format("{} is too short", value.description()), "write a " + text);
            }
            return read;
          },
          [](const Duration& duration) { return Tree::string(format_duration(duration)); },
          scalar_shape(text, text_pattern(pattern))};
}

Type<Fraction> fraction_type(const FractionLimits& limits) {
  Tree number = typed("number");
  std::vector<std::string> ends;
  const auto bound = [&](const std::optional<Fraction>& end, const char* word,
                         const char* keyword) {
    if (!end) return;
    ends.push_back(fmt::format("{} {}", word, to_string(*end)));
    number.add(keyword, Tree::literal(to_string(*end)));
  };
  bound(limits.above, "above", "exclusiveMinimum");
  bound(limits.at_least, "from", "minimum");
  bound(limits.at_most, "to", "maximum");
  bound(limits.below, "below", "exclusiveMaximum");
  std::string text = "fraction";
  if (!ends.empty()) text += fmt::format(" {}", fmt::join(ends, " "));
  const Tree schema =
      Tree::mapping().add("anyOf", Tree::sequence({number, text_pattern(kFractionPattern)}));
  return {[limits, text](const Value& value) {
            const Fraction read = read_fraction(value);
            require_limits(value, read, limits, text);
            return read;
          },
          [](const Fraction& fraction) {
            const std::string written = to_string(fraction);
            const bool is_number = written.find('/') == std::string::npos;
            return is_number ? Tree::literal(written) : Tree::string(written);
          },
          scalar_shape(text, schema)};
}

Type<bool> boolean_type() {
  return {read_boolean, [](const bool& value) { return Tree::boolean(value); },
          scalar_shape("`true` or `false`", typed("boolean"))};
}

Type<bool> switch_type() { return enum_type<bool>({{true, "on"}, {false, "off"}}); }

Type<std::string> string_type() {
  return {read_string, [](const std::string& text) { return Tree::string(text); },
          scalar_shape("text", typed("string"))};
}

Type<std::string> known_string_type(std::string text, std::vector<std::string> names) {
  Tree known = Tree::sequence();
  for (const std::string& name : names) known.append(Tree::string(name));
  if (text.empty()) text = fmt::format("`{}`", fmt::join(names, "`, `"));
  return {[names](const Value& value) { return names[read_name(value, names)]; },
          [](const std::string& name) { return Tree::string(name); },
          scalar_shape(text, Tree::mapping().add("enum", known))};
}

Type<std::int64_t> integer_type() {
  return {read_integer, [](const std::int64_t& number) { return Tree::integer(number); },
          scalar_shape("whole number of any sign", typed("integer"))};
}

Type<std::uint64_t> size_type() {
  return {read_size, [](const std::uint64_t& bytes) { return Tree::string(format_size(bytes)); },
          scalar_shape("size", text_pattern(kSizePattern))};
}

Type<std::uint64_t> wide_count_type(std::uint64_t least, std::uint64_t most) {
  Tree schema = typed("integer");
  schema.add("minimum", Tree::literal(std::to_string(least)));
  schema.add("maximum", Tree::literal(std::to_string(most)));
  return {[least, most](const Value& value) { return read_count(value, least, most); },
          [](const std::uint64_t& count) { return Tree::literal(std::to_string(count)); },
          scalar_shape(least == 0 ? "count" : fmt::format("count from {}", least), schema)};
}

Type<std::pair<std::uint64_t, std::uint64_t>> count_range_type(std::uint64_t most) {
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  Tree schema = Tree::mapping().add(
      "anyOf", Tree::sequence({typed("integer").add("minimum", Tree::literal("0")),
                               text_pattern(kRangePattern)}));
  return {[most](const Value& value) { return read_count_range(value, most); },
          [](const Range& range) {
            if (range.first == range.second) return Tree::literal(std::to_string(range.first));
            return Tree::string(fmt::format("{}..{}", range.first, range.second));
          },
          scalar_shape("count or range `A..B`", schema)};
}

}  // namespace nandi::sim::yaml
