// Campaigns and blocks as text: numbers and texts with a blank or a line's end between. State files
// and messages between ranks are made of it; what is read back is checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nandi/sim/campaign.h"

namespace nandi::sim {

/// Puts numbers and texts down one after the other.
class Putter {
 public:
  static constexpr bool kReads = false;
  void number(std::uint64_t value);
  void text(const std::string& value);
  [[nodiscard]] const std::string& written() const { return text_; }

 private:
  std::string text_;
};

/// Takes them up again in the same order. Throws std::out_of_range where there are none.
class Taker {
 public:
  static constexpr bool kReads = true;
  explicit Taker(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::uint64_t number();
  [[nodiscard]] std::string text();
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }
  [[noreturn]] static void fail();

 private:
  std::string_view rest_;
};

[[nodiscard]] std::string text_of(const CampaignPart& part);
/// Nothing where the text is no part, or its numbers do not fit each other.
[[nodiscard]] std::optional<CampaignPart> part_of(std::string_view text);

void put_block(Putter& putter, const CampaignBlock& block);
/// Throws std::out_of_range where there is none, or its numbers do not fit each other.
[[nodiscard]] CampaignBlock take_block(Taker& taker);

[[nodiscard]] std::uint64_t checksum(std::string_view text);

}  // namespace nandi::sim
