#include "nandi/sim/sampler.h"

#include <algorithm>
#include <cassert>

#include "nandi/sim/draw.h"

namespace nandi::sim {
namespace {

/// ln 2, and the normal quantile at 0.99, both times 2^32.
constexpr Fixed kLn2 = 2977044472;
constexpr Fixed kNormal99 = 9991588038;

constexpr std::uint64_t kLastDraw = ~std::uint64_t{0};

/// The first draw in [0, 2^64) for which `is_above` holds, kLastDraw if none does. It must not hold
/// again for smaller draws once it fails.
template <class IsAbove>
std::uint64_t first_draw(const IsAbove& is_above) {
  std::uint64_t low = 0;
  std::uint64_t high = kLastDraw;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (is_above(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

Sampler::Sampler(const DelayDistribution& distribution) {
  std::visit([this](const auto& delay) { set(delay); }, distribution);
}

void Sampler::set(const ConstantDelay& delay) {
  shape_ = Shape::constant;
  base_ = delay.value.count();
}

void Sampler::set(const UniformDelay& delay) {
  shape_ = Shape::uniform;
  base_ = delay.from.count();
  spread_ = (delay.to - delay.from).count() + 1;
}

void Sampler::set(const NormalDelay& delay) {
  shape_ = Shape::normal;
  base_ = delay.mean.count();
  spread_ = delay.deviation.count();
  const std::int64_t least = delay.least.count();
  const std::int64_t most = delay.most.count();
  draw_from_ = first_draw([&](std::uint64_t u) { return normal_at(u) >= least; });
  const std::uint64_t end = first_draw([&](std::uint64_t u) { return normal_at(u) > most; });
  draws_ = end - draw_from_ + (normal_at(end) <= most ? 1U : 0U);
}

void Sampler::set(const LognormalDelay& delay) {
  shape_ = Shape::lognormal;
  base_ = delay.median.count();
  const Fixed ratio = log2_of_ratio(static_cast<std::uint64_t>(delay.p99.count()),
                                    static_cast<std::uint64_t>(delay.median.count()));
  exponent_ = static_cast<Fixed>((Int128{ratio} << kFixedBits) / kNormal99);
}

void Sampler::set(const ExponentialDelay& delay) {
  shape_ = Shape::exponential;
  base_ = delay.mean.count();
}

void Sampler::set(const ParetoDelay& delay) {
  shape_ = Shape::pareto;
  base_ = delay.scale.count();
  const Int128 inverse =
      (Int128{delay.shape.denominator()} << kFixedBits) / delay.shape.numerator();
  exponent_ = static_cast<Fixed>(std::min<Int128>(inverse, Int128{64} << kFixedBits));
}

void Sampler::set(const HistogramDelay& delay) {
  shape_ = Shape::histogram;
  std::int64_t from = delay.from.count();
  for (const HistogramBucket& bucket : delay.buckets) {
    if (bucket.count > 0) {
      buckets_.push_back({total_, bucket.count, from, bucket.to.count()});
      total_ += bucket.count;
    }
    from = bucket.to.count();
  }
  assert(total_ > 0);
}

std::int64_t Sampler::normal_at(std::uint64_t u) const {
  return base_ + static_cast<std::int64_t>((Int128{spread_} * normal_quantile(u)) >> kFixedBits);
}

std::int64_t Sampler::histogram_at(std::uint64_t u) const {
  const UInt128 scaled = UInt128{u} * total_;
  const auto rank = static_cast<std::uint64_t>(scaled >> 64);
  const auto next = std::upper_bound(buckets_.begin(), buckets_.end(), rank,
                                     [](std::uint64_t r, const Bucket& b) { return r < b.below; });
  const Bucket& bucket = *(next - 1);
  // The position in the bucket with 16 bits after the point, as far as 128 bits carry it.
  const UInt128 position =
      (UInt128{rank - bucket.below} << 16) | (static_cast<std::uint64_t>(scaled) >> 48);
  const auto width = static_cast<std::uint64_t>(bucket.to - bucket.from);
  return bucket.from + static_cast<std::int64_t>(position * width / (UInt128{bucket.count} << 16));
}

Duration Sampler::sample(std::uint64_t u) const {
  switch (shape_) {
    case Shape::constant: return Duration(base_);
    case Shape::uniform:
      return Duration(base_ +
                      static_cast<std::int64_t>(bounded(u, static_cast<std::uint64_t>(spread_))));
    case Shape::normal:
      return Duration(normal_at(draws_ == 0 ? u : draw_from_ + bounded(u, draws_)));
    case Shape::lognormal:
      return Duration(scaled_exp2(base_, fixed_product(exponent_, normal_quantile(u))));
    case Shape::exponential: {
      const Fixed nats = fixed_product(negative_log2(~u | 1U), kLn2);
      const Int128 value = (Int128{base_} * nats) >> kFixedBits;
      return Duration(static_cast<std::int64_t>(std::min<Int128>(value, kLongestSample)));
    }
    case Shape::pareto:
      return Duration(scaled_exp2(base_, fixed_product(exponent_, negative_log2(~u | 1U))));
    case Shape::histogram: return Duration(histogram_at(u));
  }
  return Duration(0);
}

}  // namespace nandi::sim
