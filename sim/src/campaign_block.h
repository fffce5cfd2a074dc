// Adding runs up to blocks, and blocks to campaigns: exact, so that how seeds are dealt out is not
// seen in the result.
#pragma once

#include <vector>

#include "nandi/sim/campaign.h"
#include "nandi/sim/simulator.h"

namespace nandi::sim {

/// The result of no run.
[[nodiscard]] CampaignResult empty_result(const Scenario& scenario, SeedRange seeds);

/// Whether a property that is checked is violated; `checked` as checked_properties() has it.
[[nodiscard]] bool is_violated(const RunResult& run, const std::vector<bool>& checked);

/// Adds a run, but for its trace hash. Precondition: the runs so far have lower seeds.
void add_run(CampaignResult& result, const RunResult& run, const std::vector<bool>& checked);
/// Adds what a block found, but for its trace hashes. Precondition: the same.
void add_block(CampaignResult& result, const CampaignResult& block);
/// Precondition: `next` begins where `block` ends.
void append_block(CampaignBlock& block, const CampaignBlock& next);

/// Runs the seeds one after the other. A block of those that were run to their end, if any. After
/// options.stop perhaps one more, marked as interrupted: half a run, which proves a violation and
/// nothing else.
[[nodiscard]] std::vector<CampaignBlock> run_block(const Simulator& simulator, SeedRange seeds,
                                                   const RunOptions& options);

}  // namespace nandi::sim
