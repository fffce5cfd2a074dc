// How many different hashes were seen, roughly, in a few kilobytes: HyperLogLog (Flajolet, Fusy,
// Gandouet and Meunier, AofA 2007), with linear counting where there are few.
#pragma once

#include <array>
#include <cstdint>

namespace nandi::checker {

class DistinctEstimate {
 public:
  // One standard deviation of the estimate, relative: 1.04 / sqrt(registers).
  static constexpr double kStandardError = 0.0082;

  void add(std::uint64_t hash) {
    const std::uint64_t slot = hash >> (64U - kLog2);
    const std::uint64_t rest = hash << kLog2 | (std::uint64_t{1} << (kLog2 - 1));
    const auto rank = static_cast<std::uint8_t>(__builtin_clzll(rest) + 1);
    if (rank > ranks_[slot]) ranks_[slot] = rank;
  }
  std::uint64_t count() const;

 private:
  static constexpr unsigned kLog2 = 14;
  std::array<std::uint8_t, 1U << kLog2> ranks_{};
};

}  // namespace nandi::checker
