#include "campaign_block.h"

#include <algorithm>
#include <utility>

#include "nandi/sim/properties.h"
#include "nandi/sim/swarm.h"

namespace nandi::sim {
namespace {

void add_faults(std::vector<FaultCount>& sums, const std::vector<FaultCount>& faults) {
  for (std::size_t f = 0; f < faults.size(); ++f) {
    sums[f].armed += faults[f].armed;
    sums[f].fired += faults[f].fired;
    sums[f].changed += faults[f].changed;
  }
}

/// A block of one run.
CampaignBlock block_of(const Simulator& simulator, const RunResult& run,
                       const std::vector<bool>& checked) {
  CampaignBlock block{{run.seed, run.seed}, {}, {run.trace_hash}};
  block.result = empty_result(simulator.scenario(), block.seeds);
  add_run(block.result, run, checked);
  return block;
}

}  // namespace

CampaignResult empty_result(const Scenario& scenario, SeedRange seeds) {
  CampaignResult result;
  result.seeds = seeds;
  result.properties.resize(property_infos().size());
  result.faults.resize(fault_sources(scenario).size());
  return result;
}

bool is_violated(const RunResult& run, const std::vector<bool>& checked) {
  for (std::size_t p = 0; p < run.properties.size(); ++p) {
    if (checked[p] && run.properties[p].violated > 0) return true;
  }
  return false;
}

void add_run(CampaignResult& result, const RunResult& run, const std::vector<bool>& checked) {
  ++result.runs;
  if (run.whole) ++result.runs_whole;
  result.events += run.events;
  result.actions += run.actions;
  result.statistics.merge(run.statistics);
  result.by_seed.add(run.statistics);
  for (std::size_t p = 0; p < run.properties.size(); ++p) {
    PropertyTally& tally = result.properties[p];
    const PropertyOutcome& outcome = run.properties[p];
    tally.reached += outcome.reached;
    if (outcome.reached > 0) ++tally.runs_reached;
    if (outcome.violated == 0) continue;
    ++tally.runs_violated;
    if (!tally.first) {
      tally.first = outcome.first;
      tally.first_seed = run.seed;
    }
  }
  add_faults(result.faults, run.faults);
  if (!is_violated(run, checked)) return;
  ++result.runs_violated;
  if (result.failing_seeds.size() < CampaignResult::kFailingSeeds) {
    result.failing_seeds.push_back(run.seed);
  }
}

void add_block(CampaignResult& result, const CampaignResult& block) {
  result.runs += block.runs;
  result.runs_whole += block.runs_whole;
  result.events += block.events;
  result.actions += block.actions;
  result.interrupted = result.interrupted || block.interrupted;
  result.statistics.merge(block.statistics);
  result.by_seed.merge(block.by_seed);
  for (std::size_t p = 0; p < block.properties.size(); ++p) {
    PropertyTally& tally = result.properties[p];
    const PropertyTally& other = block.properties[p];
    tally.reached += other.reached;
    tally.runs_reached += other.runs_reached;
    tally.runs_violated += other.runs_violated;
    if (!tally.first && other.first) {
      tally.first = other.first;
      tally.first_seed = other.first_seed;
    }
  }
  add_faults(result.faults, block.faults);
  result.runs_violated += block.runs_violated;
  const std::size_t room = CampaignResult::kFailingSeeds - result.failing_seeds.size();
  const auto taken = static_cast<std::ptrdiff_t>(std::min(room, block.failing_seeds.size()));
  result.failing_seeds.insert(result.failing_seeds.end(), block.failing_seeds.begin(),
                              block.failing_seeds.begin() + taken);
}

void append_block(CampaignBlock& block, const CampaignBlock& next) {
  block.seeds.last = next.seeds.last;
  block.result.seeds = block.seeds;
  add_block(block.result, next.result);
  block.trace_hashes.insert(block.trace_hashes.end(), next.trace_hashes.begin(),
                            next.trace_hashes.end());
}

std::vector<CampaignBlock> run_block(const Simulator& simulator, SeedRange seeds,
                                     const RunOptions& options) {
  const std::vector<bool> checked = checked_properties(simulator.scenario());
  CampaignBlock block{{seeds.first, seeds.first}, empty_result(simulator.scenario(), seeds), {}};
  std::vector<CampaignBlock> half;
  for (std::uint64_t seed = seeds.first; options.stop == nullptr || !options.stop->load(); ++seed) {
    const RunResult run = simulator.run(seed, options);
    if (run.interrupted) {
      if (!is_violated(run, checked)) break;
      half.push_back(block_of(simulator, run, checked));
      half.back().result.interrupted = true;
      break;
    }
    add_run(block.result, run, checked);
    block.trace_hashes.push_back(run.trace_hash);
    block.seeds.last = seed;
    if (seed == seeds.last) break;
  }
  block.result.seeds = block.seeds;
  std::vector<CampaignBlock> found;
  if (block.result.runs > 0) found.push_back(std::move(block));
  found.insert(found.end(), half.begin(), half.end());
  return found;
}

}  // namespace nandi::sim
