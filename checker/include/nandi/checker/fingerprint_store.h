// The states found so far by their fingerprints alone: less memory, and a verdict that is true but
// for a small probability (hash compaction: Wolper and Leroy, CAV 1993; Stern and Dill, CHARME
// 1995).
//
// A state costs 12 bytes and 5.3 to 10.7 in the table, whatever its packed form takes. In full are
// kept only the states that are still to be expanded: this level of a breadth-first search and the
// next.
//
// Two states with one fingerprint count as one, and what only the second leads to is missed. The
// fingerprint is a strongly universal hash (Lemire and Kaser, "Strongly universal string hashing is
// fast", Computer Journal 57, 2014, multilinear over 64-bit words): for a key drawn at random, any
// two different states collide with probability 2^-64, so that among n states some two do with
// probability at most n(n - 1) / 2^65. The key is drawn from a seed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nandi/checker/growing_array.h"
#include "nandi/checker/visited_set.h"
#include "nandi/checker/word_hash.h"

namespace nandi::checker {

class Fingerprint {
 public:
  Fingerprint(std::size_t words, std::uint64_t seed);

  std::uint64_t operator()(const std::uint64_t* words) const {
    Uint128 sum = keys_[0];
    for (std::size_t i = 1; i < keys_.size(); ++i) sum += keys_[i] * words[i - 1];
    return static_cast<std::uint64_t>(sum >> 64U);
  }

 private:
  // One more than a state has words.
  std::vector<Uint128> keys_;
};

// Upper bound of the probability that two of `states` states have one fingerprint.
double collision_probability(std::uint64_t states);

// The interface is VisitedSet's, as far as a breadth-first search uses it; a hash is a fingerprint.
class FingerprintStore {
 public:
  static constexpr bool kIsExact = false;

  // Bounds: at most `max_states` states and `max_bytes` bytes for everything.
  FingerprintStore(std::size_t words, std::uint64_t max_states, std::uint64_t max_bytes,
                   std::uint64_t seed);

  std::size_t width() const { return words_; }
  std::uint64_t size() const { return set_.size(); }
  std::uint64_t bytes() const { return set_.bytes() + level_.bytes() + next_level_.bytes(); }

  // Of a state of this level or the next.
  const std::uint64_t* packed(StateIndex index) const {
    return index >= next_begin_ ? next_level_.data() + (index - next_begin_) * words_
                                : level_.data() + (index - begin_) * words_;
  }
  // The states found since the last call are the level to be expanded now.
  void begin_level();

  StateIndex parent(StateIndex index) const { return set_.parent(index); }
  std::uint64_t fingerprint(StateIndex index) const { return *set_.key(index); }
  std::uint64_t hash(const std::uint64_t* key) const { return fingerprint_(key); }

  void prefetch_entry(std::uint64_t hash) const { set_.prefetch_entry(slot_hash(hash)); }
  void prefetch_key(std::uint64_t hash) const { set_.prefetch_key(slot_hash(hash)); }
  Insertion insert(const std::uint64_t* key, std::uint64_t hash, StateIndex parent);
  StateIndex find(const std::uint64_t* /*key*/, std::uint64_t hash) const {
    return set_.find(&hash, slot_hash(hash));
  }

  InsertOutcome make_room_for(std::uint64_t count);
  void place(StateIndex index, const std::uint64_t* key, std::uint64_t hash, StateIndex parent) {
    std::copy_n(key, words_, next_level_.data() + (index - next_begin_) * words_);
    set_.place(index, &hash, slot_hash(hash), parent);
  }
  void admit(std::uint64_t count) { set_.admit(count); }

  template <class Writer>
  void save(Writer& out, std::uint64_t count, std::uint64_t next) const {
    set_.save(out, count, next);
    for (std::uint64_t i = next; i < count; ++i) {
      out.put(packed(static_cast<StateIndex>(i)), words_);
    }
  }
  template <class Reader>
  bool load(Reader& in, std::uint64_t count, std::uint64_t next, std::uint64_t level_end) {
    begin_ = next;
    next_begin_ = level_end;
    if (!level_.grow_to((level_end - next) * words_) || !has_room_in_level(count) ||
        !set_.load(in, count, next, level_end)) {
      return false;
    }
    in.get(level_.data(), (level_end - next) * words_);
    in.get(next_level_.data(), (count - level_end) * words_);
    return true;
  }

 private:
  // Multilinear sums of alike states are alike in pattern: mixed before they spread over a table.
  static std::uint64_t slot_hash(std::uint64_t fingerprint) { return hash_words(&fingerprint, 1); }
  // Room for the states up to the `count`-th, in full.
  bool has_room_in_level(std::uint64_t count);

  std::size_t words_;
  std::uint64_t max_bytes_;
  Fingerprint fingerprint_;
  VisitedSet<1> set_;
  GrowingArray<std::uint64_t> level_;
  GrowingArray<std::uint64_t> next_level_;
  std::uint64_t begin_ = 0;
  std::uint64_t next_begin_ = 0;
};

}  // namespace nandi::checker
