#include "campaign_merger.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "campaign_block.h"

namespace nandi::sim {

CampaignMerger::CampaignMerger(const Simulator& simulator, const CampaignOptions& options)
    : options_(options),
      checked_(checked_properties(simulator.scenario())),
      next_(options.seeds.first),
      result_(empty_result(simulator.scenario(), options.seeds)) {
  std::uint64_t from = next_;
  if (options.resume != nullptr) {
    result_ = options.resume->result;
    result_.interrupted = false;
    next_ = options.resume->next;
    hash_ = TraceHash(options.resume->hash_state);
    before_ = result_.runs;
    from = next_;
    for (const CampaignBlock& block : options.resume->ahead) {
      before_ += block.result.runs;
      blocks_.emplace(block.seeds.first, block);
      free_.push_back({from, block.seeds.first - 1});
      from = block.seeds.last + 1;
    }
  }
  // Behind the last seed of all there is 0.
  const bool is_over = from == 0 && before_ > 0;
  if (!is_over && from <= options.seeds.last) free_.push_back({from, options.seeds.last});
  std::reverse(free_.begin(), free_.end());
}

std::optional<SeedRange> CampaignMerger::take(std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::nullopt;
  SeedRange& rest = free_.back();
  const std::uint64_t further = std::min(most - 1, rest.last - rest.first);
  const SeedRange taken{rest.first, rest.first + further};
  if (taken.last == rest.last) {
    free_.pop_back();
  } else {
    rest.first = taken.last + 1;
  }
  return taken;
}

std::uint64_t CampaignMerger::left() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t seeds = 0;
  for (const SeedRange& rest : free_) seeds += rest.last - rest.first + 1;
  return seeds;
}

void CampaignMerger::close() {
  const std::lock_guard lock(mutex_);
  free_.clear();
}

void CampaignMerger::add(RunResult run) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t seed = run.seed;
  runs_.emplace(seed, std::move(run));
  merge_ready();
  tell();
}

void CampaignMerger::add(CampaignBlock block) {
  const std::lock_guard lock(mutex_);
  if (block.result.properties.size() != result_.properties.size() ||
      block.result.faults.size() != result_.faults.size()) {
    throw std::invalid_argument("a block of another scenario");
  }
  const std::uint64_t first = block.seeds.first;
  join_neighbours(blocks_.emplace(first, std::move(block)).first);
  merge_ready();
  tell();
}

/// Blocks in a row become one, so that what waits for a slow seed stays small.
void CampaignMerger::join_neighbours(std::map<std::uint64_t, CampaignBlock>::iterator added) {
  const auto joins = [](const CampaignBlock& block, const CampaignBlock& next) {
    return !block.result.interrupted && !next.result.interrupted &&
           block.seeds.last + 1 == next.seeds.first;
  };
  const auto after = std::next(added);
  if (after != blocks_.end() && joins(added->second, after->second)) {
    append_block(added->second, after->second);
    blocks_.erase(after);
  }
  if (added == blocks_.begin()) return;
  const auto before = std::prev(added);
  if (!joins(before->second, added->second)) return;
  append_block(before->second, added->second);
  blocks_.erase(added);
}

void CampaignMerger::merge_ready() {
  for (;;) {
    const auto run = runs_.begin();
    const auto block = blocks_.begin();
    if (run != runs_.end() && run->first == next_ && !run->second.interrupted) {
      merge(run->second);
      ++next_;
      runs_.erase(run);
    } else if (block != blocks_.end() && block->first == next_ &&
               !block->second.result.interrupted) {
      merge(block->second);
      next_ = block->second.seeds.last + 1;
      blocks_.erase(block);
    } else {
      return;
    }
  }
}

void CampaignMerger::merge(const RunResult& run) {
  if (run.interrupted) {
    result_.interrupted = true;
    if (!is_violated(run, checked_)) return;  // half a run proves a violation, and nothing else
  }
  hash_.add(run.trace_hash);
  add_run(result_, run, checked_);
}

void CampaignMerger::merge(const CampaignBlock& block) {
  for (const std::uint64_t hash : block.trace_hashes) hash_.add(hash);
  add_block(result_, block.result);
}

/// Of all seeds that are done, those that wait in blocks included.
void CampaignMerger::tell() {
  if (options_.progress) {
    CampaignProgress progress{result_.runs, options_.seeds.last - options_.seeds.first + 1, before_,
                              result_.runs_violated};
    for (const auto& [first, block] : blocks_) {
      progress.done += block.result.runs;
      progress.violated += block.result.runs_violated;
    }
    options_.progress(progress);
  }
  if (options_.save && Clock::now() - saved_ >= std::chrono::seconds(1)) save_locked();
}

void CampaignMerger::save() {
  const std::lock_guard lock(mutex_);
  if (options_.save) save_locked();
}

void CampaignMerger::save_locked() {
  CampaignPart part{next_, hash_.state(), result_, {}};
  for (const auto& [first, block] : blocks_) {
    if (!block.result.interrupted) part.ahead.push_back(block);
  }
  options_.save(part);
  saved_ = Clock::now();
}

bool CampaignMerger::is_complete() const {
  const std::lock_guard lock(mutex_);
  return result_.runs > result_.seeds.last - result_.seeds.first;
}

CampaignResult CampaignMerger::finish() {
  save();
  // After an interruption some seeds are missing in between; what there is counts.
  auto run = runs_.begin();
  auto block = blocks_.begin();
  while (run != runs_.end() || block != blocks_.end()) {
    const bool is_run = block == blocks_.end() || (run != runs_.end() && run->first < block->first);
    if (is_run) {
      merge((run++)->second);
    } else {
      merge((block++)->second);
    }
  }
  result_.interrupted = result_.interrupted || !is_complete();
  result_.trace_hash = hash_.value();
  return std::move(result_);
}

}  // namespace nandi::sim
