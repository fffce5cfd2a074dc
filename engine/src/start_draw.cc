#include "nandi/engine/start_draw.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace nandi {
namespace {

/// splitmix64 (Steele, Lea, Flood 2014): every output bit depends on every bit of the state, so
/// that seeds 1, 2, 3 draw unrelated numbers.
std::uint64_t next(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

/// Uniform in [0, bound) up to 2^-64 of it; 0 when bound <= 0.
Duration draw_below(std::uint64_t& state, Duration bound) {
  __extension__ using Wide = unsigned __int128;
  const auto limit = static_cast<std::uint64_t>(std::max<std::int64_t>(bound.count(), 0));
  return Duration(static_cast<std::int64_t>((Wide{next(state)} * limit) >> 64U));
}

}  // namespace

StartDraw draw_start(const Options& options, std::uint64_t seed) {
  const LeaseTiming timing = timing_of(options);
  const Duration begin = band_begin(timing);
  const Duration width = band_end(timing) - begin + Duration(1);
  StartDraw draw;
  draw.first_delay = draw_below(seed, multiply_ceil(timing.interval, options.first_spread));
  draw.kept_offset = begin + draw_below(seed, width);
  return draw;
}

std::uint64_t seed_of(const Options& options) {
  if (options.seed) return *options.seed;
  std::uint64_t seed = 0;
  while (getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    if (errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "asking the kernel for a seed");
    }
  }
  return seed;
}

}  // namespace nandi
