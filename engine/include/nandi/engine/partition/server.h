#pragma once
// The named servers that rendezvous, the ring and Maglev choose among. A server is its name: its
// position in a list never matters, and neither do the other servers' comings and goings.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace nandi::partition {

/// A server and its share: a server of weight 3 is meant to own three times what one of weight 1
/// does.
struct Server {
  std::string name;
  std::uint32_t weight = 1;

  friend bool operator==(const Server&, const Server&) = default;
};

/// A scheme was asked for with servers or sizes it cannot work with; what() says which and what to
/// do.
class PartitionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The largest weight a scheme takes.
inline constexpr std::uint32_t kMaxWeight = 1'000'000;

/// The servers sorted by name, which makes every scheme independent of input order.
/// Throws PartitionError when there is none, a name is empty or occurs twice, or a weight is 0 or
/// above kMaxWeight.
std::vector<Server> canonical_servers(std::vector<Server> servers);

/// Heap bytes of the list itself, names included: part of each scheme's memory.
std::size_t server_list_bytes(const std::vector<Server>& servers);

}  // namespace nandi::partition
