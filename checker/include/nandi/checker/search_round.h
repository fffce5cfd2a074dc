// One piece of a level of a breadth-first search, explored by several threads: a round.
//
// The outcome is that of one thread, state by state: the same states at the same indices with the
// same parents. A round takes four steps, with all threads waiting for each other between them:
//   expand    The states of the round are cut into blocks, which threads take as they come. Each
//             successor is looked up in the set, which nobody changes meanwhile; those that are not
//             in it are candidates, kept in the order in which one thread would have found them.
//   compare   Candidates that are one state differ in nothing but their place: the first stays.
//             Each thread compares those of its share of hashes.
//   look at   What is new is checked and its properties are evaluated.
//   place     The new states are numbered block by block, then written to their places.
// Nothing is changed before the last step. A violation, a bound or an exception in a round makes
// run() drop the round; the search then explores the same states with one thread, and ends where
// one thread ends.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "nandi/checker/crew.h"
#include "nandi/checker/exploration.h"
#include "nandi/checker/model.h"
#include "nandi/checker/visited_set.h"

namespace nandi::checker {

// What a round adds to the counts of its search.
struct RoundCounts {
  std::uint64_t transitions = 0;
  std::uint64_t terminal = 0;
  Tally tally;
};

template <Model M, class Store>
class SearchRound {
 public:
  SearchRound(const M& model, const ModelNames& names, const ExploreOptions& options, Store& store)
      : model_(model),
        names_(names),
        options_(options),
        store_(store),
        crew_(options.threads),
        makers_(crew_.size()) {}

  // Expands the states `first` to `end` - 1 of the level under way. True: done, and counted in
  // counts(). False: nothing happened.
  bool run(std::uint64_t first, std::uint64_t end) {
    cut(first, end);
    stopped_.store(false, std::memory_order_relaxed);
    for (Maker& maker : makers_) maker.clear(store_.width());
    return in_blocks(&SearchRound::expand) && crew_.run([this](std::size_t i) { compare(i); }) &&
           in_blocks(&SearchRound::look_at) && number_blocks() && in_blocks(&SearchRound::place) &&
           finish();
  }

  const RoundCounts& counts() const { return counts_; }

 private:
  using State = typename M::State;
  using Action = typename M::Action;
  static constexpr std::size_t kBatch = 64;
  static constexpr std::uint64_t kMostInBlock = 256;
  static constexpr std::uint64_t kBlocksForEach = 8;

  // What one thread found in the round.
  struct alignas(64) Maker {
    std::vector<std::uint64_t> keys;
    std::vector<std::uint64_t> hashes;
    std::vector<StateIndex> parents;
    std::vector<std::uint8_t> is_new;
    // Open addressing: candidates of this thread's share of hashes, as maker and position, plus 1.
    std::vector<std::uint64_t> table;
    RoundCounts counts;
    // Successors that are not looked up yet.
    std::vector<std::uint64_t> batch_keys;
    std::array<std::uint64_t, kBatch> batch_hashes;
    std::array<StateIndex, kBatch> batch_parents;
    std::size_t batch_size = 0;

    void clear(std::size_t width) {
      keys.clear();
      hashes.clear();
      parents.clear();
      is_new.clear();
      counts = {};
      batch_keys.resize(kBatch * width);
      batch_size = 0;
    }
  };

  // A run of the round's states, and the candidates found from them.
  struct Block {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    std::size_t maker = 0;
    std::size_t begin_found = 0;
    std::size_t end_found = 0;
    std::uint64_t new_states = 0;
    std::uint64_t first_index = 0;
  };

  void cut(std::uint64_t first, std::uint64_t end) {
    const std::uint64_t size =
        std::clamp<std::uint64_t>((end - first) / (kBlocksForEach * crew_.size()), 1, kMostInBlock);
    blocks_.clear();
    for (; first < end; first += size) {
      blocks_.push_back({.first = first, .end = std::min(end, first + size)});
    }
  }

  // Every thread takes the next block that is left, until none is or the round is given up.
  bool in_blocks(void (SearchRound::*step)(std::size_t, Block&)) {
    next_block_.store(0, std::memory_order_relaxed);
    const bool went_well = crew_.run([this, step](std::size_t number) {
      while (!stopped_.load(std::memory_order_relaxed)) {
        const std::size_t taken = next_block_.fetch_add(1, std::memory_order_relaxed);
        if (taken >= blocks_.size()) return;
        (this->*step)(number, blocks_[taken]);
      }
    });
    return went_well && !stopped_.load(std::memory_order_relaxed);
  }

  void expand(std::size_t number, Block& block) {
    if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed)) {
      stopped_.store(true, std::memory_order_relaxed);
      return;
    }
    Maker& maker = makers_[number];
    block.maker = number;
    block.begin_found = maker.hashes.size();
    for (std::uint64_t index = block.first; index < block.end; ++index) {
      State state;
      model_.decode(store_.packed(static_cast<StateIndex>(index)), state);
      const std::uint64_t before = maker.counts.transitions;
      model_.for_each_successor(state, [&](const Action& action, const State& next) {
        const std::size_t action_class = model_.action_class(action);
        if (action_class >= names_.action_classes.size()) {
          throw std::logic_error("model: an action of no class");
        }
        ++maker.counts.tally.actions[action_class];
        ++maker.counts.transitions;
        enqueue(maker, next, static_cast<StateIndex>(index));
      });
      maker.counts.terminal += maker.counts.transitions == before ? 1 : 0;
    }
    look_up(maker);
    block.end_found = maker.hashes.size();
  }

  void enqueue(Maker& maker, const State& state, StateIndex parent) {
    std::uint64_t* const key = maker.batch_keys.data() + maker.batch_size * store_.width();
    model_.encode(state, key);
    const std::uint64_t hash = store_.hash(key);
    store_.prefetch_entry(hash);
    maker.batch_hashes[maker.batch_size] = hash;
    maker.batch_parents[maker.batch_size] = parent;
    if (++maker.batch_size == kBatch) look_up(maker);
  }

  void look_up(Maker& maker) {
    const std::size_t width = store_.width();
    for (std::size_t i = 0; i < maker.batch_size; ++i) store_.prefetch_key(maker.batch_hashes[i]);
    for (std::size_t i = 0; i < maker.batch_size; ++i) {
      const std::uint64_t* const key = maker.batch_keys.data() + i * width;
      if (store_.find(key, maker.batch_hashes[i]) != kNoState) continue;
      maker.keys.insert(maker.keys.end(), key, key + width);
      maker.hashes.push_back(maker.batch_hashes[i]);
      maker.parents.push_back(maker.batch_parents[i]);
      maker.is_new.push_back(0);
    }
    maker.batch_size = 0;
  }

  // The candidates whose hash falls to thread `number`, in the order of one thread.
  void compare(std::size_t number) {
    std::size_t candidates = 0;
    for (const Maker& maker : makers_) candidates += maker.hashes.size();
    std::vector<std::uint64_t>& table = makers_[number].table;
    table.assign(std::bit_ceil(2 * candidates + 2), 0);
    const std::uint64_t mask = table.size() - 1;
    for (const Block& block : blocks_) {
      Maker& maker = makers_[block.maker];
      for (std::size_t at = block.begin_found; at < block.end_found; ++at) {
        const std::uint64_t hash = maker.hashes[at];
        if (((hash & kLowHalf) * crew_.size()) >> 32U != number) continue;
        std::uint64_t slot = (hash >> 32U) & mask;
        while (table[slot] != 0 && !is_same(table[slot] - 1, maker, at)) slot = (slot + 1) & mask;
        if (table[slot] != 0) continue;
        table[slot] = (std::uint64_t{block.maker} << 40U | at) + 1;
        maker.is_new[at] = 1;
      }
    }
  }

  bool is_same(std::uint64_t entry, const Maker& maker, std::size_t at) const {
    const Maker& other = makers_[entry >> 40U];
    const std::size_t other_at = entry & ((std::uint64_t{1} << 40U) - 1);
    if (other.hashes[other_at] != maker.hashes[at]) return false;
    if constexpr (Store::kIsExact) {
      const std::size_t width = store_.width();
      return std::equal(other.keys.data() + other_at * width,
                        other.keys.data() + (other_at + 1) * width, maker.keys.data() + at * width);
    }
    return true;
  }

  void look_at(std::size_t number, Block& block) {
    const std::size_t width = store_.width();
    const Maker& maker = makers_[block.maker];
    std::array<std::uint64_t, M::kMaxWords> again{};
    for (std::size_t at = block.begin_found; at < block.end_found; ++at) {
      if (maker.is_new[at] == 0) continue;
      ++block.new_states;
      const std::uint64_t* const key = maker.keys.data() + at * width;
      State state;
      model_.decode(key, state);
      model_.encode(state, again.data());
      const std::uint64_t decided = model_.decided(state);
      makers_[number].counts.tally.count_decided(decided);
      if ((decided & names_.invariants) != 0 || !std::equal(key, key + width, again.data())) {
        stopped_.store(true, std::memory_order_relaxed);
        return;
      }
    }
  }

  bool number_blocks() {
    std::uint64_t index = store_.size();
    for (Block& block : blocks_) {
      block.first_index = index;
      index += block.new_states;
    }
    new_states_ = index - store_.size();
    return store_.make_room_for(new_states_) == InsertOutcome::added;
  }

  void place(std::size_t /*number*/, Block& block) {
    const std::size_t width = store_.width();
    const Maker& maker = makers_[block.maker];
    auto index = static_cast<StateIndex>(block.first_index);
    for (std::size_t at = block.begin_found; at < block.end_found; ++at) {
      constexpr std::size_t kAhead = 12;
      if (at + kAhead < block.end_found) store_.prefetch_entry(maker.hashes[at + kAhead]);
      if (maker.is_new[at] == 0) continue;
      store_.place(index++, maker.keys.data() + at * width, maker.hashes[at], maker.parents[at]);
    }
  }

  bool finish() {
    store_.admit(new_states_);
    counts_ = {};
    for (const Maker& maker : makers_) {
      counts_.transitions += maker.counts.transitions;
      counts_.terminal += maker.counts.terminal;
      counts_.tally.add(maker.counts.tally);
    }
    return true;
  }

  static constexpr std::uint64_t kLowHalf = 0xFFFFFFFF;

  const M& model_;
  const ModelNames& names_;
  const ExploreOptions& options_;
  Store& store_;
  Crew crew_;
  std::vector<Maker> makers_;
  std::vector<Block> blocks_;
  std::atomic<std::size_t> next_block_{0};
  // The round is given up.
  std::atomic<bool> stopped_{false};
  std::uint64_t new_states_ = 0;
  RoundCounts counts_;
};

}  // namespace nandi::checker
