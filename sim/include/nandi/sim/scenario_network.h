// The network part of a scenario: how long messages take and which are lost. Plain data; sampling
// is the simulator's. Probabilities belong to the chooser of actions, never to the world.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"

namespace nandi::sim {

/// Always `value` >= 0.
struct ConstantDelay {
  Duration value;
  friend bool operator==(const ConstantDelay&, const ConstantDelay&) = default;
};

/// Every value from `from` to `to`, both included, alike; 0 <= from <= to.
struct UniformDelay {
  Duration from;
  Duration to;
  friend bool operator==(const UniformDelay&, const UniformDelay&) = default;
};

/// Normal, cut off outside [least, most]; deviation > 0, 0 <= least <= mean <= most, least < most.
struct NormalDelay {
  Duration mean;
  Duration deviation;
  Duration least;
  Duration most;
  friend bool operator==(const NormalDelay&, const NormalDelay&) = default;
};

/// Half of all values lie below `median`, 99 of 100 below `p99`; 0 < median <= p99.
struct LognormalDelay {
  Duration median;
  Duration p99;
  friend bool operator==(const LognormalDelay&, const LognormalDelay&) = default;
};

struct ExponentialDelay {
  Duration mean;  ///< > 0
  friend bool operator==(const ExponentialDelay&, const ExponentialDelay&) = default;
};

/// P(X > x) = (scale / x)^shape for x >= scale; scale > 0, shape > 0.
struct ParetoDelay {
  Duration scale;
  Fraction shape;
  friend bool operator==(const ParetoDelay&, const ParetoDelay&) = default;
};

/// Values of the previous bucket's `to` (or the histogram's `from`) up to this `to`, all alike.
struct HistogramBucket {
  Duration to;
  std::uint64_t count = 0;
  friend bool operator==(const HistogramBucket&, const HistogramBucket&) = default;
};

/// Measured values: `to` rises strictly from `from` on, some count is above 0.
struct HistogramDelay {
  Duration from;
  std::vector<HistogramBucket> buckets;
  friend bool operator==(const HistogramDelay&, const HistogramDelay&) = default;
};

using DelayDistribution = std::variant<ConstantDelay, UniformDelay, NormalDelay, LognormalDelay,
                                       ExponentialDelay, ParetoDelay, HistogramDelay>;

/// Something that differs between the way to the store and the way back.
struct DelayPair {
  DelayDistribution request = ConstantDelay{};
  DelayDistribution reply = ConstantDelay{};
  friend bool operator==(const DelayPair&, const DelayPair&) = default;
};

/// Probability that a message disappears; 0 <= p <= 1.
struct LossPair {
  Fraction request;
  Fraction reply;
  friend bool operator==(const LossPair&, const LossPair&) = default;
};

struct NetworkSettings {
  /// Each direction by itself; a message takes `latency` plus `jitter`, drawn independently.
  DelayDistribution request = ConstantDelay{};
  DelayDistribution reply = ConstantDelay{};
  DelayPair jitter;
  LossPair loss;
  friend bool operator==(const NetworkSettings&, const NetworkSettings&) = default;
};

/// What one set of workers has otherwise than the rest.
struct NetworkOverride {
  std::optional<DelayDistribution> request;
  std::optional<DelayDistribution> reply;
  std::optional<DelayPair> jitter;
  std::optional<LossPair> loss;
  friend bool operator==(const NetworkOverride&, const NetworkOverride&) = default;
};

}  // namespace nandi::sim
