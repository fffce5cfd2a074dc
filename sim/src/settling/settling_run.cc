#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "nandi/engine/bounds.h"
#include "nandi/sim/confidence.h"
#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/settling/settling_outlook.h"
#include "nandi/sim/settling/settling_study.h"
#include "nandi/sim/trace.h"
#include "scenario_timing.h"
#include "tune/tune_parallel.h"

namespace nandi::sim {
namespace {

/// Intervals of workers that are watched at least, so that one in a thousand is some fifty.
constexpr std::uint32_t kLeastWatched = 50'000;
constexpr std::uint32_t kMostWorkers = 1'000'000;

class StandDowns final : public TraceSink {
 public:
  explicit StandDowns(TrueTime from) : from_(from) {}
  void record(const TraceRecord& record) override {
    if (record.lease_change == LeaseChange::lost && record.step.at >= from_) ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  TrueTime from_;
  std::uint64_t count_ = 0;
};

struct Watched {
  std::uint64_t stand_downs = 0;
  std::uint64_t intervals = 0;  ///< of workers
  [[nodiscard]] bool is_settled() const { return stand_downs * kSettledIntervals <= intervals; }
};

GroupSettings group_of(const SettlingStudy& study) {
  GroupSettings group;
  group.interval = study.interval;
  group.gap = study.gap;
  group.resolution = study.resolution;
  group.drift_bound = study.drift_bound;
  return group;
}

LeaseTiming timing_of_study(const SettlingStudy& study) {
  return timing_of(group_of(study), WorkerSet{});
}

/// A group of constant membership on one network.
class Watch {
 public:
  Watch(const SettlingStudy& study, const NetworkSettings& network) : study_(study) {
    scenario_.name = "settling";
    scenario_.group = group_of(study);
    scenario_.network = network;
  }

  Watched watch(std::uint32_t workers, std::uint64_t seed) {
    const std::uint32_t intervals =
        std::max(study_.watched, (kLeastWatched + workers - 1) / workers);
    WorkerSet set;
    set.count = workers;
    scenario_.workers = {set};
    const Duration before = study_.interval * kIntervalsBeforeWatch;
    scenario_.length = before + study_.interval * std::int64_t{intervals};
    return {count_stand_downs(Simulator(scenario_), seed, TrueTime(0) + before),
            std::uint64_t{workers} * intervals};
  }

 private:
  const SettlingStudy& study_;
  Scenario scenario_;
};

std::uint32_t size_of(std::int64_t workers) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(workers, 1, kMostWorkers));
}

SettlingEdge measure(const SettlingStudy& study, const SettlingFigures& figures,
                     std::uint64_t seed) {
  Watch group(study, jitter_network(figures.shape, figures.jitter));
  SettlingEdge edge;
  const std::uint32_t predicted = size_of(figures.predicted);
  if (figures.bound && *figures.bound >= 2) {
    const Watched at_bound = group.watch(size_of(*figures.bound), seed);
    edge.at_bound = at_bound.stand_downs;
    edge.watched_bound = at_bound.intervals;
  }
  const Watched at_twice = group.watch(predicted * 2, seed);
  edge.rate_at_twice =
      static_cast<double>(at_twice.stand_downs) / static_cast<double>(at_twice.intervals);
  // One worker alone has no neighbour.
  std::uint32_t settled = std::max(predicted * 7 / 10, 1U);
  std::uint32_t unsettled = predicted * 5 / 4 + 1;
  while (settled > 1 && !group.watch(settled, seed).is_settled()) {
    unsettled = settled;
    settled = settled * 3 / 4;
  }
  while (group.watch(unsettled, seed).is_settled()) {
    settled = unsettled;
    if (unsettled >= predicted * 4) {
      edge.settles = settled;
      return edge;
    }
    unsettled = unsettled * 5 / 4 + 1;
  }
  while (unsettled - settled > std::max(settled / 200, 1U)) {
    const std::uint32_t middle = settled + (unsettled - settled) / 2;
    (group.watch(middle, seed).is_settled() ? settled : unsettled) = middle;
  }
  edge.settles = settled;
  edge.does_not = unsettled;
  return edge;
}

void summarise(SettlingFigures& figures) {
  std::vector<std::uint32_t> sizes;
  for (const SettlingEdge& edge : figures.edges) sizes.push_back(edge.settles);
  std::sort(sizes.begin(), sizes.end());
  figures.median = sizes[(sizes.size() - 1) / 2];
  const RankInterval ranks = percentile_ranks(sizes.size(), 50);
  if (ranks.low) figures.low = sizes[*ranks.low - 1];
  if (ranks.high) figures.high = sizes[*ranks.high - 1];
}

/// What was looked at, and the first contradiction.
class Claim {
 public:
  explicit Claim(std::string name) : name_(std::move(name)) {}
  void require(bool holds, std::uint64_t looked_at, const SettlingFigures& at,
               const std::string& otherwise) {
    looked_at_ += looked_at;
    if (holds || !contradiction_.empty()) return;
    contradiction_ =
        fmt::format("{}, {}: {}", jitter_shape_name(at.shape), duration_text(at.jitter), otherwise);
  }
  [[nodiscard]] StudyProperty result(const char* what) const {
    if (!contradiction_.empty()) return {name_, Verdict::violated, contradiction_};
    if (looked_at_ == 0) return {name_, Verdict::unknown, "nothing to look at"};
    return {name_, Verdict::holds, fmt::format("{} {}", grouped(looked_at_), what)};
  }

 private:
  std::string name_;
  std::string contradiction_;
  std::uint64_t looked_at_ = 0;
};

bool is_within(std::uint32_t measured, std::int64_t predicted, Fraction tolerance) {
  const std::int64_t off = std::abs(std::int64_t{measured} - predicted);
  // One worker more or less is no finer question of a small group.
  return off <= 1 ||
         Int128{off} * tolerance.denominator() <= Int128{predicted} * tolerance.numerator();
}

std::vector<StudyProperty> decide(const SettlingResult& result) {
  Claim bound("none-within-the-bound");
  Claim prediction("edge-as-predicted");
  Claim beyond("unsettled-at-twice");
  for (const SettlingFigures& figures : result.figures) {
    for (const SettlingEdge& edge : figures.edges) {
      bound.require(
          edge.at_bound == 0, edge.watched_bound, figures,
          fmt::format("{} stand-downs in a group of {}", edge.at_bound, figures.bound.value_or(0)));
      beyond.require(edge.rate_at_twice * kSettledIntervals > 1, 1, figures,
                     fmt::format("{} workers settle", figures.predicted * 2));
    }
    prediction.require(is_within(figures.median, figures.predicted, result.study.tolerance), 1,
                       figures,
                       fmt::format("{} predicted, {} measured", figures.predicted, figures.median));
  }
  return {bound.result("intervals of workers without a stand-down"),
          prediction.result("sizes as predicted"), beyond.result("groups that do not settle")};
}

}  // namespace

std::uint64_t count_stand_downs(const Simulator& simulator, std::uint64_t seed, TrueTime from) {
  StandDowns stand_downs(from);
  RunOptions options;
  options.trace = &stand_downs;
  static_cast<void>(simulator.run(seed, options));
  return stand_downs.count();
}

SettlingResult run_settling_study(const SettlingStudy& study, const SettlingOptions& options) {
  SettlingResult result;
  result.study = study;
  const LeaseTiming timing = timing_of_study(study);
  std::vector<SettlingFigures> asked;
  for (const JitterShape shape : study.shapes) {
    for (const Duration jitter : study.jitter) {
      SettlingFigures figures;
      figures.shape = shape;
      figures.jitter = jitter;
      const NetworkSettings network = jitter_network(shape, jitter);
      if (const auto varies = network_variation(network)) {
        figures.bound =
            largest_group(timing, settling_distance(timing, *varies + study.resolution));
      }
      figures.predicted = largest_group(timing, settled_distance(timing, network));
      asked.push_back(figures);
    }
  }
  const std::size_t seeds = study.seeds.second - study.seeds.first + 1;
  const auto edges = run_in_parallel<SettlingEdge>(
      asked.size() * seeds, options.jobs, options.stop,
      [&](std::size_t piece) {
        return measure(study, asked[piece / seeds], study.seeds.first + piece % seeds);
      },
      [](std::size_t) {});
  for (std::size_t row = 0; row < asked.size(); ++row) {
    for (std::size_t s = 0; s < seeds; ++s) {
      if (const auto& edge = edges[row * seeds + s]) asked[row].edges.push_back(*edge);
    }
    if (asked[row].edges.size() < seeds) continue;
    summarise(asked[row]);
    result.figures.push_back(std::move(asked[row]));
  }
  result.properties = decide(result);
  if (result.figures.size() < asked.size()) {
    result.properties.push_back(interrupted_study(
        fmt::format("after {} of {} jitters", result.figures.size(), asked.size())));
  }
  result.verdict = verdict_of(result.properties);
  return result;
}

}  // namespace nandi::sim
