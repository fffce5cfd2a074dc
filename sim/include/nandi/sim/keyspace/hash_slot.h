// Redis Cluster's map from a key to a hash slot, and to the answer of a node that is sent several
// keys at once.
//
// Source: the Redis Cluster specification ("Key distribution model", "Hash tags"); compared with
// CLUSTER KEYSLOT and with the replies of running clusters in keyspace/cluster_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace nandi::sim {

inline constexpr std::uint32_t kHashSlots = 16384;

// CRC-16/XMODEM: polynomial 0x1021, initial value 0, nothing reflected. "123456789" gives 0x31c3.
std::uint16_t crc16(std::string_view bytes);

// Why a part of a key is the part that is hashed.
enum class HashedBecause : std::uint8_t {
  tag,           // the text between the first { and the first } after it
  no_open,       // no { : the whole key
  no_close,      // a { but no } after it: the whole key
  empty_braces,  // {} : the whole key, whatever braces follow
};

struct HashedPart {
  std::string_view text;  // a part of the key that was asked about
  HashedBecause because = HashedBecause::no_open;
};

HashedPart hashed_part(std::string_view key);

// crc16(hashed part) mod 16384.
std::uint32_t key_slot(std::string_view key);

// Whether a command, a transaction or a script with these keys is refused with CROSSSLOT: one slot
// for all of them is asked for, even where one node holds both slots. No keys cross nothing.
bool crosses_slots(std::span<const std::string_view> key_list);

}  // namespace nandi::sim
