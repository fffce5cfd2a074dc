#include "campaign_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "nandi/sim/draw.h"
#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/trace.h"
#include "scenario_types.h"

namespace nandi::sim {

std::uint64_t checksum(std::string_view text) {
  TraceHash hash;
  for (const char c : text) hash.add(static_cast<unsigned char>(c));
  return hash.value();
}

void Putter::number(std::uint64_t value) {
  const fmt::format_int digits(value);
  text_.append(digits.data(), digits.size());
  text_ += ' ';
}

void Putter::text(const std::string& value) {
  number(value.size());
  text_ += value;
  text_ += ' ';
}

std::uint64_t Taker::number() {
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

std::string Taker::text() {
  const std::uint64_t size = number();
  if (size > rest_.size()) fail();
  const std::string value(rest_.substr(0, size));
  rest_.remove_prefix(std::min<std::size_t>(size + 1, rest_.size()));
  return value;
}

void Taker::fail() { throw std::out_of_range("not a number of the part"); }

namespace {

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

/// A list of any length: what is not there is not made room for.
template <class Archive, class T, class PassOne>
void pass_long_list(Archive& archive, std::vector<T>& list, const PassOne& pass_one) {
  std::uint64_t size = list.size();
  pass_number(archive, size);
  for (std::uint64_t each = 0; each < size; ++each) {
    if constexpr (Archive::kReads) list.emplace_back();
    pass_one(list[each]);
  }
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

/// What later code relies on: sizes that fit.
bool is_sound(const CampaignResult& result) {
  return result.properties.size() == property_infos().size() &&
         result.failing_seeds.size() <= CampaignResult::kFailingSeeds &&
         result.statistics.recovery_by_fault.size() <= fault_catalogue().size() &&
         result.by_seed.recovery.size() <= fault_catalogue().size();
}

bool is_sound(const CampaignBlock& block) {
  const std::uint64_t runs = block.trace_hashes.size();
  return is_sound(block.result) && runs > 0 && block.result.runs == runs &&
         block.seeds.first <= block.seeds.last && block.seeds.last - block.seeds.first == runs - 1;
}

/// Whether the blocks are beyond `next`, apart from each other and whole.
bool are_ahead(const std::vector<CampaignBlock>& blocks, std::uint64_t next,
               const CampaignResult& campaign) {
  std::uint64_t before = next;
  std::uint64_t least_distance = 1;
  for (const CampaignBlock& block : blocks) {
    if (block.seeds.first <= before || block.seeds.first - before < least_distance ||
        block.seeds.last > campaign.seeds.last || block.result.interrupted ||
        block.result.faults.size() != campaign.faults.size()) {
      return false;
    }
    before = block.seeds.last;
    least_distance = 2;
  }
  return true;
}

bool is_sound(const CampaignPart& part) {
  const CampaignResult& result = part.result;
  return is_sound(result) && part.next >= result.seeds.first &&
         part.next <= result.seeds.last + 1 && result.runs == part.next - result.seeds.first &&
         are_ahead(part.ahead, part.next, result);
}

template <class Archive>
void pass_block(Archive& archive, CampaignBlock& block) {
  pass_number(archive, block.result.interrupted);
  pass_result(archive, block.result);
  pass_long_list(archive, block.trace_hashes,
                 [&](std::uint64_t& hash) { pass_number(archive, hash); });
  if constexpr (Archive::kReads) {
    block.seeds = block.result.seeds;
    if (!is_sound(block)) Taker::fail();
  }
}

template <class Archive>
void pass_part(Archive& archive, CampaignPart& part) {
  pass_number(archive, part.next);
  pass_number(archive, part.hash_state);
  pass_result(archive, part.result);
  pass_long_list(archive, part.ahead, [&](CampaignBlock& block) { pass_block(archive, block); });
}

}  // namespace

std::string text_of(const CampaignPart& part) {
  Putter putter;
  CampaignPart copy = part;
  pass_part(putter, copy);
  return putter.written();
}

std::optional<CampaignPart> part_of(std::string_view text) {
  try {
    CampaignPart part;
    Taker taker(text);
    pass_part(taker, part);
    if (taker.is_empty() && is_sound(part)) return part;
  } catch (const std::out_of_range&) {
    // Nothing, then.
  }
  return std::nullopt;
}

void put_block(Putter& putter, const CampaignBlock& block) {
  CampaignBlock copy = block;
  pass_block(putter, copy);
}

CampaignBlock take_block(Taker& taker) {
  CampaignBlock block;
  pass_block(taker, block);
  return block;
}

}  // namespace nandi::sim
