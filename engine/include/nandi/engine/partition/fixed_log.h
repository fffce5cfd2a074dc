#pragma once
// -log2(u) of a 64-bit fraction u in integers only, for weighted rendezvous: the servers of a
// fleet must order two logarithms alike, which the C library's log does not promise between
// libraries and processors.
//
// Method: u = 2^-(z+1) * m with m in [1, 2); the nearest of 257 table points c = t/256 leaves
// m = c (1 + e), |e| <= 2^-9; log2(1 + e) by its series to the fourth power. Stated error: less
// than 2^-36 of the value or 2^-54, whichever is larger (checked in fixed_log_test.cc). Points
// lie at both ends, so values near u = 1, where the winners are, lose no relative precision.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace nandi::partition {

namespace detail {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

inline constexpr unsigned kLogFraction = 57;

/// log2(t/256) in units of 2^-57, by squaring: each step yields one binary digit.
constexpr std::uint64_t table_log2(unsigned t) {
  if (t == 512) return std::uint64_t{1} << kLogFraction;
  std::uint64_t x = static_cast<std::uint64_t>(t) << 55U;  // in [1, 2), units of 2^-63
  std::uint64_t log = 0;
  for (unsigned bit = 0; bit < kLogFraction; ++bit) {
    const UnsignedWide square = static_cast<UnsignedWide>(x) * x;
    const bool doubled = (square >> 127U) != 0;
    x = static_cast<std::uint64_t>(square >> (doubled ? 64U : 63U));
    log = (log << 1U) | (doubled ? 1U : 0U);
  }
  return log;
}

constexpr std::array<std::uint64_t, 257> make_log_table() {
  std::array<std::uint64_t, 257> table{};
  for (unsigned t = 256; t <= 512; ++t) table[t - 256] = table_log2(t);
  return table;
}

inline constexpr std::array<std::uint64_t, 257> kLogTable = make_log_table();

/// 256/t in units of 2^-62.
constexpr std::array<std::int64_t, 257> make_reciprocals() {
  std::array<std::int64_t, 257> table{};
  for (std::int64_t t = 256; t <= 512; ++t) {
    table[static_cast<std::size_t>(t - 256)] =
        static_cast<std::int64_t>((static_cast<Wide>(1) << 70U) / t);
  }
  return table;
}

inline constexpr std::array<std::int64_t, 257> kReciprocals = make_reciprocals();

/// Product of two values in units of 2^-62, in the same unit.
constexpr std::int64_t multiply_62(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>((static_cast<Wide>(a) * b) >> 62U);
}

}  // namespace detail

/// -log2(hash / 2^64) in units of 2^-57, in [1, 2^63]; a zero counts as one. Falls as `hash`
/// rises, up to the stated error.
constexpr std::uint64_t negative_log2(std::uint64_t hash) noexcept {
  using namespace detail;
  const std::uint64_t h = hash == 0 ? 1 : hash;
  const auto zeros = static_cast<unsigned>(std::countl_zero(h));
  const std::uint64_t m = h << zeros;  // in [1, 2), units of 2^-63
  const std::uint64_t t = (m >> 55U) + ((m >> 54U) & 1U);
  // m - c wraps to a small signed number.
  const auto offset = static_cast<std::int64_t>(m - (t << 55U));
  const auto e =  // units of 2^-62
      static_cast<std::int64_t>((static_cast<Wide>(offset) * kReciprocals[t - 256]) >> 63U);
  // ln(1 + e) = e (1 - e (1/2 - e (1/3 - e/4)))
  constexpr std::int64_t kOne = std::int64_t{1} << 62U;
  std::int64_t series = kOne / 3 - e / 4;
  series = kOne / 2 - multiply_62(e, series);
  series = kOne - multiply_62(e, series);
  const std::int64_t ln = multiply_62(e, series);
  constexpr Wide kLog2E = 6653256548922161245;  // log2(e) in units of 2^-62
  const auto log = static_cast<std::int64_t>((static_cast<Wide>(ln) * kLog2E) >> (62U + 5U));
  const std::uint64_t whole = static_cast<std::uint64_t>(zeros + 1U) << kLogFraction;
  const std::uint64_t value = whole - kLogTable[t - 256] - static_cast<std::uint64_t>(log);
  return static_cast<std::int64_t>(value) <= 0 && zeros == 0 ? 1 : value;
}

}  // namespace nandi::partition
