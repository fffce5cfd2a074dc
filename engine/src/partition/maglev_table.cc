#include "nandi/engine/partition/maglev_table.h"

#include <utility>

#include <fmt/format.h>

#include "nandi/engine/partition/item_hash.h"

namespace nandi::partition {

namespace {

bool is_prime(std::uint32_t value) {
  if (value < 2) return false;
  for (std::uint64_t divisor = 2; divisor * divisor <= value; ++divisor) {
    if (value % divisor == 0) return false;
  }
  return true;
}

void check_size(const std::vector<Server>& servers, std::uint32_t size) {
  std::uint64_t weights = 0;
  for (const Server& server : servers) weights += server.weight;
  if (size < 3 || !is_prime(size) || size > MaglevTable::kMaxSize) {
    throw PartitionError(
        fmt::format("a Maglev table of {} entries: the size must be a prime from 3 to {}, such as "
                    "{} or {}",
                    size, MaglevTable::kMaxSize, MaglevTable::kSmallSize, MaglevTable::kLargeSize));
  }
  if (weights > size) {
    throw PartitionError(
        fmt::format("a Maglev table of {} entries for servers of total weight {}: use a larger "
                    "prime, about 100 times the total weight",
                    size, weights));
  }
}

}  // namespace

std::vector<std::uint32_t> MaglevTable::populate(std::span<const Preference> preferences,
                                                 std::uint32_t size) {
  constexpr std::uint32_t kFree = ~std::uint32_t{0};
  std::vector<std::uint32_t> entries(size, kFree);
  std::vector<std::uint64_t> wanted;
  wanted.reserve(preferences.size());
  for (const Preference& preference : preferences) wanted.push_back(preference.offset % size);
  std::uint32_t claimed = 0;
  while (claimed < size) {
    for (std::size_t s = 0; s < preferences.size() && claimed < size; ++s) {
      for (std::uint32_t turn = 0; turn < preferences[s].weight && claimed < size; ++turn) {
        while (entries[wanted[s]] != kFree) wanted[s] = (wanted[s] + preferences[s].skip) % size;
        entries[wanted[s]] = static_cast<std::uint32_t>(s);
        ++claimed;
      }
    }
  }
  return entries;
}

MaglevTable::MaglevTable(std::vector<Server> servers, std::uint32_t size, std::uint64_t salt)
    : servers_(canonical_servers(std::move(servers))), size_(size) {
  check_size(servers_, size);
  std::vector<Preference> preferences;
  preferences.reserve(servers_.size());
  for (const Server& server : servers_) {
    const std::uint64_t key = xxh64(server.name, salt);
    preferences.push_back({static_cast<std::uint32_t>(key % size),
                           static_cast<std::uint32_t>(splitmix64(key) % (size - 1) + 1),
                           server.weight});
  }
  entries_ = populate(preferences, size);
}

std::size_t MaglevTable::memory_bytes() const noexcept {
  return sizeof(*this) + server_list_bytes(servers_) + entries_.capacity() * sizeof(entries_[0]);
}

}  // namespace nandi::partition
