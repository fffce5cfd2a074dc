#include "ranks/block_threads.h"

#include <utility>

#include "campaign_block.h"

namespace nandi::sim {

BlockThreads::BlockThreads(const Simulator& simulator, unsigned jobs, RunOptions options,
                           BlockWork work)
    : simulator_(simulator), options_(options), work_(std::move(work)) {
  for (unsigned j = 0; j < jobs; ++j) threads_.emplace_back([this] { run(); });
}

void BlockThreads::join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void BlockThreads::run() const {
  try {
    while (const std::optional<SeedRange> seeds = work_.take()) {
      const auto start = std::chrono::steady_clock::now();
      std::vector<CampaignBlock> blocks = run_block(simulator_, *seeds, options_);
      const auto spent = std::chrono::steady_clock::now() - start;
      for (CampaignBlock& block : blocks) work_.found(std::move(block), spent);
    }
  } catch (...) {
    work_.failed(std::current_exception());
  }
}

}  // namespace nandi::sim
