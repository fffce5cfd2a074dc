// LeadingRank: rank 0 of campaigns that several ranks run together.
//
// It deals out blocks of seeds, about as long as kBlockTime and shorter towards the end, to its own
// threads and to the other ranks, whenever one has nothing to do, and adds up what comes back in
// the order of seeds. So the result is that of run_campaign(), whatever the number of ranks and
// whichever was faster. Only this rank reads and writes files.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "campaign_merger.h"
#include "nandi/sim/campaign.h"
#include "nandi/sim/simulator.h"
#include "ranks/rank_link.h"
#include "ranks/rank_message.h"

namespace nandi::sim {

/// How many seeds a block has, by how long seeds took so far. Any thread.
class BlockSizes {
 public:
  explicit BlockSizes(std::uint64_t threads) : threads_(threads) {}
  void add(std::uint64_t seeds, std::chrono::nanoseconds spent);
  /// Of `left` seeds.
  [[nodiscard]] std::uint64_t next(std::uint64_t left) const;

 private:
  const std::uint64_t threads_;  ///< of all ranks
  mutable std::mutex mutex_;
  std::uint64_t seeds_ = 0;
  std::uint64_t nanoseconds_ = 0;
};

class LeadingRank {
 public:
  /// After a stop, ranks have `grace` to send what they have.
  LeadingRank(RankLink& link, std::chrono::milliseconds grace) : link_(link), grace_(grace) {}

  /// run_campaign() on all ranks, with options.jobs threads on each. Throws std::logic_error where
  /// another rank failed or sent what is no message of this program.
  [[nodiscard]] CampaignResult run(const Simulator& simulator, const CampaignOptions& options);
  /// The other ranks leave; the last call.
  void end();

 private:
  struct Turn;

  void begin(const Simulator& simulator, const CampaignOptions& options);
  void lead(Turn& turn);
  /// Tells the others to stop and waits for what they still have, for as long as `limit` if any.
  void stop_others(Turn& turn, std::optional<std::chrono::milliseconds> limit);
  /// True where something had come.
  bool receive(Turn& turn);
  void take(Turn& turn, int from, RankMessage message);
  void deal(Turn& turn, int to);
  void take_block(Turn& turn, int from, BlockDone done);
  void tell_others(const RankMessage& message);

  RankLink& link_;
  std::chrono::milliseconds grace_;
  std::uint64_t campaign_ = 0;
  bool stop_asked_ = false;             ///< by another rank
  std::optional<std::string> failure_;  ///< of another rank: it is of no use any more
};

}  // namespace nandi::sim
