// What happens on a scenario's timeline: membership changes and faults. Plain data.
//
// The vocabulary is wider than what a given simulator can do; the loader refuses what it cannot
// (scenario.h, ScenarioSupport), so nothing in a loaded scenario is ever ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nandi/engine/tick.h"
#include "nandi/sim/action.h"
#include "nandi/sim/scenario_group.h"
#include "nandi/sim/scenario_network.h"

namespace nandi::sim {

/// Which workers an event strikes.
struct WorkerChoice {
  enum class Kind : std::uint8_t { all, count, ids };
  Kind kind = Kind::all;
  std::uint32_t count = 0;    ///< kind count: this many living workers, drawn by the seed
  std::vector<WorkerId> ids;  ///< kind ids: rising
  friend bool operator==(const WorkerChoice&, const WorkerChoice&) = default;
};

// --- Membership and processes ---

struct Join {
  WorkerSet workers;
  friend bool operator==(const Join&, const Join&) = default;
};
/// Stop is requested; the worker hands idle over last.
struct Leave {
  WorkerChoice workers;
  friend bool operator==(const Leave&, const Leave&) = default;
};
struct Crash {
  WorkerChoice workers;
  friend bool operator==(const Crash&, const Crash&) = default;
};
/// Crash, then a new worker with the same settings after `down`. `same_seed`: it draws what the old
/// one drew (same host, process number and start second).
struct Restart {
  WorkerChoice workers;
  Duration down;
  bool same_seed = false;
  friend bool operator==(const Restart&, const Restart&) = default;
};
/// The process stalls; its clock runs on, then everything that is due fires late.
struct Pause {
  WorkerChoice workers;
  Duration length;
  friend bool operator==(const Pause&, const Pause&) = default;
};
/// The machine sleeps: as a pause, and its clock stops or counts on.
struct Suspend {
  WorkerChoice workers;
  Duration length;
  bool clock_counts = true;
  friend bool operator==(const Suspend&, const Suspend&) = default;
};
/// The process is duplicated with its memory; the copy is a new worker.
struct Fork {
  WorkerChoice workers;
  friend bool operator==(const Fork&, const Fork&) = default;
};

/// The consumers of these workers need other times to stop. Empty length: for the rest of the run.
struct SlowConsumer {
  WorkerChoice workers;
  DelayDistribution drain = ConstantDelay{};
  Overrun overrun;
  std::optional<Duration> length;
  friend bool operator==(const SlowConsumer&, const SlowConsumer&) = default;
};
/// The consumers of these workers never look at the end of a lease themselves.
struct IgnoreExpiry {
  WorkerChoice workers;
  std::optional<Duration> length;
  friend bool operator==(const IgnoreExpiry&, const IgnoreExpiry&) = default;
};

// --- Network ---

/// The store answers nothing to these workers; connections stay open.
struct Hang {
  WorkerChoice workers;
  Duration length;
  friend bool operator==(const Hang&, const Hang&) = default;
};
/// The present connections of these workers deliver nothing any more; only new ones do.
struct HalfOpen {
  WorkerChoice workers;
  friend bool operator==(const HalfOpen&, const HalfOpen&) = default;
};
enum class Direction : std::uint8_t { both, requests, replies };
/// Messages in this direction do not pass.
struct NetworkPartition {
  WorkerChoice workers;
  Duration length;
  Direction direction = Direction::both;
  friend bool operator==(const NetworkPartition&, const NetworkPartition&) = default;
};
/// Replaces the latency; empty members stay. Empty length: for the rest of the run.
struct LatencyChange {
  WorkerChoice workers;
  std::optional<DelayDistribution> request;
  std::optional<DelayDistribution> reply;
  std::optional<Duration> length;
  friend bool operator==(const LatencyChange&, const LatencyChange&) = default;
};
/// Replaces the jitter, which is added to the latency.
struct JitterChange {
  WorkerChoice workers;
  std::optional<DelayDistribution> request;
  std::optional<DelayDistribution> reply;
  std::optional<Duration> length;
  friend bool operator==(const JitterChange&, const JitterChange&) = default;
};
struct LossChange {
  WorkerChoice workers;
  std::optional<Fraction> request;
  std::optional<Fraction> reply;
  std::optional<Duration> length;
  friend bool operator==(const LossChange&, const LossChange&) = default;
};
/// The next `attempts` registrations of each of these workers are answered with an error at once.
struct Refuse {
  WorkerChoice workers;
  std::uint32_t attempts = 1;
  friend bool operator==(const Refuse&, const Refuse&) = default;
};
enum class Message : std::uint8_t { request, reply };
/// Of the next `attempts` registrations of each of these workers, this message is lost.
struct Lose {
  WorkerChoice workers;
  std::uint32_t attempts = 1;
  Message message = Message::reply;
  friend bool operator==(const Lose&, const Lose&) = default;
};
/// The next registration of each of these workers executes `by` later than it would.
struct LateExecution {
  WorkerChoice workers;
  Duration by;
  friend bool operator==(const LateExecution&, const LateExecution&) = default;
};

// --- Store ---

enum class StoreData : std::uint8_t { kept, lost, rolled_back };
/// The store is away for `down`; its script cache is empty afterwards. `lost_writes`: how many of
/// the last writes are undone where data is rolled back.
struct StoreRestart {
  StoreData data = StoreData::kept;
  std::uint32_t lost_writes = 0;  ///< above 0 where rolled back, and only there
  Duration down;
  friend bool operator==(const StoreRestart&, const StoreRestart&) = default;
};
/// A replica takes over without the last `lost_writes` writes, with a clock that is off by
/// `clock_offset`, answering READONLY first for `readonly_for`.
struct Failover {
  std::uint32_t lost_writes = 0;
  Duration clock_offset;
  Duration readonly_for;
  friend bool operator==(const Failover&, const Failover&) = default;
};
struct FlushAll {
  friend bool operator==(const FlushAll&, const FlushAll&) = default;
};
struct ScriptFlush {
  friend bool operator==(const ScriptFlush&, const ScriptFlush&) = default;
};
/// The group's hash slot moves to a node that counts the open interval from 1 again.
struct SlotMigration {
  friend bool operator==(const SlotMigration&, const SlotMigration&) = default;
};
enum class WhichInterval : std::uint8_t { open, closed };
struct DeleteCounter {
  WhichInterval interval = WhichInterval::open;
  friend bool operator==(const DeleteCounter&, const DeleteCounter&) = default;
};
struct EvictCounter {
  WhichInterval interval = WhichInterval::open;
  friend bool operator==(const EvictCounter&, const EvictCounter&) = default;
};
/// Every registration is answered with this error: readonly, loading, busy, oom, or, on new
/// connections only, max_clients.
struct StoreRefuses {
  ErrorClass error = ErrorClass::readonly;
  Duration length;
  friend bool operator==(const StoreRefuses&, const StoreRefuses&) = default;
};

// --- Clocks: the store's, or these workers' where `workers` is given ---

struct ClockStep {
  Duration by;  ///< any sign
  std::optional<WorkerChoice> workers;
  friend bool operator==(const ClockStep&, const ClockStep&) = default;
};
struct ClockFreeze {
  Duration length;
  std::optional<WorkerChoice> workers;
  friend bool operator==(const ClockFreeze&, const ClockFreeze&) = default;
};
struct ClockDrift {
  Fraction rate;  ///< relative error, added to the clock's own
  std::optional<Duration> length;
  std::optional<WorkerChoice> workers;
  friend bool operator==(const ClockDrift&, const ClockDrift&) = default;
};

// --- Configuration and the end of faults ---

/// These workers restart with other settings.
struct Reconfigure {
  WorkerChoice workers;
  std::optional<Duration> interval;
  std::optional<Fraction> gap;
  std::optional<DeadlineFrom> deadline_from;
  friend bool operator==(const Reconfigure&, const Reconfigure&) = default;
};
/// Everything that is going on ends: hangs, partitions, refusals, changed latencies, frozen clocks.
struct Heal {
  friend bool operator==(const Heal&, const Heal&) = default;
};

using Event =
    std::variant<Join, Leave, Crash, Restart, Pause, Suspend, Fork, SlowConsumer, IgnoreExpiry,
                 Hang, HalfOpen, NetworkPartition, LatencyChange, JitterChange, LossChange, Refuse,
                 Lose, LateExecution, StoreRestart, Failover, FlushAll, ScriptFlush, SlotMigration,
                 DeleteCounter, EvictCounter, StoreRefuses, ClockStep, ClockFreeze, ClockDrift,
                 Reconfigure, Heal>;

/// Where in its file something was written, from 1; 0 when it came from no file. All are equal:
/// where a thing was written is no part of what it is.
struct SourceLine {
  int line = 0;
  int column = 0;
  friend constexpr bool operator==(const SourceLine&, const SourceLine&) { return true; }
};

struct TimelineEvent {
  Duration at;  ///< true time since the start of the run
  Event event;
  SourceLine source;
  /// Number under which it draws whom it strikes and under which the workers that it starts draw;
  /// empty: its place on the timeline, and their own numbers. With a number of its own an event
  /// stays as it is when others come or go.
  std::optional<std::uint32_t> draws_as;
  friend bool operator==(const TimelineEvent&, const TimelineEvent&) = default;
};

/// The key of the event in a scenario file: "join", "clock_step", "oom".
const std::string& event_name(const Event& event);
/// All of them, in the order of the reference.
const std::vector<std::string>& event_names();

}  // namespace nandi::sim
