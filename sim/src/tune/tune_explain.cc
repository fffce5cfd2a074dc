#include <fmt/format.h>

#include <algorithm>

#include "nandi/engine/bounds.h"
#include "nandi/sim/partition/text_table.h"
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

std::vector<std::int64_t> curve_spacings(const TuneRequest& request, Duration interval) {
  constexpr std::int64_t kLeast = 64;
  constexpr std::int64_t kMost = 512;
  constexpr double kHour = 3600e9;
  const double changes = value_of(request.joins_per_hour) + value_of(request.departures_per_hour);
  std::int64_t widest = kLeast;
  if (changes > 0) {
    const double intervals = kHour / changes / static_cast<double>(interval.count());
    while (widest < kMost && static_cast<double>(widest) < intervals) widest *= 2;
  }
  std::vector<std::int64_t> spacings;
  for (std::int64_t spacing = widest; spacing >= 1; spacing /= 2) spacings.push_back(spacing);
  return spacings;
}

void TuneSearch::draw_curves() {
  const TuneRequest& request = result_.request;
  const TuneSetting setting = result_.cells[result_.recommendation->cell].setting;
  const std::vector<std::uint32_t> members = curve_members(request);
  const std::vector<std::int64_t> spacings = curve_spacings(request, setting.interval);
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
  const LeaseTiming timing = tune_timing(result_.request, cell.setting);
  chosen.largest_group = static_cast<std::uint64_t>(largest_group(timing, delays_.jitter_p99));
  chosen.largest_settled = static_cast<std::uint64_t>(
      largest_group(timing, settling_distance(timing, delays_.jitter_settled)));
  const TuneMeasures& found = chosen.validated;
  chosen.sentence = fmt::format(
      "{}{}: {} workers all hold a pair {} s after a start (p99 {} s), a change of membership "
      "costs "
      "each of them {} s, {} leases are lost per worker-day (at most {}), and the store has {} "
      "registrations/s.",
      chosen.confirmed ? "Use "
                       : fmt::format("Not confirmed ({}), but the best that was found: ",
                                     reason_for_doubt(found)),
      text_of(cell.setting), grouped(result_.request.members), estimate_text(found.ready_p50.value),
      estimate_text(found.ready_p99.value), estimate_text(found.change_cost.value),
      estimate_text(found.losses_per_day.value), estimate_text(*found.losses_per_day.high),
      estimate_text(found.registrations_per_second.value));
}

std::string TuneSearch::reason_for_doubt(const TuneMeasures& measures) const {
  const std::string open = doubt(measures);
  if (is_validation_cut_) {
    return "the budget did not last for its validation" + (open.empty() ? "" : ": " + open);
  }
  return open.empty() ? "interrupted" : open;
}

void TuneSearch::warn() {
  std::vector<std::string>& warnings = result_.warnings;
  if (result_.budget_used_up) {
    warnings.push_back(
        fmt::format("the budget of {} registrations was used up before {}; --budget gives more",
                    grouped(result_.request.budget),
                    is_grid_cut_ ? "every setting was decided"
                                 : "the validation was decided, which has as many of its own"));
  }
  if (!result_.recommendation) return;
  const TuneRequest& request = result_.request;
  const TuneRecommendation& chosen = *result_.recommendation;
  const TuneSetting setting = result_.cells[chosen.cell].setting;
  warnings.push_back(fmt::format(
      "above {} workers neighbours' slots are closer than the p99 jitter of {}, and above {} they "
      "change places too often to settle; {} at most are expected{}",
      grouped(chosen.largest_group), duration_text(delays_.jitter_p99),
      grouped(chosen.largest_settled), grouped(request.most_members),
      request.most_members > chosen.largest_settled ? ", which is too many" : ""));
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
        "with {} workers it loses {} leases per worker-day ({} to {}): before the group grows to "
        "that, choose anew with --workers {}",
        grouped(point.members), estimate_text(point.losses_per_day.value),
        estimate_text(*point.losses_per_day.low), estimate_text(*point.losses_per_day.high),
        request.most_members));
    break;
  }
  const double changes = value_of(request.joins_per_hour) + value_of(request.departures_per_hour);
  const double length = static_cast<double>(setting.interval.count()) / 1e9;
  constexpr double kHour = 3600;
  constexpr double kRecovers = 4;  // intervals
  if (changes * length * kRecovers > kHour) {
    warnings.push_back(
        fmt::format("changes come every {} s and take up to {} s each: they overlap, and less is "
                    "owned than the sum says",
                    estimate_text(kHour / changes), estimate_text(kRecovers * length)));
  }
  if (length < 1) {
    warnings.push_back(
        fmt::format("an interval of {} is below a second: it holds for the latency "
                    "given, whose longest pauses it leaves no room for",
                    duration_text(setting.interval)));
  }
}

}  // namespace nandi::sim
