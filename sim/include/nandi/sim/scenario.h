// A scenario of kind `lease`: one typed value that says everything about a run or a check.
//
// Read from YAML by load_scenario, written back by write_scenario (what is written loads back
// equal), described for editors by write_scenario_schema and for people in scenarios/README.md,
// which the same table of fields generates. No YAML type appears here. Unit of all durations:
// nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "nandi/engine/options.h"
#include "nandi/sim/action.h"
#include "nandi/sim/scenario_event.h"
#include "nandi/sim/scenario_group.h"
#include "nandi/sim/scenario_network.h"
#include "nandi/sim/scenario_swarm.h"
#include "nandi/sim/verdict.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/shape.h"

namespace nandi::sim {

enum class ScenarioKind : std::uint8_t { lease, partition, keyspace, settling };

/// first <= last, both included.
struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
  friend bool operator==(const SeedRange&, const SeedRange&) = default;
};

/// What `expect.bounds` can bound. In intervals, but for owned_share (a fraction of worker-time).
enum class Measure : std::uint8_t {
  readiness,         ///< from a worker's first registration to its first pair
  stand_down,        ///< of a member, at a membership change
  join,              ///< from a join until the group is whole again
  departure,         ///< from a last registration until the group is whole again
  unowned,           ///< of an index of a departed worker
  recovery,          ///< from the end of a fault until the group is whole again
  closest_approach,  ///< between one holder of an index and the next
  owned_share,
};

struct Bound {
  Measure measure = Measure::readiness;
  std::optional<Fraction> at_least;
  std::optional<Fraction> at_most;
  friend bool operator==(const Bound&, const Bound&) = default;
};

struct Expectation {
  Verdict verdict = Verdict::holds;
  std::string property;                 ///< the one that is violated; empty for other verdicts
  std::vector<std::string> properties;  ///< the ones that are checked; empty: all
  std::vector<std::string> vacuous_ok;  ///< properties and faults that need not have applied
  std::vector<Bound> bounds;
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

enum class SlotChoice : std::uint8_t { engine, free };

/// A fault that the checker may place anywhere, `budget` times along a path.
struct FaultBudget {
  std::string fault;  ///< one of event_names()
  std::uint32_t budget = 1;
  std::optional<std::uint32_t> at_most;  ///< its size in ticks; empty: every size that matters
  friend bool operator==(const FaultBudget&, const FaultBudget&) = default;
};

/// Bounds of an exhaustive check. Time in ticks, a whole number of which make an interval.
struct CheckSettings {
  std::uint32_t ticks = 20;      ///< per interval
  std::uint32_t resolution = 1;  ///< of the store's clock, in ticks
  std::uint32_t workers = 2;
  std::optional<Fraction> gap;  ///< empty: the group's
  SlotChoice slots = SlotChoice::engine;
  std::uint32_t abandoned = 1;      ///< requests under way that nobody waits for, per worker
  std::uint32_t crashes = 0;        ///< per worker and interval
  std::uint32_t joins = 0;          ///< per worker and interval; 0: each starts once, at any time
  std::uint32_t pauses = 0;         ///< workers that are stalled at the same time
  bool stopped_clocks = false;      ///< their clocks stand still meanwhile
  std::uint32_t registrations = 4;  ///< executed in one interval
  std::optional<std::uint32_t> attempt_timeout;  ///< empty: an eighth of the interval
  bool refusals = false;                         ///< the store may refuse a request
  bool symmetry = false;                         ///< tell workers apart by their situation only
  bool reduction = false;                        ///< leave out steps that commute with others
  bool fingerprints = false;                     ///< keep 64-bit fingerprints of states
  std::uint32_t threads = 1;                     ///< that explore together
  bool settled = false;                        ///< also check that a whole group never stands down
  std::vector<std::string> liveness;           ///< of liveness_property_names()
  std::optional<std::uint32_t> request_delay;  ///< at most; empty: unbounded
  std::optional<std::uint32_t> reply_delay;
  std::uint32_t drift = 0;  ///< ticks per lease
  std::vector<FaultBudget> faults;
  std::uint64_t max_states = 1'000'000'000;
  std::uint64_t max_memory = 8'000'000'000;  ///< bytes
  friend bool operator==(const CheckSettings&, const CheckSettings&) = default;
};

/// The liveness phase of a run: from a moment on every fault has ended, and the group must become
/// whole.
struct Settling {
  Duration from;             ///< true time since the start of the run; > 0
  std::uint32_t within = 1;  ///< intervals
  friend bool operator==(const Settling&, const Settling&) = default;
};

struct Scenario {
  ScenarioKind kind = ScenarioKind::lease;  ///< always
  std::string name;
  GroupSettings group;
  std::vector<WorkerSet> workers;  ///< there from the start
  NetworkSettings network;
  ClockSettings clocks;
  ConsumerSettings consumer;
  RuleSettings rules;
  std::vector<TimelineEvent> timeline;  ///< in order of time; equal times in the file's order
  std::optional<Settling> settle;       ///< empty: no liveness phase
  std::optional<SwarmSettings> swarm;   ///< what each seed draws besides; empty: nothing
  SeedRange seeds;
  Duration length{60 * kNanosecondsPerSecond};
  Expectation expect;
  std::optional<CheckSettings> check;
  /// An explicit run, in order of time: replayed instead of one that a seed draws. Empty: the seed
  /// decides.
  std::vector<TimedAction> schedule;
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// The language is wider than what a program can do. These are the fields, as "record.key" of the
/// reference, that a loader refuses; a field is either obeyed or refused, never ignored.
struct ScenarioSupport {
  std::vector<std::string> refused;
};
/// What the simulator of this version refuses.
const ScenarioSupport& simulator_support();
/// Refuses nothing: for tools that only read and write files.
const ScenarioSupport& whole_language();

/// The properties that `expect` may name: those of simulations and those of checks.
const std::vector<std::string>& property_names();
/// The properties of checks (`nandi-check`); simulations look at some of them.
const std::vector<std::string>& check_property_names();
/// Those that speak of runs that go on for ever; a check looks at them on demand.
const std::vector<std::string>& liveness_property_names();

/// The value of the top-level `kind:`; lease when there is none. Throws yaml::LoadError.
ScenarioKind kind_of(const yaml::Document& document);

/// Throws yaml::LoadError: `file:line:column: what; what to do`. Histogram files are read relative
/// to the scenario's directory.
Scenario load_scenario(const std::filesystem::path& path,
                       const ScenarioSupport& support = simulator_support());
/// Precondition: kind_of(document) is lease.
Scenario read_scenario(yaml::Document document,
                       const ScenarioSupport& support = simulator_support());

/// Where a timing comes from: the group, the set of workers or event of this index.
enum class TimingSource : std::uint8_t { group, workers, timeline };

struct TimingProblem {
  OptionProblem problem;
  TimingSource source = TimingSource::group;
  std::size_t index = 0;
};

/// What a real worker would object to (check_timing) in the timings that workers of the scenario
/// have, whatever `rules.timing_budget` says. A loader refuses the errors among them unless that
/// rule is off.
std::vector<TimingProblem> timing_problems(const Scenario& scenario);
/// Those that are no errors, each once, as sentences; none where `rules.timing_budget` is off.
std::vector<std::string> timing_warnings(const Scenario& scenario);

/// YAML without comments; measured histograms are written out in full, so that the file stands
/// alone.
void write_scenario(const Scenario& scenario, std::ostream& out);

/// What read_scenario accepts.
yaml::ShapePtr scenario_shape();
/// JSON Schema (draft 7) of scenario files of every kind, for editors.
void write_scenario_schema(std::ostream& out);
/// The reference's tables for every kind, in Markdown: each key with unit, default and example.
void write_scenario_reference(std::ostream& out);

}  // namespace nandi::sim
