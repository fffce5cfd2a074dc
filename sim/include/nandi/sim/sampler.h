// Sampler: a delay distribution made ready to be drawn from, in integers.
//
// sample(u) is the inverse of the distribution function at u / 2^64, so one draw gives one sample
// and samples rise with u (a draw that is a little worse gives a delay that is a little longer).
// Errors: constant and uniform are exact; the histogram is exact but for rounding down; normal is
// off by less than 1e-4 deviations, exponential by less than 3e-6 means; lognormal and Pareto by
// less than 2e-4 of the value for p99 up to 100 medians and for shapes from 1/2 on. All are rounded
// down to whole units and cut off at kLongestSample.
#pragma once

#include <cstdint>
#include <vector>

#include "nandi/engine/time.h"
#include "nandi/sim/fixed_point.h"
#include "nandi/sim/scenario_network.h"

namespace nandi::sim {

class Sampler {
 public:
  /// Always zero.
  Sampler() = default;
  /// Precondition: the distribution is valid, as scenario_network.h says.
  explicit Sampler(const DelayDistribution& distribution);

  [[nodiscard]] Duration sample(std::uint64_t u) const;

  /// Whether it always gives zero, so that the draw may be left out.
  [[nodiscard]] bool is_zero() const { return shape_ == Shape::constant && base_ == 0; }

 private:
  enum class Shape : std::uint8_t {
    constant,
    uniform,
    normal,
    lognormal,
    exponential,
    pareto,
    histogram
  };
  struct Bucket {
    std::uint64_t below = 0;  ///< values in the buckets before
    std::uint64_t count = 0;
    std::int64_t from = 0;
    std::int64_t to = 0;
  };

  void set(const ConstantDelay& delay);
  void set(const UniformDelay& delay);
  void set(const NormalDelay& delay);
  void set(const LognormalDelay& delay);
  void set(const ExponentialDelay& delay);
  void set(const ParetoDelay& delay);
  void set(const HistogramDelay& delay);
  [[nodiscard]] std::int64_t normal_at(std::uint64_t u) const;
  [[nodiscard]] std::int64_t histogram_at(std::uint64_t u) const;

  Shape shape_ = Shape::constant;
  std::int64_t base_ = 0;        ///< value, from, mean, median, mean, scale
  std::int64_t spread_ = 0;      ///< uniform: number of values; normal: deviation
  Fixed exponent_ = 0;           ///< lognormal: deviation of log2; pareto: 1 / shape
  std::uint64_t draw_from_ = 0;  ///< normal: the draws that fall inside the bounds
  std::uint64_t draws_ = 0;      ///< and how many there are; 0: all 2^64
  std::uint64_t total_ = 0;
  std::vector<Bucket> buckets_;
};

}  // namespace nandi::sim
