// Hand-derived runs of one engine. Unless a test says otherwise, the interval is 1000 units, the
// gap 150, the timeout 125, the resolution 1, there is no drift, and the worker's clock shows the
// same as the store's (which the engine cannot know).
#include "nandi/engine/lease_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "one_worker.h"

namespace nandi {
namespace {

using test::OneWorker;
using testing::ElementsAre;

const HandOver kIdle{std::nullopt};
HandOver handed(std::uint32_t index, std::uint32_t count) { return HandOver{Pair{index, count}}; }

TEST(LeaseEngine, registers_first_when_told_to_and_not_before) {
  OneWorker worker;
  worker.start(100, 300);
  EXPECT_EQ(worker.next_wakeup(), 100);
  EXPECT_FALSE(worker.on_timer(99));
  const auto attempt = worker.on_timer(100);
  ASSERT_TRUE(attempt);
  EXPECT_EQ(attempt->deadline, LocalTime(225));
  EXPECT_EQ(worker.next_wakeup(), 225);
  EXPECT_FALSE(worker.on_timer(101)) << "one attempt at a time";
}

// Interval 0: no count, so the kept offset 300 of interval 1. The store shows at least 110 at 112,
// so 1300 is certain at 112 + 1190 = 1302.
// Interval 1: (0, 1) implied for the first time. Slot (0 + 1/2) / 1 of the band: 2500, certain at
// 1304 + 1197 = 2501.
// Interval 2: implied again, so it is the lease. Slot 3500 and a gap of 150: 3650, impossible
// before 2501 + (3650 - 2502 - 1) = 3648.
TEST(LeaseEngine, the_first_lease_comes_with_the_second_interval_that_implies_it) {
  OneWorker worker;
  worker.start(100, 300);
  ASSERT_TRUE(worker.on_timer(100));
  worker.tick(110, 0, std::nullopt, 112);
  EXPECT_EQ(worker.next_wakeup(), 1302);
  EXPECT_THAT(worker.take_all(112), ElementsAre());
  ASSERT_TRUE(worker.on_timer(1302));
  worker.tick(1303, 0, 1, 1304);
  EXPECT_EQ(worker.next_wakeup(), 2501);
  EXPECT_EQ(worker.lease(1304), std::nullopt);
  EXPECT_THAT(worker.take_all(1304), ElementsAre());
  ASSERT_TRUE(worker.on_timer(2501));
  worker.tick(2502, 0, 1, 2503);
  EXPECT_EQ(worker.lease(2503), (Pair{0, 1}));
  EXPECT_THAT(worker.take_all(2503), ElementsAre(handed(0, 1)));
  EXPECT_EQ(worker.next_wakeup(), 3501);  // 2503 + (3500 - 2502)
}

TEST(LeaseEngine, a_lease_ends_by_itself_at_its_expiry_whether_or_not_anybody_wakes_up) {
  OneWorker worker;
  worker.reach_first_lease();
  EXPECT_EQ(worker.lease(3647), (Pair{0, 1}));
  EXPECT_EQ(worker.lease(3648), std::nullopt);
}

TEST(LeaseEngine, a_settled_worker_is_handed_nothing) {
  OneWorker worker;
  worker.reach_first_lease();
  EXPECT_THAT(worker.take_all(2503), ElementsAre(handed(0, 1)));
  for (std::int64_t n = 3; n < 50; ++n) {
    const std::int64_t due = worker.next_wakeup();
    ASSERT_TRUE(worker.on_timer(due));
    worker.tick(due + 1, 0, 1, due + 2);
    ASSERT_THAT(worker.take_all(due + 2), ElementsAre());
    ASSERT_EQ(worker.lease(due + 2), (Pair{0, 1}));
  }
}

TEST(LeaseEngine, after_an_expiry_the_worker_is_where_a_restart_would_leave_it) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  // Woken only after the expiry: the registration is sent without a lease to renew, and the tick of
  // interval 3 finds nothing held, though interval 2's index would have continued it.
  const auto attempt = worker.on_timer(3700);
  ASSERT_TRUE(attempt);
  EXPECT_EQ(attempt->deadline, LocalTime(3825));
  EXPECT_THAT(worker.take_all(3700), ElementsAre(kIdle));
  worker.tick(3701, 0, 1, 3702);
  EXPECT_EQ(worker.last(DiagnosticCode::no_pair_implied)->at, LocalTime(3702));
  ASSERT_TRUE(worker.on_timer(worker.next_wakeup()));
  worker.tick(4501, 0, 1, 4502);
  EXPECT_EQ(worker.lease(4502), std::nullopt);
  ASSERT_TRUE(worker.on_timer(worker.next_wakeup()));
  worker.tick(5501, 0, 1, 5502);
  EXPECT_THAT(worker.take_all(5502), ElementsAre(handed(0, 1)));
}

// The reply of interval 1 is lost, its retry is counted again: one interval, one piece of evidence.
// Held in interval 0: index 0. The retry of interval 1 is told a previous count of 1 and implies
// (0, 1); interval 2 is the first that could agree, and it implies (1, 2).
TEST(LeaseEngine, a_retry_inside_one_interval_is_no_second_piece_of_evidence) {
  OneWorker worker;
  worker.start(100, 300);
  worker.on_timer(100);
  worker.tick(110, 0, std::nullopt, 112);
  worker.on_timer(1302);
  ASSERT_TRUE(worker.on_timer(1427)) << "deadline and retry are both an eighth after 1302";
  worker.tick(1428, 1, 1, 1429);
  EXPECT_EQ(worker.lease(1429), std::nullopt);
  worker.on_timer(worker.next_wakeup());
  worker.tick(2700, 0, 2, 2701);
  EXPECT_EQ(worker.lease(2701), std::nullopt);
  EXPECT_EQ(worker.last(DiagnosticCode::pair_disagreed)->pair, (Pair{1, 2}));
  EXPECT_EQ(worker.last(DiagnosticCode::pair_disagreed)->previous, (Pair{0, 1}));
}

/// The lease of reach_first_lease() is lost to this reply in interval 3.
LossCause cause_of_loss(std::uint32_t index, std::optional<std::uint32_t> previous) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  worker.on_timer(3501);
  worker.tick(3502, index, previous, 3503);
  EXPECT_EQ(worker.lease(3503), std::nullopt);
  EXPECT_THAT(worker.take_all(3503), ElementsAre(kIdle));
  EXPECT_EQ(worker.engine.state().last_loss, worker.last(DiagnosticCode::lease_released)->cause);
  return worker.engine.state().last_loss;
}

TEST(LeaseEngine, a_tick_that_does_not_imply_the_lease_again_releases_it_and_says_why) {
  EXPECT_EQ(cause_of_loss(0, 2), LossCause::count_changed);
  EXPECT_EQ(cause_of_loss(0, std::nullopt), LossCause::no_previous);
}

TEST(LeaseEngine, an_index_that_moved_releases_the_lease_in_the_interval_after) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.on_timer(3501);
  worker.tick(3502, 1, 1, 3503);  // counted second in interval 3; (0, 1) still holds
  EXPECT_EQ(worker.lease(3503), (Pair{0, 1}));
  worker.on_timer(worker.next_wakeup());
  worker.tick(4700, 0, 1, 4701);  // index 1 of one member
  EXPECT_EQ(worker.engine.state().last_loss, LossCause::index_out_of_range);
}

TEST(LeaseEngine, an_index_that_swapped_with_the_count_unchanged_is_a_disagreement) {
  OneWorker worker;
  worker.start(100, 300);
  worker.on_timer(100);
  worker.tick(110, 0, std::nullopt, 112);
  for (const auto& [at, index] : {std::pair{1302, 0U}, std::pair{2400, 1U}, std::pair{3700, 1U}}) {
    worker.on_timer(at);
    worker.tick(at + 1, index, 2, at + 2);
  }
  // Interval 2 implied and granted (0, 2); interval 3 implies (1, 2).
  EXPECT_EQ(worker.engine.state().last_loss, LossCause::disagreed);
}

// Delivered only at 3700, when the lease that the tick of interval 2 grants has ended (3648).
TEST(LeaseEngine, a_tick_whose_lease_is_already_over_grants_nothing) {
  OneWorker worker;
  worker.start(100, 300);
  worker.on_timer(100);
  worker.tick(110, 0, std::nullopt, 112);
  worker.on_timer(1302);
  worker.tick(1303, 0, 1, 1304);
  worker.on_timer(2501);
  worker.tick(2502, 0, 1, 2503, 3648);
  EXPECT_EQ(worker.last(DiagnosticCode::lease_granted), nullptr);
  EXPECT_THAT(worker.take_all(3648), ElementsAre());
}

TEST(LeaseEngine, a_lease_that_ended_before_the_consumer_asked_is_not_handed) {
  OneWorker worker;
  worker.reach_first_lease();
  EXPECT_THAT(worker.take_all(3648), ElementsAre());
}

// The request left 88 late: sent at 2501, executed at 2590. The lease may still only reach slot
// plus gap on the store's clock, 3650; on the upper estimate that is 2501 + (3650 - 2590 - 1) =
// 3560.
TEST(LeaseEngine, a_pause_between_reading_the_clock_and_sending_shortens_the_lease) {
  OneWorker worker;
  worker.start(100, 300);
  worker.on_timer(100);
  worker.tick(110, 0, std::nullopt, 112);
  worker.on_timer(1302);
  worker.tick(1303, 0, 1, 1304);
  worker.on_timer(2501);
  worker.tick(2590, 0, 1, 2595);
  EXPECT_EQ(worker.lease(3559), (Pair{0, 1}));
  EXPECT_EQ(worker.lease(3560), std::nullopt);
}

TEST(LeaseEngine, a_slot_that_is_already_past_is_skipped_for_the_next_one_that_is_not) {
  OneWorker worker;
  worker.start(100, 300);
  worker.on_timer(100);
  // Read at 112 and delivered at 4302: the offset 300 of intervals 1 to 4 is past or just reached
  // (certain at 1302, ..., 4302), interval 5's is certain at 5302.
  worker.tick(110, 0, std::nullopt, 112, 4302);
  EXPECT_EQ(worker.next_wakeup(), 5302);
}

TEST(LeaseEngine, no_attempt_outlives_the_lease_that_it_would_renew) {
  OneWorker worker;
  worker.reach_first_lease();
  const auto attempt = worker.on_timer(3600);
  ASSERT_TRUE(attempt);
  EXPECT_EQ(attempt->deadline, LocalTime(3648));
}

TEST(LeaseEngine, failed_attempts_are_repeated_an_eighth_a_quarter_a_half_and_an_interval_later) {
  OneWorker worker;
  worker.start(0, 300);
  std::vector<std::int64_t> sent;
  std::int64_t now = 0;
  for (int i = 0; i < 7; ++i) {
    ASSERT_TRUE(worker.on_timer(now));
    sent.push_back(now);
    worker.fail(ErrorClass::loading, now + 3);
    now = worker.next_wakeup();
  }
  EXPECT_THAT(sent, ElementsAre(0, 125, 375, 875, 1875, 2875, 3875));
}

TEST(LeaseEngine, a_retry_whose_time_is_past_when_the_failure_is_noticed_is_due_at_once) {
  OneWorker worker;
  worker.config.timing.attempt_timeout = Duration(400);
  worker.start(0, 300);
  ASSERT_TRUE(worker.on_timer(0));
  EXPECT_TRUE(worker.on_timer(400)) << "an eighth after 0 is past at 400";
}

TEST(LeaseEngine, a_completed_registration_ends_the_back_off) {
  OneWorker worker;
  worker.start(0, 300);
  worker.on_timer(0);
  worker.fail(ErrorClass::loading, 3);
  worker.on_timer(125);
  worker.fail(ErrorClass::loading, 128);
  worker.on_timer(375);
  worker.tick(376, 0, std::nullopt, 377);
  worker.on_timer(worker.next_wakeup());
  const std::int64_t sent = 1301;
  worker.fail(ErrorClass::loading, sent + 3);
  EXPECT_EQ(worker.next_wakeup(), sent + 125);
}

TEST(LeaseEngine, a_late_reply_of_an_abandoned_attempt_changes_nothing) {
  OneWorker worker;
  worker.reach_first_lease();
  const AttemptId abandoned = worker.on_timer(3501)->id;
  const AttemptId retry = worker.on_timer(3626)->id;
  ASSERT_NE(abandoned, retry);
  const LeaseState before = worker.engine.state();
  worker.reply(abandoned, 3505, 0, 1, 3630, 3630);
  EXPECT_EQ(worker.engine.state(), before);
  worker.engine.on_failure(worker.config, abandoned, ErrorClass::connection, LocalTime(3631),
                           IgnoreDiagnostics{});
  EXPECT_EQ(worker.engine.state(), before);
  worker.reply(0, 3505, 0, 1, 3632, 3632);
  EXPECT_EQ(worker.engine.state(), before);
}

// The lease ends at 3648 with the attempt of 3600 still under way; the driver delivers its reply
// before it calls on_timer().
TEST(LeaseEngine, a_reply_that_comes_after_an_expiry_is_held_but_grants_nothing) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  worker.on_timer(3600);
  worker.tick(3601, 0, 1, 3660);
  EXPECT_EQ(worker.lease(3660), std::nullopt);
  EXPECT_THAT(worker.take_all(3660), ElementsAre(kIdle));
  EXPECT_TRUE(worker.engine.state().has_held);
  EXPECT_EQ(worker.engine.state().interval, 3);
  EXPECT_FALSE(worker.engine.state().has_remembered);
}

TEST(LeaseEngine, every_error_right_before_the_expiry_hands_exactly_one_idle) {
  for (auto error = ErrorClass::timeout; error <= ErrorClass::other;
       error = static_cast<ErrorClass>(static_cast<int>(error) + 1)) {
    OneWorker worker;
    worker.reach_first_lease();
    worker.take_all(2503);
    worker.on_timer(3501);
    worker.fail(error, 3647);
    EXPECT_EQ(worker.lease(3647), (Pair{0, 1}));
    std::vector<HandOver> all;
    for (std::int64_t now = 3647; now < 8000; ++now) {
      if (worker.on_timer(now)) worker.fail(error, now);
      for (const HandOver& next : worker.take_all(now)) all.push_back(next);
    }
    EXPECT_THAT(all, ElementsAre(kIdle)) << to_string(error);
    EXPECT_EQ(worker.engine.state().last_loss, LossCause::error);
    EXPECT_EQ(worker.last(DiagnosticCode::lease_expired)->error, error);
  }
}

TEST(LeaseEngine, a_hang_without_an_error_ends_the_lease_on_the_clock_alone) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  EXPECT_EQ(worker.next_wakeup(), 3501);
  EXPECT_TRUE(worker.on_timer(3501));
  // Gives up at 3626 and tries once more; that attempt may last until the lease ends.
  EXPECT_EQ(worker.next_wakeup(), 3626);
  EXPECT_TRUE(worker.on_timer(3626));
  EXPECT_EQ(worker.next_wakeup(), 3648);
  worker.on_timer(3648);
  EXPECT_THAT(worker.take_all(3648), ElementsAre(kIdle));
}

// A31: an outage of three intervals ends; idle comes first, ownership only after two closed
// intervals that agree.
TEST(LeaseEngine, after_an_outage_the_first_event_is_idle_and_ownership_takes_two_intervals) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  std::vector<std::pair<std::int64_t, HandOver>> events;
  for (std::int64_t now = 2504; now < 12'000; ++now) {
    if (worker.on_timer(now)) {
      if (now < 6000) worker.fail(ErrorClass::connection, now);
      // A worker alone: the count of the interval before is there when it registered in it.
      if (now >= 6000) {
        const bool counted_before = worker.engine.state().has_held;
        worker.tick(now, 0, counted_before ? std::optional(1U) : std::nullopt, now);
      }
    }
    for (const HandOver& next : worker.take_all(now)) events.emplace_back(now, next);
  }
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].second, kIdle);
  EXPECT_EQ(events[0].first, 3648);
  EXPECT_EQ(events[1].second, handed(0, 1));
  EXPECT_GE(events[1].first, 8000);  // registered in 6, so granted in 8
}

TEST(LeaseEngine, a_stand_down_that_the_consumer_did_not_see_is_handed_before_an_equal_pair) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  worker.on_timer(3700);  // the lease ended at 3648
  worker.tick(3701, 0, 1, 3702);
  worker.on_timer(worker.next_wakeup());
  worker.tick(4501, 0, 1, 4502);
  worker.on_timer(worker.next_wakeup());
  worker.tick(5501, 0, 1, 5502);
  EXPECT_EQ(worker.lease(5502), (Pair{0, 1}));
  EXPECT_THAT(worker.take_all(5502), ElementsAre(kIdle, handed(0, 1)));
}

TEST(LeaseEngine, only_the_newest_pair_is_handed_after_one_idle) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  // Interval 3 changes the count, 4 and 5 agree on (0, 2), 6 changes it, 7 agrees on (0, 3).
  std::int64_t at = 3501;
  for (const std::uint32_t count : {2U, 2U, 3U, 3U}) {
    worker.on_timer(at);
    worker.tick(at, 0, count, at);
    at = worker.next_wakeup();
  }
  EXPECT_THAT(worker.take_all(at - 1), ElementsAre(kIdle, handed(0, 3)));
}

TEST(LeaseEngine, a_stop_hands_idle_last_and_waits_for_nothing) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  worker.on_timer(3501);
  worker.stop(3510);
  EXPECT_EQ(worker.lease(3510), std::nullopt);
  EXPECT_THAT(worker.take_all(3510), ElementsAre(kIdle));
  EXPECT_EQ(worker.engine.next_wakeup(worker.config), LocalTime::max());
  EXPECT_FALSE(worker.on_timer(9000));
  EXPECT_THAT(worker.take_all(9000), ElementsAre());
  EXPECT_EQ(worker.engine.state().last_loss, LossCause::aborted);
  EXPECT_NE(worker.last(DiagnosticCode::registration_abandoned), nullptr);
}

TEST(LeaseEngine, a_stop_hands_idle_to_a_consumer_that_was_never_handed_anything) {
  OneWorker worker;
  worker.start(100, 300);
  worker.stop(50);
  EXPECT_THAT(worker.take_all(50), ElementsAre(kIdle));
}

TEST(LeaseEngine, a_stop_hands_nothing_when_idle_was_the_last_thing_handed) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  EXPECT_THAT(worker.take_all(3648), ElementsAre(kIdle));
  worker.stop(3700);
  EXPECT_THAT(worker.take_all(3700), ElementsAre());
}

TEST(LeaseEngine, a_pair_granted_but_not_handed_before_a_stop_is_never_handed) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.stop(2504);
  EXPECT_THAT(worker.take_all(2504), ElementsAre(kIdle));
}

TEST(LeaseEngine, a_stop_after_the_end_of_a_lease_reports_an_expiry_not_a_release) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.take_all(2503);
  worker.stop(9000);
  EXPECT_EQ(worker.last(DiagnosticCode::lease_released), nullptr);
  ASSERT_NE(worker.last(DiagnosticCode::lease_expired), nullptr);
  EXPECT_EQ(worker.engine.state().last_loss, LossCause::late);
}

// The lease ends at 3648. An attempt sent at 3640 has 8 left and is unanswered at the end, so the
// store (or the way to it) is why, whoever looks first: the timer or the consumer.
TEST(LeaseEngine, an_attempt_that_hangs_at_the_end_of_a_lease_makes_its_loss_an_error) {
  for (const bool consumer_first : {false, true}) {
    OneWorker worker;
    worker.reach_first_lease();
    worker.take_all(2503);
    const auto attempt = worker.on_timer(3640);
    ASSERT_TRUE(attempt);
    EXPECT_EQ(attempt->deadline, LocalTime(3648));
    if (consumer_first) {
      EXPECT_THAT(worker.take_all(3648), ElementsAre(kIdle));
    } else {
      worker.on_timer(3648);
    }
    const Diagnostic* expired = worker.last(DiagnosticCode::lease_expired);
    ASSERT_NE(expired, nullptr);
    EXPECT_EQ(expired->cause, LossCause::error);
    EXPECT_EQ(expired->error, ErrorClass::timeout);
    EXPECT_EQ(worker.engine.state().last_loss, LossCause::error);
    EXPECT_EQ(worker.engine.state().last_error, ErrorClass::timeout);
  }
}

// The same attempt refused or answered, but noticed only after the end: what it brought decides.
TEST(LeaseEngine, an_answer_that_is_read_after_the_end_of_a_lease_is_why_it_was_lost) {
  OneWorker refused;
  refused.reach_first_lease();
  refused.on_timer(3640);
  refused.fail(ErrorClass::readonly, 3700);
  ASSERT_NE(refused.last(DiagnosticCode::lease_expired), nullptr);
  EXPECT_EQ(refused.last(DiagnosticCode::lease_expired)->cause, LossCause::error);
  EXPECT_EQ(refused.last(DiagnosticCode::lease_expired)->error, ErrorClass::readonly);

  OneWorker answered;
  answered.reach_first_lease();
  answered.on_timer(3640);
  answered.tick(3641, 0, 1, 3642, 3700);  // the process stood still from 3642 to 3700
  ASSERT_NE(answered.last(DiagnosticCode::lease_expired), nullptr);
  EXPECT_EQ(answered.last(DiagnosticCode::lease_expired)->cause, LossCause::late);
}

// Refused at 3515, and the retry of 3640 is unanswered when the lease ends: that the server was
// loading says more than that the last attempt had no time left.
TEST(LeaseEngine, what_failed_before_the_last_attempt_hung_is_why_the_lease_was_lost) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.on_timer(3501);
  worker.fail(ErrorClass::loading, 3515);
  worker.on_timer(3640);
  worker.fail(ErrorClass::timeout, 3648);
  ASSERT_NE(worker.last(DiagnosticCode::lease_expired), nullptr);
  EXPECT_EQ(worker.last(DiagnosticCode::lease_expired)->cause, LossCause::error);
  EXPECT_EQ(worker.last(DiagnosticCode::lease_expired)->error, ErrorClass::loading);
}

TEST(LeaseEngine, a_worker_that_sent_nothing_before_the_end_of_its_lease_was_late_itself) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.on_timer(3700);
  ASSERT_NE(worker.last(DiagnosticCode::lease_expired), nullptr);
  EXPECT_EQ(worker.last(DiagnosticCode::lease_expired)->cause, LossCause::late);
  EXPECT_EQ(worker.engine.state().last_loss, LossCause::late);
}

TEST(LeaseEngine, a_failure_that_may_have_been_counted_is_reported_as_a_possible_ghost) {
  for (const auto& [error, ghost] :
       {std::pair{ErrorClass::timeout, true}, std::pair{ErrorClass::connection, true},
        std::pair{ErrorClass::bad_reply, true}, std::pair{ErrorClass::readonly, false},
        std::pair{ErrorClass::loading, false}, std::pair{ErrorClass::noauth, false}}) {
    OneWorker worker;
    worker.start(100, 300);
    worker.on_timer(100);
    worker.fail(error, 110);
    EXPECT_EQ(worker.last(DiagnosticCode::registration_abandoned) != nullptr, ghost)
        << to_string(error);
  }
}

TEST(LeaseEngine, reports_each_step_of_a_lease_in_order) {
  OneWorker worker;
  worker.reach_first_lease();
  worker.diagnostics.clear();
  worker.take_all(2503);
  worker.on_timer(3501);
  worker.tick(3502, 0, 1, 3503);
  worker.on_timer(4700);
  worker.take_all(4700);
  using Code = DiagnosticCode;
  EXPECT_THAT(worker.codes(),
              ElementsAre(Code::pair_handed, Code::registration_completed, Code::pair_agreed,
                          Code::lease_renewed, Code::next_registration_scheduled,
                          Code::lease_expired, Code::pair_handed));
}

// The table of the README, "Diagnostics": level and message, as it stands there.
TEST(Diagnostics, messages_and_levels_are_those_of_the_readme) {
  const std::pair<Level, std::string_view> table[] = {
      {Level::error, "registration failed"},     {Level::warn, "lease expired"},
      {Level::info, "discover started"},         {Level::info, "discover stopped"},
      {Level::debug, "pair disagreed"},          {Level::debug, "script loaded"},
      {Level::trace, "registration completed"},  {Level::trace, "lease granted"},
      {Level::trace, "lease released"},          {Level::trace, "pair agreed"},
      {Level::trace, "no pair implied"},         {Level::trace, "next registration scheduled"},
      {Level::trace, "pair handed to the loop"},
  };
  for (const auto& [wanted_level, wanted_message] : table) {
    bool found = false;
    for (auto code = DiagnosticCode::discover_started; code <= DiagnosticCode::script_loaded;
         code = static_cast<DiagnosticCode>(static_cast<int>(code) + 1)) {
      if (message(code) != wanted_message) continue;
      found = true;
      EXPECT_EQ(level(code), wanted_level) << wanted_message;
    }
    EXPECT_TRUE(found) << wanted_message;
  }
}

}  // namespace
}  // namespace nandi
