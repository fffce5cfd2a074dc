// Histogram: counts of signed durations in log-linear buckets.
//
// A bucket is at most 1/64 of its value wide, so a percentile is off by less than 1.6 %; the least,
// the greatest and the sum are exact. Merging is exact and independent of the order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"

namespace nandi::sim {

class Histogram {
 public:
  void add(Duration value) {
    const std::int64_t v = value.count();
    least_ = count_ == 0 ? v : std::min(least_, v);
    most_ = count_ == 0 ? v : std::max(most_, v);
    sum_ += v;
    ++count_;
    const std::size_t bucket = bucket_of(v < 0 ? 0 : static_cast<std::uint64_t>(v));
    if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
    ++buckets_[bucket];
  }

  void merge(const Histogram& other) {
    if (other.count_ == 0) return;
    least_ = count_ == 0 ? other.least_ : std::min(least_, other.least_);
    most_ = count_ == 0 ? other.most_ : std::max(most_, other.most_);
    sum_ += other.sum_;
    count_ += other.count_;
    if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
    for (std::size_t b = 0; b < other.buckets_.size(); ++b) buckets_[b] += other.buckets_[b];
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Precondition of all below: not empty.
  [[nodiscard]] Duration least() const { return Duration(least_); }
  [[nodiscard]] Duration most() const { return Duration(most_); }
  [[nodiscard]] Duration mean() const {
    return Duration(static_cast<std::int64_t>(floor_div(sum_, static_cast<Int128>(count_))));
  }
  /// The least bucket's upper edge that at least `percent` of 100 values do not exceed; never
  /// outside [least, most].
  [[nodiscard]] Duration percentile(std::uint32_t percent) const {
    const std::uint64_t wanted = std::max<std::uint64_t>((count_ * percent + 99) / 100, 1);
    std::uint64_t seen = 0;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      seen += buckets_[b];
      if (seen >= wanted) return Duration(std::clamp(upper_edge(b), least_, most_));
    }
    return most();
  }

  /// So many values in [from, to).
  struct Range {
    Duration from;
    Duration to;
    std::uint64_t count = 0;
  };
  /// The ranges that hold values, rising, at most 1 / 2^sub_bits of their value wide; values below
  /// 0 count as 0. Precondition: 0 <= sub_bits <= 6.
  [[nodiscard]] std::vector<Range> ranges(int sub_bits) const {
    const std::size_t width = std::size_t{1} << (kSubBits - sub_bits);
    std::vector<Range> found;
    for (std::size_t first = 0; first < buckets_.size(); first += width) {
      const std::size_t end = std::min(first + width, buckets_.size());
      std::uint64_t sum = 0;
      for (std::size_t b = first; b < end; ++b) sum += buckets_[b];
      const std::int64_t from = first == 0 ? 0 : upper_edge(first - 1) + 1;
      const std::int64_t to = upper_edge(first + width - 1) + 1;
      if (sum > 0) found.push_back({Duration(from), Duration(to), sum});
    }
    return found;
  }

  friend bool operator==(const Histogram&, const Histogram&) = default;

 private:
  static constexpr int kSubBits = 6;

  static std::size_t bucket_of(std::uint64_t v) {
    constexpr std::uint64_t kLinear = std::uint64_t{1} << kSubBits;
    if (v < kLinear) return static_cast<std::size_t>(v);
    const int shift = static_cast<int>(std::bit_width(v)) - 1 - kSubBits;
    return static_cast<std::size_t>((std::uint64_t(shift) + 1) * kLinear +
                                    ((v >> shift) - kLinear));
  }
  static std::int64_t upper_edge(std::size_t bucket) {
    constexpr std::size_t kLinear = std::size_t{1} << kSubBits;
    if (bucket < kLinear) return static_cast<std::int64_t>(bucket);
    const std::size_t shift = bucket / kLinear - 1;
    const std::uint64_t next = (std::uint64_t{bucket % kLinear + kLinear} + 1) << shift;
    return static_cast<std::int64_t>(next - 1);
  }

  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
  Int128 sum_ = 0;
};

}  // namespace nandi::sim
