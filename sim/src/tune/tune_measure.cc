#include "tune_measure.h"

#include <algorithm>
#include <numeric>

#include "nandi/sim/campaign.h"
#include "nandi/sim/confidence.h"

namespace nandi::sim {
namespace {

constexpr double kSecond = 1e9;
constexpr double kDay = 86'400e9;
constexpr double kNormal = 1.96;  // covers 95 %

double seconds(Duration duration) { return static_cast<double>(duration.count()) / kSecond; }

/// Newton's method from above, until it falls no more.
double square_root(double x) {
  if (!(x > 0)) return 0;
  double root = std::max(x, 1.0);
  for (;;) {
    const double next = (root + x / root) / 2;
    if (!(next < root)) return root;  // nor where it is no number
    root = next;
  }
}

std::uint64_t losses_of(const RunStatistics& statistics) {
  return std::accumulate(statistics.losses.begin(), statistics.losses.end(), std::uint64_t{0});
}

Int128 idle_of(const RunStatistics& statistics) { return statistics.present - statistics.owned; }

WorkerChoice anyone() {
  WorkerChoice choice;
  choice.kind = WorkerChoice::Kind::count;
  choice.count = 1;
  return choice;
}

void add_event(Scenario& scenario, Duration at, bool joins) {
  TimelineEvent event;
  event.at = at;
  if (joins) {
    event.event = Join{WorkerSet{}};
  } else {
    event.event = Crash{anyone()};
  }
  scenario.timeline.push_back(event);
}

Scenario calm_scenario(const TuneRequest& request, const TuneSetting& setting,
                       std::uint32_t members) {
  Scenario scenario = tune_scenario(request, setting, members);
  scenario.length = setting.interval * (SettingRuns::kSettling + SettingRuns::kSteady);
  return scenario;
}

Scenario changing_scenario(const TuneRequest& request, const TuneSetting& setting,
                           std::uint32_t members) {
  Scenario scenario = tune_scenario(request, setting, members);
  const std::int64_t begin = SettingRuns::kSettling;
  add_event(scenario, setting.interval * begin, true);
  add_event(scenario, setting.interval * (begin + SettingRuns::kRecovery), false);
  scenario.length = setting.interval * (begin + 2 * SettingRuns::kRecovery);
  return scenario;
}

Estimate percentile_estimate(const Histogram& values, std::uint32_t percent) {
  const PercentileInterval found = percentile_interval(values, percent);
  Estimate estimate{seconds(found.estimate), std::nullopt, std::nullopt};
  if (found.low) estimate.low = seconds(*found.low);
  if (found.high) estimate.high = seconds(*found.high);
  return estimate;
}

double per_hour(Fraction rate) {
  return static_cast<double>(rate.numerator()) / static_cast<double>(rate.denominator());
}

}  // namespace

SettingRuns::SettingRuns(const TuneRequest& request, const TuneSetting& setting,
                         std::uint32_t members)
    : interval_(setting.interval),
      members_(members),
      calm_(calm_scenario(request, setting, members)),
      changing_(changing_scenario(request, setting, members)),
      checked_(checked_properties(calm_.scenario())) {}

bool SettingRuns::is_violated(const RunResult& run) const {
  for (std::size_t p = 0; p < run.properties.size(); ++p) {
    if (checked_[p] && run.properties[p].violated > 0) return true;
  }
  return false;
}

SettingRuns::Sample SettingRuns::run(std::uint64_t seed) const {
  RunOptions settling;
  settling.length = interval_ * kSettling;
  const RunResult start = calm_.run(seed, settling);
  const RunResult calm = calm_.run(seed);
  const RunResult changing = changing_.run(seed);

  Sample sample;
  const Samples& whole = start.statistics.start;
  sample.ready = interval_ * kSettling;
  if (!whole.plain.empty()) sample.ready = whole.plain.most();
  if (!whole.reordered.empty()) sample.ready = whole.reordered.most();
  const RunStatistics& before = start.statistics;
  const RunStatistics& after = calm.statistics;
  sample.losses = static_cast<double>(losses_of(after) - losses_of(before));
  const auto present = static_cast<double>(after.present - before.present);
  const auto idle = static_cast<double>(idle_of(after) - idle_of(before));
  sample.worker_days = present / kDay;
  sample.idle_share = idle / present;
  constexpr double kPart = 2.0 * kRecovery / kSteady;
  const auto idle_of_changes = static_cast<double>(idle_of(changing.statistics) - idle_of(before));
  constexpr double kChanges = 2;
  sample.change_cost = (idle_of_changes - idle * kPart) / kChanges / members_ / kSecond;
  sample.registrations_per_second =
      static_cast<double>(after.registrations - before.registrations) /
      seconds(interval_ * kSteady);
  sample.closest = std::min(after.closest.distance, changing.statistics.closest.distance);
  sample.violated = is_violated(calm) || is_violated(changing);
  sample.registrations =
      before.registrations + after.registrations + changing.statistics.registrations;
  return sample;
}

Estimate MeanOf::estimate() const {
  constexpr std::uint64_t kFew = 8;
  if (count_ < kFew) return {mean_, std::nullopt, std::nullopt};
  const double half = kNormal * square_root(variance() / static_cast<double>(count_));
  return {mean_, mean_ - half, mean_ + half};
}

Estimate rate_estimate(const MeanOf& events_by_seed, double exposure) {
  const double events = events_by_seed.mean() * static_cast<double>(events_by_seed.count());
  const double clustering = events_by_seed.mean() > 0
                                ? std::max(1.0, events_by_seed.variance() / events_by_seed.mean())
                                : 1.0;
  const double k = events / clustering;
  const auto cube = [](double x) { return x * x * x; };
  const double low =
      k > 0 ? k * cube(std::max(0.0, 1 - 1 / (9 * k) - kNormal / (3 * square_root(k)))) : 0;
  const double high = (k + 1) * cube(1 - 1 / (9 * (k + 1)) + kNormal / (3 * square_root(k + 1)));
  return {events / exposure, low * clustering / exposure, high * clustering / exposure};
}

void SettingTally::add(std::uint64_t seed, const SettingRuns::Sample& sample) {
  simulated_ += sample.registrations;
  ready_.add(sample.ready);
  losses_.add(sample.losses);
  worker_days_ += sample.worker_days;
  idle_.add(sample.idle_share);
  change_cost_.add(sample.change_cost);
  registrations_.add(sample.registrations_per_second);
  closest_ = std::min(closest_, sample.closest);
  if (!sample.violated) return;
  ++violated_;
  if (!first_violated_) first_violated_ = seed;
}

TuneMeasures SettingTally::measures(const TuneRequest& request) const {
  TuneMeasures found;
  found.seeds = seeds();
  found.ready_p50 = percentile_estimate(ready_, 50);
  constexpr std::uint32_t kNinetyNine = 99;
  found.ready_p99 = percentile_estimate(ready_, kNinetyNine);
  found.change_cost = change_cost_.estimate();
  found.losses_per_day = rate_estimate(losses_, worker_days_);
  found.registrations_per_second = registrations_.estimate();
  if (closest_ != Duration::max()) found.closest_approach = seconds(closest_);
  found.violated_seeds = violated_;
  found.first_violated_seed = first_violated_;

  constexpr double kHour = 3600;
  const double changes =
      (per_hour(request.joins_per_hour) + per_hour(request.departures_per_hour)) / kHour;
  const Estimate idle = idle_.estimate();
  const auto share = [&](double standing, double cost) {
    return std::clamp(1 - standing - changes * cost, 0.0, 1.0);
  };
  found.owned_share.value = share(idle.value, found.change_cost.value);
  if (idle.low && found.change_cost.low) {
    found.owned_share.low = share(*idle.high, *found.change_cost.high);
    found.owned_share.high = share(*idle.low, *found.change_cost.low);
  }
  return found;
}

Simulator churn_simulator(const TuneRequest& request, const TuneSetting& setting,
                          std::int64_t spacing) {
  Scenario scenario = tune_scenario(request, setting, request.members);
  constexpr std::int64_t kLeast = 64;
  const std::int64_t changes = std::max<std::int64_t>(kLeast / spacing, 2);
  const Duration begin = setting.interval * SettingRuns::kSettling;
  for (std::int64_t change = 0; change < changes; ++change) {
    add_event(scenario, begin + setting.interval * spacing * change, change % 2 == 0);
  }
  scenario.length = begin + setting.interval * spacing * changes;
  return Simulator(scenario);
}

ChurnSample churn_sample(const Simulator& simulator, std::uint64_t seed) {
  RunOptions settling;
  settling.length = simulator.scenario().group.interval * SettingRuns::kSettling;
  const RunResult before = simulator.run(seed, settling);
  const RunResult after = simulator.run(seed);
  const auto present = static_cast<double>(after.statistics.present - before.statistics.present);
  const auto idle = static_cast<double>(idle_of(after.statistics) - idle_of(before.statistics));
  return {1 - idle / present,
          static_cast<double>(losses_of(after.statistics) - losses_of(before.statistics)),
          present / kDay, before.statistics.registrations + after.statistics.registrations};
}

}  // namespace nandi::sim
