// Logarithm, power and the normal quantile in fixed point: integers and tables only, so that what
// they give is the same on every compiler and processor.
//
// Fixed: a signed number with 32 bits after the point.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#include "nandi/sim/draw.h"

namespace nandi::sim {

using Fixed = std::int64_t;
inline constexpr int kFixedBits = 32;
inline constexpr Fixed kFixedOne = Fixed{1} << kFixedBits;

/// Samples are cut off here (18 years in nanoseconds): sums of a few stay far from overflow.
inline constexpr std::int64_t kLongestSample = std::int64_t{1} << 59;

/// Values at the borders of the cells between which the functions below interpolate.
namespace fixed_tables {
inline constexpr int kCellBits = 8;
inline constexpr int kCells = 1 << kCellBits;
extern const std::array<std::int64_t, kCells + 1> kLog2;   ///< log2(1 + j / 256), Fixed
extern const std::array<std::uint64_t, kCells + 1> kExp2;  ///< 2^(j / 256), 62 bits after the point
inline constexpr int kTailRows = 32;
inline constexpr int kTailCellBits = 5;
inline constexpr int kTailCells = 1 << kTailCellBits;
extern const std::array<std::int64_t, kTailRows * kTailCells> kNormalTail;
}  // namespace fixed_tables

/// Product of two fixed-point numbers, rounded down.
[[nodiscard]] inline Fixed fixed_product(Fixed a, Fixed b) {
  return static_cast<Fixed>((Int128{a} * b) >> kFixedBits);
}

/// -log2(q / 2^64), q > 0. Absolute error below 3e-6.
[[nodiscard]] inline Fixed negative_log2(std::uint64_t q) {
  using namespace fixed_tables;
  assert(q > 0);
  const int zeros = std::countl_zero(q);
  const std::uint64_t fraction = q << zeros << 1;
  const auto cell = static_cast<std::size_t>(fraction >> (64 - kCellBits));
  const auto within = static_cast<std::int64_t>(fraction << kCellBits >> 32);
  const std::int64_t mantissa = kLog2[cell] + fixed_product(kLog2[cell + 1] - kLog2[cell], within);
  return (Fixed{zeros} + 1) * kFixedOne - mantissa;
}

/// log2(numerator / denominator), both > 0. Absolute error below 6e-6.
[[nodiscard]] inline Fixed log2_of_ratio(std::uint64_t numerator, std::uint64_t denominator) {
  return negative_log2(denominator) - negative_log2(numerator);
}

/// floor(scale * 2^exponent), at most kLongestSample; scale >= 0. Relative error below 2e-6 before
/// rounding.
[[nodiscard]] inline std::int64_t scaled_exp2(std::int64_t scale, Fixed exponent) {
  using namespace fixed_tables;
  assert(scale >= 0);
  constexpr int kWithinBits = kFixedBits - kCellBits;
  const Fixed whole = exponent >> kFixedBits;
  const auto fraction = static_cast<std::uint64_t>(exponent & (kFixedOne - 1));
  const auto cell = static_cast<std::size_t>(fraction >> kWithinBits);
  const std::uint64_t within = fraction & ((std::uint64_t{1} << kWithinBits) - 1);
  const std::uint64_t step = kExp2[cell + 1] - kExp2[cell];
  const std::uint64_t power =
      kExp2[cell] + static_cast<std::uint64_t>((UInt128{step} * within) >> kWithinBits);
  const UInt128 product = UInt128{static_cast<std::uint64_t>(scale)} * power;  // 62 more bits
  const Fixed shift = 62 - whole;
  if (shift >= 128) return 0;
  if (shift < 0) return product == 0 ? 0 : kLongestSample;
  const UInt128 result = product >> static_cast<int>(shift);
  return result > static_cast<std::uint64_t>(kLongestSample) ? kLongestSample
                                                             : static_cast<std::int64_t>(result);
}

/// The z that a standard normal variable exceeds with probability q / 2^64, for 0 < q < 2^63.
[[nodiscard]] inline Fixed normal_tail(std::uint64_t q) {
  using namespace fixed_tables;
  const int row = std::countl_zero(q);
  if (row > kTailRows) return kNormalTail[(kTailRows - 1) * kTailCells];
  const std::uint64_t fraction = q << row << 1;  // what follows the leading one
  const auto cell = static_cast<std::size_t>(fraction >> (64 - kTailCellBits));
  const auto within = static_cast<std::int64_t>(fraction << kTailCellBits >> 32);
  const std::size_t at = static_cast<std::size_t>(row - 1) * kTailCells + cell;
  const std::int64_t here = kNormalTail[at];
  // Past a row's last cell comes the first of the row before, of greater probabilities; past the
  // first row comes one half.
  const std::int64_t next = cell + 1 < kTailCells ? kNormalTail[at + 1]
                            : row > 1 ? kNormalTail[static_cast<std::size_t>(row - 2) * kTailCells]
                                      : 0;
  return here - fixed_product(here - next, within);
}

/// The value that a standard normal variable stays below with probability u / 2^64. Rises with u.
/// Absolute error below 1e-4 for 2^32 <= u <= 2^64 - 2^32; constant beyond (about 6.23 deviations).
[[nodiscard]] inline Fixed normal_quantile(std::uint64_t u) {
  // Without a branch: half of all draws lie on either side, so a processor would guess wrong often.
  const std::uint64_t is_upper = u >> 63;
  std::uint64_t q = u ^ (0 - is_upper);
  q += q == 0 ? 1 : 0;
  const Fixed z = normal_tail(q);
  const auto sign = static_cast<Fixed>(is_upper) - 1;  // -1 in the lower half
  return (z ^ sign) - sign;
}

}  // namespace nandi::sim
