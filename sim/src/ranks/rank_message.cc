#include "ranks/rank_message.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>
#include <utility>

#include "campaign_archive.h"

namespace nandi::sim {
namespace {

// One function for both directions, so that they cannot drift apart.
template <class Archive, class T>
void pass(Archive& archive, T& value) {
  if constexpr (Archive::kReads) {
    const std::uint64_t number = archive.number();
    value = static_cast<T>(number);
    if (static_cast<std::uint64_t>(value) != number) Taker::fail();
  } else {
    archive.number(static_cast<std::uint64_t>(value));
  }
}

template <class Archive>
void pass(Archive& archive, std::string& value) {
  if constexpr (Archive::kReads) {
    value = archive.text();
  } else {
    archive.text(value);
  }
}

template <class Archive>
void pass(Archive& archive, SeedRange& seeds) {
  pass(archive, seeds.first);
  pass(archive, seeds.last);
  if (seeds.first > seeds.last) Taker::fail();
}

template <class Archive>
void pass(Archive& archive, BeginCampaign& message) {
  pass(archive, message.campaign);
  pass(archive, message.fingerprint);
  pass(archive, message.seeds);
  pass(archive, message.jobs);
  std::int64_t length = message.length ? message.length->count() : 0;
  pass(archive, length);
  if (length < 0 || message.jobs == 0) Taker::fail();
  if (length > 0) message.length = Duration(length);
  pass(archive, message.scenario);
}

template <class Archive>
void pass(Archive& archive, RunSeeds& message) {
  pass(archive, message.campaign);
  pass(archive, message.seeds);
}

template <class Archive>
void pass(Archive& archive, StopCampaign& message) {
  pass(archive, message.campaign);
}

template <class Archive>
void pass(Archive&, EndRank&) {}

template <class Archive>
void pass(Archive& archive, WantSeeds& message) {
  pass(archive, message.campaign);
}

template <class Archive>
void pass(Archive& archive, BlockDone& message) {
  pass(archive, message.campaign);
  std::int64_t spent = message.spent.count();
  pass(archive, spent);
  if (spent < 0) Taker::fail();
  message.spent = std::chrono::nanoseconds(spent);
  if constexpr (Archive::kReads) {
    message.block = take_block(archive);
  } else {
    put_block(archive, message.block);
  }
}

template <class Archive>
void pass(Archive&, StopAsked&) {}

template <class Archive>
void pass(Archive& archive, RankFailed& message) {
  pass(archive, message.what);
}

template <class Archive>
void pass(Archive& archive, CampaignStopped& message) {
  pass(archive, message.campaign);
}

template <std::size_t kKind = 0>
RankMessage take_message(Taker& taker, std::uint64_t kind) {
  if constexpr (kKind < std::variant_size_v<RankMessage>) {
    if (kind != kKind) return take_message<kKind + 1>(taker, kind);
    std::variant_alternative_t<kKind, RankMessage> message;
    pass(taker, message);
    return message;
  } else {
    Taker::fail();
  }
}

std::string title_of(std::string_view body) {
  return fmt::format("nandi-rank {} {:016x}\n", kRankMessageVersion, checksum(body));
}

}  // namespace

std::string encode(const RankMessage& message) {
  Putter putter;
  putter.number(message.index());
  RankMessage copy = message;
  std::visit([&](auto& kind) { pass(putter, kind); }, copy);
  return title_of(putter.written()) + putter.written();
}

std::optional<RankMessage> decode(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view body = text.substr(end + 1);
  if (text.substr(0, end + 1) != title_of(body)) return std::nullopt;
  try {
    Taker taker(body);
    const std::uint64_t kind = taker.number();
    RankMessage message = take_message(taker, kind);
    if (taker.is_empty()) return message;
  } catch (const std::out_of_range&) {
    // Nothing, then.
  }
  return std::nullopt;
}

}  // namespace nandi::sim
