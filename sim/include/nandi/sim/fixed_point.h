// Logarithm, power and the normal quantile in fixed point: integers and tables only, so that what
// they give is the same on every compiler and processor.
//
// Fixed: a signed number with 32 bits after the point.
#pragma once

#include <cstdint>

namespace nandi::sim {

using Fixed = std::int64_t;
inline constexpr int kFixedBits = 32;
inline constexpr Fixed kFixedOne = Fixed{1} << kFixedBits;

/// -log2(q / 2^64), q > 0. Absolute error below 3e-6.
[[nodiscard]] Fixed negative_log2(std::uint64_t q);

/// log2(numerator / denominator), both > 0. Absolute error below 6e-6.
[[nodiscard]] Fixed log2_of_ratio(std::uint64_t numerator, std::uint64_t denominator);

/// floor(scale * 2^exponent), at most kLongestSample; scale >= 0. Relative error below 2e-6 before
/// rounding.
[[nodiscard]] std::int64_t scaled_exp2(std::int64_t scale, Fixed exponent);

/// The value that a standard normal variable stays below with probability u / 2^64. Rises with u.
/// Absolute error below 1e-4 for 2^32 <= u <= 2^64 - 2^32; constant beyond (about 6.23 deviations).
[[nodiscard]] Fixed normal_quantile(std::uint64_t u);

/// product of two fixed-point numbers, rounded down.
[[nodiscard]] Fixed fixed_product(Fixed a, Fixed b);

/// Samples above are cut off here (18 years in nanoseconds): sums of a few stay far from overflow.
inline constexpr std::int64_t kLongestSample = std::int64_t{1} << 59;

}  // namespace nandi::sim
