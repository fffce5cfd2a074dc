// Worker, Peer and the non-blocking feed over a store in the same process and a clock that the test
// moves, so that every moment is exact.
#include "nandi/engine/peer_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <string>
#include <vector>

#include "in_process_store.h"

namespace nandi {
namespace {

using namespace std::chrono_literals;
using test::HandClock;
using test::InProcessCounters;
using test::InProcessStore;
using testing::ElementsAre;

constexpr Duration kMs(kNanosecondsPerMillisecond);

class PeerFeedTest : public testing::Test {
 protected:
  using Feed = WorkerFeed<HandClock, InProcessStore<HandClock>>;

  static Options options_for_test() {
    Options options;
    options.name = "g";
    options.interval = 1s;
    options.seed = 1;
    return options;
  }
  std::unique_ptr<Feed> make_feed(const Options& options = options_for_test()) {
    auto store = std::make_unique<InProcessStore<HandClock>>(counters, clock);
    return std::make_unique<Feed>(
        options, clock, std::move(store),
        [this](const Diagnostic& d, const ReportContext& context) { note(d, context); });
  }
  void note(const Diagnostic& d, const ReportContext& context) {
    messages.emplace_back(message(d.code));
    if (!context.detail.empty()) details.emplace_back(context.detail);
    if (d.code == DiagnosticCode::registration_completed) last_lag = context.lag;
    if (d.code == DiagnosticCode::consumer_overran) overruns.push_back(d);
    if (context.findings.clock_frozen) ++frozen_findings;
    if (context.findings.round_trip_slow) ++slow_findings;
  }
  /// Moves the clock from wake-up to wake-up until `end`, stepping and taking; what was handed.
  std::vector<Peer> run_until(Feed& feed, LocalTime end) {
    std::vector<Peer> handed;
    while (true) {
      feed.step();
      feed.step();  // the reply to what the first one sent
      while (auto peer = feed.take()) handed.push_back(*peer);
      const LocalTime next = feed.next_wakeup();
      if (next > end) break;
      clock.set(std::max(next, clock.now()));
    }
    clock.set(end);
    return handed;
  }
  [[nodiscard]] long count(std::string_view text) const {
    return std::count(messages.begin(), messages.end(), text);
  }

  HandClock clock;
  std::shared_ptr<InProcessCounters> counters = std::make_shared<InProcessCounters>(1000 * kMs);
  std::vector<std::string> messages;
  std::vector<std::string> details;
  std::vector<Diagnostic> overruns;
  Duration last_lag;
  int frozen_findings = 0;
  int slow_findings = 0;
};

TEST_F(PeerFeedTest, a_worker_alone_owns_everything_within_four_intervals_and_keeps_it) {
  auto feed = make_feed();
  const std::vector<Peer> handed = run_until(*feed, LocalTime(0) + 20'000 * kMs);
  ASSERT_EQ(handed.size(), 1U);
  EXPECT_EQ(handed[0].pair(), (Pair{0, 1}));
  EXPECT_EQ(handed[0].index(), 0U);
  EXPECT_EQ(handed[0].replicas(), 1U);
  EXPECT_TRUE(handed[0].still_valid());
  EXPECT_GT(handed[0].expires_at(), clock.now());
  EXPECT_EQ(handed[0].last_loss(), LossCause::none);
  EXPECT_EQ(count("lease granted"), 1);
  EXPECT_GE(count("lease renewed"), 15);
  EXPECT_EQ(count("discover started"), 1);
  EXPECT_EQ(count("script loaded"), 1);
}

TEST_F(PeerFeedTest, a_lease_is_no_longer_valid_after_a_sleep_before_anything_ran) {
  auto feed = make_feed();
  const std::vector<Peer> handed = run_until(*feed, LocalTime(0) + 10'000 * kMs);
  ASSERT_EQ(handed.size(), 1U);
  ASSERT_TRUE(handed[0].still_valid());
  clock.set(clock.now() + 3'600'000 * kMs);
  EXPECT_FALSE(handed[0].still_valid()) << "the process slept for an hour and has not stepped yet";
  feed->step();
  const auto next = feed->take();
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->idle());
  EXPECT_FALSE(next->still_valid());
  EXPECT_EQ(next->last_loss(), LossCause::late);
}

TEST_F(PeerFeedTest, a_lease_that_was_lost_stays_invalid_when_an_equal_one_is_granted) {
  auto feed = make_feed();
  const std::vector<Peer> first = run_until(*feed, LocalTime(0) + 10'000 * kMs);
  clock.set(clock.now() + 5'000 * kMs);
  const std::vector<Peer> later = run_until(*feed, clock.now() + 6'000 * kMs);
  ASSERT_EQ(first.size(), 1U);
  ASSERT_EQ(later.size(), 2U);
  EXPECT_TRUE(later[0].idle());
  EXPECT_EQ(later[1].pair(), first[0].pair());
  EXPECT_TRUE(later[1].still_valid());
  EXPECT_FALSE(first[0].still_valid());
  EXPECT_GE(later[1].token(), first[0].token() + 2);
}

TEST_F(PeerFeedTest, a_hanging_store_ends_the_lease_on_time_and_attempts_are_abandoned) {
  auto feed = make_feed();
  const std::vector<Peer> first = run_until(*feed, LocalTime(0) + 10'000 * kMs);
  ASSERT_EQ(first.size(), 1U);
  counters->hangs = true;
  const LocalTime end = first[0].expires_at();
  const std::vector<Peer> later = run_until(*feed, end + 3'000 * kMs);
  ASSERT_EQ(later.size(), 1U);
  EXPECT_TRUE(later[0].idle());
  // The first hanging attempt fails by its deadline, so the loss has an error behind it.
  EXPECT_EQ(later[0].last_loss(), LossCause::error);
  EXPECT_EQ(later[0].last_error(), ErrorClass::timeout);
  const auto& store = feed->store();
  EXPECT_GE(store.abandoned.size(), 3U);
  for (const AttemptId id : store.abandoned) {
    EXPECT_EQ(std::count(store.submitted.begin(), store.submitted.end(), id), 1);
  }
}

// Case A22. The lease ends on time whatever the consumer does; that the consumer worked on is found
// when it comes back.
TEST_F(PeerFeedTest, a_consumer_that_outlasts_its_lease_is_reported_with_by_how_much) {
  auto feed = make_feed();
  const std::vector<Peer> first = run_until(*feed, LocalTime(0) + 10'000 * kMs);
  ASSERT_EQ(first.size(), 1U);
  counters->refuses = ErrorClass::loading;
  const LocalTime end = first[0].expires_at();
  while (clock.now() < end + 5'000 * kMs) {  // the consumer is away for five intervals
    clock.set(std::min(feed->next_wakeup(), end + 5'000 * kMs));
    feed->step();
    if (clock.now() >= end) {
      EXPECT_FALSE(first[0].still_valid());
    }
  }
  EXPECT_EQ(count("lease expired"), 1);
  EXPECT_TRUE(overruns.empty()) << "it has not come back yet";
  auto next = feed->take();
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->idle());
  clock.set(clock.now() + 7 * kMs);  // it lets go when it hears of the loss
  EXPECT_FALSE(feed->take());
  ASSERT_EQ(overruns.size(), 1U);
  EXPECT_EQ(overruns[0].delay, 5'007 * kMs);
  EXPECT_EQ(overruns[0].pair, (Pair{0, 1}));
  EXPECT_EQ(overruns[0].cause, LossCause::error);
  EXPECT_FALSE(feed->take());
  EXPECT_EQ(overruns.size(), 1U) << "said once";
}

// A gap, 150 ms, is what a consumer has for letting go.
TEST_F(PeerFeedTest, a_consumer_that_lets_go_within_a_gap_has_not_overrun) {
  for (const std::int64_t drain_ms : {150, 151}) {
    auto feed = make_feed();
    ASSERT_EQ(run_until(*feed, clock.now() + 10'000 * kMs).size(), 1U);
    feed->stop();
    ASSERT_TRUE(feed->take());
    clock.set(clock.now() + drain_ms * kMs);
    EXPECT_FALSE(feed->take());
    EXPECT_EQ(overruns.size(), drain_ms > 150 ? 1U : 0U);
  }
}

// Everything stood still, the consumer too: it came back as soon as anything could be noticed.
TEST_F(PeerFeedTest, a_process_that_was_stopped_is_no_consumer_that_overran) {
  auto feed = make_feed();
  ASSERT_EQ(run_until(*feed, clock.now() + 10'000 * kMs).size(), 1U);
  clock.set(clock.now() + 60'000 * kMs);
  feed->step();
  ASSERT_TRUE(feed->take());
  feed->take();
  EXPECT_EQ(count("lease expired"), 1);
  EXPECT_TRUE(overruns.empty());
}

TEST_F(PeerFeedTest, failures_carry_the_stores_own_words_to_the_reporter) {
  auto feed = make_feed();
  counters->refuses = ErrorClass::readonly;
  EXPECT_TRUE(run_until(*feed, LocalTime(0) + 3'000 * kMs).empty());
  EXPECT_GE(count("registration failed"), 3);
  ASSERT_FALSE(details.empty());
  EXPECT_EQ(details.front(), "refused by the test");
}

TEST_F(PeerFeedTest, a_late_wake_up_is_reported_as_lag) {
  Options options = options_for_test();
  options.first_spread = Fraction();
  auto feed = make_feed(options);
  clock.set(LocalTime(0) + 30 * kMs);
  feed->step();
  feed->step();
  EXPECT_EQ(last_lag, 30 * kMs);
}

TEST_F(PeerFeedTest, a_server_whose_clock_stands_still_grants_nothing_and_is_named) {
  counters->frozen_at = LocalTime(1'700'000'000'000'000'000);
  auto feed = make_feed();
  EXPECT_TRUE(run_until(*feed, LocalTime(0) + 10'000 * kMs).empty());
  EXPECT_EQ(frozen_findings, 1);
  EXPECT_EQ(slow_findings, 0);
  EXPECT_EQ(count("lease granted"), 0);
}

TEST_F(PeerFeedTest, a_stop_hands_idle_abandons_what_is_under_way_and_is_final) {
  auto feed = make_feed();
  const std::vector<Peer> first = run_until(*feed, LocalTime(0) + 10'000 * kMs);
  counters->hangs = true;
  clock.set(feed->next_wakeup());
  feed->step();
  feed->stop();
  EXPECT_FALSE(first[0].still_valid());
  ASSERT_TRUE(feed->has_next());
  const auto last = feed->take();
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->idle());
  EXPECT_EQ(last->last_loss(), LossCause::aborted);
  EXPECT_FALSE(feed->take());
  EXPECT_THAT(feed->store().abandoned, ElementsAre(feed->store().submitted.back()));
  feed->stop();
  EXPECT_EQ(count("discover stopped"), 1);
  EXPECT_EQ(feed->next_wakeup(), LocalTime::max());
}

TEST_F(PeerFeedTest, options_with_errors_are_refused_before_anything_is_registered) {
  Options options = options_for_test();
  options.gap = Fraction(1, 2);
  EXPECT_THROW(make_feed(options), InvalidOptions);
  EXPECT_TRUE(messages.empty());
}

TEST_F(PeerFeedTest, three_workers_partition_the_tasks) {
  std::vector<std::unique_ptr<Feed>> feeds;
  std::vector<std::optional<Peer>> owners(3);
  for (std::uint64_t w = 0; w < 3; ++w) {
    Options options = options_for_test();
    options.seed = w;
    feeds.push_back(make_feed(options));
  }
  for (std::int64_t ms = 0; ms < 20'000; ++ms) {
    clock.set(LocalTime(0) + ms * kMs);
    for (std::size_t w = 0; w < feeds.size(); ++w) {
      feeds[w]->step();
      while (auto peer = feeds[w]->take()) owners[w] = *peer;
    }
  }
  for (std::int64_t id = -50; id < 50; ++id) {
    int count_of_owners = 0;
    for (const auto& owner : owners) {
      if (owner && owner->still_valid() && owner->owns(id)) ++count_of_owners;
    }
    EXPECT_EQ(count_of_owners, 1) << id;
  }
}

TEST(Peer, owns_by_the_mathematical_modulo_of_signed_and_unsigned_ids) {
  auto end = std::make_shared<LeaseEnd>([] { return LocalTime(0); });
  const Peer peer(Pair{2, 3}, 10, end, LossCause::none);
  // -7 = -3 * 3 + 2, where the language's remainder is -1.
  EXPECT_TRUE(peer.owns(-7));
  EXPECT_TRUE(peer.owns(-1));
  EXPECT_FALSE(peer.owns(-3));
  EXPECT_TRUE(peer.owns(std::int8_t{5}));
  // 2^64 - 1 = 3 * 6148914691236517205, 2^63 = 3 * 3074457345618258602 + 2.
  EXPECT_FALSE(peer.owns(std::uint64_t{18'446'744'073'709'551'615U}));
  EXPECT_TRUE(peer.owns(std::uint64_t{1} << 63U));
  // -2^63 = -3 * 3074457345618258603 + 1.
  EXPECT_FALSE(peer.owns(std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(peer.owns(std::numeric_limits<std::int64_t>::min() + 1));
}

TEST(Peer, idle_owns_nothing_and_is_never_valid) {
  const Peer idle;
  EXPECT_TRUE(idle.idle());
  EXPECT_FALSE(idle.owns(0));
  EXPECT_FALSE(idle.still_valid());
  EXPECT_EQ(idle.pair(), std::nullopt);
  EXPECT_EQ(idle.token(), 0);
}

TEST(StoreBounds, widen_with_the_round_trip_and_with_drift) {
  LeaseTiming timing;
  timing.interval = Duration(1000);
  timing.resolution = Duration(1);
  const ClockReading reading{StoreTime(500), LocalTime(90), LocalTime(100)};
  EXPECT_EQ(store_bounds(timing, reading, LocalTime(120)).lower, StoreTime(520));
  EXPECT_EQ(store_bounds(timing, reading, LocalTime(120)).upper, StoreTime(531));
  timing.drift = Fraction(1, 10);
  // 20 - 2 since the reply, 30 + 3 since the request.
  EXPECT_EQ(store_bounds(timing, reading, LocalTime(120)).lower, StoreTime(518));
  EXPECT_EQ(store_bounds(timing, reading, LocalTime(120)).upper, StoreTime(534));
}

TEST_F(PeerFeedTest, tasks_are_divided_by_the_scheme_that_the_options_name) {
  for (const auto scheme :
       {partition::Scheme::kModulo, partition::Scheme::kRendezvous, partition::Scheme::kJump}) {
    Options options = options_for_test();
    options.scheme = scheme;
    const auto feed = make_feed(options);
    const std::vector<Peer> handed = run_until(*feed, clock.now() + 6000 * kMs);
    ASSERT_FALSE(handed.empty());
    EXPECT_EQ(handed.back().scheme(), scheme);
    EXPECT_TRUE(handed.back().owns(-7));  // alone, it owns everything
    EXPECT_TRUE(handed.back().owns("task:7"));
    feed->stop();
    EXPECT_EQ(run_until(*feed, clock.now() + 6000 * kMs).size(), 1U);
  }
}

TEST(PeerScheme, a_task_has_one_owner_among_the_pairs_and_it_is_the_schemes) {
  const auto end = std::make_shared<LeaseEnd>([] { return LocalTime(); });
  for (const auto scheme :
       {partition::Scheme::kModulo, partition::Scheme::kRendezvous, partition::Scheme::kJump}) {
    for (std::int64_t id = -50; id < 50; ++id) {
      int owners = 0;
      for (std::uint32_t i = 0; i < 5; ++i) {
        const Peer peer(Pair{i, 5}, 1, end, LossCause::none, scheme);
        if (!peer.owns(id)) continue;
        ++owners;
        EXPECT_EQ(peer.index(), partition::index_of(scheme, id, 5));
      }
      EXPECT_EQ(owners, 1) << id;
    }
  }
  EXPECT_FALSE(Peer().owns(0));
  EXPECT_FALSE(Peer().owns("task:0"));
}

}  // namespace
}  // namespace nandi
