// The proof speaks of a worker's rules; these properties show that the engine's functions, and the
// engine itself, satisfy each hypothesis that the proof takes from them.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "nandi/engine/lease_engine.h"

namespace nandi::checker {
namespace {

/// 0, below a few, or below `large`: rounding, resolution and delays show at their edges and in
/// small numbers, overflow in large ones.
std::int64_t any_below(std::int64_t large) {
  const std::int64_t few = large < 12 ? large : 12;
  return *rc::gen::inRange<std::int64_t>(0, *rc::gen::element<std::int64_t>(1, few, large));
}

/// A gap p/q with 0 < 2p < q, and an interval with a whole unit inside its band.
LeaseTiming any_timing() {
  const std::int64_t q = 3 + any_below(997);
  const auto p = *rc::gen::inRange<std::int64_t>(1, (q + 1) / 2);
  LeaseTiming timing;
  timing.gap = Fraction(p, q);
  timing.interval = Duration(1 + any_below(1'000'000'000'000));
  timing.attempt_timeout = Duration(1);
  timing.resolution = Duration(1 + any_below(1'000'000));
  const std::int64_t drift_q = 1 + any_below(1000);
  timing.drift = Fraction(*rc::gen::inRange<std::int64_t>(0, drift_q), drift_q);
  RC_PRE(band_begin(timing) + band_begin(timing) <= timing.interval);
  return timing;
}

// Hypothesis band, and lemma slot-rounding's premises.
RC_GTEST_PROP(EngineSatisfiesTheProof, SlotsLieInTheBand, ()) {
  const LeaseTiming timing = any_timing();
  const auto members = static_cast<std::uint32_t>(1 + any_below(1 << 30));
  const auto index = *rc::gen::inRange<std::uint32_t>(0, members);
  const Int128 slot = slot_offset(timing, index, members).count();
  const Int128 p = timing.gap.numerator();
  const Int128 q = timing.gap.denominator();
  const Int128 interval = timing.interval.count();
  RC_ASSERT(slot * q >= p * interval);
  RC_ASSERT(slot * q <= (q - p) * interval);
  // Rounded up: not before (g + (i + 1/2)/m (1 - 2g)) I, unless the band ends there.
  const Int128 twice = Int128{2} * members;
  const Int128 exact_times = (twice * p + (Int128{2} * index + 1) * (q - 2 * p)) * interval;
  RC_ASSERT(slot * twice * q >= exact_times || slot == interval - band_begin(timing).count());
}

// The last slots of 100 in ten units with gap 1/4: (1/4 + 99.5/100 / 2) 10 = 7.475, which rounds up
// to 8, past the band's end at 7.5.
TEST(EngineSatisfiesTheProof, ASlotThatRoundsPastTheBandIsCutAtItsLastUnit) {
  LeaseTiming timing;
  timing.interval = Duration(10);
  timing.gap = Fraction(1, 4);
  EXPECT_EQ(slot_offset(timing, 99, 100), Duration(7));
}

// Hypothesis margin.
RC_GTEST_PROP(EngineSatisfiesTheProof, ExpiryIsAtMostOneGapPastTheSlot, ()) {
  const LeaseTiming timing = any_timing();
  const auto members = static_cast<std::uint32_t>(1 + any_below(1 << 30));
  const auto index = *rc::gen::inRange<std::uint32_t>(0, members);
  const Duration margin =
      expiry_offset(timing, index, members) - slot_offset(timing, index, members);
  RC_ASSERT(Int128{margin.count()} * timing.gap.denominator() <=
            Int128{timing.gap.numerator()} * timing.interval.count());
  RC_ASSERT(expiry_offset(timing, index, members) <= timing.interval);
}

/// A tick with its delays.
struct Moment {
  ClockReading reading;
  std::int64_t executed = 0;  ///< store; at the resolution's end included: its real bound
  std::int64_t clock = 0;     ///< local, at execution
};

Moment any_moment(const LeaseTiming& timing) {
  Moment moment;
  const auto delay = [] { return any_below(1'000'000'000); };
  moment.clock = delay();
  moment.reading.sent = LocalTime(moment.clock - delay());
  moment.reading.received = LocalTime(moment.clock + delay());
  moment.executed = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
  moment.reading.at = StoreTime(moment.executed - any_below(timing.resolution.count() + 1));
  return moment;
}

// Lemma lower-estimate: with the slowest store clock that the bound allows, a real number.
RC_GTEST_PROP(EngineSatisfiesTheProof, LowerEstimateIsNeverEarly, ()) {
  const LeaseTiming timing = any_timing();
  const Moment moment = any_moment(timing);
  const StoreTime target(moment.executed + any_below(1'000'000'000'000));
  const LocalTime due = certainly_reached(timing, moment.reading, target);
  const Int128 waited = due.count() - moment.clock;
  const Int128 q = timing.drift.denominator();
  RC_ASSERT(moment.executed * q + waited * (q - timing.drift.numerator()) >= target.count() * q);
}

// Lemma upper-estimate: with the fastest store clock that the bound allows, a real number.
RC_GTEST_PROP(EngineSatisfiesTheProof, UpperEstimateIsNeverLate, ()) {
  const LeaseTiming timing = any_timing();
  const Moment moment = any_moment(timing);
  const StoreTime target(moment.executed + any_below(1'000'000'000'000));
  const LocalTime end = possibly_reached(timing, moment.reading, target);
  const Int128 waited = end.count() - moment.clock;
  RC_PRE(waited >= 0);
  const Int128 q = timing.drift.denominator();
  RC_ASSERT(moment.executed * q + waited * (q + timing.drift.numerator()) <= target.count() * q);
}

// Hypotheses held-consecutive, remembered-consecutive, closed-index and agreement, on the rules.
RC_GTEST_PROP(EngineSatisfiesTheProof, AgreementNeedsThreeConsecutiveIntervals, ()) {
  const ProtocolRules rules;
  const auto small = [] { return *rc::gen::inRange<std::uint32_t>(0, 3); };
  Tick ticks[3];
  for (Tick& tick : ticks) {
    tick.interval = *rc::gen::inRange<std::int64_t>(0, 4);
    tick.index = small();
    tick.previous_count = 1 + small();
  }
  const auto held_after = [](const Tick& tick) {
    return std::optional<Held>(Held{tick.interval, tick.index});
  };
  const auto first = rules.implied_pair(held_after(ticks[0]), ticks[1]);
  const auto second = rules.implied_pair(held_after(ticks[1]), ticks[2]);
  const auto remembered =
      first ? std::optional<Remembered>(Remembered{ticks[1].interval, *first}) : std::nullopt;
  const bool agreed = second && rules.agrees(remembered, *second, ticks[2]);
  // A remembered pair of any other interval is no evidence, however equal.
  if (second) {
    const std::int64_t interval = ticks[2].interval - small();
    const bool from_there = rules.agrees(Remembered{interval, *second}, *second, ticks[2]);
    RC_ASSERT(from_there == (interval == ticks[2].interval - 1));
  }
  RC_CLASSIFY(agreed);
  if (!agreed) return;
  RC_ASSERT(ticks[1].interval == ticks[0].interval + 1);
  RC_ASSERT(ticks[2].interval == ticks[1].interval + 1);
  RC_ASSERT(ticks[0].index == ticks[1].index && second->index == ticks[1].index);
  RC_ASSERT(ticks[1].previous_count == ticks[2].previous_count);
  RC_ASSERT(second->count == *ticks[2].previous_count && second->index < second->count);
}

/// What a run of one engine showed: how often a lease was issued, and the first hypothesis broken.
struct RunResult {
  int issued = 0;
  std::string broken;
};

/// One engine among members that register on time, late, or not at all, with random delays, losses
/// and clock rates within the declared drift, on a store that is a counter per interval.
template <class Rules>
class EngineRun {
 public:
  explicit EngineRun(std::uint64_t seed) : random_(seed) {
    config_.timing.interval = Duration(kInterval);
    config_.timing.gap = Fraction(3, 20);
    config_.timing.attempt_timeout = Duration(kInterval / 8);
    config_.timing.resolution = Duration(50);
    config_.timing.drift = Fraction(below(10), kStep);
    others_ = 1 + below(3);
    engine_.start(LocalTime(below(kInterval)), Duration(kInterval / 2));
    store_ = below(10 * kInterval);
  }

  RunResult run() {
    for (int step = 0; step < 12 * kInterval / kStep && result_.broken.empty(); ++step) {
      // Whole steps of the local clock, and rates in whole units a step, keep every span exact.
      local_ += kStep;
      const std::int64_t drift =
          config_.timing.drift.numerator() * (kStep / config_.timing.drift.denominator());
      store_ += kStep - drift + below(2 * drift + 1);
      others_register();
      attempt();
      check_reach();
    }
    return result_;
  }

 private:
  static constexpr std::int64_t kInterval = 4'000;
  static constexpr std::int64_t kStep = 20;

  struct Flight {
    Attempt attempt;
    std::int64_t executes = 0;  ///< local times
    std::int64_t replies = 0;
    std::int64_t executed_store = 0;
    std::optional<Tick> tick;
  };

  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }

  Tick register_now() {
    Tick tick;
    tick.interval = store_ / kInterval;
    tick.index = counters_[tick.interval]++;
    if (const auto closed = counters_.find(tick.interval - 1); closed != counters_.end()) {
      tick.previous_count = closed->second;
    }
    tick.at =
        StoreTime(store_ / config_.timing.resolution.count() * config_.timing.resolution.count());
    return tick;
  }

  /// Member k registers once an interval, k + 1 shares into it, and leaves out one in sixteen.
  void others_register() {
    const std::int64_t interval = store_ / kInterval;
    if (interval != others_interval_) {
      others_interval_ = interval;
      others_done_ = 0;
    }
    const std::int64_t share = kInterval / (others_ + 2);
    while (others_done_ < others_ && store_ % kInterval >= (others_done_ + 1) * share) {
      ++others_done_;
      if (below(16) != 0) register_now();
    }
  }

  void attempt() {
    const LocalTime now(local_);
    auto sink = [&](const Diagnostic& diagnostic) { observe(diagnostic); };
    if (const auto sent = engine_.on_timer(config_, now, sink)) {
      // Mostly quick; sometimes the reply takes nearly as long as the attempt may.
      const std::int64_t request = below(8) == 0 ? below(kInterval / 8) : below(60);
      const std::int64_t reply = below(3) == 0 ? below(kInterval / 9) : below(60);
      flight_ = Flight{*sent, local_ + request, local_ + request + reply, 0, std::nullopt};
    }
    if (!flight_) return;
    if (!flight_->tick && local_ >= flight_->executes) {
      flight_->tick = register_now();
      flight_->executed_store = store_;
    }
    if (flight_->tick && local_ >= flight_->replies) {
      const Flight flight = *flight_;
      flight_.reset();
      if (below(20) == 0) {
        engine_.on_failure(config_, flight.attempt.id, ErrorClass::connection, now, sink);
        return;
      }
      if (flight.attempt.id != engine_.current_attempt()) return;
      delivered_.push_back(*flight.tick);
      executed_ = flight.executed_store;
      engine_.on_tick(config_, flight.attempt.id, *flight.tick, now, now, sink);
    }
  }

  void observe(const Diagnostic& diagnostic) {
    if (diagnostic.code != DiagnosticCode::lease_granted &&
        diagnostic.code != DiagnosticCode::lease_renewed) {
      return;
    }
    ++result_.issued;
    issued_in_ = delivered_.back().interval;
    if (delivered_.size() < 3) {
      result_.broken = "a lease on fewer than three ticks";
      return;
    }
    const Tick& t3 = delivered_[delivered_.size() - 1];
    const Tick& t2 = delivered_[delivered_.size() - 2];
    const Tick& t1 = delivered_[delivered_.size() - 3];
    if (t2.interval != t3.interval - 1) result_.broken = "held-consecutive";
    if (t1.interval != t2.interval - 1) result_.broken = "remembered-consecutive";
    if (t1.index != t2.index || t2.previous_count != t3.previous_count) {
      result_.broken = "agreement";
    }
    if (diagnostic.pair != Pair{t2.index, t3.previous_count.value_or(0)}) {
      result_.broken = "closed-index";
    }
    if (executed_ < issued_in_ * kInterval + kInterval * 3 / 20) {
      result_.broken = "lemma at-or-after-gap";
    }
  }

  void check_reach() {
    if (!engine_.lease(config_, LocalTime(local_))) return;
    if (store_ >= (issued_in_ + 2) * kInterval) result_.broken = "lemma expiry-bound";
  }

  std::mt19937_64 random_;
  BasicLeaseConfig<Rules> config_;
  BasicLeaseEngine<Rules> engine_;
  std::int64_t local_ = 0;
  std::int64_t store_ = 0;
  std::int64_t others_ = 0;
  std::int64_t others_interval_ = -1;
  std::int64_t others_done_ = 0;
  std::map<IntervalNumber, std::uint32_t> counters_;
  std::optional<Flight> flight_;
  std::vector<Tick> delivered_;
  std::int64_t executed_ = 0;
  IntervalNumber issued_in_ = 0;
  RunResult result_;
};

// The lemmas about one worker, on the production engine.
TEST(EngineSatisfiesTheProof, GrantsLieAtTheGapOrLaterAndLeasesEndBeforeTwoIntervals) {
  int issued = 0;
  const bool holds = rc::check([&](std::uint64_t seed) {
    const RunResult result = EngineRun<ProtocolRules>(seed).run();
    issued += result.issued;
    RC_ASSERT(result.broken == std::string());
  });
  EXPECT_TRUE(holds);
  EXPECT_GT(issued, 100) << "hardly a lease was issued: the property says nothing";
}

template <class Rules>
std::string first_broken(int runs) {
  for (int seed = 0; seed < runs; ++seed) {
    const RunResult result = EngineRun<Rules>(static_cast<std::uint64_t>(seed)).run();
    if (!result.broken.empty()) return result.broken;
  }
  return {};
}

/// n-and-i's deadline: counted from the reply.
struct DeadlineFromReply : ProtocolRules {
  [[nodiscard]] constexpr LocalTime expiry(const LeaseTiming& timing, const ClockReading& reading,
                                           const Tick& tick) const {
    const StoreTime end = interval_begin(timing, tick.interval + 1) +
                          expiry_offset(timing, tick.index, members_for_slot(tick));
    return reading.received + (end - reading.at);
  }
};

struct SlotsFromTheStart : ProtocolRules {
  [[nodiscard]] constexpr Duration next_offset(const LeaseTiming&, const Tick&, Duration) const {
    return Duration(0);
  }
};

struct AnyHeldIndex : ProtocolRules {
  [[nodiscard]] constexpr std::optional<Pair> implied_pair(const std::optional<Held>& held,
                                                           const Tick& tick) const {
    if (!held || !tick.previous_count || held->index >= *tick.previous_count) return std::nullopt;
    return Pair{held->index, *tick.previous_count};
  }
};

struct OneIntervalIsEnough : ProtocolRules {
  [[nodiscard]] constexpr bool agrees(const std::optional<Remembered>&, const Pair&,
                                      const Tick&) const {
    return true;
  }
};

TEST(EngineSatisfiesTheProof, BrokenRulesBreakTheirHypothesis) {
  EXPECT_EQ(first_broken<DeadlineFromReply>(400), "lemma expiry-bound");
  EXPECT_EQ(first_broken<SlotsFromTheStart>(400), "lemma at-or-after-gap");
  EXPECT_NE(first_broken<AnyHeldIndex>(400), "");
  EXPECT_NE(first_broken<OneIntervalIsEnough>(400), "");
}

}  // namespace
}  // namespace nandi::checker
