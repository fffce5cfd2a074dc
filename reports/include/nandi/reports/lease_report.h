// The report of a lease scenario: a campaign's figures and one of its runs in full.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "nandi/reports/report.h"
#include "nandi/sim/campaign.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/simulator.h"

namespace nandi::reports {

struct LeaseRun {
  const sim::Simulator& simulator;
  const sim::CampaignResult& result;
  const sim::Judgement& judgement;
  std::string file;
  std::string command;
  std::uint64_t seed = 1;                     ///< the run to show
  std::optional<Duration> length;             ///< instead of the scenario's
  const sim::Violation* violation = nullptr;  ///< that the run shows
  std::string property;                       ///< that it violates
  const std::atomic<bool>* stop = nullptr;
};

/// Runs the seed once or twice more, and once for each event of the timeline (at most
/// kMostFaultRuns) to see whether the run is another one without it.
[[nodiscard]] Report lease_report(const LeaseRun& run);

inline constexpr std::size_t kMostFaultRuns = 16;

}  // namespace nandi::reports
