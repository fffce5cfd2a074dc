// Peer: what a consumer is handed, an exclusive lease on a share of the work, or idle.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "nandi/engine/diagnostics.h"
#include "nandi/engine/partition/scheme.h"
#include "nandi/engine/tick.h"
#include "nandi/engine/time.h"

namespace nandi {

/// The live end of one lease: moved on by the driver with every renewal, set to the past when the
/// lease is lost. Shared by the driver and the consumer's copies of a Peer, on any threads.
class LeaseEnd {
 public:
  explicit LeaseEnd(std::function<LocalTime()> clock) : clock_(std::move(clock)) {}

  void set(LocalTime when) { when_.store(when.count()); }
  [[nodiscard]] LocalTime get() const { return LocalTime(when_.load()); }
  /// Reads the clock after the end, so that a pause between the two makes it false, never true.
  [[nodiscard]] bool is_ahead() const {
    const LocalTime end = get();
    return clock_() < end;
  }

 private:
  std::function<LocalTime()> clock_;
  std::atomic<std::int64_t> when_{0};
};

class Peer {
 public:
  /// Idle: not registered, or standing down. `loss` says why the last lease was lost, if there was
  /// one, and `error` the failure behind it when loss is LossCause::error.
  explicit Peer(LossCause loss = LossCause::none, ErrorClass error = ErrorClass::none)
      : last_loss_(loss), last_error_(error) {}
  /// A lease. Precondition: end is not null.
  Peer(Pair pair, IntervalNumber token, std::shared_ptr<const LeaseEnd> end, LossCause loss,
       partition::Scheme scheme = partition::Scheme::kModulo)
      : pair_(pair), token_(token), end_(std::move(end)), last_loss_(loss), scheme_(scheme) {}

  [[nodiscard]] bool idle() const { return !pair_; }
  [[nodiscard]] std::optional<Pair> pair() const { return pair_; }

  /// 0 <= index() < replicas(). Precondition of both: not idle.
  [[nodiscard]] std::uint32_t index() const;
  [[nodiscard]] std::uint32_t replicas() const;

  /// Whether the task belongs to this peer's share under the group's scheme (Options::scheme); by
  /// default id mod replicas == index, with the mathematical modulo, so that negative ids have an
  /// owner too. False when idle. Does not read the clock: a share says nothing about whether the
  /// lease on it is still in force.
  template <partition::IntegerId Id>
  [[nodiscard]] bool owns(Id task_id) const {
    return pair_ && partition::owns(scheme_, task_id, index(), replicas());
  }
  /// The same for tasks that are named by bytes; modulo divides their hash.
  [[nodiscard]] bool owns(std::string_view task_id) const {
    return pair_ && partition::owns(scheme_, task_id, index(), replicas());
  }
  [[nodiscard]] partition::Scheme scheme() const { return scheme_; }

  /// A fencing token: for one index of a group, later leases have larger ones. It is the interval
  /// of the newest registration at the hand-over; whoever owns the index next was granted it at
  /// least two intervals after the last registration of this lease. 0 when idle.
  [[nodiscard]] IntervalNumber token() const { return token_; }

  /// When the lease ends on the worker's clock (BootClock) unless it is renewed; moves on with
  /// every renewal and is in the past once the lease is lost or when idle.
  [[nodiscard]] LocalTime expires_at() const { return end_ ? end_->get() : LocalTime(); }

  /// Whether the lease is in force now: reads the clock at the call, so that a process that was
  /// stopped for an hour is told false before it touches work. Any thread.
  [[nodiscard]] bool still_valid() const { return end_ && end_->is_ahead(); }

  /// Why the lease before this was lost; LossCause::none when there was none.
  [[nodiscard]] LossCause last_loss() const { return last_loss_; }
  /// The class of the failure behind LossCause::error.
  [[nodiscard]] ErrorClass last_error() const { return last_error_; }

 private:
  std::optional<Pair> pair_;
  IntervalNumber token_ = 0;
  std::shared_ptr<const LeaseEnd> end_;
  LossCause last_loss_ = LossCause::none;
  ErrorClass last_error_ = ErrorClass::none;
  partition::Scheme scheme_ = partition::Scheme::kModulo;
};

}  // namespace nandi
