#pragma once
// Jump consistent hash: Lamping and Veach, "A fast, minimal memory, consistent hash algorithm",
// 2014, figure 1, bit for bit, so that other implementations agree on every bucket.
//
// Going from n to n + 1 buckets moves 1/(n + 1) of the keys, all of them into the new bucket. The
// promise is about buckets numbered 0..n-1 of which the last comes and goes: taking out a middle
// server renumbers the ones behind it, and their keys move too.
//
// The paper's step is one division and one multiplication of doubles. Both are basic operations
// that IEEE 754 rounds in one way only, and nothing here can be contracted into a fused operation,
// so with double evaluation (asserted below) the result is the same on every machine; the test
// derives it a second time in integers.

#include <cfloat>
#include <cstdint>
#include <limits>

namespace nandi::partition {

static_assert(std::numeric_limits<double>::is_iec559 && FLT_EVAL_METHOD == 0,
              "jump_hash needs IEEE 754 doubles without excess precision");

/// Bucket of `key` among `buckets` (1 to 2^31 - 1) buckets, in [0, buckets). Expected time
/// O(log buckets), no memory. `key` should be a hash (see item_hash).
constexpr std::uint32_t jump_hash(std::uint64_t key, std::uint32_t buckets) noexcept {
  std::int64_t bucket = 0;
  std::int64_t next = 0;
  while (next < static_cast<std::int64_t>(buckets)) {
    bucket = next;
    key = key * 2862933555777941757U + 1;
    next = static_cast<std::int64_t>(
        static_cast<double>(bucket + 1) *
        (static_cast<double>(std::int64_t{1} << 31) / static_cast<double>((key >> 33U) + 1)));
  }
  return static_cast<std::uint32_t>(bucket);
}

}  // namespace nandi::partition
