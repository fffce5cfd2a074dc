#include "ranks/leading_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "nandi/sim/campaign_state.h"
#include "ranks/block_threads.h"

namespace nandi::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Long against the time that it takes to send a block and to add it.
constexpr nanoseconds kBlockTime = milliseconds(200);
/// What a block costs the leading rank at most, so that it keeps up with any number of threads.
constexpr nanoseconds kTimePerThread = milliseconds(2);
/// Towards the end blocks become shorter, so that all end together; below this it gains nothing.
constexpr nanoseconds kLeastBlockTime = milliseconds(20);
constexpr milliseconds kBetweenLooks(1);

}  // namespace

void BlockSizes::add(std::uint64_t seeds, nanoseconds spent) {
  const std::lock_guard lock(mutex_);
  seeds_ += seeds;
  nanoseconds_ += static_cast<std::uint64_t>(spent.count());
}

std::uint64_t BlockSizes::next(std::uint64_t left) const {
  const std::lock_guard lock(mutex_);
  if (nanoseconds_ == 0) return 1;
  const std::uint64_t each = std::max<std::uint64_t>(nanoseconds_ / seeds_, 1);
  const auto seeds_in = [&](nanoseconds time) {
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(time.count()) / each, 1);
  };
  const std::uint64_t most = seeds_in(kBlockTime + kTimePerThread * threads_);
  return std::clamp(left / (2 * threads_), std::min(seeds_in(kLeastBlockTime), most), most);
}

/// One campaign under way.
struct LeadingRank::Turn {
  Turn(const Simulator& simulator, const CampaignOptions& campaign, int ranks)
      : options(campaign),
        merger(simulator, campaign),
        sizes(static_cast<std::uint64_t>(ranks) * campaign.jobs),
        dealt(static_cast<std::size_t>(ranks)) {}

  std::optional<SeedRange> take() {
    if (stop.load()) return std::nullopt;
    return merger.take(sizes.next(merger.left()));
  }
  void add(CampaignBlock block, nanoseconds spent) {
    sizes.add(block.result.runs, spent);
    merger.add(std::move(block));
  }
  [[nodiscard]] bool is_stop_asked() const {
    return options.stop != nullptr && options.stop->load();
  }

  const CampaignOptions& options;
  CampaignMerger merger;
  BlockSizes sizes;
  std::atomic<bool> stop{false};
  std::atomic<bool> has_failed{false};  ///< a thread of this rank
  std::mutex failure_mutex;
  std::exception_ptr failure;
  std::vector<std::vector<SeedRange>> dealt;  ///< by rank: not back yet
  std::set<int> stopped;                      ///< ranks
};

CampaignResult LeadingRank::run(const Simulator& simulator, const CampaignOptions& options) {
  if (link_.ranks() == 1 || options.seeds.first == options.seeds.last) {
    return run_campaign(simulator, options);
  }
  if (failure_) throw std::logic_error(*failure_);
  Turn turn(simulator, options, link_.ranks());
  begin(simulator, options);
  RunOptions run_options;
  run_options.length = options.length;
  run_options.stop = &turn.stop;
  BlockWork work;
  work.take = [&] { return turn.take(); };
  work.found = [&](CampaignBlock block, nanoseconds spent) { turn.add(std::move(block), spent); };
  work.failed = [&](std::exception_ptr failure) {
    const std::lock_guard lock(turn.failure_mutex);
    turn.failure = std::move(failure);
    turn.has_failed = true;
  };
  BlockThreads threads(simulator, options.jobs, run_options, std::move(work));
  try {
    lead(turn);
  } catch (...) {
    turn.stop = true;
    throw;
  }
  threads.join();
  if (turn.failure) std::rethrow_exception(turn.failure);
  if (failure_) throw std::logic_error(*failure_);
  return turn.merger.finish();
}

void LeadingRank::end() { tell_others(EndRank{}); }

void LeadingRank::begin(const Simulator& simulator, const CampaignOptions& options) {
  std::ostringstream scenario;
  write_scenario(simulator.scenario(), scenario);
  tell_others(BeginCampaign{++campaign_, campaign_fingerprint(simulator.scenario(), options),
                            options.seeds, options.jobs, options.length, scenario.str()});
}

void LeadingRank::lead(Turn& turn) {
  const auto is_over = [&] {
    return turn.is_stop_asked() || stop_asked_ || failure_ || turn.has_failed.load() ||
           turn.merger.is_complete();
  };
  while (!is_over()) {
    if (!receive(turn)) std::this_thread::sleep_for(kBetweenLooks);
  }
  turn.stop = true;
  turn.merger.close();
  const bool is_whole = turn.merger.is_complete();
  // What ended it may end this rank too before long.
  if (!is_whole) turn.merger.save();
  stop_others(turn, is_whole ? std::nullopt : std::optional(grace_));
}

void LeadingRank::stop_others(Turn& turn, std::optional<milliseconds> limit) {
  tell_others(StopCampaign{campaign_});
  const auto others = static_cast<std::size_t>(link_.ranks() - 1);
  const auto start = std::chrono::steady_clock::now();
  while (turn.stopped.size() < others) {
    if (limit && std::chrono::steady_clock::now() - start >= *limit) return;
    if (!limit && failure_) return;
    if (!receive(turn)) std::this_thread::sleep_for(kBetweenLooks);
  }
}

bool LeadingRank::receive(Turn& turn) {
  std::optional<Incoming> incoming = link_.receive();
  if (!incoming) return false;
  std::optional<RankMessage> message = decode(incoming->text);
  if (message) {
    take(turn, incoming->from, std::move(*message));
  } else {
    failure_ = fmt::format(
        "rank {} sent {} bytes that are no message; all ranks must run the same nandi-sim",
        incoming->from, incoming->text.size());
  }
  return true;
}

void LeadingRank::take(Turn& turn, int from, RankMessage message) {
  if (auto* done = std::get_if<BlockDone>(&message)) {
    if (done->campaign == campaign_) take_block(turn, from, std::move(*done));
  } else if (const auto* want = std::get_if<WantSeeds>(&message)) {
    if (want->campaign == campaign_) deal(turn, from);
  } else if (std::holds_alternative<StopAsked>(message)) {
    stop_asked_ = true;
  } else if (const auto* failed = std::get_if<RankFailed>(&message)) {
    failure_ = fmt::format("rank {}: {}", from, failed->what);
  } else if (const auto* stopped = std::get_if<CampaignStopped>(&message)) {
    if (stopped->campaign == campaign_) turn.stopped.insert(from);
  } else {
    failure_ = fmt::format("rank {} sent what only the leading rank may", from);
  }
}

void LeadingRank::deal(Turn& turn, int to) {
  const std::optional<SeedRange> seeds = turn.take();
  if (!seeds) return;
  turn.dealt[static_cast<std::size_t>(to)].push_back(*seeds);
  link_.send(to, encode(RunSeeds{campaign_, *seeds}));
}

/// Seeds count once, and only those that the rank was given.
void LeadingRank::take_block(Turn& turn, int from, BlockDone done) {
  std::vector<SeedRange>& dealt = turn.dealt[static_cast<std::size_t>(from)];
  const SeedRange seeds = done.block.seeds;
  const auto given = std::find_if(dealt.begin(), dealt.end(), [&](const SeedRange& range) {
    return range.first == seeds.first && seeds.last <= range.last;
  });
  if (given == dealt.end()) {
    failure_ = fmt::format("rank {} sent seeds {}..{}, which it was not given", from, seeds.first,
                           seeds.last);
    return;
  }
  if (given->last == seeds.last) {
    dealt.erase(given);
  } else {
    given->first = seeds.last + 1;
  }
  try {
    turn.add(std::move(done.block), done.spent);
  } catch (const std::invalid_argument& error) {
    failure_ = fmt::format("rank {} sent {}", from, error.what());
  }
}

void LeadingRank::tell_others(const RankMessage& message) {
  const std::string text = encode(message);
  for (int rank = 1; rank < link_.ranks(); ++rank) link_.send(rank, text);
}

}  // namespace nandi::sim
