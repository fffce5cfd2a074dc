#include "nandi/sim/campaign.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "nandi/sim/properties.h"
#include "nandi/sim/swarm.h"

namespace nandi::sim {
namespace {

/// Takes finished runs in any order and adds them up in the order of their seeds.
class Merger {
 public:
  Merger(const Simulator& simulator, const CampaignOptions& options)
      : options_(options), checked_(checked_properties(simulator.scenario())) {
    result_.seeds = options.seeds;
    result_.properties.resize(property_infos().size());
    result_.faults.resize(fault_sources(simulator.scenario()).size());
    next_ = options.seeds.first;
    if (options.resume == nullptr) return;
    result_ = options.resume->result;
    result_.interrupted = false;
    next_ = options.resume->next;
    hash_ = TraceHash(options.resume->hash_state);
    before_ = result_.runs;
  }

  [[nodiscard]] std::uint64_t next() const { return next_; }

  void add(RunResult run) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t seed = run.seed;
    waiting_.emplace(seed, std::move(run));
    while (!waiting_.empty() && waiting_.begin()->first == next_ &&
           !waiting_.begin()->second.interrupted) {
      merge(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++next_;
    }
    report();
    if (options_.save && Clock::now() - saved_ >= std::chrono::seconds(1)) save();
  }

  CampaignResult finish() {
    if (options_.save) save();
    // After an interruption some seeds are missing in between; what there is counts.
    for (const auto& [seed, run] : waiting_) merge(run);
    result_.interrupted =
        result_.interrupted || result_.runs <= result_.seeds.last - result_.seeds.first;
    result_.trace_hash = hash_.value();
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void save() {
    options_.save({next_, hash_.state(), result_});
    saved_ = Clock::now();
  }

  void merge(const RunResult& run) {
    if (run.interrupted) {
      result_.interrupted = true;
      if (!is_violated(run)) return;  // half a run proves a violation, and nothing else
    }
    ++result_.runs;
    if (run.whole) ++result_.runs_whole;
    result_.events += run.events;
    result_.actions += run.actions;
    hash_.add(run.trace_hash);
    result_.statistics.merge(run.statistics);
    result_.by_seed.add(run.statistics);
    for (std::size_t p = 0; p < run.properties.size(); ++p) {
      PropertyTally& tally = result_.properties[p];
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
    for (std::size_t f = 0; f < run.faults.size(); ++f) {
      result_.faults[f].armed += run.faults[f].armed;
      result_.faults[f].fired += run.faults[f].fired;
      result_.faults[f].changed += run.faults[f].changed;
    }
    if (!is_violated(run)) return;
    ++result_.runs_violated;
    if (result_.failing_seeds.size() < CampaignResult::kFailingSeeds) {
      result_.failing_seeds.push_back(run.seed);
    }
  }

  [[nodiscard]] bool is_violated(const RunResult& run) const {
    for (std::size_t p = 0; p < run.properties.size(); ++p) {
      if (checked_[p] && run.properties[p].violated > 0) return true;
    }
    return false;
  }

  void report() {
    if (!options_.progress) return;
    options_.progress({result_.runs, options_.seeds.last - options_.seeds.first + 1, before_,
                       result_.runs_violated});
  }

  const CampaignOptions& options_;
  std::vector<bool> checked_;
  std::mutex mutex_;
  std::map<std::uint64_t, RunResult> waiting_;
  std::uint64_t next_ = 0;
  std::uint64_t before_ = 0;
  Clock::time_point saved_ = Clock::now();
  TraceHash hash_;
  CampaignResult result_;
};

}  // namespace

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
  Merger merger(simulator, options);
  RunOptions run_options;
  run_options.length = options.length;
  run_options.stop = options.stop;
  const std::uint64_t total = options.seeds.last - options.seeds.first;  // one less than seeds
  std::atomic<std::uint64_t> taken{merger.next() - options.seeds.first};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto is_stopped = [&] { return options.stop != nullptr && options.stop->load(); };
  const auto work = [&] {
    try {
      for (;;) {
        const std::uint64_t offset = taken.fetch_add(1);
        if (offset > total || is_stopped()) return;
        merger.add(simulator.run(options.seeds.first + offset, run_options));
        if (offset == total) return;
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      taken = total + 1;
    }
  };
  std::vector<std::thread> others;
  for (unsigned j = 1; j < options.jobs && j <= total; ++j) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
  return merger.finish();
}

}  // namespace nandi::sim
