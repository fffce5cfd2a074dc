#include "tune_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/quantity_text.h"
#include "tune_parallel.h"

namespace nandi::sim {
namespace {

constexpr std::uint64_t kFirstSeeds = 16;
constexpr std::uint64_t kContendingSeeds = 256;
constexpr std::uint64_t kMostSeeds = 1U << 16U;
constexpr std::uint64_t kValidation = 10;     ///< times the seeds of the choice
constexpr std::uint64_t kMostValidation = 8;  ///< times that, where it stays open

double value_of(Fraction fraction) {
  return static_cast<double>(fraction.numerator()) / static_cast<double>(fraction.denominator());
}

bool holds(const TuneCell& cell) {
  return std::all_of(cell.bounds.begin(), cell.bounds.end(),
                     [](const TuneBound& bound) { return bound.holds(); });
}

/// Round numbers of milliseconds, rising: 10, 15, 20, 30, 50, 70, 100, ...
std::vector<Duration> round_intervals() {
  std::vector<Duration> intervals;
  constexpr std::int64_t kMost = 3'600'000;
  for (std::int64_t decade = 10; decade <= kMost; decade *= 10) {
    for (const std::int64_t tenths : {10, 15, 20, 30, 50, 70}) {
      intervals.emplace_back(decade * tenths / 10 * kNanosecondsPerMillisecond);
    }
  }
  return intervals;
}

}  // namespace

TuneSearch::TuneSearch(const TuneRequest& request, const TuneOptions& options)
    : options_(options), delays_(tune_delays(request)) {
  result_.request = request;
  const auto seconds = [](Duration d) { return static_cast<double>(d.count()) / 1e9; };
  result_.round_trip_p50 = seconds(delays_.round_trip_p50);
  result_.round_trip_p99 = seconds(delays_.round_trip_p99);
  result_.jitter_p99 = seconds(delays_.jitter_p99);
  if (result_.request.gaps.empty()) result_.request.gaps = tune_gaps();
}

TuneResult TuneSearch::run() {
  choose_intervals();
  make_cells();
  simulate_grid();
  mark_front();
  choose_and_validate();
  if (result_.recommendation) {
    if (options_.with_curves) draw_curves();
    explain();
  }
  result_.budget_used_up = is_grid_cut_ || is_validation_cut_;
  warn();
  result_.interrupted = is_stopped();
  return std::move(result_);
}

/// Eight, the first of which is the last that no gap makes possible.
void TuneSearch::choose_intervals() {
  TuneRequest& request = result_.request;
  if (!request.intervals.empty()) return;
  constexpr std::size_t kIntervals = 8;
  const std::vector<Duration> all = round_intervals();
  const auto is_possible = [&](Duration interval) {
    return std::any_of(request.gaps.begin(), request.gaps.end(), [&](Fraction gap) {
      const TuneSetting setting{interval, gap};
      const auto bounds = tune_bounds(request, delays_, setting, request.members);
      return std::all_of(bounds.begin(), bounds.end(),
                         [](const TuneBound& bound) { return bound.holds(); });
    });
  };
  const auto first = std::find_if(all.begin(), all.end(), is_possible);
  auto from = static_cast<std::size_t>(first - all.begin());
  from = std::min(from > 0 ? from - 1 : 0, all.size() - kIntervals);
  request.intervals.assign(all.begin() + static_cast<std::ptrdiff_t>(from),
                           all.begin() + static_cast<std::ptrdiff_t>(from + kIntervals));
}

void TuneSearch::make_cells() {
  const TuneRequest& request = result_.request;
  for (const Duration interval : request.intervals) {
    for (const Fraction gap : request.gaps) {
      TuneCell cell;
      cell.setting = {interval, gap};
      cell.bounds = tune_bounds(request, delays_, cell.setting, request.members);
      for (const TuneBound& bound : cell.bounds) {
        if (bound.holds()) continue;
        cell.status = TuneStatus::fails_bound;
        cell.reason = bound.name + ": " + bound.text;
        break;
      }
      runs_.push_back(holds(cell)
                          ? std::make_unique<SettingRuns>(request, cell.setting, request.members)
                          : nullptr);
      result_.cells.push_back(std::move(cell));
    }
  }
  tallies_.resize(result_.cells.size());
}

/// Rounds: every setting that is not decided gets as many seeds again as it has.
void TuneSearch::simulate_grid() {
  for (;;) {
    const std::vector<std::size_t> contending = contenders();
    std::vector<Piece> pieces;
    std::vector<std::size_t> waiting;
    for (std::size_t c = 0; c < result_.cells.size(); ++c) {
      if (runs_[c] == nullptr) continue;
      const TuneCell& cell = result_.cells[c];
      const std::uint64_t have = tallies_[c].seeds();
      const bool is_contending =
          contending.size() > 1 &&
          std::find(contending.begin(), contending.end(), c) != contending.end() &&
          may_contend(c, have);
      const bool is_open = cell.status == TuneStatus::undecided && have < kMostSeeds;
      if (!is_open && !is_contending) continue;
      waiting.push_back(c);
      const std::uint64_t more = have == 0 ? kFirstSeeds : have;
      for (std::uint64_t seed = 1; seed <= more; ++seed) pieces.push_back({c, have + seed});
    }
    if (pieces.empty()) return;
    if (result_.registrations > 0 &&
        result_.registrations + cost_of(pieces) > result_.request.budget) {
      is_grid_cut_ = true;
      return;
    }
    const bool is_whole = simulate(pieces);
    for (const std::size_t c : waiting) judge(c);
    if (!is_whole) return;
  }
}

bool TuneSearch::may_contend(std::size_t c, std::uint64_t have) const {
  const std::uint64_t validation = 2 * have * kValidation * tallies_[c].cost_of_a_seed();
  return have < kContendingSeeds && validation <= result_.request.budget;
}

std::uint64_t TuneSearch::cost_of(const std::vector<Piece>& pieces) const {
  std::uint64_t cost = 0;
  for (const Piece& piece : pieces) cost += tallies_[piece.cell].cost_of_a_seed();
  return cost;
}

bool TuneSearch::simulate(const std::vector<Piece>& pieces) {
  const auto samples = run_in_parallel<SettingRuns::Sample>(
      pieces.size(), options_.jobs, options_.stop,
      [&](std::size_t p) { return runs_[pieces[p].cell]->run(pieces[p].seed); },
      [&](std::size_t done) { report("grid", done, pieces.size()); });
  bool is_whole = true;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (!samples[p]) {
      is_whole = false;
      continue;
    }
    tallies_[pieces[p].cell].add(pieces[p].seed, *samples[p]);
    result_.registrations += samples[p]->registrations;
  }
  return is_whole;
}

std::string TuneSearch::failure(const TuneMeasures& measures) const {
  const TuneRequest& request = result_.request;
  if (measures.violated_seeds > 0) {
    return fmt::format("exclusivity: two workers at one index in {} of {} seeds, seed {} first",
                       grouped(measures.violated_seeds), grouped(measures.seeds),
                       *measures.first_violated_seed);
  }
  const Estimate& losses = measures.losses_per_day;
  if (losses.low && *losses.low > value_of(request.most_losses_per_day)) {
    return fmt::format("losses: {} leases per worker-day ({} to {}), allowed are {}",
                       estimate_text(losses.value), estimate_text(*losses.low),
                       estimate_text(*losses.high),
                       estimate_text(value_of(request.most_losses_per_day)));
  }
  const Estimate& ready = measures.ready_p99;
  if (!request.ready_within) return "";
  const double within = static_cast<double>(request.ready_within->count()) / 1e9;
  if (!ready.low || *ready.low <= within) return "";
  return fmt::format(
      "readiness: a group is whole after {} s (p99, at least {} s), allowed are {} s",
      estimate_text(ready.value), estimate_text(*ready.low), estimate_text(within));
}

std::string TuneSearch::doubt(const TuneMeasures& measures) const {
  const TuneRequest& request = result_.request;
  const double most = value_of(request.most_losses_per_day);
  if (*measures.losses_per_day.high > most) {
    return fmt::format("up to {} losses per worker-day, allowed are {}",
                       estimate_text(*measures.losses_per_day.high), estimate_text(most));
  }
  if (!request.ready_within) return "";
  const Estimate& ready = measures.ready_p99;
  const double within = static_cast<double>(request.ready_within->count()) / 1e9;
  if (ready.high && *ready.high <= within) return "";
  return fmt::format("a group is whole after {} (p99), allowed are {} s",
                     ready.high ? fmt::format("up to {} s", estimate_text(*ready.high))
                                : std::string("a time that is not known yet"),
                     estimate_text(within));
}

void TuneSearch::judge(std::size_t c) {
  TuneCell& cell = result_.cells[c];
  if (tallies_[c].seeds() == 0) return;
  cell.measures = tallies_[c].measures(result_.request);
  cell.reason = failure(*cell.measures);
  if (!cell.reason.empty()) {
    cell.status = TuneStatus::fails;
    return;
  }
  const std::string open = doubt(*cell.measures);
  cell.status = open.empty() ? TuneStatus::passes : TuneStatus::undecided;
  if (!open.empty()) {
    cell.reason =
        fmt::format("not shown to pass by {} seeds: {}", grouped(cell.measures->seeds), open);
  }
}

/// Less is better.
Estimate TuneSearch::merit(const TuneMeasures& measures) const {
  switch (result_.request.objective) {
    case TuneObjective::handover: return measures.ready_p50;
    case TuneObjective::load: return measures.registrations_per_second;
    case TuneObjective::idle: break;
  }
  const Estimate& owned = measures.owned_share;
  Estimate idle{1 - owned.value, std::nullopt, std::nullopt};
  if (owned.high) idle.low = 1 - *owned.high;
  if (owned.low) idle.high = 1 - *owned.low;
  return idle;
}

/// The least load is no use where hardly anything is owned.
bool TuneSearch::is_eligible(std::size_t c) const {
  if (result_.cells[c].status != TuneStatus::passes) return false;
  if (result_.request.objective != TuneObjective::load) return true;
  double most = 0;
  for (const TuneCell& cell : result_.cells) {
    if (cell.status == TuneStatus::passes) {
      most = std::max(most, cell.measures->owned_share.value);
    }
  }
  constexpr double kNearly = 0.99;
  return result_.cells[c].measures->owned_share.value >= kNearly * most;
}

std::vector<std::size_t> TuneSearch::contenders() const {
  std::optional<Estimate> least;
  for (std::size_t c = 0; c < result_.cells.size(); ++c) {
    if (!is_eligible(c)) continue;
    const Estimate own = merit(*result_.cells[c].measures);
    if (!least || own.value < least->value) least = own;
  }
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < result_.cells.size(); ++c) {
    if (!is_eligible(c)) continue;
    const Estimate own = merit(*result_.cells[c].measures);
    if (own.low.value_or(0) <= least->high.value_or(own.value)) found.push_back(c);
  }
  return found;
}

bool TuneSearch::is_beaten(std::size_t c) const {
  const TuneMeasures& own = *result_.cells[c].measures;
  return std::any_of(result_.cells.begin(), result_.cells.end(), [&](const TuneCell& other) {
    return other.status == TuneStatus::passes && dominates(*other.measures, own);
  });
}

/// There is one whenever something is eligible: whatever beats the least by merit is as little.
std::optional<std::size_t> TuneSearch::best() const {
  std::optional<std::size_t> chosen;
  for (const std::size_t c : contenders()) {
    if (is_beaten(c)) continue;
    if (!chosen || room(result_.cells[c]) > room(result_.cells[*chosen])) chosen = c;
  }
  return chosen;
}

bool dominates(const TuneMeasures& a, const TuneMeasures& b) {
  const auto is_shown_below = [](const Estimate& low, const Estimate& high) {
    return low.high && high.low && *low.high < *high.low;
  };
  const bool is_as_good = a.ready_p50.value <= b.ready_p50.value &&
                          a.owned_share.value >= b.owned_share.value &&
                          a.registrations_per_second.value <= b.registrations_per_second.value;
  const bool is_better = is_shown_below(a.ready_p50, b.ready_p50) ||
                         is_shown_below(b.owned_share, a.owned_share) ||
                         is_shown_below(a.registrations_per_second, b.registrations_per_second);
  return is_as_good && is_better;
}

void TuneSearch::mark_front() {
  for (std::size_t c = 0; c < result_.cells.size(); ++c) {
    TuneCell& cell = result_.cells[c];
    cell.on_front = cell.status == TuneStatus::passes && !is_beaten(c);
  }
}

std::optional<TuneMeasures> TuneSearch::validate(std::size_t c) {
  const std::uint64_t first = tallies_[c].seeds() * kValidation;
  SettingTally tally;
  std::optional<TuneMeasures> found;
  for (std::uint64_t done = 0; done < first * kMostValidation;) {
    const std::uint64_t count = std::max(done, first);
    if (validated_ + count * tallies_[c].cost_of_a_seed() > result_.request.budget) {
      is_validation_cut_ = true;
      return found;
    }
    const auto samples = run_in_parallel<SettingRuns::Sample>(
        count, options_.jobs, options_.stop,
        [&](std::size_t s) { return runs_[c]->run(kMostSeeds + 1 + done + s); },
        [&](std::size_t s) { report("validation", done + s, done + count); });
    for (std::size_t s = 0; s < samples.size(); ++s) {
      if (!samples[s]) continue;
      tally.add(kMostSeeds + 1 + done + s, *samples[s]);
      result_.registrations += samples[s]->registrations;
      validated_ += samples[s]->registrations;
    }
    if (tally.seeds() == 0) return std::nullopt;
    found = tally.measures(result_.request);
    if (is_stopped() || !failure(*found).empty() || doubt(*found).empty()) return found;
    done += count;
  }
  return found;
}

void TuneSearch::choose_and_validate() {
  std::optional<TuneRecommendation> doubtful;
  while (const std::optional<std::size_t> chosen = best()) {
    const std::optional<TuneMeasures> validated = validate(*chosen);
    TuneCell& cell = result_.cells[*chosen];
    TuneRecommendation recommendation;
    recommendation.cell = *chosen;
    recommendation.validated = validated.value_or(*cell.measures);
    const std::string reason = validated ? failure(*validated) : "";
    const std::string open = validated ? doubt(*validated) : "not begun";
    recommendation.confirmed = reason.empty() && open.empty();
    if (reason.empty() && (open.empty() || is_stopped() || is_validation_cut_)) {
      result_.recommendation = recommendation;
      return;
    }
    if (reason.empty()) {
      cell.status = TuneStatus::undecided;
      cell.reason = fmt::format("not confirmed by {} seeds of the validation: {}",
                                grouped(validated->seeds), open);
      if (!doubtful) doubtful = recommendation;
    } else {
      cell.status = TuneStatus::fails;
      cell.reason = reason + ", in the validation";
    }
    mark_front();
  }
  result_.recommendation = doubtful;
}

TuneResult run_tune(const TuneRequest& request, const TuneOptions& options) {
  return TuneSearch(request, options).run();
}

}  // namespace nandi::sim
