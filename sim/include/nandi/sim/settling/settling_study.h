// `kind: settling`: from how many workers on a group stops settling, against the jitter of its
// network. For each jitter the closed bound, the size that is predicted, and the size measured.
//
// Three sizes of group go with a jitter:
// - never above: up to it, once settled, no worker ever stands down. Closed: slots are as far apart
//   as two delays can differ (engine, bounds.h: settling_distance of jitter and resolution). There
//   is none where delays have no upper end.
// - predicted: up to it, less than one interval of a worker in a thousand is lost to neighbours
//   that change places: slots are as far apart as the 999th of a thousand drawn differences of
//   delays (settling_outlook.h).
// - measured: the largest group in which, in the simulator, no more was lost. Found by bisection,
//   once for each seed, so that the values are independent.
//
// Properties: no worker stands down in a group of the closed bound's size; the median of the sizes
// measured is the predicted one within `tolerance`; and a group of twice the predicted size does
// not settle. The source of the condition is the protocol's "When things happen".
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nandi/engine/schedule.h"
#include "nandi/sim/partition/study.h"
#include "nandi/sim/scenario_network.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/verdict.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/tree.h"
#include "nandi/sim/yaml/type.h"

namespace nandi::sim {

/// How the ways to the store and back are distributed. They vary by half the jitter each.
enum class JitterShape : std::uint8_t {
  two_point,  ///< nothing or all of it, alike: the sharpest edge
  uniform,    ///< anything between
  lognormal,  ///< 99 of 100 within it, the median at a tenth: no upper end
};

struct SettlingStudy {
  std::string kind = "settling";
  Duration interval{5 * kNanosecondsPerSecond};
  Fraction gap{3, 20};
  Duration resolution{kNanosecondsPerMillisecond};
  Fraction drift_bound{1, 1000};
  std::vector<JitterShape> shapes = {JitterShape::uniform};
  std::vector<Duration> jitter;
  /// First and last; at least kLeastSettlingSeeds.
  std::pair<std::uint64_t, std::uint64_t> seeds = {1, 6};
  /// Intervals in which a group is watched at least; a small one is for longer.
  std::uint32_t watched = 20;
  /// Share of the predicted size by which the measured one may differ.
  Fraction tolerance{1, 20};
  StudyExpectation expect;
};

/// "two-point".
std::string jitter_shape_name(JitterShape shape);
/// The network of a shape and a jitter > 0.
NetworkSettings jitter_network(JitterShape shape, Duration jitter);

/// The median of fewer has no interval that holds it with 95 %.
inline constexpr std::uint64_t kLeastSettlingSeeds = 6;

yaml::Type<SettlingStudy> settling_study_type();

/// Throws yaml::LoadError. Precondition: the document's top-level `kind` is settling.
SettlingStudy load_settling_study(const yaml::Document& document);

/// Intervals that a group has to settle in before it is watched.
inline constexpr std::int64_t kIntervalsBeforeWatch = 12;

/// Leases that were lost in a run of this seed from `from` on.
std::uint64_t count_stand_downs(const Simulator& simulator, std::uint64_t seed, TrueTime from);

/// One seed's measurement.
struct SettlingEdge {
  std::uint32_t settles = 0;  ///< largest group measured that settles
  /// The least one measured that does not; at most a two-hundredth larger. Empty: four times the
  /// predicted size settled too.
  std::optional<std::uint32_t> does_not;
  std::uint64_t at_bound = 0;       ///< stand-downs in a group of the closed bound's size
  std::uint64_t watched_bound = 0;  ///< intervals of its workers that were watched
  double rate_at_twice = 0;         ///< stand-downs a worker and interval at twice the predicted
};

/// One jitter of one shape.
struct SettlingFigures {
  JitterShape shape = JitterShape::uniform;
  Duration jitter;
  std::optional<std::int64_t> bound;  ///< never above
  std::int64_t predicted = 0;
  std::vector<SettlingEdge> edges;  ///< by seed
  /// Of `settles` over the seeds, with the order statistics that hold it with 95 %.
  std::uint32_t median = 0;
  std::optional<std::uint32_t> low;
  std::optional<std::uint32_t> high;
  /// The mean over the edges. Precondition: one at least.
  [[nodiscard]] double rate_at_twice() const;
};

struct SettlingResult {
  SettlingStudy study;
  std::vector<SettlingFigures> figures;
  std::vector<StudyProperty> properties;
  Verdict verdict = Verdict::unknown;
};

struct SettlingOptions {
  unsigned jobs = 1;                        ///< threads; the result does not depend on them
  const std::atomic<bool>* stop = nullptr;  ///< set: end soon, with the jitters that are done
};

SettlingResult run_settling_study(const SettlingStudy& study, const SettlingOptions& options = {});

/// The table for people.
std::string settling_study_text(const SettlingResult& result);
/// Everything, for the report to draw.
yaml::Tree settling_study_json(const SettlingResult& result);

}  // namespace nandi::sim
