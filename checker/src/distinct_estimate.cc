#include "nandi/checker/distinct_estimate.h"

#include <cmath>

namespace nandi::checker {

std::uint64_t DistinctEstimate::count() const {
  constexpr auto kRegisters = static_cast<double>(1U << kLog2);
  double sum = 0;
  double empty = 0;
  for (const std::uint8_t rank : ranks_) {
    sum += std::ldexp(1.0, -static_cast<int>(rank));
    empty += rank == 0 ? 1 : 0;
  }
  const double estimate = 0.7213 / (1 + 1.079 / kRegisters) * kRegisters * kRegisters / sum;
  const bool are_few = estimate <= 2.5 * kRegisters && empty > 0;
  return static_cast<std::uint64_t>(
      std::llround(are_few ? kRegisters * std::log(kRegisters / empty) : estimate));
}

}  // namespace nandi::checker
