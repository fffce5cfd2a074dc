#include "nandi/engine/partition/server.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace nandi::partition {

std::vector<Server> canonical_servers(std::vector<Server> servers) {
  if (servers.empty()) {
    throw PartitionError("no servers: an item needs at least one server to live on");
  }
  std::sort(servers.begin(), servers.end(),
            [](const Server& a, const Server& b) { return a.name < b.name; });
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const Server& server = servers[i];
    if (server.name.empty()) {
      throw PartitionError("a server has an empty name: give each server a name of its own");
    }
    if (i > 0 && servers[i - 1].name == server.name) {
      throw PartitionError(
          fmt::format("server \"{}\" is listed twice: use a weight to give a server a larger share",
                      server.name));
    }
    if (server.weight == 0 || server.weight > kMaxWeight) {
      throw PartitionError(
          fmt::format("server \"{}\" has weight {}: use 1 to {}, and leave a server out to give it "
                      "nothing",
                      server.name, server.weight, kMaxWeight));
    }
  }
  return servers;
}

std::size_t server_list_bytes(const std::vector<Server>& servers) {
  std::size_t bytes = servers.capacity() * sizeof(Server);
  const std::size_t inline_capacity = std::string().capacity();
  for (const Server& server : servers) {
    if (server.name.capacity() > inline_capacity) bytes += server.name.capacity() + 1;
  }
  return bytes;
}

}  // namespace nandi::partition
