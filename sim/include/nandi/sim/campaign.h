// Campaign: one scenario under many seeds, in any number of threads.
//
// What it finds depends on the scenario and the seeds alone: runs are merged in the order of their
// seeds, whatever thread made them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "nandi/sim/property.h"
#include "nandi/sim/run_statistics.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/seed_statistics.h"
#include "nandi/sim/simulator.h"

namespace nandi::sim {

struct CampaignProgress {
  std::uint64_t done = 0;  ///< seeds
  std::uint64_t total = 0;
  std::uint64_t before = 0;    ///< of `done`: by the campaign that this one goes on with
  std::uint64_t violated = 0;  ///< seeds with a violation of a property that is checked
};

struct CampaignPart;

struct CampaignOptions {
  SeedRange seeds;
  unsigned jobs = 1;  ///< threads, at least 1
  std::optional<Duration> length;
  const std::atomic<bool>* stop = nullptr;  ///< set: end soon, with what was found so far
  /// Called now and then, never by two threads at once.
  std::function<void(const CampaignProgress&)> progress;
  /// Go on from here; of the same scenario and options but for `jobs` (campaign_state.h).
  const CampaignPart* resume = nullptr;
  /// Called at most once a second, and at the end, with all that is needed to go on: the seeds that
  /// were run to their end. Never by two threads at once.
  std::function<void(const CampaignPart&)> save;
};

/// One property over all runs.
struct PropertyTally {
  std::uint64_t reached = 0;       ///< how often it was put to the test
  std::uint64_t runs_reached = 0;  ///< in so many runs
  std::uint64_t runs_violated = 0;
  std::optional<Violation> first;  ///< of the first seed that violates it
  std::uint64_t first_seed = 0;
};

struct CampaignResult {
  std::uint64_t runs = 0;
  SeedRange seeds;                        ///< asked for
  bool interrupted = false;               ///< some seeds were not run to their end
  std::vector<PropertyTally> properties;  ///< in the order of property_infos()
  std::vector<FaultCount> faults;         ///< in the order of fault_sources() (swarm.h)
  RunStatistics statistics;
  SeedStatistics by_seed;
  std::vector<std::uint64_t> failing_seeds;  ///< the first kFailingSeeds with a checked violation
  std::uint64_t runs_whole = 0;              ///< runs whose group was whole at the end
  std::uint64_t runs_violated = 0;           ///< runs with a violation of a checked property
  std::uint64_t events = 0;
  std::uint64_t actions = 0;
  std::uint64_t trace_hash = 0;  ///< of the runs' trace hashes, in the order of seeds

  static constexpr std::size_t kFailingSeeds = 20;
};

/// Seeds in a row, added up apart from the rest of their campaign.
struct CampaignBlock {
  SeedRange seeds;
  CampaignResult result;                    ///< of these seeds alone, without trace_hash
  std::vector<std::uint64_t> trace_hashes;  ///< of each run, in the order of seeds
};

/// What a campaign has so far.
struct CampaignPart {
  std::uint64_t next = 1;            ///< the first seed that is not in `result`
  std::uint64_t hash_state = 0;      ///< TraceHash::state() of what is in `result`
  CampaignResult result;             ///< of the seeds before `next`
  std::vector<CampaignBlock> ahead;  ///< of seeds after `next`, rising; never two in a row
};

[[nodiscard]] CampaignResult run_campaign(const Simulator& simulator,
                                          const CampaignOptions& options);

/// By property: whether the scenario's `expect:` wants it checked.
[[nodiscard]] std::vector<bool> checked_properties(const Scenario& scenario);

}  // namespace nandi::sim
