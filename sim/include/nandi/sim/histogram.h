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
    make_room(bucket, bucket + 1);
    ++buckets_[bucket - first_];
  }

  void merge(const Histogram& other) {
    if (other.count_ == 0) return;
    least_ = count_ == 0 ? other.least_ : std::min(least_, other.least_);
    most_ = count_ == 0 ? other.most_ : std::max(most_, other.most_);
    sum_ += other.sum_;
    count_ += other.count_;
    make_room(other.first_, other.first_ + other.buckets_.size());
    const std::size_t shift = other.first_ - first_;
    for (std::size_t b = 0; b < other.buckets_.size(); ++b)
      buckets_[shift + b] += other.buckets_[b];
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
    return at_rank(std::max<std::uint64_t>((count_ * percent + 99) / 100, 1));
  }
  /// The `rank`-th least value, from 1, to the upper edge of its bucket. Precondition: rank <=
  /// count.
  [[nodiscard]] Duration at_rank(std::uint64_t rank) const {
    std::uint64_t seen = 0;
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      seen += buckets_[b];
      if (seen >= rank) return Duration(std::clamp(upper_edge(first_ + b), least_, most_));
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
    const std::size_t last = first_ + buckets_.size();
    for (std::size_t first = first_ / width * width; first < last; first += width) {
      const std::size_t end = std::min(first + width, last);
      std::uint64_t sum = 0;
      for (std::size_t b = std::max(first, first_); b < end; ++b) sum += buckets_[b - first_];
      const std::int64_t from = first == 0 ? 0 : upper_edge(first - 1) + 1;
      const std::int64_t to = upper_edge(first + width - 1) + 1;
      if (sum > 0) found.push_back({Duration(from), Duration(to), sum});
    }
    return found;
  }

  /// Calls `visit` with each part of the value, to save it and to read it back.
  template <class Visit>
  void visit_parts(Visit&& visit) {
    visit(buckets_);
    visit(first_);
    visit(count_);
    visit(least_);
    visit(most_);
    visit(sum_);
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

  /// Buckets [from, to) are there afterwards. The first and the last one that are there are never
  /// empty, so that equal contents are equal values.
  void make_room(std::size_t from, std::size_t to) {
    if (buckets_.empty()) first_ = from;
    if (from < first_) {
      buckets_.insert(buckets_.begin(), first_ - from, 0);
      first_ = from;
    }
    if (to - first_ > buckets_.size()) buckets_.resize(to - first_);
  }

  std::vector<std::uint64_t> buckets_;  ///< from the one of number first_ on
  std::size_t first_ = 0;
  std::uint64_t count_ = 0;
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
  Int128 sum_ = 0;
};

}  // namespace nandi::sim
