#include "nandi/sim/campaign_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "nandi/sim/draw.h"
#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/swarm.h"
#include "nandi/sim/whole_file.h"
#include "scenario_types.h"

namespace nandi::sim {
namespace {

constexpr std::string_view kTitle = "nandi-campaign";

std::uint64_t checksum(std::string_view text) {
  TraceHash hash;
  for (const char c : text) hash.add(static_cast<unsigned char>(c));
  return hash.value();
}

/// Puts numbers and texts down one after the other.
class Putter {
 public:
  static constexpr bool kReads = false;
  void number(std::uint64_t value) { text_ += fmt::format("{} ", value); }
  void text(const std::string& value) {
    number(value.size());
    text_ += value + " ";
  }
  [[nodiscard]] std::string& written() { return text_; }

 private:
  std::string text_;
};

/// Takes them up again in the same order.
class Taker {
 public:
  static constexpr bool kReads = true;
  explicit Taker(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::uint64_t number() {
    const std::size_t end = std::min(rest_.find_first_of(" \n"), rest_.size());
    if (end == 0 || end > 20) fail();
    std::uint64_t value = 0;
    for (const char c : rest_.substr(0, end)) {
      if (c < '0' || c > '9') fail();
      const auto digit = static_cast<std::uint64_t>(c - '0');
      if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) fail();
      value = value * 10 + digit;
    }
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return value;
  }
  [[nodiscard]] std::string text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) fail();
    const std::string value(rest_.substr(0, size));
    rest_.remove_prefix(std::min<std::size_t>(size + 1, rest_.size()));
    return value;
  }
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }
  [[noreturn]] static void fail() { throw std::out_of_range("not a number of the part"); }

 private:
  std::string_view rest_;
};

/// Lists are no longer than what they list can be, so that a file cannot ask for all memory.
constexpr std::size_t kLongest = 4'096;  // more buckets than 64 bits have

// One function for both directions, so that they cannot drift apart.
template <class Archive, class T>
void pass(Archive& archive, T& value);

template <class Archive, class T>
void pass_number(Archive& archive, T& value) {
  if constexpr (Archive::kReads) {
    value = static_cast<T>(archive.number());
  } else {
    archive.number(static_cast<std::uint64_t>(value));
  }
}

template <class Archive>
void pass_wide(Archive& archive, Int128& value) {
  auto low = static_cast<std::uint64_t>(value);
  auto high = static_cast<std::uint64_t>(value >> 64);
  pass_number(archive, low);
  pass_number(archive, high);
  value = static_cast<Int128>(UInt128{high} << 64 | low);
}

template <class Archive, class T>
void pass_list(Archive& archive, std::vector<T>& list, std::size_t longest = kLongest) {
  std::uint64_t size = list.size();
  pass_number(archive, size);
  if (size > longest) Taker::fail();
  list.resize(size);
  for (T& each : list) pass(archive, each);
}

template <class Archive>
void pass_samples(Archive& archive, Samples& samples) {
  pass(archive, samples.plain);
  pass(archive, samples.reordered);
}

template <class Archive>
void pass_statistics(Archive& archive, RunStatistics& s) {
  for (Samples* samples :
       {&s.start, &s.join, &s.departure, &s.unowned, &s.readiness, &s.stand_down}) {
    pass_samples(archive, *samples);
  }
  for (Histogram* histogram : {&s.other_stand_down, &s.recovery, &s.settled}) {
    pass(archive, *histogram);
  }
  pass_list(archive, s.recovery_by_fault);
  ClosestApproach& closest = s.closest;
  pass(archive, closest.distance);
  pass(archive, closest.at);
  pass_number(archive, closest.seed);
  for (std::uint32_t* number : {&closest.index, &closest.from, &closest.to}) {
    pass_number(archive, *number);
  }
  for (Int128* wide : {&s.owned, &s.present, &s.covered, &s.elapsed}) pass_wide(archive, *wide);
  for (std::uint64_t* count : {&s.registrations, &s.ghosts, &s.reorders, &s.changes, &s.unfinished,
                               &s.grants, &s.renewals}) {
    pass_number(archive, *count);
  }
  for (std::uint64_t& losses : s.losses) pass_number(archive, losses);
}

template <class Archive>
void pass_tally(Archive& archive, PropertyTally& tally) {
  for (std::uint64_t* number :
       {&tally.reached, &tally.runs_reached, &tally.runs_violated, &tally.first_seed}) {
    pass_number(archive, *number);
  }
  bool is_there = tally.first.has_value();
  pass_number(archive, is_there);
  if (!is_there) return;
  if (!tally.first) tally.first.emplace();
  pass(archive, tally.first->at);
  pass(archive, tally.first->text);
  pass_list(archive, tally.first->workers);
}

template <class Archive>
void pass_result(Archive& archive, CampaignResult& result) {
  for (std::uint64_t* number :
       {&result.runs, &result.seeds.first, &result.seeds.last, &result.runs_whole,
        &result.runs_violated, &result.events, &result.actions}) {
    pass_number(archive, *number);
  }
  pass_list(archive, result.properties);
  pass_list(archive, result.faults, 2 * kMostEvents);
  pass_statistics(archive, result.statistics);
  SeedStatistics& seeds = result.by_seed;
  for (Histogram* histogram :
       {&seeds.readiness, &seeds.stand_down, &seeds.settled, &seeds.closest, &seeds.owned}) {
    pass(archive, *histogram);
  }
  pass_list(archive, seeds.recovery);
  pass_list(archive, result.failing_seeds);
}

template <class Archive, class T>
void pass(Archive& archive, T& value) {
  if constexpr (std::is_integral_v<T>) {
    pass_number(archive, value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if constexpr (Archive::kReads) {
      value = archive.text();
    } else {
      archive.text(value);
    }
  } else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, TrueTime>) {
    std::int64_t count = value.count();
    pass_number(archive, count);
    value = T(count);
  } else if constexpr (std::is_same_v<T, Histogram>) {
    int place = 0;
    value.visit_parts([&](auto& part) {
      ++place;
      using Part = std::remove_reference_t<decltype(part)>;
      if constexpr (std::is_same_v<Part, Int128>) {
        pass_wide(archive, part);
      } else if constexpr (std::is_integral_v<Part>) {
        pass_number(archive, part);
        constexpr int kFirstBucket = 2;
        if (place == kFirstBucket && static_cast<std::uint64_t>(part) > kLongest) Taker::fail();
      } else {
        pass_list(archive, part);
      }
    });
  } else if constexpr (std::is_same_v<T, FaultCount>) {
    pass_number(archive, value.armed);
    pass_number(archive, value.fired);
    pass_number(archive, value.changed);
  } else {
    static_assert(std::is_same_v<T, PropertyTally>);
    pass_tally(archive, value);
  }
}

template <class Archive>
void pass_part(Archive& archive, CampaignPart& part) {
  pass_number(archive, part.next);
  pass_number(archive, part.hash_state);
  pass_result(archive, part.result);
}

/// What later code relies on: the file's numbers fit each other.
bool is_sound(const CampaignPart& part) {
  const CampaignResult& result = part.result;
  return part.next >= result.seeds.first && part.next <= result.seeds.last + 1 &&
         result.runs == part.next - result.seeds.first &&
         result.properties.size() == property_infos().size() &&
         result.statistics.recovery_by_fault.size() <= fault_catalogue().size() &&
         result.by_seed.recovery.size() <= fault_catalogue().size();
}

}  // namespace

std::uint64_t campaign_fingerprint(const Scenario& scenario, const CampaignOptions& options) {
  std::ostringstream text;
  write_scenario(scenario, text);
  text << options.seeds.first << ' ' << options.seeds.last << ' '
       << (options.length ? options.length->count() : 0);
  return checksum(text.str());
}

std::optional<CampaignPart> parse_campaign_part(std::string_view body) {
  try {
    CampaignPart part;
    Taker taker(body);
    pass_part(taker, part);
    if (taker.is_empty() && is_sound(part)) return part;
  } catch (const std::out_of_range&) {
    // Nothing, then.
  }
  return std::nullopt;
}

void write_campaign_state(std::ostream& out, std::uint64_t fingerprint, const CampaignPart& part) {
  Putter putter;
  CampaignPart copy = part;
  pass_part(putter, copy);
  const std::string& body = putter.written();
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
