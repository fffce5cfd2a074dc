// The inside of a SimulatedGroup: a World, and beside each of its workers the production driver
// with the user's consumer.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "consumer_claims.h"
#include "nandi/engine/peer_feed.h"
#include "nandi/sim/draw.h"
#include "nandi/sim/event_queue.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/sampler.h"
#include "nandi/sim/simulated_group.h"
#include "nandi/sim/trace.h"

namespace nandi::sim {

class GroupCore {
 public:
  using WorldType = World<ProtocolRules, HeapStorage>;
  using Config = WorldType::Config;

  explicit GroupCore(GroupOptions options);

  WorkerId join(Consumer consumer);
  void leave(WorkerId worker);
  void crash(WorkerId worker);
  void pause(WorkerId worker, Duration length);
  void hang_store(Duration length);
  void flush_store();
  void run_until(TrueTime end);

  void after(WorkerId worker, Duration delay, std::function<void()> then);
  void done(WorkerId worker);
  void touch(WorkerId worker, std::int64_t task);

  [[nodiscard]] TrueTime now() const { return world_.now(); }
  [[nodiscard]] bool present(WorkerId worker) const;
  [[nodiscard]] std::optional<Pair> held(WorkerId worker) const;
  [[nodiscard]] std::uint64_t trace_hash() const { return hash_.value(); }
  [[nodiscard]] GroupVerdict verdict() const;

 private:
  static constexpr std::uint32_t kReplyBit = 1U << 31;
  static constexpr std::uint32_t kSourceBit = 1U << 30;
  static constexpr std::uint32_t kTimerMask = (1U << 30) - 1;

  struct SimulatedClock {
    const GroupCore* core;
    WorkerId worker;
    [[nodiscard]] LocalTime now() const {
      return core->world_.worker(worker).clock.at(core->world_.now());
    }
  };
  /// The worker's end of the connection; the messages are the world's.
  class SimulatedStore {
   public:
    void submit(const Attempt& attempt) { submitted_ = attempt.id; }
    void abandon(AttemptId id) {
      if (submitted_ == id) submitted_ = 0;
    }
    std::optional<Completion> next_completion() {
      std::optional<Completion> next;
      next.swap(completion_);
      return next;
    }
    [[nodiscard]] static int descriptor() { return -1; }
    void complete(Completion completion) {
      submitted_ = 0;
      completion_ = std::move(completion);
    }
    [[nodiscard]] AttemptId submitted() const { return submitted_; }

   private:
    AttemptId submitted_ = 0;
    std::optional<Completion> completion_;
  };
  using Feed = WorkerFeed<SimulatedClock, SimulatedStore>;

  struct Place {
    explicit Place(ConsumerContext at) : context(at) {}
    ConsumerContext context;
    Consumer consumer;
    std::unique_ptr<Feed> feed;  ///< none: the worker has gone
    std::map<std::uint32_t, std::function<void()>> timers;
    std::vector<QueuedEvent> stashed;  ///< while its process stands still
    TrueTime paused_until;
    TrueTime wake_at = TrueTime::max();
    std::uint32_t generation = 0;
    std::uint32_t messages = 0;
    bool adopting = false;     ///< the consumer is not done with what it was handed
    bool inside = false;       ///< its code is on the stack
    bool source_sent = false;  ///< the script's source went with the current attempt
  };

  Place& place(WorkerId worker);
  [[nodiscard]] bool running(WorkerId worker) const { return world_.worker(worker).is_running(); }
  Applied apply(ActionKind kind, WorkerId worker, AttemptId attempt = 0, std::int64_t value = 0,
                std::int64_t extra = 0);
  [[nodiscard]] bool enabled(ActionKind kind, WorkerId worker) const;
  void dispatch(const QueuedEvent& event);
  void on_request(const QueuedEvent& event);
  void on_reply(const QueuedEvent& event);
  void on_timer(const QueuedEvent& event);
  void send(WorkerId worker, bool is_reply);
  void wake(WorkerId worker);
  void settle(WorkerId worker);
  void hand_over(WorkerId worker);
  void call(WorkerId worker, const std::function<void()>& code);
  void require_agreement(WorkerId worker) const;
  void resume(WorkerId worker);
  [[nodiscard]] Moment<WorldType> moment(const Action& action, const Applied& applied) const {
    return {world_.now(), action, applied, world_, configs_, ledger_};
  }

  GroupOptions options_;
  Draws draws_;
  std::vector<Config> configs_;
  WorldType world_;
  Ledger ledger_;
  Properties properties_;
  TouchedUnderLease touched_;
  DrainedInTime drained_;
  Sampler request_;
  Sampler reply_;
  Sampler request_jitter_;
  Sampler reply_jitter_;
  EventQueue queue_;
  std::vector<std::unique_ptr<Place>> places_;
  std::deque<TraceRecord> records_;  ///< of the last intervals
  TraceHash hash_;
  TrueTime hung_until_;
  std::uint32_t timers_ = 0;
  bool paused_ = false;  ///< some process stood still
};

}  // namespace nandi::sim
