#include "nandi/sim/campaign_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <utility>

#include "campaign_archive.h"
#include "nandi/sim/whole_file.h"

namespace nandi::sim {
namespace {

constexpr std::string_view kTitle = "nandi-campaign";

}  // namespace

std::uint64_t campaign_fingerprint(const Scenario& scenario, const CampaignOptions& options) {
  std::ostringstream text;
  write_scenario(scenario, text);
  text << options.seeds.first << ' ' << options.seeds.last << ' '
       << (options.length ? options.length->count() : 0);
  return checksum(text.str());
}

std::optional<CampaignPart> parse_campaign_part(std::string_view body) { return part_of(body); }

void write_campaign_state(std::ostream& out, std::uint64_t fingerprint, const CampaignPart& part) {
  const std::string body = text_of(part);
  out << fmt::format("{} {}\nof {:016x}\n{}\nend {:016x}\n", kTitle, kCampaignStateVersion,
                     fingerprint, body, checksum(body));
}

CampaignPart read_campaign_state(std::istream& in, const std::string& name,
                                 std::uint64_t fingerprint) {
  const auto fail = [&](const char* what) -> CampaignPart {
    throw CampaignStateError(fmt::format("{}: {}; remove the file to start anew", name, what));
  };
  std::string title;
  std::string of;
  std::getline(in, title);
  std::getline(in, of);
  const std::string rest{std::istreambuf_iterator<char>(in), {}};
  // The last line is the checksum of what stands before it, which may have lines of its own.
  const std::size_t cut = std::min(rest.rfind("\nend "), rest.size());
  const std::string body = rest.substr(0, cut);
  const std::string end = rest.substr(std::min(cut + 1, rest.size()));
  if (title.rfind(kTitle, 0) != 0) return fail("this is no state of a campaign");
  if (title != fmt::format("{} {}", kTitle, kCampaignStateVersion)) {
    return fail("this state was written by another version");
  }
  if (end != fmt::format("end {:016x}\n", checksum(body))) {
    return fail("the state is cut off or damaged");
  }
  if (of != fmt::format("of {:016x}", fingerprint)) {
    return fail("this is the state of another campaign (scenario, seeds or options differ)");
  }
  std::optional<CampaignPart> part = parse_campaign_part(body);
  if (!part) return fail("the state is damaged");
  return std::move(*part);
}

void save_campaign_state(const std::filesystem::path& path, std::uint64_t fingerprint,
                         const CampaignPart& part) {
  std::ostringstream text;
  write_campaign_state(text, fingerprint, part);
  replace_file(path, text.str());
}

std::optional<CampaignPart> load_campaign_state(const std::filesystem::path& path,
                                                std::uint64_t fingerprint) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw CampaignStateError(path.string() + ": cannot be read; check its permissions");
  return read_campaign_state(in, path.string(), fingerprint);
}

}  // namespace nandi::sim
