// Keyed random draws: f(seed, stream, worker, counter), so that no draw depends on how many were
// made before it. Changing one fault leaves every other draw as it was.
//
// Each (seed, stream, worker) is a SplitMix64 generator (Steele, Lea, Flood 2014) whose state is
// reached by two more rounds of the same mixing; `counter` picks its n-th output directly. Integers
// only: the same on every compiler and processor.
#pragma once

#include <array>
#include <cstdint>

#include "nandi/engine/fraction.h"

namespace nandi::sim {

/// What a draw decides. The numbers are part of the trace format: a stream is never renumbered.
enum class Stream : std::uint8_t {
  start_phase = 0,      ///< where in an interval the run starts; worker 0
  first_offset = 1,     ///< a worker's first registration
  kept_offset = 2,      ///< its slot while no count is known
  request_latency = 3,  ///< counter: message number
  reply_latency = 4,
  request_jitter = 5,
  reply_jitter = 6,
  request_loss = 7,
  reply_loss = 8,
  drain = 9,          ///< counter: how often it drained
  clock_offset = 10,  ///< a worker's clock
  clock_drift = 11,
  choice = 12,    ///< which workers an event strikes; worker: number of the event
  swarm = 13,     ///< which faults are on, how strong and when; worker: place in the swarm's list,
                  ///< counter: 16 x occurrence + parameter (swarm.cc)
  workload = 14,  ///< the same for members, latencies and membership events of a swarm
};
inline constexpr std::size_t kStreams = 15;

__extension__ using UInt128 = unsigned __int128;

/// The finaliser of SplitMix64.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebU;
  x ^= x >> 31;
  return x;
}

/// 2^64 divided by the golden ratio: the increment of SplitMix64.
inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;

/// The `counter`-th output (from 0) of SplitMix64 started in `state`.
[[nodiscard]] constexpr std::uint64_t split_mix(std::uint64_t state, std::uint64_t counter) {
  return mix64(state + (counter + 1) * kGolden);
}

/// `draw` scaled to 0 <= x < bound: floor(draw * bound / 2^64). Each value's probability is within
/// 2^-64 of 1 / bound. Precondition: bound > 0.
[[nodiscard]] constexpr std::uint64_t bounded(std::uint64_t draw, std::uint64_t bound) {
  return static_cast<std::uint64_t>((UInt128{draw} * bound) >> 64);
}

/// True with probability p, within 2^-64. Precondition: 0 <= p <= 1.
[[nodiscard]] constexpr bool happens(std::uint64_t draw, Fraction p) {
  if (p.numerator() == 0) return false;
  return bounded(draw, static_cast<std::uint64_t>(p.denominator())) <
         static_cast<std::uint64_t>(p.numerator());
}

/// All draws of one run.
class Draws {
 public:
  explicit constexpr Draws(std::uint64_t seed) : seed_(seed) {
    for (std::size_t s = 0; s < kStreams; ++s) keys_[s] = key_of(seed, s);
  }

  [[nodiscard]] constexpr std::uint64_t seed() const { return seed_; }

  /// Takes one stream from another seed and leaves the others.
  constexpr void set_seed(Stream stream, std::uint64_t seed) {
    keys_[static_cast<std::size_t>(stream)] = key_of(seed, static_cast<std::size_t>(stream));
  }

  [[nodiscard]] constexpr std::uint64_t operator()(Stream stream, std::uint64_t worker,
                                                   std::uint64_t counter) const {
    return split_mix(generator(stream, worker), counter);
  }

  /// The state of the generator of one worker's stream, for whoever draws from it often: its draws
  /// are split_mix(state, counter).
  [[nodiscard]] constexpr std::uint64_t generator(Stream stream, std::uint64_t worker) const {
    return split_mix(keys_[static_cast<std::size_t>(stream)], worker);
  }

 private:
  static constexpr std::uint64_t key_of(std::uint64_t seed, std::size_t stream) {
    return split_mix(mix64(seed), stream);
  }

  std::uint64_t seed_;
  std::array<std::uint64_t, kStreams> keys_{};
};

}  // namespace nandi::sim
