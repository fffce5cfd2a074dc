// Timeline: what happened to whom over one run, in the form in which it is drawn.
//
// Times are whole units: nanoseconds of true time for a simulated run, ticks for a counterexample
// of the checker. Nothing is judged here; every text comes from the run's records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nandi/engine/tick.h"
#include "nandi/sim/action.h"

namespace nandi::reports {

enum class TimeUnit : std::uint8_t { nanoseconds, ticks };

/// What a worker is for a stretch of time.
enum class LaneState : std::uint8_t { idle, holds, stalled };

struct LanePart {
  std::int64_t from = 0;
  std::int64_t to = 0;
  LaneState state = LaneState::idle;
  Pair pair;          ///< holds
  std::string cause;  ///< idle after a lease: why it was lost, in words
};

struct Lane {
  sim::WorkerId worker = 0;
  std::string name;
  std::vector<LanePart> parts;  ///< in order, without overlap; gaps where the worker is absent
};

/// One registration: what was sent, executed and answered, each where it happened.
struct Message {
  sim::WorkerId worker = 0;
  AttemptId attempt = 0;
  std::optional<std::int64_t> sent;
  std::optional<std::int64_t> executed;
  std::optional<std::int64_t> delivered;
  std::optional<std::int64_t> lost;  ///< request or reply
  IntervalNumber interval = 0;       ///< executed
  std::uint32_t index = 0;           ///< executed
  std::optional<std::uint32_t> previous;
  bool ghost = false;    ///< given up before it was executed
  bool refused = false;  ///< answered with an error
};

/// A fault, or another event of the scenario's timeline.
struct Band {
  std::string name;
  std::int64_t from = 0;
  std::int64_t to = 0;  ///< equal to `from` for what happens at one moment
  std::vector<sim::WorkerId> workers;
};

/// What a worker is after an event, for stepping.
struct WorkerView {
  char process = 'a';  ///< a absent, r running, s stalled, l leaving
  std::optional<Pair> lease;
  std::optional<std::int64_t> lease_ends;  ///< absent: it never ends
  std::optional<Pair> acts;                ///< what the consumer works on
  std::optional<std::int64_t> interval;    ///< of the last completed registration
  std::uint32_t index = 0;                 ///< its index
  char wire = '-';                         ///< - nothing, q request, p reply, e refusal under way
  std::uint32_t ghosts = 0;                ///< given up, and may still be executed
  friend bool operator==(const WorkerView&, const WorkerView&) = default;
};

struct CounterView {
  std::int64_t interval = 0;
  std::uint32_t value = 0;
  friend bool operator==(const CounterView&, const CounterView&) = default;
};

struct TimelineEvent {
  std::int64_t at = 0;
  std::optional<sim::WorkerId> worker;  ///< absent: the store's, or a fault
  std::string text;
  bool is_told = false;               ///< worth a line of a story
  bool is_change = false;             ///< of ownership
  WorkerView after;                   ///< with `worker`
  std::vector<CounterView> counters;  ///< of the store after it, newest last
  std::vector<std::string> possible;  ///< a counterexample: the other actions possible here
};

/// Where a reader should look: a violation, or the closest approach.
struct Focus {
  std::int64_t at = 0;
  std::vector<sim::WorkerId> workers;
  std::string text;
  bool is_violation = false;
};

/// Share of the tasks with an owner from `at` on; above 1: some have two.
struct ShareStep {
  std::int64_t at = 0;
  double share = 0;
};

struct Timeline {
  std::string label;  ///< which run this is
  TimeUnit unit = TimeUnit::nanoseconds;
  std::int64_t end = 0;
  std::int64_t interval = 1;
  /// When intervals begin, and which ones, as the store's clock numbers them.
  std::vector<std::pair<std::int64_t, std::int64_t>> columns;
  std::vector<Lane> lanes;
  std::vector<Message> messages;
  std::vector<Band> bands;
  std::vector<ShareStep> shares;
  std::vector<TimelineEvent> events;
  /// State of each lane's worker before the first event that is kept.
  std::vector<std::pair<sim::WorkerId, WorkerView>> before;
  std::vector<CounterView> counters_before;
  std::optional<Focus> focus;
  // What was left out, to be said.
  std::uint64_t all_workers = 0;
  std::uint64_t all_events = 0;
  std::uint64_t all_messages = 0;
  bool is_merged = false;  ///< stretches too short to be seen were merged into their neighbours
};

}  // namespace nandi::reports
