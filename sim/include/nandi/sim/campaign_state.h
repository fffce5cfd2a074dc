// The state file of a campaign: what a later run needs to go on where this one ended.
//
// Text, version 2: a line that says what it is, the fingerprint of what was asked for, the part
// (campaign.h) as numbers, and a checksum. Written beside the file and moved over it, so that there
// is always a whole one. What is done is exactly what the file says: a run that is killed loses the
// seeds of its last second and repeats none that the file counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "nandi/sim/campaign.h"

namespace nandi::sim {

inline constexpr int kCampaignStateVersion = 2;

/// A file that is no state of this campaign: `what` and what to do.
class CampaignStateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Of everything that the result depends on: scenario, seeds, length.
[[nodiscard]] std::uint64_t campaign_fingerprint(const Scenario& scenario,
                                                 const CampaignOptions& options);

void write_campaign_state(std::ostream& out, std::uint64_t fingerprint, const CampaignPart& part);

/// Throws CampaignStateError; `name` is the file's, for its text.
[[nodiscard]] CampaignPart read_campaign_state(std::istream& in, const std::string& name,
                                               std::uint64_t fingerprint);

/// The part alone, without title and checksum, as numbers with a blank or a line's end between;
/// nothing where it is none.
[[nodiscard]] std::optional<CampaignPart> parse_campaign_part(std::string_view body);

/// Replaces the file by a whole one. Throws std::runtime_error where it cannot be written.
void save_campaign_state(const std::filesystem::path& path, std::uint64_t fingerprint,
                         const CampaignPart& part);
/// Nothing where there is no such file.
[[nodiscard]] std::optional<CampaignPart> load_campaign_state(const std::filesystem::path& path,
                                                              std::uint64_t fingerprint);

}  // namespace nandi::sim
