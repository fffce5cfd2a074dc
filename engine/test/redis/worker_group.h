// Real workers on a real Redis, each behind a proxy of its own, driven in one thread. After every
// step of any of them, all that hold a lease are compared: a lease begins in a step and nowhere
// else, so no overlap goes unseen.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "delay_proxy.h"
#include "nandi/engine/options.h"
#include "nandi/engine/redis/redis_store.h"
#include "nandi/engine/start_draw.h"
#include "nandi/engine/worker.h"
#include "redis/redis_driver.h"
#include "redis_server.h"

namespace nandi::test {

struct GroupMember {
  std::unique_ptr<DelayProxy> proxy;
  std::unique_ptr<RedisStore> store;
  std::unique_ptr<Worker<BootClock, RedisStore>> worker;
  std::optional<Pair> handed;
  std::vector<LossCause> losses;    ///< of leases, in order
  std::vector<ErrorClass> errors;   ///< of failed registrations, in order
  std::uint32_t largest_count = 0;  ///< closed counts it was told
  int scripts_sent = 0;
};

class WorkerGroup {
 public:
  WorkerGroup(const RedisServer& server, std::size_t size, std::chrono::milliseconds interval)
      : interval_(interval) {
    options_.name = "mail";
    options_.interval = interval;
    members_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      GroupMember& member = members_[i];
      member.proxy = std::make_unique<DelayProxy>(server.port());
      RedisOptions redis;
      redis.url.host = "127.0.0.1";
      redis.url.port = member.proxy->port();
      member.store = std::make_unique<RedisStore>(
          redis, RedisGroup{group_key(options_), interval_ms(options_)});
      member.worker = std::make_unique<Worker<BootClock, RedisStore>>(
          timing_of(options_), draw_start(options_, i), BootClock{}, *member.store,
          [&member](const Diagnostic& diagnostic, const ReportContext&) {
            note(member, diagnostic);
          });
    }
  }

  GroupMember& operator[](std::size_t i) { return members_[i]; }
  [[nodiscard]] const std::vector<GroupMember>& members() const { return members_; }

  /// Drives the workers for `intervals`, or until `done`; whether it was done.
  bool run(
      double intervals, const std::function<bool()>& done = [] { return false; }) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        intervals * std::chrono::duration<double>(interval_));
    while (Clock::now() < end) {
      for (GroupMember& member : members_) {
        member.worker->step();
        compare_holders();
        while (const auto hand_over = member.worker->take()) member.handed = hand_over->pair;
      }
      if (done()) return true;
      std::vector<pollfd> polled;
      for (const GroupMember& member : members_) {
        polled.push_back({member.worker->descriptor(), POLLIN, 0});
      }
      poll(polled.data(), polled.size(), 2);
    }
    return done();
  }

  [[nodiscard]] static bool holds(const GroupMember& member) {
    const LeaseState& state = member.worker->state();
    return state.has_lease && BootClock{}.now() < state.expires;
  }
  [[nodiscard]] bool none_holds() const {
    return std::none_of(members_.begin(), members_.end(), holds);
  }
  /// Everybody was handed a pair, and together they are 0..n-1 of n.
  [[nodiscard]] bool complete() const {
    std::vector<bool> seen(members_.size(), false);
    for (const GroupMember& member : members_) {
      if (!member.handed || !holds(member) || member.handed->count != members_.size()) return false;
      seen[member.handed->index] = true;
    }
    return std::all_of(seen.begin(), seen.end(), [](bool one) { return one; });
  }

  /// About four intervals where nothing is late; a loaded machine may cost it several starts.
  void settle() {
    ASSERT_TRUE(run(40, [this] { return complete(); })) << "the group never became whole";
  }
  /// Waits until the group is whole again and says after how many intervals.
  void recover(double expected) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(run(40, [this] { return complete(); })) << "the group never became whole again";
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin) / interval_;
    testing::Test::RecordProperty("intervals_to_recover", std::to_string(took));
    // The bound of a quiet machine is in the test's comment; this one is of a busy one.
    EXPECT_LE(took, 4 * expected);
  }

  void forget_history() {
    for (GroupMember& member : members_) {
      member.losses.clear();
      member.errors.clear();
      member.largest_count = 0;
      member.scripts_sent = 0;
    }
  }

 private:
  static void note(GroupMember& member, const Diagnostic& diagnostic) {
    switch (diagnostic.code) {
      case DiagnosticCode::lease_expired:
      case DiagnosticCode::lease_released: member.losses.push_back(diagnostic.cause); break;
      case DiagnosticCode::registration_failed: member.errors.push_back(diagnostic.error); break;
      case DiagnosticCode::registration_completed:
        member.largest_count =
            std::max(member.largest_count, diagnostic.tick.previous_count.value_or(0));
        break;
      case DiagnosticCode::script_loaded: ++member.scripts_sent; break;
      default: break;
    }
  }

  void compare_holders() const {
    const LocalTime now = BootClock{}.now();
    std::vector<Pair> held;
    for (const GroupMember& member : members_) {
      const LeaseState& state = member.worker->state();
      if (!state.has_lease || now >= state.expires) continue;
      const Pair mine = state.lease;
      for (const Pair other : held) {
        const std::uint32_t divisor = std::gcd(mine.count, other.count);
        ASSERT_NE(mine.index % divisor, other.index % divisor)
            << mine.index << "/" << mine.count << " and " << other.index << "/" << other.count
            << " share tasks";
      }
      held.push_back(mine);
    }
  }

  Options options_;
  std::chrono::milliseconds interval_;
  std::vector<GroupMember> members_;
};

}  // namespace nandi::test
