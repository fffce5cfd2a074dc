#include "nandi/engine/partition/rendezvous.h"

#include <utility>

#include <fmt/format.h>

namespace nandi::partition {

Rendezvous::Rendezvous(std::vector<Server> servers, std::uint64_t salt)
    : servers_(canonical_servers(std::move(servers))) {
  keys_.reserve(servers_.size());
  for (const Server& server : servers_) {
    if (server.weight != servers_.front().weight) {
      throw PartitionError(
          fmt::format("servers \"{}\" and \"{}\" have different weights, {} and {}: use "
                      "WeightedRendezvous",
                      servers_.front().name, server.name, servers_.front().weight, server.weight));
    }
    keys_.push_back(xxh64(server.name, salt));
  }
}

std::size_t Rendezvous::memory_bytes() const noexcept {
  return sizeof(*this) + server_list_bytes(servers_) + keys_.capacity() * sizeof(keys_[0]);
}

WeightedRendezvous::WeightedRendezvous(std::vector<Server> servers, std::uint64_t salt)
    : servers_(canonical_servers(std::move(servers))) {
  entries_.reserve(servers_.size());
  for (const Server& server : servers_) {
    entries_.push_back({xxh64(server.name, salt), server.weight});
  }
}

std::size_t WeightedRendezvous::memory_bytes() const noexcept {
  return sizeof(*this) + server_list_bytes(servers_) + entries_.capacity() * sizeof(entries_[0]);
}

}  // namespace nandi::partition
