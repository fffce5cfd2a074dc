// The trace of a run: one record for each action and what followed from it.
//
// A stream: a sink sees each record once, nothing is kept. The hash of all records so far is always
// at hand, so that two runs can be compared without writing either.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "nandi/engine/diagnostics.h"
#include "nandi/engine/tick.h"
#include "nandi/sim/action.h"
#include "nandi/sim/draw.h"
#include "nandi/sim/ledger.h"

namespace nandi::sim {

enum class RecordKind : std::uint8_t { action, fault_begins, fault_ends };

enum class HandedOver : std::uint8_t { nothing, idle, pair };

struct TraceRecord {
  RecordKind kind = RecordKind::action;
  TimedAction step;  ///< of a fault: only the time
  // What an action led to, for its worker.
  std::optional<Tick> tick;  ///< the script ran, or its reply was accepted
  LeaseChange lease_change = LeaseChange::none;
  Pair lease;                         ///< granted, renewed, lost
  TrueTime lease_ends;                ///< granted, renewed: on the true clock
  LossCause cause = LossCause::none;  ///< lost
  HandedOver handed = HandedOver::nothing;
  Pair handed_pair;
  AttemptId attempt = 0;                ///< a request is under way since
  ErrorClass error = ErrorClass::none;  ///< refused with
  bool ghost = false;                   ///< an abandoned attempt was executed
  bool drain_begun = false;
  bool departed = false;
  // A fault.
  std::string_view fault;          ///< its key in scenario files; lives as long as the program
  std::uint32_t fault_number = 0;  ///< its place in the timeline, from 0
  std::vector<WorkerId> struck;    ///< whom it strikes; empty: nobody in particular
};

class TraceSink {
 public:
  TraceSink() = default;
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;
  virtual ~TraceSink() = default;
  virtual void record(const TraceRecord& record) = 0;
};

/// Keeps the records of a stretch of time: for the story around a violation, and for replays.
class RecordingSink final : public TraceSink {
 public:
  explicit RecordingSink(TrueTime from = TrueTime(0), TrueTime to = TrueTime::max())
      : from_(from), to_(to) {}
  void record(const TraceRecord& record) override {
    if (record.step.at >= from_ && record.step.at <= to_) records_.push_back(record);
  }
  [[nodiscard]] const std::vector<TraceRecord>& records() const { return records_; }

 private:
  TrueTime from_;
  TrueTime to_;
  std::vector<TraceRecord> records_;
};

/// A running 64-bit hash of what happened. Its definition is part of the trace format (version 1):
/// words are folded in by hash = rotate_left(hash, 23) xor word, times an odd constant.
class TraceHash {
 public:
  TraceHash() = default;
  /// Goes on from a state().
  explicit TraceHash(std::uint64_t state) : hash_(state) {}

  void add(std::uint64_t word) { hash_ = (std::rotl(hash_, 23) ^ word) * 0x9fb21c651e98df25U; }
  [[nodiscard]] std::uint64_t value() const { return mix64(hash_); }
  [[nodiscard]] std::uint64_t state() const { return hash_; }

 private:
  std::uint64_t hash_ = 0x243f6a8885a308d3U;
};

}  // namespace nandi::sim
