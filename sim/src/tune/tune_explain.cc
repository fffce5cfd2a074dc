#include <fmt/format.h>

#include <algorithm>

#include "nandi/engine/bounds.h"
#include "nandi/sim/quantity_text.h"
#include "tune_parallel.h"
#include "tune_search.h"

namespace nandi::sim {
namespace {

constexpr std::uint64_t kCurveSeeds = 64;

double value_of(Fraction fraction) {
  return static_cast<double>(fraction.numerator()) / static_cast<double>(fraction.denominator());
}

std::string text_of(const TuneSetting& setting) {
  return fmt::format("interval {}, gap {}", duration_text(setting.interval),
                     to_string(setting.gap));
}

}  // namespace

std::vector<std::uint32_t> curve_members(const TuneRequest& request) {
  constexpr std::uint64_t kSteps = 5;
  const std::uint64_t range = request.most_members - request.members;
  std::vector<std::uint32_t> members;
  for (std::uint64_t step = 0; step <= kSteps; ++step) {
    const auto n =
        static_cast<std::uint32_t>(request.members + range * step * step / (kSteps * kSteps));
    if (members.empty() || n > members.back()) members.push_back(n);
  }
  return members;
}

void TuneSearch::draw_curves() {
  const TuneRequest& request = result_.request;
  const TuneSetting setting = result_.cells[result_.recommendation->cell].setting;
  const std::vector<std::uint32_t> members = curve_members(request);
  const std::vector<std::int64_t> spacings{64, 32, 16, 8, 4, 2, 1};  // intervals
  const std::uint64_t total = (members.size() + spacings.size()) * kCurveSeeds;
  std::uint64_t before = 0;
  for (const std::uint32_t n : members) {
    const SettingRuns runs(request, setting, n);
    SettingTally tally;
    const auto samples = run_in_parallel<SettingRuns::Sample>(
        kCurveSeeds, options_.jobs, options_.stop, [&](std::size_t s) { return runs.run(s + 1); },
        [&](std::size_t done) { report("curves", before + done, total); });
    for (std::size_t s = 0; s < samples.size(); ++s) {
      if (!samples[s]) return;
      tally.add(s + 1, *samples[s]);
      result_.registrations += samples[s]->registrations;
    }
    before += kCurveSeeds;
    const TuneMeasures found = tally.measures(request);
    result_.by_members.push_back(
        {n, value_of(request.joins_per_hour) + value_of(request.departures_per_hour), found.seeds,
         found.owned_share, found.losses_per_day});
  }
  for (const std::int64_t spacing : spacings) {
    const Simulator simulator = churn_simulator(request, setting, spacing);
    const auto samples = run_in_parallel<ChurnSample>(
        kCurveSeeds, options_.jobs, options_.stop,
        [&](std::size_t s) { return churn_sample(simulator, s + 1); },
        [&](std::size_t done) { report("curves", before + done, total); });
    MeanOf owned;
    MeanOf losses;
    double worker_days = 0;
    for (const auto& sample : samples) {
      if (!sample) return;
      owned.add(sample->owned_share);
      losses.add(sample->losses);
      worker_days += sample->worker_days;
      result_.registrations += sample->registrations;
    }
    before += kCurveSeeds;
    const double length = static_cast<double>(setting.interval.count()) / 1e9;
    constexpr double kHour = 3600;
    result_.by_changes.push_back({request.members, kHour / (length * static_cast<double>(spacing)),
                                  kCurveSeeds, owned.estimate(),
                                  rate_estimate(losses, worker_days)});
  }
}

TuneEdge TuneSearch::edge(TuneDirection direction) const {
  const std::size_t gaps = result_.request.gaps.size();
  const std::size_t from = result_.recommendation->cell;
  const bool is_interval =
      direction == TuneDirection::shorter_interval || direction == TuneDirection::longer_interval;
  const bool is_down =
      direction == TuneDirection::shorter_interval || direction == TuneDirection::smaller_gap;
  const std::size_t place = is_interval ? from / gaps : from % gaps;
  const std::size_t places = is_interval ? result_.request.intervals.size() : gaps;
  const std::size_t stride = is_interval ? gaps : 1;
  const std::size_t steps = is_down ? place : places - 1 - place;
  for (std::size_t step = 1; step <= steps; ++step) {
    const std::size_t cell = is_down ? from - step * stride : from + step * stride;
    const TuneStatus status = result_.cells[cell].status;
    if (status == TuneStatus::fails || status == TuneStatus::fails_bound) {
      return {direction, cell, result_.cells[cell].reason};
    }
  }
  const std::size_t last = is_down ? from - steps * stride : from + steps * stride;
  return {direction, std::nullopt,
          "none fails up to " + text_of(result_.cells[last].setting) + ", the end of the grid"};
}

void TuneSearch::explain() {
  TuneRecommendation& chosen = *result_.recommendation;
  for (const TuneDirection direction :
       {TuneDirection::shorter_interval, TuneDirection::longer_interval, TuneDirection::smaller_gap,
        TuneDirection::larger_gap}) {
    chosen.edges.push_back(edge(direction));
  }
  const TuneCell& cell = result_.cells[chosen.cell];
  chosen.largest_group = static_cast<std::uint64_t>(
      largest_group(tune_timing(result_.request, cell.setting), delays_.jitter_p99));
  const TuneMeasures& found = chosen.validated;
  const std::string open = doubt(found);
  std::string use = "Use ";
  if (!chosen.confirmed) {
    use = fmt::format("Not confirmed ({}), but the best that was found: ",
                      open.empty() ? "interrupted" : open);
  }
  chosen.sentence = fmt::format(
      "{}{}: {} workers all hold a pair {:.3g} s after a start (p99 {:.3g} s), a change of "
      "membership costs each of them {:.3g} s, {:.3g} leases are lost per worker-day (at most "
      "{:.2g}), and the store has {:.3g} registrations/s.",
      use, text_of(cell.setting), result_.request.members, found.ready_p50.value,
      found.ready_p99.value, found.change_cost.value, found.losses_per_day.value,
      *found.losses_per_day.high, found.registrations_per_second.value);
}

void TuneSearch::warn() {
  std::vector<std::string>& warnings = result_.warnings;
  if (result_.budget_used_up) {
    warnings.push_back(
        fmt::format("the budget of {} registrations was used up before every "
                    "setting was decided; --budget gives more",
                    result_.request.budget));
  }
  if (!result_.recommendation) return;
  const TuneRequest& request = result_.request;
  const TuneRecommendation& chosen = *result_.recommendation;
  const TuneSetting setting = result_.cells[chosen.cell].setting;
  warnings.push_back(
      fmt::format("above {} workers neighbours' slots are closer than the p99 jitter of {}{}",
                  chosen.largest_group, duration_text(delays_.jitter_p99),
                  chosen.largest_group < request.most_members
                      ? fmt::format(", and {} are expected", request.most_members)
                      : fmt::format("; {} at most are expected", request.most_members)));
  const LeaseTiming timing = tune_timing(request, setting);
  const std::int64_t keeps_order = largest_group(timing, retry_delay(timing, 1));
  if (request.members > keeps_order) {
    warnings.push_back(fmt::format(
        "above {} workers the retry of a failed registration, {} late, comes behind a neighbour's: "
        "it keeps its lease, but the two change places and stand down for an interval; the losses "
        "above are those without failed registrations",
        keeps_order, duration_text(retry_delay(timing, 1))));
  }
  for (const TunePoint& point : result_.by_members) {
    if (!point.losses_per_day.low ||
        *point.losses_per_day.low <= value_of(request.most_losses_per_day)) {
      continue;
    }
    warnings.push_back(fmt::format(
        "with {} workers it loses {:.3g} leases per worker-day ({:.3g} to {:.3g}): before the "
        "group grows to that, choose anew with --workers {}",
        point.members, point.losses_per_day.value, *point.losses_per_day.low,
        *point.losses_per_day.high, request.most_members));
    break;
  }
  const double changes = value_of(request.joins_per_hour) + value_of(request.departures_per_hour);
  const double length = static_cast<double>(setting.interval.count()) / 1e9;
  constexpr double kHour = 3600;
  constexpr double kRecovers = 4;  // intervals
  if (changes * length * kRecovers > kHour) {
    warnings.push_back(
        fmt::format("changes come every {:.3g} s and take up to {:.3g} s each: they "
                    "overlap, and less is owned than the sum says",
                    kHour / changes, kRecovers * length));
  }
  if (length < 1) {
    warnings.push_back(
        fmt::format("an interval of {} is below a second: it holds for the latency "
                    "given, whose longest pauses it leaves no room for",
                    duration_text(setting.interval)));
  }
}

}  // namespace nandi::sim
