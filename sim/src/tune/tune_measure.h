// How one setting is measured: what a seed says of it, and what many seeds say together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nandi/sim/histogram.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/tune/tune.h"

namespace nandi::sim {

/// Three runs of one seed: until kSettling intervals, when the group is whole; the same and
/// kSteady intervals more; and the same with a join and a crash. What happened between is the
/// difference, because the same seed does the same.
class SettingRuns {
 public:
  static constexpr std::int64_t kSettling = 12;
  static constexpr std::int64_t kSteady = 32;
  static constexpr std::int64_t kRecovery = 8;  ///< after each of the two changes

  struct Sample {
    Duration ready;     ///< at most kSettling intervals
    double losses = 0;  ///< in the steady part
    double worker_days = 0;
    double idle_share = 0;   ///< of the steady part's worker-time
    double change_cost = 0;  ///< seconds per member and change
    double registrations_per_second = 0;
    Duration closest = Duration::max();
    bool violated = false;
    std::uint64_t registrations = 0;  ///< simulated, for the budget
  };

  SettingRuns(const TuneRequest& request, const TuneSetting& setting, std::uint32_t members);
  [[nodiscard]] Sample run(std::uint64_t seed) const;

 private:
  [[nodiscard]] bool is_violated(const RunResult& run) const;

  Duration interval_;
  std::uint32_t members_;
  Simulator calm_;
  Simulator changing_;
  std::vector<bool> checked_;
};

/// A mean of independent values, with its interval by the normal approximation.
class MeanOf {
 public:
  void add(double value) {
    ++count_;
    const double off = value - mean_;
    mean_ += off / static_cast<double>(count_);
    squares_ += off * (value - mean_);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double variance() const {
    return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1);
  }
  [[nodiscard]] Estimate estimate() const;

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

/// A rate of rare events from how many there were over how long. Byar's approximation of the exact
/// limits of a Poisson variable; where seeds differ by more than such a variable would (losses come
/// in pairs, when neighbours change places), with as many fewer independent events.
[[nodiscard]] Estimate rate_estimate(const MeanOf& events_by_seed, double exposure);

/// Samples in the order of their seeds.
class SettingTally {
 public:
  void add(std::uint64_t seed, const SettingRuns::Sample& sample);
  [[nodiscard]] TuneMeasures measures(const TuneRequest& request) const;
  [[nodiscard]] std::uint64_t seeds() const { return losses_.count(); }
  /// Registrations that one more seed takes, by those that were simulated; 0 where none were.
  [[nodiscard]] std::uint64_t cost_of_a_seed() const {
    return seeds() == 0 ? 0 : (simulated_ + seeds() - 1) / seeds();
  }

 private:
  std::uint64_t simulated_ = 0;  ///< registrations
  Histogram ready_;
  MeanOf losses_;
  double worker_days_ = 0;
  MeanOf idle_;
  MeanOf change_cost_;
  MeanOf registrations_;
  Duration closest_ = Duration::max();
  std::uint64_t violated_ = 0;
  std::optional<std::uint64_t> first_violated_;
};

/// Joins and crashes in turn, one every `spacing` of the recommended setting's intervals: the share
/// of worker-time with a lease under a seed, and the losses.
struct ChurnSample {
  double owned_share = 0;
  double losses = 0;
  double worker_days = 0;
  std::uint64_t registrations = 0;
};
[[nodiscard]] Simulator churn_simulator(const TuneRequest& request, const TuneSetting& setting,
                                        std::int64_t spacing);
[[nodiscard]] ChurnSample churn_sample(const Simulator& simulator, std::uint64_t seed);

}  // namespace nandi::sim
