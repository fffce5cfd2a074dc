// Threads of one rank that run blocks of seeds.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "nandi/sim/campaign.h"
#include "nandi/sim/simulator.h"

namespace nandi::sim {

/// What the threads call, several at once.
struct BlockWork {
  std::function<std::optional<SeedRange>()> take;  ///< may wait; nothing: the thread ends
  std::function<void(CampaignBlock block, std::chrono::nanoseconds spent)> found;
  std::function<void(std::exception_ptr)> failed;  ///< the thread ends
};

class BlockThreads {
 public:
  /// `simulator` outlives them; options.stop has to be set, or take() to give nothing, before they
  /// are joined.
  BlockThreads(const Simulator& simulator, unsigned jobs, RunOptions options, BlockWork work);
  BlockThreads(const BlockThreads&) = delete;
  BlockThreads& operator=(const BlockThreads&) = delete;
  ~BlockThreads() { join(); }

  void join();

 private:
  void run() const;

  const Simulator& simulator_;
  RunOptions options_;
  BlockWork work_;
  std::vector<std::thread> threads_;
};

}  // namespace nandi::sim
