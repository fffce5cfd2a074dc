// Simulator: runs a scenario under a seed, on the production engine, in virtual time.
//
// It chooses the next action of a World by what was drawn: latencies, losses, drain times, first
// offsets. The order of events is that of EventQueue. A run is a pure function of the scenario and
// the seed; any number of runs may go on in different threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nandi/sim/action.h"
#include "nandi/sim/property.h"
#include "nandi/sim/run_statistics.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/trace.h"

namespace nandi::sim {

struct RunOptions {
  TraceSink* trace = nullptr;               ///< sees every record; does not change the run
  std::optional<Duration> length;           ///< instead of the scenario's
  const std::atomic<bool>* stop = nullptr;  ///< set: end soon, with what there is
  /// An event of the timeline, by its place, that does not happen: the same seed without it. Every
  /// draw, and every worker's number but those of workers that the event starts, stays as it was.
  std::optional<std::size_t> without;
  /// Receives the trace hash after every action: to find where two runs part.
  std::vector<std::uint64_t>* hashes = nullptr;
};

/// How an event of the timeline, or a line of a swarm, fared.
struct FaultCount {
  std::uint64_t armed = 0;  ///< runs in which it came up
  std::uint64_t fired = 0;  ///< times that it struck something
  /// Times that an outcome differed from what it would have been without the event: a message that
  /// was held up, a count that was read, a timer that fired elsewhen. Above 0 in a run exactly when
  /// its trace differs from that of the same seed without the event.
  std::uint64_t changed = 0;
  friend bool operator==(const FaultCount&, const FaultCount&) = default;
};

struct RunResult {
  std::uint64_t seed = 0;
  TrueTime end;              ///< how far the run came
  bool interrupted = false;  ///< by RunOptions::stop
  bool whole = false;        ///< every worker held a pair at the end, all with the right n
  std::vector<PropertyOutcome> properties;  ///< in the order of property_infos()
  std::vector<FaultCount> faults;           ///< in the order of fault_sources() (swarm.h)
  RunStatistics statistics;
  std::uint64_t events = 0;   ///< one pop and one apply
  std::uint64_t actions = 0;  ///< applied, those without an event of their own included
  std::uint64_t trace_hash = 0;
};

struct RunPlan;

class Simulator {
 public:
  explicit Simulator(const Scenario& scenario);
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;
  ~Simulator();

  [[nodiscard]] const Scenario& scenario() const;
  /// Whether all members follow the protocol's rules, so that the engine is exactly the one that
  /// talks to a real store.
  [[nodiscard]] bool is_production() const;

  /// The run under `seed`; a scenario with a schedule is replayed, whatever the seed, and one with
  /// a swarm is what the seed draws of it. What a drawn run cannot promise is not put to the test:
  /// work-exclusive where processes stall, held-within-expiry where a clock jumps or stops within
  /// the margin, and what takes how long where members differ in their settings.
  [[nodiscard]] RunResult run(std::uint64_t seed, const RunOptions& options = {}) const;

  /// Applies the actions of a trace to the same initial world: the same run again, without draws.
  /// Throws std::invalid_argument with the number of the first action that is not enabled.
  [[nodiscard]] RunResult replay(std::span<const TimedAction> schedule,
                                 const RunOptions& options = {}) const;

 private:
  [[nodiscard]] RunResult run_drawn(std::uint64_t seed, const RunOptions& options) const;

  std::unique_ptr<const RunPlan> plan_;
};

}  // namespace nandi::sim
