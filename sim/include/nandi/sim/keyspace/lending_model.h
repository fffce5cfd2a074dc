// The clustering lesson's model of a lending library: which keys its loans write, how three ways
// of tagging the keys spread them over a cluster, and which transactions stay on one node.
//
// Source: the lesson "Clustering" of the course "In-Memory Stores and Caching Systems"
// (academia.sh, CC BY-SA 4.0). Generator, order of draws, key names, hash and arithmetic follow it
// to the letter, so that its figures come out to the last digit. A node is a number here, no
// cluster is involved; the same data can be hashed as Redis does instead.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/sim/keyspace/hash_slot.h"

namespace nandi::sim {

enum class KeyHash : std::uint8_t {
  fnv1a_32,  // the lesson's: FNV-1a mod 16384, tag from the first { to the key's first }
  crc16,     // Redis's: hash_slot.h
};
std::string_view key_hash_name(KeyHash hash);

// The part of the key that the lesson hashes: between the first { and the first } of the key when
// that } is behind a non-empty tag, else the whole key. Differs from Redis for a } before the {.
std::string_view lesson_hashed_part(std::string_view key);
std::uint32_t slot_of(KeyHash hash, std::string_view key);

// Node of a slot when each of `nodes` nodes has an equal range.
constexpr std::uint32_t equal_range_node(std::uint32_t slot, std::uint32_t nodes) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(slot) * nodes / kHashSlots);
}

enum class Tagging : std::uint8_t {
  none,    // catalog:7, loan:0:7, queue:7, branch:0:openLoans
  branch,  // {branch:0}catalog:7, ... : all of a branch together, the catalog entry once a branch
  book,    // {book:7}catalog:7, ... : all of a book together, the branch's counter elsewhere
};
inline constexpr std::array kTaggings = {Tagging::none, Tagging::branch, Tagging::book};
std::string_view tagging_name(Tagging tagging);

struct LendingKeys {
  std::string catalog;
  std::string loan;
  std::string queue;
  std::string counter;
};
LendingKeys lending_keys(Tagging tagging, std::uint32_t branch, std::uint32_t book);

struct LendingModel {
  std::uint32_t books = 3000;
  std::uint32_t loans = 12000;
  // Share of the books with a waiting queue.
  Fraction queue_share{1, 4};
  std::uint32_t seed = 20260731;
  // Share of the loans by branch; sums to about 1, a draw above the sum goes to the last branch.
  std::vector<Fraction> branch_shares = {{17, 50}, {6, 25}, {4, 25}, {3, 25}, {9, 100}, {1, 20}};
  std::uint32_t catalog_bytes = 240;
  std::uint32_t loan_bytes = 96;
  std::uint32_t queue_bytes = 128;
  std::uint32_t counter_bytes = 64;
  friend bool operator==(const LendingModel&, const LendingModel&) = default;
};

// The lesson's linear congruential generator: s <- 1103515245 s + 12345 mod 2^32.
class LessonGenerator {
 public:
  explicit LessonGenerator(std::uint32_t seed) : state_(seed) {}
  // A fraction in units of 2^-32.
  std::uint32_t next() { return state_ = state_ * 1103515245U + 12345U; }

 private:
  std::uint32_t state_;
};

struct Loan {
  std::uint32_t branch = 0;
  std::uint32_t book = 0;
};

struct LendingData {
  std::vector<Loan> loans;
  std::vector<bool> queued;  // by book
};
// Precondition: books >= 1, at least one branch.
LendingData draw_lending(const LendingModel& model);

struct LendingSpread {
  Tagging tagging = Tagging::none;
  std::uint32_t nodes = 0;
  std::uint32_t slots_used = 0;
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> node_bytes;
  std::vector<std::uint64_t> node_keys;
  std::uint64_t loans = 0;
  // T1 touches catalog entry, loan and queue, T2 the branch's counter too: how many of the loans'
  // transactions find all their keys on one node.
  std::uint64_t t1_on_one_node = 0;
  std::uint64_t t2_on_one_node = 0;
  // The same for one slot, which is what Redis Cluster asks for.
  std::uint64_t t1_in_one_slot = 0;
  std::uint64_t t2_in_one_slot = 0;

  std::uint64_t busiest_bytes() const;
};

// Precondition: 1 <= nodes <= 16384.
LendingSpread spread_lending(const LendingModel& model, const LendingData& data, KeyHash hash,
                             Tagging tagging, std::uint32_t nodes);

}  // namespace nandi::sim
