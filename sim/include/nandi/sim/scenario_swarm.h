// The swarm part of a scenario: what each seed of a campaign draws for itself. Plain data; drawing
// is swarm.h's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"
#include "nandi/sim/scenario_group.h"

namespace nandi::sim {

/// Both ends included; from <= to.
struct CountRange {
  std::uint32_t from = 1;
  std::uint32_t to = 1;
  friend bool operator==(const CountRange&, const CountRange&) = default;
};

/// One kind of event that a seed may draw. Which strengths it takes depends on the kind; the loader
/// refuses those that it does not take and misses those that it needs.
struct SwarmFault {
  std::string fault;                      ///< one of event_names()
  Fraction probability{1, 2};             ///< of being on in a seed
  CountRange times;                       ///< how often it strikes where it is on, from 1
  std::optional<CountRange> workers;      ///< how many it strikes; of a clock, empty: the store's
  std::optional<DurationRange> length;    ///< how long; of a restart: how long it is away
  std::optional<DurationRange> by;        ///< of clock steps, late executions, promoted replicas
  std::optional<DurationRange> delay;     ///< of latency and jitter: the mean, exponential
  std::optional<CountRange> count;        ///< attempts, or writes that are lost
  std::optional<FractionRange> rate;      ///< of a drift; of losses: the probability
  std::optional<FractionRange> gap;       ///< of a reconfiguration
  std::optional<DurationRange> interval;  ///< of a reconfiguration
  friend bool operator==(const SwarmFault&, const SwarmFault&) = default;
};

/// How long messages take in a seed: lognormal each way, every way with a median and a tail of its
/// own.
struct SwarmNetwork {
  DurationRange median{Duration(1), Duration(1)};  ///< > 0
  CountRange tail{1, 1};                           ///< 99th percentile, in medians
  FractionRange loss;                              ///< of messages
  friend bool operator==(const SwarmNetwork&, const SwarmNetwork&) = default;
};

struct SwarmSettings {
  /// Which assumptions of the protocol the faults may break: `kept` none, `dropped` those named in
  /// `drop`, all where it is empty.
  bool assumptions_kept = true;
  std::vector<std::string> drop;
  std::optional<std::uint64_t> fault_seed;  ///< the faults draw from it; empty: from the run's
  std::optional<CountRange> workers;        ///< there from the start; empty: the scenario's
  std::optional<SwarmNetwork> network;
  std::vector<SwarmFault> membership;  ///< the workload: who comes and goes
  std::vector<SwarmFault> faults;
  friend bool operator==(const SwarmSettings&, const SwarmSettings&) = default;
};

}  // namespace nandi::sim
