#include "nandi/sim/yaml/scalar.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "nandi/sim/yaml/names.h"

namespace nandi::sim::yaml {

const char* const kDurationPattern = "^-?[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h)$";
const char* const kFractionPattern = "^-?[0-9]+(\\.[0-9]+(%|ppm)?|/[0-9]+|%|ppm)?$";
const char* const kRangePattern = "^[0-9]+\\.\\.[0-9]+$";
const char* const kSizePattern = "^[0-9]+(B|KB|MB|GB|KiB|MiB|GiB)$";

namespace {

using Wide = Int128;

struct Unit {
  std::string_view name;
  std::int64_t size;
};

constexpr std::array<Unit, 6> kTimeUnits{{{"h", 3'600'000'000'000},
                                          {"m", 60'000'000'000},
                                          {"s", 1'000'000'000},
                                          {"ms", 1'000'000},
                                          {"us", 1'000},
                                          {"ns", 1}}};

constexpr std::array<Unit, 7> kSizeUnits{{{"GiB", std::int64_t{1} << 30},
                                          {"GB", 1'000'000'000},
                                          {"MiB", std::int64_t{1} << 20},
                                          {"MB", 1'000'000},
                                          {"KiB", std::int64_t{1} << 10},
                                          {"KB", 1'000},
                                          {"B", 1}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// sign, digits, point, digits, and what follows.
struct Decimal {
  bool negative = false;
  std::string_view whole;
  std::string_view part;
  bool has_point = false;
  std::string_view rest;
};

std::string_view take_digits(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

std::optional<Decimal> split_decimal(std::string_view text) {
  Decimal decimal;
  if (!text.empty() && text[0] == '-') {
    decimal.negative = true;
    text.remove_prefix(1);
  }
  decimal.whole = take_digits(text);
  if (decimal.whole.empty()) return std::nullopt;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    decimal.has_point = true;
    decimal.part = take_digits(text);
    if (decimal.part.empty()) return std::nullopt;
  }
  decimal.rest = text;
  while (!decimal.part.empty() && decimal.part.back() == '0') decimal.part.remove_suffix(1);
  return decimal;
}

// Nothing when the digits exceed 64 bits.
std::optional<std::int64_t> integer_of(std::string_view digits) {
  std::int64_t number = 0;
  for (const char c : digits) {
    if (__builtin_mul_overflow(number, 10, &number)) return std::nullopt;
    if (__builtin_add_overflow(number, c - '0', &number)) return std::nullopt;
  }
  return number;
}

std::optional<std::int64_t> power_of_ten(std::size_t exponent) {
  if (exponent > 18) return std::nullopt;
  std::int64_t power = 1;
  for (std::size_t i = 0; i < exponent; ++i) power *= 10;
  return power;
}

std::string_view require_scalar(const Value& value, const std::string& wanted) {
  if (value.kind() != NodeKind::scalar) {
    value.fail(fmt::format("{} stands where {} is wanted", value.description(), wanted),
               fmt::format("write {}", wanted));
  }
  return value.text();
}

// The value in thousandths, millionths... as numerator over a power of ten; nothing on overflow.
struct Scaled {
  Wide numerator;
  std::int64_t denominator;
};

std::optional<Scaled> scale(const Decimal& decimal) {
  const auto whole = integer_of(decimal.whole);
  const auto part = integer_of(decimal.part);
  const auto power = power_of_ten(decimal.part.size());
  if (!whole || !part || !power) return std::nullopt;
  const Wide magnitude = Wide{*whole} * *power + *part;
  return Scaled{decimal.negative ? -magnitude : magnitude, *power};
}

bool fits(Wide number) {
  return number >= std::numeric_limits<std::int64_t>::min() &&
         number <= std::numeric_limits<std::int64_t>::max();
}

Wide gcd_of(Wide a, Wide b) {
  if (a < 0) a = -a;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::optional<Fraction> reduce(Wide numerator, Wide denominator) {
  const Wide divisor = gcd_of(numerator, denominator);
  numerator /= divisor;
  denominator /= divisor;
  if (!fits(numerator) || !fits(denominator)) return std::nullopt;
  return Fraction{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

}  // namespace

Duration read_duration(const Value& value) {
  const std::string_view text = require_scalar(value, "a duration such as `5s` or `300ms`");
  const auto decimal = split_decimal(text);
  if (!decimal) {
    value.fail(fmt::format("{} is not a duration", value.description()),
               "write a number and a unit, such as `5s`, `300ms` or `1.5h`");
  }
  const Unit* unit = nullptr;
  for (const Unit& candidate : kTimeUnits) {
    if (candidate.name == decimal->rest) unit = &candidate;
  }
  if (unit == nullptr) {
    const std::string number(text.substr(0, text.size() - decimal->rest.size()));
    const std::string what = decimal->rest.empty() ? fmt::format("`{}` has no unit", text)
                                                   : fmt::format("`{}` has an unknown unit", text);
    value.fail(what, fmt::format("write `{0}ms` or `{0}s` (units: ns, us, ms, s, m, h; no space)",
                                 number));
  }
  const auto scaled = scale(*decimal);
  const std::string too_long = "a duration fits 64 bits of nanoseconds: at most about 292 years";
  if (!scaled) value.fail(fmt::format("`{}` is too long", text), too_long);
  const Wide divisor = gcd_of(unit->size, scaled->denominator);
  const Wide denominator = scaled->denominator / divisor;
  if (scaled->numerator % denominator != 0) {
    value.fail(fmt::format("`{}` is finer than a nanosecond", text),
               "write fewer digits: time is counted in whole nanoseconds");
  }
  // The product of quotient and factor could exceed even 128 bits: compare first.
  const Wide factor = unit->size / divisor;
  const Wide quotient = scaled->numerator / denominator;
  const Wide limit = Wide{std::numeric_limits<std::int64_t>::max()} / factor;
  if (quotient > limit || quotient < -limit) {
    value.fail(fmt::format("`{}` is too long", text), too_long);
  }
  return Duration(static_cast<std::int64_t>(quotient * factor));
}

std::string format_duration(Duration duration) {
  const std::int64_t nanoseconds = duration.count();
  if (nanoseconds == 0) return "0s";
  for (const Unit& unit : kTimeUnits) {
    if (nanoseconds % unit.size == 0)
      return fmt::format("{}{}", nanoseconds / unit.size, unit.name);
  }
  return fmt::format("{}ns", nanoseconds);
}

Fraction read_fraction(const Value& value) {
  const std::string_view text = require_scalar(value, "a fraction such as `0.15`, `3/20` or `15%`");
  const std::string advice = "write it as `0.15`, `3/20`, `15%` or `50ppm`";
  const auto decimal = split_decimal(text);
  if (!decimal) value.fail(fmt::format("{} is not a fraction", value.description()), advice);
  Wide divisor = 1;
  if (decimal->rest == "%") {
    divisor = 100;
  } else if (decimal->rest == "ppm") {
    divisor = 1'000'000;
  } else if (!decimal->rest.empty() && decimal->rest[0] == '/' && !decimal->has_point) {
    std::string_view below = decimal->rest.substr(1);
    const auto number = integer_of(take_digits(below));
    if (!number || *number == 0 || !below.empty() || decimal->rest.size() == 1) {
      value.fail(fmt::format("`{}` is not a fraction", text), advice);
    }
    divisor = *number;
  } else if (!decimal->rest.empty()) {
    value.fail(fmt::format("`{}` is not a fraction", text), advice);
  }
  const auto scaled = scale(*decimal);
  const auto ratio =
      scaled ? reduce(scaled->numerator, Wide{scaled->denominator} * divisor) : std::nullopt;
  if (!ratio) {
    value.fail(fmt::format("`{}` has too many digits", text),
               "numerator and denominator have to fit 64 bits each");
  }
  return *ratio;
}

std::uint64_t read_count(const Value& value, std::uint64_t least, std::uint64_t most) {
  const std::string range = fmt::format("a whole number from {} to {}", least, most);
  const std::string_view text = require_scalar(value, range);
  if (value.quoted()) {
    value.fail(fmt::format("\"{}\" is text where {} is wanted", text, range), "remove the quotes");
  }
  std::string_view rest = text;
  const std::string_view digits = take_digits(rest);
  if (digits.empty() || !rest.empty()) {
    value.fail(fmt::format("{} is not a whole number", value.description()),
               fmt::format("write {}, digits only", range));
  }
  if (digits.size() > 1 && digits[0] == '0') {
    value.fail(fmt::format("`{}` starts with 0, which some readers of YAML take for octal", text),
               "remove the leading zeros");
  }
  std::uint64_t number = 0;
  bool overflow = false;
  for (const char c : digits) {
    overflow = overflow || __builtin_mul_overflow(number, std::uint64_t{10}, &number) ||
               __builtin_add_overflow(number, static_cast<std::uint64_t>(c - '0'), &number);
  }
  if (overflow || number < least || number > most) {
    value.fail(fmt::format("`{}` is out of range", text), fmt::format("write {}", range));
  }
  return number;
}

std::int64_t read_integer(const Value& value) {
  const std::string_view text = require_scalar(value, "a whole number");
  const auto decimal = split_decimal(text);
  const bool is_whole = decimal && !decimal->has_point && decimal->rest.empty() && !value.quoted();
  const bool is_octal = is_whole && decimal->whole.size() > 1 && decimal->whole[0] == '0';
  const auto magnitude = is_whole ? integer_of(decimal->whole) : std::nullopt;
  if (!magnitude || is_octal) {
    value.fail(fmt::format("{} is not a whole number", value.description()),
               "write digits only, without quotes or leading zeros, within 64 bits");
  }
  return decimal->negative ? -*magnitude : *magnitude;
}

bool read_boolean(const Value& value) {
  const std::string_view text = require_scalar(value, "`true` or `false`");
  if (!value.quoted() && text == "true") return true;
  if (!value.quoted() && text == "false") return false;
  value.fail(fmt::format("{} is not a truth value", value.description()),
             "write `true` or `false`, without quotes");
}

std::string read_string(const Value& value) {
  const std::string_view text = require_scalar(value, "a text");
  if (value.scalar_kind() != ScalarKind::text) {
    value.fail(fmt::format("`{}` is not a text for YAML", text),
               fmt::format("put it in quotes: \"{}\"", text));
  }
  return std::string(text);
}

std::size_t read_name(const Value& value, const std::vector<std::string>& names) {
  const std::string_view text = require_scalar(value, "one of the known names");
  for (std::size_t index = 0; index < names.size(); ++index) {
    if (names[index] == text) return index;
  }
  value.fail(fmt::format("{} is not known here", value.description()), name_advice(text, names));
}

std::pair<std::uint64_t, std::uint64_t> read_count_range(const Value& value, std::uint64_t most) {
  const std::string_view text = require_scalar(value, "a number or a range such as `1..1000`");
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) {
    const std::uint64_t only = read_count(value, 0, most);
    return {only, only};
  }
  const auto read_end = [&](std::string_view digits) -> std::uint64_t {
    std::string_view rest = digits;
    const auto number = integer_of(take_digits(rest));
    if (digits.empty() || !rest.empty() || !number || static_cast<std::uint64_t>(*number) > most) {
      value.fail(fmt::format("`{}` is not a range", text),
                 fmt::format("write two whole numbers up to {}, such as `1..1000`", most));
    }
    return static_cast<std::uint64_t>(*number);
  };
  const std::uint64_t first = read_end(text.substr(0, dots));
  const std::uint64_t last = read_end(text.substr(dots + 2));
  if (first > last) {
    value.fail(fmt::format("`{}` runs backwards", text),
               fmt::format("write `{}..{}`", last, first));
  }
  return {first, last};
}

std::uint64_t read_size(const Value& value) {
  const std::string_view text = require_scalar(value, "a size such as `512MB` or `8GB`");
  std::string_view rest = text;
  const std::string_view digits = take_digits(rest);
  const auto number = integer_of(digits);
  for (const Unit& unit : kSizeUnits) {
    if (unit.name != rest || digits.empty() || !number) continue;
    std::int64_t bytes = 0;
    if (!__builtin_mul_overflow(*number, unit.size, &bytes))
      return static_cast<std::uint64_t>(bytes);
  }
  value.fail(fmt::format("{} is not a size", value.description()),
             "write a whole number and a unit, such as `8GB` (B, KB, MB, GB, KiB, MiB, GiB)");
}

std::string format_size(std::uint64_t bytes) {
  if (bytes == 0) return "0B";
  for (const Unit& unit : kSizeUnits) {
    const auto size = static_cast<std::uint64_t>(unit.size);
    if (bytes % size == 0) return fmt::format("{}{}", bytes / size, unit.name);
  }
  return fmt::format("{}B", bytes);
}

}  // namespace nandi::sim::yaml
