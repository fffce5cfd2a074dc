// Exact fractions and products of a Duration with a fraction, in 128 bits, with the rounding named.
#pragma once

#include <compare>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "nandi/engine/time.h"

namespace nandi {

__extension__ using Int128 = __int128;

/// floor(numerator / denominator); denominator > 0.
[[nodiscard]] constexpr Int128 floor_div(Int128 numerator, Int128 denominator) {
  const auto n = static_cast<std::int64_t>(numerator);
  const auto d = static_cast<std::int64_t>(denominator);
  if (n == numerator && d == denominator) [[likely]] {
    // Most products of a duration and a fraction fit; a division of 64 bits is several times
    // faster.
    const std::int64_t quotient = n / d;
    return (n % d != 0 && n < 0) ? quotient - 1 : quotient;
  }
  const Int128 quotient = numerator / denominator;
  return (numerator % denominator != 0 && numerator < 0) ? quotient - 1 : quotient;
}

/// ceil(numerator / denominator); denominator > 0.
[[nodiscard]] constexpr Int128 ceil_div(Int128 numerator, Int128 denominator) {
  return -floor_div(-numerator, denominator);
}

/// floor(a * b / denominator); denominator > 0. Most products fit in 64 bits, where a division is
/// several times faster.
[[nodiscard]] constexpr std::int64_t floor_of_product(std::int64_t a, std::int64_t b,
                                                      std::int64_t denominator) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    return static_cast<std::int64_t>(floor_div(Int128{a} * b, denominator));
  return product / denominator - (product % denominator < 0 ? 1 : 0);
}

/// ceil(a * b / denominator); denominator > 0.
[[nodiscard]] constexpr std::int64_t ceil_of_product(std::int64_t a, std::int64_t b,
                                                     std::int64_t denominator) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    return static_cast<std::int64_t>(ceil_div(Int128{a} * b, denominator));
  return product / denominator + (product % denominator > 0 ? 1 : 0);
}

/// An exact rational number in lowest terms with a positive denominator.
class Fraction {
 public:
  constexpr Fraction() = default;
  /// Precondition: denominator > 0.
  constexpr Fraction(std::int64_t numerator, std::int64_t denominator) {
    const std::int64_t divisor = std::gcd(numerator, denominator);
    numerator_ = numerator / divisor;
    denominator_ = denominator / divisor;
  }

  [[nodiscard]] constexpr std::int64_t numerator() const { return numerator_; }
  [[nodiscard]] constexpr std::int64_t denominator() const { return denominator_; }

  friend constexpr bool operator==(Fraction, Fraction) = default;
  friend constexpr std::strong_ordering operator<=>(Fraction a, Fraction b) {
    const Int128 left = Int128{a.numerator_} * b.denominator_;
    const Int128 right = Int128{b.numerator_} * a.denominator_;
    return left < right    ? std::strong_ordering::less
           : left == right ? std::strong_ordering::equal
                           : std::strong_ordering::greater;
  }

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

/// Reads "0.15", "3/20" or "7" exactly; no exponent, no sign, at most 18 digits in all. Anything
/// else, and a zero denominator, is nullopt.
[[nodiscard]] std::optional<Fraction> parse_fraction(std::string_view text);

/// Shortest exact form: a decimal when the denominator has only the factors 2 and 5, else "p/q".
[[nodiscard]] std::string to_string(Fraction value);

/// floor(duration * fraction).
[[nodiscard]] constexpr Duration multiply_floor(Duration duration, Fraction fraction) {
  return Duration(floor_of_product(duration.count(), fraction.numerator(), fraction.denominator()));
}

/// ceil(duration * fraction).
[[nodiscard]] constexpr Duration multiply_ceil(Duration duration, Fraction fraction) {
  return Duration(ceil_of_product(duration.count(), fraction.numerator(), fraction.denominator()));
}

}  // namespace nandi
