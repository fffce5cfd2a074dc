// FollowingRank: a rank of a campaign that runs what rank 0 gives it. It reads no file and prints
// nothing: the scenario comes with the campaign.
#pragma once

#include <atomic>
#include <memory>

#include "ranks/rank_link.h"
#include "ranks/rank_message.h"

namespace nandi::sim {

class FollowingRank {
 public:
  /// `stop`: set from outside, all ranks end soon with what was found so far.
  FollowingRank(RankLink& link, const std::atomic<bool>& stop);
  FollowingRank(const FollowingRank&) = delete;
  FollowingRank& operator=(const FollowingRank&) = delete;
  ~FollowingRank();

  /// Until rank 0 says so, or this rank is of no use any more, which rank 0 is told.
  void serve();

 private:
  class Campaign;

  /// False: it is time to leave.
  bool take(const RankMessage& message);
  void begin(const BeginCampaign& message);
  /// True where there was something to send.
  bool send_found();
  void send(const RankMessage& message);

  RankLink& link_;
  const std::atomic<bool>& stop_;
  bool stop_told_ = false;
  std::unique_ptr<Campaign> campaign_;
};

}  // namespace nandi::sim
