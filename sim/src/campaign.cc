#include "nandi/sim/campaign.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "campaign_merger.h"
#include "nandi/sim/properties.h"

namespace nandi::sim {

std::vector<bool> checked_properties(const Scenario& scenario) {
  std::vector<bool> checked;
  const std::vector<std::string>& wanted = scenario.expect.properties;
  for (const PropertyInfo& info : property_infos()) {
    // Without a liveness phase there is nothing to settle after.
    const bool applies = scenario.settle || info.name != SettlesAfterFaults::kInfo.name;
    const bool is_wanted = wanted.empty()
                               ? info.kind != PropertyKind::on_request
                               : std::find(wanted.begin(), wanted.end(), info.name) != wanted.end();
    checked.push_back(applies && is_wanted);
  }
  return checked;
}

CampaignResult run_campaign(const Simulator& simulator, const CampaignOptions& options) {
  CampaignMerger merger(simulator, options);
  RunOptions run_options;
  run_options.length = options.length;
  run_options.stop = options.stop;
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto is_stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  const auto work = [&] {
    try {
      while (!is_stopped()) {
        const std::optional<SeedRange> taken = merger.take(1);
        if (!taken) return;
        merger.add(simulator.run(taken->first, run_options));
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      merger.close();
    }
  };
  const std::uint64_t seeds = merger.left();
  std::vector<std::thread> others;
  for (unsigned j = 1; j < options.jobs && j < seeds; ++j) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
  return merger.finish();
}

}  // namespace nandi::sim
