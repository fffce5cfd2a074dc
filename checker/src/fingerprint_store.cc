#include "nandi/checker/fingerprint_store.h"

namespace nandi::checker {

Fingerprint::Fingerprint(std::size_t words, std::uint64_t seed) : keys_(words + 1) {
  std::uint64_t drawn = 0;
  const auto draw = [&] {
    const std::uint64_t key[2] = {seed, drawn++};
    return hash_words(key, 2);
  };
  for (Uint128& key : keys_) {
    key = static_cast<Uint128>(draw()) << 64U;
    key |= draw();
  }
}

double collision_probability(std::uint64_t states) {
  if (states < 2) return 0;
  const auto n = static_cast<double>(states);
  return std::min(1.0, n * (n - 1) / 0x1p65);
}

FingerprintStore::FingerprintStore(std::size_t words, std::uint64_t max_states,
                                   std::uint64_t max_bytes, std::uint64_t seed)
    : words_(words),
      max_bytes_(max_bytes),
      fingerprint_(words, seed),
      set_(1, max_states, max_bytes),
      level_(max_bytes / sizeof(std::uint64_t) + 1),
      next_level_(max_bytes / sizeof(std::uint64_t) + 1) {}

void FingerprintStore::begin_level() {
  std::swap(level_, next_level_);
  begin_ = next_begin_;
  next_begin_ = size();
}

bool FingerprintStore::has_room_in_level(std::uint64_t count) {
  const std::size_t needed = (count - next_begin_) * words_;
  if (needed <= next_level_.usable()) return true;
  const std::uint64_t levels = level_.bytes() + next_level_.bytes_for(needed);
  if (set_.bytes() + levels > max_bytes_ || !next_level_.grow_to(needed)) return false;
  set_.set_max_bytes(max_bytes_ - levels);
  return true;
}

Insertion FingerprintStore::insert(const std::uint64_t* key, std::uint64_t hash,
                                   StateIndex parent) {
  if (!has_room_in_level(size() + 1)) {
    const StateIndex known = find(key, hash);
    return {known == kNoState ? InsertOutcome::out_of_memory : InsertOutcome::known, known};
  }
  const Insertion insertion = set_.insert(&hash, slot_hash(hash), parent);
  if (insertion.outcome == InsertOutcome::added) {
    std::copy_n(key, words_, next_level_.data() + (insertion.index - next_begin_) * words_);
  }
  return insertion;
}

InsertOutcome FingerprintStore::make_room_for(std::uint64_t count) {
  if (!has_room_in_level(size() + count)) return InsertOutcome::out_of_memory;
  return set_.make_room_for(count);
}

}  // namespace nandi::checker
