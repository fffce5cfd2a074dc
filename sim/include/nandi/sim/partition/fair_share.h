// An exact share of a whole, wide enough for sums of products of weights.
#pragma once

#include <cstdint>

namespace nandi::sim {

// numerator/denominator in [0, 1]; not reduced. Weights sum to at most 10^9, so products of two
// sums fit.
struct FairShare {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;

  constexpr double value() const {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
};

}  // namespace nandi::sim
