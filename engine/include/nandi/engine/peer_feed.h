// The non-blocking form of discover, for users with an event loop of their own.
//
//   PeerFeed& feed = ...;                      // for example redis_feed(redis, options)
//   loop.on_readable(feed.descriptor(), [&] {
//     feed.step();
//     while (auto peer = feed.take()) adopt(*peer);
//   });
//
// The descriptor is readable when there is something to do, timers included, so that nothing else
// has to be waited for; next_wakeup() is for loops that rather keep their own timers. Use from one
// thread, or under one lock.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "nandi/engine/boot_timer.h"
#include "nandi/engine/options.h"
#include "nandi/engine/peer.h"
#include "nandi/engine/worker.h"

namespace nandi {

class PeerFeed {
 public:
  virtual ~PeerFeed() = default;
  PeerFeed(const PeerFeed&) = delete;
  PeerFeed& operator=(const PeerFeed&) = delete;

  /// Does what is due now, without blocking.
  virtual void step() = 0;
  /// The next change of ownership, if there is one: idle first, the newest only, a stand-down never
  /// left out (README.md, "The protocol", rule 7). Call it when the consumer has let go of what it
  /// was handed before.
  virtual std::optional<Peer> take() = 0;
  /// Whether take() would hand out something.
  [[nodiscard]] virtual bool has_next() const = 0;
  /// Gives up the lease and registers no more; take() then hands out idle, unless it did last.
  virtual void stop(StopReason reason) = 0;
  void stop() { stop(StopReason::requested); }
  /// When step() is to be called next, on the worker's clock; LocalTime::max() for never.
  [[nodiscard]] virtual LocalTime next_wakeup() const = 0;
  /// Readable when step() has something to do; the same for the feed's whole life.
  [[nodiscard]] virtual int descriptor() const = 0;

 protected:
  PeerFeed() = default;
};

/// An epoll descriptor that is readable when a timer is due or another descriptor is readable.
class WakeupSet {
 public:
  /// `other` may be -1 for none. Errors: std::system_error without descriptors.
  explicit WakeupSet(int other);
  ~WakeupSet();
  WakeupSet(const WakeupSet&) = delete;
  WakeupSet& operator=(const WakeupSet&) = delete;

  void arm(LocalTime when) {
    if (when != armed_) timer_.arm(when);
    armed_ = when;
  }
  [[nodiscard]] int descriptor() const { return epoll_; }

 private:
  BootTimer timer_;
  LocalTime armed_ = LocalTime::max();  // saves a system call where nothing changed
  int epoll_;
};

template <Clock C, Store S>
class WorkerFeed final : public PeerFeed {
 public:
  /// Errors: InvalidOptions; std::system_error without descriptors.
  WorkerFeed(const Options& options, C clock, std::unique_ptr<S> store, Reporter reporter = {})
      : store_(std::move(store)),
        worker_(checked_timing(options), draw_start(options, seed_of(options)), std::move(clock),
                *store_, std::move(reporter)),
        wakeups_(worker_.descriptor()),
        scheme_(options.scheme) {
    wakeups_.arm(worker_.next_wakeup());
  }

  void step() override {
    worker_.step();
    settle();
  }
  std::optional<Peer> take() override {
    const std::optional<HandOver> next = worker_.take();
    settle();
    if (!next) return std::nullopt;
    const LeaseState& state = worker_.state();
    if (!next->pair) return Peer(state.last_loss, state.last_error);
    return Peer(*next->pair, state.interval, end_, state.last_loss, scheme_);
  }
  [[nodiscard]] bool has_next() const override { return worker_.has_hand_over(); }
  using PeerFeed::stop;
  void stop(StopReason reason) override {
    worker_.stop(reason);
    settle();
  }
  [[nodiscard]] LocalTime next_wakeup() const override { return worker_.next_wakeup(); }
  [[nodiscard]] int descriptor() const override { return wakeups_.descriptor(); }
  [[nodiscard]] S& store() { return *store_; }

 private:
  static LeaseTiming checked_timing(const Options& options) {
    require_valid(options);
    return timing_of(options);
  }

  /// Brings the live end of the lease and the timer in line with the engine.
  void settle() {
    const LeaseState& state = worker_.state();
    if (state.has_lease) {
      if (!end_)
        end_ = std::make_shared<LeaseEnd>([clock = worker_.clock()] { return clock.now(); });
      end_->set(state.expires);
    } else if (end_) {
      end_->set(LocalTime());
      end_.reset();
    }
    wakeups_.arm(worker_.next_wakeup());
  }

  std::unique_ptr<S> store_;
  Worker<C, S> worker_;
  WakeupSet wakeups_;
  partition::Scheme scheme_;
  std::shared_ptr<LeaseEnd> end_;
};

}  // namespace nandi
