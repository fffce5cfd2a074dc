// A search written by hand for two-phase commit with 8 resource managers: the bound of what
// explorers could reach, to be run beside them.
//
// It has the explorers' key (one word), a table of keys that is large enough from the start, a
// plain vector as queue, no paths, no coverage, no bounds.
#pragma once

#include <cstdint>
#include <vector>

namespace nandi::checker {

inline constexpr unsigned kManagers = 8;
inline constexpr std::uint64_t kStates = 1745408;

class BareTwoPhaseCommit {
 public:
  BareTwoPhaseCommit() : table_(std::size_t{1} << kLog2, kEmpty) { queue_.reserve(kStates); }

  std::uint64_t run() {
    insert(0);
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      expand(queue_[next]);
    }
    return queue_.size();
  }
  std::uint64_t bytes() const { return 8 * (table_.size() + queue_.capacity()); }
  bool violated() const { return violated_; }

 private:
  static constexpr unsigned kLog2 = 22;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  // Positions in the word of sets of 8 bits, and of the coordinator's bits.
  static constexpr unsigned kPrepared = 0;
  static constexpr unsigned kCommitted = 8;
  static constexpr unsigned kAborted = 16;
  static constexpr unsigned kHeard = 24;
  static constexpr unsigned kSent = 32;
  static constexpr std::uint64_t kCoordinatorCommitted = std::uint64_t{1} << 40U;
  static constexpr std::uint64_t kCoordinatorAborted = std::uint64_t{1} << 41U;

  void insert(std::uint64_t state) {
    std::uint64_t slot = state * 0x9E3779B97F4A7C15 >> (64 - kLog2);
    while (table_[slot] != kEmpty) {
      if (table_[slot] == state) {
        return;
      }
      slot = (slot + 1) & ((std::uint64_t{1} << kLog2) - 1);
    }
    table_[slot] = state;
    queue_.push_back(state);
    violated_ |= (state >> kCommitted & 0xFFU) != 0 && (state >> kAborted & 0xFFU) != 0;
  }

  void expand(std::uint64_t s) {
    const bool undecided = (s & (kCoordinatorCommitted | kCoordinatorAborted)) == 0;
    if (undecided) {
      if ((s >> kHeard & 0xFFU) == 0xFFU) {
        insert(s | kCoordinatorCommitted);
      }
      insert(s | kCoordinatorAborted);
    }
    for (unsigned r = 0; r < kManagers; ++r) {
      const std::uint64_t bit = std::uint64_t{1} << r;
      const std::uint64_t anywhere = bit << kPrepared | bit << kCommitted | bit << kAborted;
      if (undecided && (s >> kSent & bit) != 0) {
        insert(s | bit << kHeard);
      }
      if ((s & anywhere) == 0) {
        insert(s | bit << kPrepared | bit << kSent);
        insert(s | bit << kAborted);
      }
      if ((s & kCoordinatorCommitted) != 0) {
        insert((s & ~anywhere) | bit << kCommitted);
      }
      if ((s & kCoordinatorAborted) != 0) {
        insert((s & ~anywhere) | bit << kAborted);
      }
    }
  }

  std::vector<std::uint64_t> table_;
  std::vector<std::uint64_t> queue_;
  bool violated_ = false;
};

}  // namespace nandi::checker
