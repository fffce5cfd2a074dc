// The range form over a store in the same process, on the real clock. Bounds are wide: a loaded
// machine may cost a worker its lease, and then it is handed idle and comes back.
#include "nandi/engine/discover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "in_process_store.h"

namespace nandi {
namespace {

using namespace std::chrono_literals;
using test::InProcessCounters;
using test::InProcessStore;

constexpr auto kInterval = 200ms;

Options options_for_test() {
  Options options;
  options.name = "g";
  options.interval = kInterval;
  return options;
}

std::shared_ptr<InProcessCounters> new_group() {
  return std::make_shared<InProcessCounters>(timing_of(options_for_test()).interval);
}

std::unique_ptr<PeerFeed> feed_of(std::shared_ptr<InProcessCounters> group,
                                  Reporter reporter = {}) {
  return std::make_unique<WorkerFeed<BootClock, InProcessStore<BootClock>>>(
      options_for_test(), BootClock{},
      std::make_unique<InProcessStore<BootClock>>(std::move(group), BootClock{}),
      std::move(reporter));
}

TEST(Discover, hands_a_lease_and_idle_last_after_a_stop) {
  std::stop_source stop;
  std::vector<Peer> handed;
  for (const Peer& peer : discover(feed_of(new_group()), stop.get_token())) {
    handed.push_back(peer);
    if (!peer.idle()) {
      EXPECT_EQ(peer.pair(), (Pair{0, 1}));
      stop.request_stop();
    }
  }
  ASSERT_GE(handed.size(), 2U);
  EXPECT_TRUE(handed.back().idle());
  EXPECT_EQ(handed.back().last_loss(), LossCause::aborted);
}

TEST(Discover, the_callback_form_hands_over_the_same) {
  std::stop_source stop;
  bool owned = false;
  bool idle_last = false;
  discover(feed_of(new_group()), stop.get_token(), [&](const Peer& peer) {
    idle_last = peer.idle();
    if (!peer.idle()) {
      owned = true;
      stop.request_stop();
    }
  });
  EXPECT_TRUE(owned);
  EXPECT_TRUE(idle_last);
}

TEST(Discover, a_stop_before_the_first_pair_hands_idle_once) {
  std::stop_source stop;
  stop.request_stop();
  int count = 0;
  for (const Peer& peer : discover(feed_of(new_group()), stop.get_token())) {
    EXPECT_TRUE(peer.idle());
    ++count;
  }
  EXPECT_EQ(count, 1);
}

TEST(Discover, leaving_the_loop_ends_registration_and_waits_for_nothing) {
  const auto group = new_group();
  group->hangs = true;
  const auto before = std::chrono::steady_clock::now();
  std::optional<LossCause> cause;
  {
    Discovery discovery = discover(feed_of(group, [&](const Diagnostic& d, const ReportContext&) {
      if (d.code == DiagnosticCode::discover_stopped) cause = d.cause;
    }));
  }
  EXPECT_EQ(cause, LossCause::none) << "closed, not aborted";
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
}

TEST(Discover, a_stop_does_not_wait_for_a_store_that_hangs) {
  const auto group = new_group();
  group->hangs = true;
  std::stop_source stop;
  Discovery discovery = discover(feed_of(group), stop.get_token());
  std::this_thread::sleep_for(kInterval);
  const auto before = std::chrono::steady_clock::now();
  stop.request_stop();
  const auto last = discovery.next();
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->idle());
  EXPECT_FALSE(discovery.next());
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
}

// A22: the body blocks for five intervals. The lease ends on time whatever the body does, and the
// worker went on registering: the group is found in order when the body comes back.
TEST(Discover, registration_never_waits_for_a_consumer_that_blocks) {
  const auto group = new_group();
  std::atomic<int> completed{0};
  std::stop_source stop;
  Discovery discovery = discover(feed_of(group,
                                         [&](const Diagnostic& d, const ReportContext&) {
                                           if (d.code == DiagnosticCode::registration_completed)
                                             ++completed;
                                         }),
                                 stop.get_token());
  std::optional<Peer> peer = discovery.next();
  ASSERT_TRUE(peer);
  const int before = completed;
  std::this_thread::sleep_for(5 * kInterval);
  EXPECT_GE(completed - before, 3);

  group->refuses = ErrorClass::loading;
  std::this_thread::sleep_for(5 * kInterval);
  EXPECT_FALSE(peer->still_valid()) << "the consumer is still inside the body";
  peer = discovery.next();
  ASSERT_TRUE(peer);
  EXPECT_TRUE(peer->idle());
}

// Case A22: the callback blocks, here until its lease has been lost and two intervals more.
TEST(Discover, a_callback_that_blocks_past_its_lease_has_overrun_and_the_lease_ended_on_time) {
  const auto group = new_group();
  std::stop_source stop;
  std::mutex mutex;
  std::vector<Diagnostic> seen;
  const auto reporter = [&](const Diagnostic& d, const ReportContext&) {
    const std::scoped_lock lock(mutex);
    seen.push_back(d);
  };
  bool blocked = false;
  discover(feed_of(group, reporter), stop.get_token(), [&](const Peer& peer) {
    if (peer.idle() || blocked) return;
    blocked = true;
    group->refuses = ErrorClass::loading;
    // Two intervals and a gap after any moment every lease without a renewal is over.
    std::this_thread::sleep_for(5 * kInterval);
    EXPECT_FALSE(peer.still_valid());
    stop.request_stop();
  });
  const auto find = [&](DiagnosticCode code) {
    return std::find_if(seen.begin(), seen.end(),
                        [&](const Diagnostic& d) { return d.code == code; });
  };
  const auto expired = find(DiagnosticCode::lease_expired);
  const auto overran = find(DiagnosticCode::consumer_overran);
  ASSERT_NE(expired, seen.end());
  ASSERT_NE(overran, seen.end());
  EXPECT_LT(expired, overran);
  EXPECT_EQ(overran->at - overran->delay, expired->expires) << "counted from the end of the lease";
  EXPECT_GE(overran->delay, Duration(std::chrono::nanoseconds(2 * kInterval).count()));
}

TEST(Discover, an_exception_in_the_background_reaches_the_consumer) {
  class Throwing final : public PeerFeed {
   public:
    void step() override { throw std::runtime_error("no memory"); }
    std::optional<Peer> take() override { return std::nullopt; }
    [[nodiscard]] bool has_next() const override { return false; }
    void stop(StopReason /*reason*/) override {}
    [[nodiscard]] LocalTime next_wakeup() const override { return LocalTime(1); }
    [[nodiscard]] int descriptor() const override { return wakeups_.descriptor(); }
    Throwing() { wakeups_.arm(LocalTime(1)); }

   private:
    WakeupSet wakeups_{-1};
  };
  Discovery discovery = discover(std::make_unique<Throwing>());
  EXPECT_THROW(static_cast<void>(discovery.next()), std::runtime_error);
}

// Five workers on five threads, with work that looks at the lease before every task: no task is
// ever taken by two at once, and all is owned in the end.
TEST(Discover, five_workers_at_once_never_work_on_one_index_together) {
  const auto group = new_group();
  std::stop_source stop;
  std::mutex mutex;
  std::vector<Peer> current(5);
  std::atomic<bool> overlapped{false};
  std::atomic<bool> covered{false};
  std::vector<std::thread> threads;
  for (std::size_t w = 0; w < 5; ++w) {
    threads.emplace_back([&, w] {
      for (const Peer& peer : discover(feed_of(group), stop.get_token())) {
        const std::scoped_lock lock(mutex);
        current[w] = peer;
        int owned = 0;
        for (std::size_t other = 0; other < 5; ++other) {
          if (!current[other].still_valid()) continue;
          ++owned;
          if (other != w && !peer.idle() && current[other].pair() == peer.pair() &&
              peer.still_valid()) {
            overlapped = true;
          }
        }
        if (owned == 5) covered = true;
      }
    });
  }
  for (int i = 0; i < 600 && !covered; ++i) std::this_thread::sleep_for(50ms);
  stop.request_stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(overlapped);
  EXPECT_TRUE(covered);
  for (const Peer& peer : current) EXPECT_TRUE(peer.idle());
}

}  // namespace
}  // namespace nandi
