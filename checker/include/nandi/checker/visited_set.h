// The set of states found so far: exact, in the order in which they were found.
//
// Three arrays. `keys` holds the packed states in order of insertion, so that it is also the queue
// of a breadth-first search; `parents` the index of the state each was first reached from; a table
// with open addressing holds 32-bit entries, which are an index plus as many bits of the hash as
// the index leaves free. With w words a state costs 8w + 4 bytes and 5.3 to 10.7 bytes of table.
//
// Nothing is held twice while it grows: the arrays grow in place (growing_array.h), and the table
// is given back before its successor is filled from the keys. Keys and parents are also all of it
// that a checkpoint writes.
//
// kWords is the number of words of a key, or 0: then the constructor's argument says so. At most
// 2^31 - 2^27 states, about 1.7e9 at the table's greatest load. Several threads may look up at
// once, and several may place() at once, but not the one while the other (search_round.h).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "nandi/checker/growing_array.h"
#include "nandi/checker/word_hash.h"

namespace nandi::checker {

using StateIndex = std::uint32_t;
inline constexpr StateIndex kNoState = 0xFFFFFFFF;

enum class InsertOutcome {
  known,
  added,
  // The bound on states is reached: the state is new and was not taken.
  full_of_states,
  // The bound on memory is reached, or the system refuses more.
  out_of_memory,
};

struct Insertion {
  InsertOutcome outcome = InsertOutcome::known;
  // Of the state, where it was known or added.
  StateIndex index = kNoState;
};

template <std::size_t kWords>
class VisitedSet {
 public:
  // Two states are one only if their packed forms are equal.
  static constexpr bool kIsExact = true;

  // Bounds: at most `max_states` states and `max_bytes` bytes for the three arrays together.
  VisitedSet(std::size_t words, std::uint64_t max_states, std::uint64_t max_bytes)
      : words_(words),
        max_states_(
            std::min<std::uint64_t>({max_states, kMostStates, max_bytes / (8 * width() + 4) + 1})),
        max_bytes_(max_bytes),
        keys_(max_states_ * width()),
        parents_(max_states_) {
    if (!make_table(kFirstLog2)) {
      throw std::bad_alloc();
    }
  }

  std::size_t width() const { return kWords == 0 ? words_ : kWords; }
  std::uint64_t size() const { return size_; }
  std::uint64_t bytes() const { return keys_.bytes() + parents_.bytes() + table_bytes(log2_); }

  // The bound may come down while other structures of the same search grow.
  void set_max_bytes(std::uint64_t max_bytes) { max_bytes_ = max_bytes; }

  const std::uint64_t* key(StateIndex index) const {
    return keys_.data() + static_cast<std::size_t>(index) * width();
  }
  // As a store of a search (search.h), it knows every state in full, on whatever level.
  const std::uint64_t* packed(StateIndex index) const { return key(index); }
  void begin_level() {}
  StateIndex parent(StateIndex index) const { return parents_[index]; }
  std::uint64_t hash(const std::uint64_t* key) const { return hash_words(key, width()); }

  // The two memory accesses of an insertion, started ahead of time: first the table's line, and
  // once that may have arrived, the key that its entry points to.
  void prefetch_entry(std::uint64_t hash) const { __builtin_prefetch(&table_[slot_of(hash)]); }
  void prefetch_key(std::uint64_t hash) const {
    const std::uint32_t entry = table_[slot_of(hash)];
    if (entry != 0 && same_tag(entry, hash)) {
      __builtin_prefetch(key(index_of(entry)));
    }
  }

  // `hash` is hash(key). The parent of an initial state is kNoState.
  Insertion insert(const std::uint64_t* key, std::uint64_t hash, StateIndex parent) {
    std::uint64_t slot = slot_of(hash);
    for (std::uint32_t entry = table_[slot]; entry != 0; entry = table_[slot]) {
      if (same_tag(entry, hash) && equal(key, index_of(entry))) {
        return {InsertOutcome::known, index_of(entry)};
      }
      slot = (slot + 1) & mask_;
    }
    if (size_ >= grow_at_ || size_ >= keys_usable_) {
      const InsertOutcome outcome = make_room(size_);
      if (outcome != InsertOutcome::added) {
        return {outcome, kNoState};
      }
      slot = empty_slot(hash);
    }
    const auto index = static_cast<StateIndex>(size_++);
    std::copy_n(key, width(), keys_.data() + static_cast<std::size_t>(index) * width());
    parents_[index] = parent;
    table_[slot] = entry_of(index, hash);
    return {InsertOutcome::added, index};
  }

  // kNoState if it is not in the set. `hash` is hash(key).
  StateIndex find(const std::uint64_t* key, std::uint64_t hash) const {
    std::uint64_t slot = slot_of(hash);
    for (std::uint32_t entry = table_[slot]; entry != 0; entry = table_[slot]) {
      if (same_tag(entry, hash) && equal(key, index_of(entry))) {
        return index_of(entry);
      }
      slot = (slot + 1) & mask_;
    }
    return kNoState;
  }
  StateIndex find(const std::uint64_t* key) const { return find(key, hash(key)); }

  // Insertion in three parts, for states that are known to be new and different: room for `count`
  // more, grown as if they were inserted one by one; the entries, in any order and from any
  // thread, as the states that follow the ones there are; then they are in.
  InsertOutcome make_room_for(std::uint64_t count) {
    for (std::uint64_t size = size_; size < size_ + count;
         size = std::min(grow_at_, keys_usable_)) {
      if (size < grow_at_ && size < keys_usable_) continue;
      const InsertOutcome outcome = make_room(size);
      if (outcome != InsertOutcome::added) return outcome;
    }
    return InsertOutcome::added;
  }
  void place(StateIndex index, const std::uint64_t* key, std::uint64_t hash, StateIndex parent) {
    std::copy_n(key, width(), keys_.data() + static_cast<std::size_t>(index) * width());
    parents_[index] = parent;
    const std::uint32_t entry = entry_of(index, hash);
    for (std::uint64_t slot = slot_of(hash);; slot = (slot + 1) & mask_) {
      std::uint32_t empty = 0;
      if (std::atomic_ref<std::uint32_t>(table_[slot])
              .compare_exchange_strong(empty, entry, std::memory_order_relaxed)) {
        return;
      }
    }
  }
  void admit(std::uint64_t count) { size_ += count; }

  // For checkpoints: the first `count` states, of which those from `next` on are not expanded, and
  // an empty set filled with what was saved; false: it does not fit the bounds.
  template <class Writer>
  void save(Writer& out, std::uint64_t count, std::uint64_t /*next*/) const {
    out.put(keys_.data(), count * width());
    out.put(parents_.data(), count);
  }
  template <class Reader>
  bool load(Reader& in, std::uint64_t count, std::uint64_t /*next*/, std::uint64_t /*level_end*/) {
    if (make_room_for(count) != InsertOutcome::added) return false;
    in.get(keys_.data(), count * width());
    in.get(parents_.data(), count);
    size_ = count;
    refill_table();
    return true;
  }

 private:
  static constexpr unsigned kFirstLog2 = 10;
  static constexpr unsigned kLastLog2 = 31;
  static constexpr std::uint64_t kMostStates = (std::uint64_t{1} << 31U) - (1U << 27U);

  static constexpr std::uint64_t table_bytes(unsigned log2) {
    return sizeof(std::uint32_t) << log2;
  }
  std::uint64_t slot_of(std::uint64_t hash) const { return hash >> shift_; }
  // The tag is the part of the low half of the hash that the index leaves free; the slot is of
  // the high half.
  bool same_tag(std::uint32_t entry, std::uint64_t hash) const {
    return ((entry ^ static_cast<std::uint32_t>(hash)) & ~mask_) == 0;
  }
  StateIndex index_of(std::uint32_t entry) const { return (entry & mask_) - 1; }
  std::uint32_t entry_of(StateIndex index, std::uint64_t hash) const {
    return (static_cast<std::uint32_t>(hash) & ~mask_) | (index + 1);
  }
  bool equal(const std::uint64_t* key, StateIndex index) const {
    const std::uint64_t* const other = this->key(index);
    for (std::size_t i = 0; i < width(); ++i) {
      if (key[i] != other[i]) {
        return false;
      }
    }
    return true;
  }
  std::uint64_t empty_slot(std::uint64_t hash) const {
    std::uint64_t slot = slot_of(hash);
    while (table_[slot] != 0) {
      slot = (slot + 1) & mask_;
    }
    return slot;
  }

  // Room for one more state than `size`: `added` if there is, else why not.
  InsertOutcome make_room(std::uint64_t size) {
    if (size >= max_states_) {
      // The capacity of the arrays may come from the bound on memory.
      return size + 1 > max_bytes_ / (8 * width() + 4) ? InsertOutcome::out_of_memory
                                                       : InsertOutcome::full_of_states;
    }
    if (size >= keys_usable_ && !grow_arrays(size)) {
      return InsertOutcome::out_of_memory;
    }
    if (size >= grow_at_ && !grow_table(size)) {
      return InsertOutcome::out_of_memory;
    }
    return InsertOutcome::added;
  }

  bool grow_arrays(std::uint64_t size) {
    const std::size_t count = size + 1;
    const std::uint64_t bytes =
        keys_.bytes_for(count * width()) + parents_.bytes_for(count) + table_bytes(log2_);
    if (bytes > max_bytes_ || !keys_.grow_to(count * width()) || !parents_.grow_to(count)) {
      return false;
    }
    keys_usable_ = std::min({keys_.usable() / width(), parents_.usable(), max_states_});
    return true;
  }

  bool grow_table(std::uint64_t size) {
    const std::uint64_t arrays = keys_.bytes() + parents_.bytes();
    if (log2_ < kLastLog2 && arrays + table_bytes(log2_ + 1) <= max_bytes_) {
      if (make_table(log2_ + 1)) {
        return true;
      }
      // Refused by the system: back to what was given away a moment ago.
      if (!make_table(log2_)) {
        throw std::bad_alloc();
      }
    }
    // A table that may not grow is filled further, slower, before giving up.
    const std::uint64_t full = fifteen_sixteenths(log2_);
    if (size >= full) {
      return false;
    }
    grow_at_ = full;
    return true;
  }

  static std::uint64_t fifteen_sixteenths(unsigned log2) {
    return (std::uint64_t{1} << log2) - (std::uint64_t{1} << (log2 - 4));
  }

  bool make_table(unsigned log2) {
    table_ = GrowingArray<std::uint32_t>();  // given back before the next is filled
    GrowingArray<std::uint32_t> table(std::size_t{1} << log2);
    if (!table.grow_to(std::size_t{1} << log2)) {
      return false;
    }
    table_ = std::move(table);
    log2_ = log2;
    shift_ = 64 - log2;
    mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << log2) - 1);
    grow_at_ = (std::uint64_t{1} << log2) / 4 * 3;
    refill_table();
    return true;
  }

  // Keys are distinct: no comparison is needed, only an empty slot. The table's lines are asked
  // for a few keys ahead.
  void refill_table() {
    constexpr std::uint64_t kAhead = 16;
    std::uint64_t hashes[kAhead];
    for (std::uint64_t i = 0; i < size_ + kAhead; ++i) {
      if (i >= kAhead) {
        const std::uint64_t hashed = hashes[i % kAhead];
        table_[empty_slot(hashed)] = entry_of(static_cast<StateIndex>(i - kAhead), hashed);
      }
      if (i < size_) {
        hashes[i % kAhead] = hash(key(static_cast<StateIndex>(i)));
        prefetch_entry(hashes[i % kAhead]);
      }
    }
  }

  std::size_t words_;
  std::size_t max_states_;
  std::uint64_t max_bytes_;
  GrowingArray<std::uint64_t> keys_;
  GrowingArray<StateIndex> parents_;
  GrowingArray<std::uint32_t> table_;
  std::uint64_t size_ = 0;
  std::uint64_t keys_usable_ = 0;
  std::uint64_t grow_at_ = 0;
  unsigned log2_ = 0;
  unsigned shift_ = 64;
  std::uint32_t mask_ = 0;
};

}  // namespace nandi::checker
