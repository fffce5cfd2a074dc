#include "nandi/sim/keyspace/hash_slot.h"

#include <algorithm>
#include <array>

namespace nandi::sim {

namespace {

constexpr std::array<std::uint16_t, 256> make_crc_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
    }
    table[byte] = static_cast<std::uint16_t>(crc & 0xffffU);
  }
  return table;
}

constexpr std::array<std::uint16_t, 256> kCrcTable = make_crc_table();

}  // namespace

std::uint16_t crc16(std::string_view bytes) {
  unsigned crc = 0;
  for (const char c : bytes) {
    const unsigned byte = static_cast<unsigned char>(c);
    crc = ((crc << 8U) & 0xffffU) ^ kCrcTable[((crc >> 8U) ^ byte) & 0xffU];
  }
  return static_cast<std::uint16_t>(crc);
}

HashedPart hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return {key, HashedBecause::no_open};
  const std::size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos) return {key, HashedBecause::no_close};
  if (close == open + 1) return {key, HashedBecause::empty_braces};
  return {key.substr(open + 1, close - open - 1), HashedBecause::tag};
}

std::uint32_t key_slot(std::string_view key) { return crc16(hashed_part(key).text) % kHashSlots; }

bool crosses_slots(std::span<const std::string_view> key_list) {
  return std::any_of(key_list.begin(), key_list.end(), [&](std::string_view key) {
    return key_slot(key) != key_slot(key_list.front());
  });
}

}  // namespace nandi::sim
