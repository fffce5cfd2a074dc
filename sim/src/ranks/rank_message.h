// What the ranks of a campaign tell each other.
//
// Text: `nandi-rank <version> <checksum>`, a line's end, and the message as numbers and texts
// (campaign_archive.h). What was cut off, is damaged or comes from another version is told from a
// message; what a message asks for is for its reader to check.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "nandi/sim/campaign.h"

namespace nandi::sim {

inline constexpr int kRankMessageVersion = 1;

// From the leading rank. Campaigns are numbered from 1, so that late answers are known.

struct BeginCampaign {
  std::uint64_t campaign = 0;
  std::uint64_t fingerprint = 0;  ///< campaign_fingerprint(), which the reader has to find too
  SeedRange seeds;
  unsigned jobs = 1;
  std::optional<Duration> length;
  std::string scenario;  ///< as write_scenario() has it
};
struct RunSeeds {
  std::uint64_t campaign = 0;
  SeedRange seeds;
};
/// Ends runs that are under way; what they found is still sent.
struct StopCampaign {
  std::uint64_t campaign = 0;
};
struct EndRank {};

// From a following rank.

/// A thread has nothing to do.
struct WantSeeds {
  std::uint64_t campaign = 0;
};
struct BlockDone {
  std::uint64_t campaign = 0;
  std::chrono::nanoseconds spent{0};  ///< of one thread
  CampaignBlock block;
};
/// The rank was asked to stop from outside: all have to.
struct StopAsked {};
struct RankFailed {
  std::string what;
};
/// Nothing more of this campaign follows.
struct CampaignStopped {
  std::uint64_t campaign = 0;
};

using RankMessage = std::variant<BeginCampaign, RunSeeds, StopCampaign, EndRank, WantSeeds,
                                 BlockDone, StopAsked, RankFailed, CampaignStopped>;

[[nodiscard]] std::string encode(const RankMessage& message);
/// Nothing where the text is no message.
[[nodiscard]] std::optional<RankMessage> decode(std::string_view text);

}  // namespace nandi::sim
