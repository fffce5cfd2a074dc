// Deals out the seeds of a campaign, takes what was found in any order, and adds it up in the order
// of seeds.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "nandi/sim/campaign.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/trace.h"

namespace nandi::sim {

/// Any thread may call anything but finish(), which wants to be the last call.
class CampaignMerger {
 public:
  /// Both outlive it.
  CampaignMerger(const Simulator& simulator, const CampaignOptions& options);

  /// Seeds in a row that nobody took before, at most `most` of them; nothing when all are taken.
  /// Precondition: most > 0.
  [[nodiscard]] std::optional<SeedRange> take(std::uint64_t most);
  /// How many take() has left.
  [[nodiscard]] std::uint64_t left() const;
  /// Take() gives no more.
  void close();

  void add(RunResult run);
  /// Throws std::invalid_argument where the block is of another scenario.
  void add(CampaignBlock block);
  /// Whether every seed was run to its end.
  [[nodiscard]] bool is_complete() const;
  /// Hands what there is to CampaignOptions::save.
  void save();
  [[nodiscard]] CampaignResult finish();

 private:
  using Clock = std::chrono::steady_clock;

  void merge_ready();
  void join_neighbours(std::map<std::uint64_t, CampaignBlock>::iterator added);
  void merge(const RunResult& run);
  void merge(const CampaignBlock& block);
  void tell();
  void save_locked();

  const CampaignOptions& options_;
  std::vector<bool> checked_;
  mutable std::mutex mutex_;
  std::vector<SeedRange> free_;                    ///< not taken, falling
  std::map<std::uint64_t, RunResult> runs_;        ///< waiting for those before
  std::map<std::uint64_t, CampaignBlock> blocks_;  ///< the same
  std::uint64_t next_ = 0;
  std::uint64_t before_ = 0;  ///< seeds of the campaign that this one goes on with
  Clock::time_point saved_ = Clock::now();
  TraceHash hash_;
  CampaignResult result_;
};

}  // namespace nandi::sim
