// Which node of a cluster serves which hash slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nandi::sim {

// Both ends are included.
struct SlotRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const SlotRange&, const SlotRange&) = default;
};

struct SlotNode {
  std::string name;
  std::vector<SlotRange> ranges;
  friend bool operator==(const SlotNode&, const SlotNode&) = default;
};

class SlotMap {
 public:
  static constexpr std::uint32_t kUnserved = ~std::uint32_t{0};

  // Node floor(slot * nodes / 16384), as the clustering lesson divides. Precondition:
  // 1 <= nodes <= 16384.
  static SlotMap equal_ranges(std::uint32_t nodes);

  // The ranges that `redis-cli --cluster create` gives its masters: three get 0-5460, 5461-10922
  // and 10923-16383, one slot off the lesson's. Same precondition.
  static SlotMap redis_cli_ranges(std::uint32_t nodes);

  // Throws std::invalid_argument when a slot is above 16383, a range is reversed or a slot is given
  // twice; the text names it. Slots that nobody was given are unserved.
  explicit SlotMap(std::vector<SlotNode> nodes);

  // Index of the node that serves the slot, or kUnserved. Precondition: slot < 16384.
  std::uint32_t node_of(std::uint32_t slot) const { return node_of_[slot]; }
  const std::vector<SlotNode>& nodes() const { return nodes_; }
  std::uint32_t unserved() const;

 private:
  std::vector<SlotNode> nodes_;
  std::vector<std::uint32_t> node_of_;
};

}  // namespace nandi::sim
