// Properties of the engine over random groups: workers join, leave, crash and stall, clocks drift,
// messages are slow, lost or refused. The same checks have to catch each broken variant below.
//
// To replay a failure, run with the printed line: RC_PARAMS="reproduce=..."
// lease_engine_property_test
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "test_group.h"

namespace nandi {
namespace {

using test::Findings;
using test::TestGroup;

constexpr int kWorkers = 4;
constexpr std::int64_t kIntervals = 16;

std::string all_of(const Findings& findings) {
  std::string text;
  for (const std::string& line : findings.broken) text += line + "\n";
  return text;
}

RC_GTEST_PROP(LeaseEngineProperty, holds_the_protocol_in_every_group, ()) {
  // Ten times the usual length, so that the choices last for several intervals.
  const auto choices = *rc::gen::scale(10, rc::gen::arbitrary<std::vector<std::uint16_t>>());
  const Findings findings = TestGroup<LeaseEngine>(choices, kWorkers).run(kIntervals);
  RC_CLASSIFY(findings.grants > 0, "granted");
  RC_CLASSIFY(findings.renewals > 0, "renewed");
  RC_CLASSIFY(findings.losses > 0, "lost");
  if (!findings.broken.empty()) RC_FAIL(all_of(findings));
}

/// Choices number `seed`, from a generator of our own (splitmix64) so that they are the same
/// everywhere.
std::vector<std::uint16_t> choices_of(std::uint64_t seed, std::size_t count = 1500) {
  std::vector<std::uint16_t> list(count);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U;
  for (std::uint16_t& choice : list) {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    choice = static_cast<std::uint16_t>(z ^ (z >> 31U));
  }
  return list;
}

constexpr std::uint64_t kSeeds = 2000;

TEST(LeaseEngineProperty, holds_the_protocol_in_2000_long_runs_that_do_something) {
  Findings sum;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Findings findings = TestGroup<LeaseEngine>(choices_of(seed), kWorkers).run(kIntervals);
    ASSERT_TRUE(findings.broken.empty()) << "seed " << seed << "\n" << all_of(findings);
    sum.grants += findings.grants;
    sum.renewals += findings.renewals;
    sum.losses += findings.losses;
    sum.retries += findings.retries;
    sum.late_replies += findings.late_replies;
  }
  // The runs have to have had chances to fail; one in a hundred of them is far below what they do.
  EXPECT_GT(sum.grants, 20);
  EXPECT_GT(sum.renewals, 20);
  EXPECT_GT(sum.losses, 20);
  EXPECT_GT(sum.retries, 20);
  EXPECT_GT(sum.late_replies, 20);
}

TEST(LeaseEngineProperty, a_group_in_which_nothing_goes_wrong_settles_and_loses_no_lease) {
  // All choices zero: four workers that start at the same moment, are counted 0..3 in the order in
  // which they were made, and keep that order.
  const Findings findings = TestGroup<LeaseEngine>({}, kWorkers).run(kIntervals);
  EXPECT_TRUE(findings.broken.empty()) << all_of(findings);
  EXPECT_EQ(findings.grants, kWorkers);
  EXPECT_EQ(findings.losses, 0);
  // Intervals 0 and 1 imply nothing that could agree, 2 grants, the 13 others renew; one is left
  // for what the first, kept offset may cost.
  EXPECT_GE(findings.renewals, kWorkers * (kIntervals - 4));
}

// --- Broken rules: each has to be caught by the property that it breaks ---

struct AgreementOfOne : ProtocolRules {
  constexpr bool agrees(const std::optional<Remembered>&, const Pair&, const Tick&) const {
    return true;
  }
};

/// Two calls instead of two intervals, and the index kept whatever interval it is of.
struct AgreementOfCalls : ProtocolRules {
  constexpr std::optional<Pair> implied_pair(const std::optional<Held>& held,
                                             const Tick& tick) const {
    if (!held || !tick.previous_count || held->index >= *tick.previous_count) return std::nullopt;
    return Pair{held->index, *tick.previous_count};
  }
  constexpr bool agrees(const std::optional<Remembered>& remembered, const Pair& implied,
                        const Tick&) const {
    return remembered && remembered->pair == implied;
  }
};

/// The index of the open interval with the count of the closed one.
struct OpenIntervalIndex : ProtocolRules {
  constexpr std::optional<Pair> implied_pair(const std::optional<Held>&, const Tick& tick) const {
    if (!tick.previous_count || tick.index >= *tick.previous_count) return std::nullopt;
    return Pair{tick.index, *tick.previous_count};
  }
  constexpr bool agrees(const std::optional<Remembered>&, const Pair&, const Tick&) const {
    return true;
  }
};

struct NoExpiry : ProtocolRules {
  constexpr bool expires() const { return false; }
  constexpr LocalTime expiry(const LeaseTiming&, const ClockReading&, const Tick&) const {
    return LocalTime::max() - Duration(1'000'000'000);
  }
};

/// Counts from the reply instead of from the sending: late by the round trip.
struct ExpiryFromReply : ProtocolRules {
  constexpr LocalTime expiry(const LeaseTiming& timing, const ClockReading& reading,
                             const Tick& tick) const {
    ClockReading late = reading;
    late.sent = reading.received;
    return ProtocolRules::expiry(timing, late, tick);
  }
};

/// Takes the store's clock for known to the unit.
struct ExpiryWithoutResolution : ProtocolRules {
  constexpr LocalTime expiry(const LeaseTiming& timing, const ClockReading& reading,
                             const Tick& tick) const {
    return ProtocolRules::expiry(timing, reading, tick) + timing.resolution;
  }
};

struct ExpiryWithoutDrift : ProtocolRules {
  constexpr LocalTime expiry(const LeaseTiming& timing, const ClockReading& reading,
                             const Tick& tick) const {
    LeaseTiming trusting = timing;
    trusting.drift = Fraction();
    return ProtocolRules::expiry(trusting, reading, tick);
  }
};

/// The gap only at the end of the lease, not at the ends of the interval.
struct SlotsWithoutBand : ProtocolRules {
  constexpr Duration next_offset(const LeaseTiming& timing, const Tick& tick, Duration kept) const {
    if (!tick.previous_count) return kept;
    const std::int64_t members = members_for_slot(tick);
    return Duration(timing.interval.count() * (2 * std::int64_t{tick.index} + 1) / (2 * members));
  }
};

template <class Engine>
std::uint64_t seeds_until_caught(std::string_view property) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Findings findings = TestGroup<Engine>(choices_of(seed), kWorkers).run(kIntervals);
    if (findings.broke(property)) return seed;
  }
  return 0;
}

template <class Rules>
bool caught(std::string_view property) {
  return seeds_until_caught<BasicLeaseEngine<Rules>>(property) != 0;
}

TEST(BrokenRules, an_agreement_of_one_interval_is_caught) {
  EXPECT_TRUE(caught<AgreementOfOne>("exclusive"));
}
TEST(BrokenRules, an_agreement_of_calls_instead_of_intervals_is_caught) {
  EXPECT_TRUE(caught<AgreementOfCalls>("exclusive"));
}
TEST(BrokenRules, an_index_of_the_open_interval_is_caught) {
  EXPECT_TRUE(caught<OpenIntervalIndex>("exclusive"));
}
TEST(BrokenRules, a_lease_without_an_end_is_caught) {
  EXPECT_TRUE(caught<NoExpiry>("expiry"));
  EXPECT_TRUE(caught<NoExpiry>("exclusive"));
}
TEST(BrokenRules, an_end_counted_from_the_reply_is_caught) {
  EXPECT_TRUE(caught<ExpiryFromReply>("expiry"));
}
TEST(BrokenRules, an_end_that_ignores_the_resolution_is_caught) {
  EXPECT_TRUE(caught<ExpiryWithoutResolution>("expiry"));
}
TEST(BrokenRules, an_end_that_ignores_drift_is_caught) {
  EXPECT_TRUE(caught<ExpiryWithoutDrift>("expiry"));
}
TEST(BrokenRules, slots_outside_the_band_are_caught) {
  EXPECT_TRUE(caught<SlotsWithoutBand>("early") || caught<SlotsWithoutBand>("lemma"));
}

// --- Broken engines: the rules are right, the bookkeeping is not ---

/// Takes any reply for the current attempt's.
struct AnswersWithLateReplies : LeaseEngine {
  template <class Sink>
  void on_tick(const Config& config, AttemptId, const Tick& tick, LocalTime received, LocalTime now,
               Sink&& sink) {
    LeaseEngine::on_tick(config, current_attempt(), tick, received, now, sink);
  }
};

/// Hands out what is true now, and never mind what the consumer missed.
struct CoalescesStandDowns : LeaseEngine {
  template <class Sink>
  std::optional<HandOver> take(const Config& config, LocalTime now, Sink&& sink) {
    const std::optional<Pair> current = lease(config, now);
    if (given && given->pair == current) return std::nullopt;
    if (!given && !current) return std::nullopt;
    LeaseEngine::take(config, now, sink);
    given = HandOver{current};
    return given;
  }
  std::optional<HandOver> given;
};

/// Hands out whatever take() once prepared, without looking at the clock again.
struct HandsOutStalePairs : LeaseEngine {
  template <class Sink>
  std::optional<HandOver> take(const Config& config, LocalTime now, Sink&& sink) {
    if (const auto next = LeaseEngine::take(config, now, sink)) waiting.push_back(*next);
    if (waiting.empty() || ++calls % 3 != 0) return std::nullopt;
    const HandOver next = waiting.front();
    waiting.erase(waiting.begin());
    return next;
  }
  std::vector<HandOver> waiting;
  int calls = 0;
};

/// Registers again at once after a failure.
struct RetriesAtOnce : LeaseEngine {
  LocalTime next_wakeup(const Config& config) const {
    return state().failures > 0 && !state().in_flight ? LocalTime()
                                                      : LeaseEngine::next_wakeup(config);
  }
  template <class Sink>
  std::optional<Attempt> on_timer(const Config& config, LocalTime now, Sink&& sink) {
    const auto attempt = LeaseEngine::on_timer(config, now, sink);
    if (attempt || state().failures == 0 || state().in_flight || state().stopped) return attempt;
    LeaseState pulled = state();
    pulled.due = now;
    static_cast<LeaseEngine&>(*this) = LeaseEngine(pulled);
    return LeaseEngine::on_timer(config, now, sink);
  }
};

TEST(BrokenEngine, a_late_reply_taken_for_the_current_one_is_caught) {
  EXPECT_NE(seeds_until_caught<AnswersWithLateReplies>("abandoned"), 0U);
}
TEST(BrokenEngine, a_stand_down_that_is_coalesced_away_is_caught) {
  EXPECT_NE(seeds_until_caught<CoalescesStandDowns>("hand-over"), 0U);
}
TEST(BrokenEngine, a_pair_handed_out_without_a_look_at_the_clock_is_caught) {
  EXPECT_NE(seeds_until_caught<HandsOutStalePairs>("hand-over"), 0U);
}
TEST(BrokenEngine, a_retry_without_back_off_is_caught) {
  EXPECT_NE(seeds_until_caught<RetriesAtOnce>("back-off"), 0U);
}

}  // namespace
}  // namespace nandi
