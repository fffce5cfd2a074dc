#include "nandi/engine/fraction.h"

namespace nandi {
namespace {

constexpr std::size_t kMaxDigits = 18;  // 10^18 still fits in 63 bits

/// Digits only, at least one, at most kMaxDigits.
std::optional<std::int64_t> parse_digits(std::string_view text) {
  if (text.empty() || text.size() > kMaxDigits) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<Fraction> parse_fraction(std::string_view text) {
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const auto numerator = parse_digits(text.substr(0, slash));
    const auto denominator = parse_digits(text.substr(slash + 1));
    if (!numerator || !denominator || *denominator == 0) return std::nullopt;
    return Fraction(*numerator, *denominator);
  }
  const auto point = text.find('.');
  if (point == std::string_view::npos) {
    const auto whole = parse_digits(text);
    return whole ? std::optional(Fraction(*whole, 1)) : std::nullopt;
  }
  const std::string_view decimals = text.substr(point + 1);
  std::string digits(text.substr(0, point));
  digits += decimals;
  const auto numerator = parse_digits(digits);
  if (!numerator || point == 0 || decimals.empty()) return std::nullopt;
  std::int64_t denominator = 1;
  for (std::size_t i = 0; i < decimals.size(); ++i) denominator *= 10;
  return Fraction(*numerator, denominator);
}

std::string to_string(Fraction value) {
  std::int64_t rest = value.denominator();
  int twos = 0;
  int fives = 0;
  for (; rest % 2 == 0; rest /= 2) ++twos;
  for (; rest % 5 == 0; rest /= 5) ++fives;
  const int places = twos > fives ? twos : fives;
  const bool is_short_decimal = rest == 1 && places <= 9;
  if (!is_short_decimal) {
    return std::to_string(value.numerator()) + "/" + std::to_string(value.denominator());
  }
  if (places == 0) return std::to_string(value.numerator());
  Int128 power = 1;
  for (int i = 0; i < places; ++i) power *= 10;
  // Whole and decimals apart: together they can exceed 64 bits.
  const Int128 scaled = Int128{value.numerator()} * power / value.denominator();
  const Int128 magnitude = scaled < 0 ? -scaled : scaled;
  const std::string decimals = std::to_string(static_cast<std::int64_t>(magnitude % power));
  const std::string zeros(static_cast<std::size_t>(places) - decimals.size(), '0');
  return (scaled < 0 ? "-" : "") + std::to_string(static_cast<std::uint64_t>(magnitude / power)) +
         "." + zeros + decimals;
}

}  // namespace nandi
