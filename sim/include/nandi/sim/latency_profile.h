// LatencyProfile: how long the registrations of one machine on one server took, as measured.
//
// Written by `nandi-worker probe`, named by scenarios (`network: {profile: FILE}`). A file of YAML,
// format 1, in which unknown and doubled keys are errors:
//
//   latency_profile: 1              # version of the format
//   server: Redis 7.0.15            # for people
//   samples: 5000                   # registrations that were answered
//   failures: 0                     # registrations that were not
//   round_trip: {from: 41us, buckets: [{to: 42us, count: 7}, ...]}
//   directions:                     # where the server's clock told them apart
//     known_to: 20us
//     request: {from: 0us, buckets: [...]}
//     reply: {from: 12us, buckets: [...]}
//
// A bucket holds the values from the end of the one before it (from `from`) up to, not including,
// its `to`. The request's and the reply's time of one registration add up to its round trip. How a
// constant part of it is shared between the two cannot be seen from the ends, the server's clock
// having an offset of its own: the directions are off by at most `known_to`, the one by as much too
// long as the other is too short.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "nandi/engine/time.h"
#include "nandi/sim/histogram.h"
#include "nandi/sim/scenario_network.h"
#include "nandi/sim/yaml/document.h"

namespace nandi::sim {

inline constexpr std::uint64_t kLatencyProfileVersion = 1;

struct LatencyDirections {
  Duration known_to;
  HistogramDelay request;
  HistogramDelay reply;
  friend bool operator==(const LatencyDirections&, const LatencyDirections&) = default;
};

struct LatencyProfile {
  std::string server;
  std::uint64_t samples = 0;
  std::uint64_t failures = 0;
  HistogramDelay round_trip;
  std::optional<LatencyDirections> directions;
  friend bool operator==(const LatencyProfile&, const LatencyProfile&) = default;

  /// What a scenario's messages take. Where the directions are not known the request takes the
  /// whole round trip and the reply no time: what a worker can see of it is the same.
  [[nodiscard]] DelayDistribution request_delay() const;
  [[nodiscard]] DelayDistribution reply_delay() const;
};

/// The measured values as a distribution, its buckets at most 1/16 of their value wide.
/// Precondition: not empty, no value below 0.
[[nodiscard]] HistogramDelay histogram_delay(const Histogram& values);

/// Throws yaml::LoadError.
[[nodiscard]] LatencyProfile read_latency_profile(const yaml::Document& document);
[[nodiscard]] LatencyProfile load_latency_profile(const std::filesystem::path& path);

/// What is written loads back equal.
void write_latency_profile(const LatencyProfile& profile, std::ostream& out);

}  // namespace nandi::sim
