// One suite, two arms: a real redis-server and RedisModel, through names of keys and commands,
// answer random command histories alike. The same histories catch each broken model below.
#include "conformance/check_histories.h"

namespace nandi::test {
namespace {

using sim::Counter;
using sim::GroupId;
using sim::HeapCounters;
using sim::RedisModel;

using Model = RedisModel<HeapCounters>;

TEST(Conformance, the_model_answers_3000_histories_as_a_server_does) {
  NANDI_NEEDS_REDIS();
  const std::uint64_t compared = check_histories<Model>(3000);
  EXPECT_GT(compared, 20'000U) << "histories of some length";
}

/// Runs histories until one is answered differently, which the sound model answers alike.
template <class Broken>
testing::AssertionResult is_caught() {
  RealArm real;
  ModelArm<Broken> broken;
  ModelArm<Model> sound;
  constexpr std::uint64_t kHistories = 2000;
  for (std::uint64_t seed = 1; seed <= kHistories; ++seed) {
    if (!History<Broken>(real, broken).run(numbers_of(seed))) continue;
    const auto difference = History<Model>(real, sound).run(numbers_of(seed));
    if (!difference) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "the sound model differs too: " << *difference;
  }
  return testing::AssertionFailure() << kHistories << " histories did not tell it from a server";
}

/// Gives a counter another expiry.
template <class Change>
void change_expiry(Model& model, GroupId group, IntervalNumber number, const LeaseTiming& timing,
                   StoreTime now, Change&& change) {
  Counter counter = *model.find(group, number, timing, now);
  counter.expires = change(counter.expires);
  model.put(counter);
}

struct NoExpiry : Model {
  Tick register_worker(GroupId group, const LeaseTiming& timing, StoreTime now,
                       IntervalNumber number) {
    const Tick tick = Model::register_worker(group, timing, now, number);
    change_expiry(*this, group, number, timing, now, [](StoreTime) { return StoreTime::max(); });
    return tick;
  }
};

struct TwoIntervals : Model {
  Tick register_worker(GroupId group, const LeaseTiming& timing, StoreTime now,
                       IntervalNumber number) {
    const Tick tick = Model::register_worker(group, timing, now, number);
    change_expiry(*this, group, number, timing, now,
                  [&](StoreTime expires) { return expires - timing.interval; });
    return tick;
  }
};

struct ExpiryOfTheFirst : Model {
  Tick register_worker(GroupId group, const LeaseTiming& timing, StoreTime now,
                       IntervalNumber number) {
    const std::optional<Counter> before = find(group, number, timing, now);
    const Tick tick = Model::register_worker(group, timing, now, number);
    if (before) {
      change_expiry(*this, group, number, timing, now, [&](StoreTime) { return before->expires; });
    }
    return tick;
  }
};

struct GoneAtTheDeadline : Model {
  std::optional<Counter> find(GroupId group, IntervalNumber number, const LeaseTiming& timing,
                              StoreTime now) const {
    return Model::find(group, number, timing, now + timing.resolution);
  }
};

struct ZeroForAbsent : Model {
  Tick register_worker(GroupId group, const LeaseTiming& timing, StoreTime now,
                       IntervalNumber number) {
    Tick tick = Model::register_worker(group, timing, now, number);
    tick.previous_count = tick.previous_count.value_or(0);
    return tick;
  }
};

struct CountOfTwoBefore : Model {
  Tick register_worker(GroupId group, const LeaseTiming& timing, StoreTime now,
                       IntervalNumber number) {
    Tick tick = Model::register_worker(group, timing, now, number);
    const std::optional<Counter> older = find(group, number - 2, timing, now);
    if (older) tick.previous_count = older->value;
    return tick;
  }
};

struct IndexFromOne : Model {
  Tick register_worker(GroupId group, const LeaseTiming& timing, StoreTime now,
                       IntervalNumber number) {
    Tick tick = Model::register_worker(group, timing, now, number);
    ++tick.index;
    return tick;
  }
};

struct KeepingDel : Model {
  void erase(GroupId, IntervalNumber) {}
};

struct KeepingFlush : Model {
  void flush_all() {}
};

struct FlushTakesScripts : Model {
  void flush_all() {
    Model::flush_all();
    set_script_cached(false);
  }
};

struct KnowsEveryScript : Model {
  [[nodiscard]] bool script_cached() const { return true; }
};

struct SourceIsNotKept : Model {
  [[nodiscard]] bool script_cached() const { return false; }
};

struct OneCounterForAllGroups : Model {
  Tick register_worker(GroupId, const LeaseTiming& timing, StoreTime now, IntervalNumber number) {
    return Model::register_worker(0, timing, now, number);
  }
  [[nodiscard]] std::optional<Counter> find(GroupId, IntervalNumber number,
                                            const LeaseTiming& timing, StoreTime now) const {
    return Model::find(0, number, timing, now);
  }
};

template <class Broken>
class BrokenModel : public testing::Test {};
using BrokenModels =
    testing::Types<NoExpiry, TwoIntervals, ExpiryOfTheFirst, GoneAtTheDeadline, ZeroForAbsent,
                   CountOfTwoBefore, IndexFromOne, KeepingDel, KeepingFlush, FlushTakesScripts,
                   KnowsEveryScript, SourceIsNotKept, OneCounterForAllGroups>;
struct BrokenModelName {
  template <class Broken>
  static std::string GetName(int);
};
#define NANDI_NAMED(Broken)                           \
  template <>                                         \
  std::string BrokenModelName::GetName<Broken>(int) { \
    return #Broken;                                   \
  }
NANDI_NAMED(NoExpiry)
NANDI_NAMED(TwoIntervals)
NANDI_NAMED(ExpiryOfTheFirst)
NANDI_NAMED(GoneAtTheDeadline)
NANDI_NAMED(ZeroForAbsent)
NANDI_NAMED(CountOfTwoBefore)
NANDI_NAMED(IndexFromOne)
NANDI_NAMED(KeepingDel)
NANDI_NAMED(KeepingFlush)
NANDI_NAMED(FlushTakesScripts)
NANDI_NAMED(KnowsEveryScript)
NANDI_NAMED(SourceIsNotKept)
NANDI_NAMED(OneCounterForAllGroups)
#undef NANDI_NAMED
TYPED_TEST_SUITE(BrokenModel, BrokenModels, BrokenModelName);

TYPED_TEST(BrokenModel, is_told_from_a_server) {
  NANDI_NEEDS_REDIS();
  EXPECT_TRUE(is_caught<TypeParam>());
}

}  // namespace
}  // namespace nandi::test
