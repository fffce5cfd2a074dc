// Lanes, shares and columns of runs that are written down by hand, so that each expected value can
// be read off the records.
#include "nandi/reports/timeline_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nandi::reports {
namespace {

using sim::ActionKind;
using sim::LeaseChange;
using sim::TraceRecord;
using sim::TrueTime;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr Duration kInterval(100);

TraceRecord action(std::int64_t at, ActionKind kind, sim::WorkerId worker = 0) {
  TraceRecord record;
  record.step.at = TrueTime(at);
  record.step.action.kind = kind;
  record.step.action.worker = worker;
  return record;
}

TraceRecord granted(std::int64_t at, sim::WorkerId worker, nandi::Pair pair, std::int64_t ends) {
  TraceRecord record = action(at, ActionKind::deliver, worker);
  record.lease_change = LeaseChange::granted;
  record.lease = pair;
  record.lease_ends = TrueTime(ends);
  return record;
}

TraceRecord lost(std::int64_t at, sim::WorkerId worker, std::int64_t let_go, LossCause cause) {
  TraceRecord record = action(at, ActionKind::wake, worker);
  record.lease_change = LeaseChange::lost;
  record.lease_ends = TrueTime(let_go);
  record.cause = cause;
  return record;
}

Timeline collect(const std::vector<TraceRecord>& records, std::int64_t end,
                 TimelineLimits limits = {}, std::optional<Focus> focus = {}) {
  TimelineCollector collector(kInterval, std::move(focus), limits);
  for (const TraceRecord& record : records) collector.record(record);
  return collector.finish(TrueTime(end));
}

struct Stretch {
  std::int64_t from;
  std::int64_t to;
  LaneState state;
};
bool operator==(const LanePart& part, const Stretch& stretch) {
  return part.from == stretch.from && part.to == stretch.to && part.state == stretch.state;
}

TEST(TimelineCollector, ALaneIsWhatTheWorkerWasFromRecordToRecord) {
  const Timeline timeline =
      collect({action(10, ActionKind::join), granted(250, 0, {1, 2}, 400),
               lost(330, 0, 330, LossCause::count_changed), granted(450, 0, {0, 1}, 600)},
              500);
  ASSERT_EQ(timeline.lanes.size(), 1U);
  const std::vector<LanePart>& parts = timeline.lanes[0].parts;
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0], (Stretch{10, 250, LaneState::idle}));
  EXPECT_EQ(parts[1], (Stretch{250, 330, LaneState::holds}));
  EXPECT_EQ(parts[2], (Stretch{330, 450, LaneState::idle}));
  EXPECT_EQ(parts[3], (Stretch{450, 500, LaneState::holds}));
  EXPECT_EQ(parts[1].pair, (nandi::Pair{1, 2}));
  EXPECT_EQ(parts[2].cause, "the number of members changed");
}

TEST(TimelineCollector, ALeaseThatRanOutUnseenEndsWhenItRanOut) {
  // The process stalls at 300, its lease ends at 400, it wakes at 480 and finds out.
  const Timeline timeline = collect(
      {action(10, ActionKind::join), granted(250, 0, {0, 1}, 400), action(300, ActionKind::pause),
       action(480, ActionKind::resume), lost(480, 0, 400, LossCause::late)},
      500);
  const std::vector<LanePart>& parts = timeline.lanes.at(0).parts;
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[1], (Stretch{250, 400, LaneState::holds}));
  EXPECT_EQ(parts[2], (Stretch{400, 480, LaneState::stalled}));
  EXPECT_EQ(parts[3], (Stretch{480, 500, LaneState::idle}));
  EXPECT_EQ(parts[3].cause, "no registration was completed in time");
}

TEST(TimelineCollector, TheShareIsTheSumOfTheHoldersShares) {
  const Timeline timeline = collect(
      {action(0, ActionKind::join, 0), action(0, ActionKind::join, 1), granted(100, 0, {0, 2}, 300),
       granted(150, 1, {1, 2}, 300), lost(200, 0, 200, LossCause::error)},
      250);
  std::vector<std::pair<std::int64_t, double>> steps;
  for (const ShareStep& step : timeline.shares) steps.emplace_back(step.at, step.share);
  EXPECT_THAT(steps, ElementsAre(Pair(100, 0.5), Pair(150, 1.0), Pair(200, 0.5), Pair(250, 0.0)));
}

TEST(TimelineCollector, ColumnsAreTheIntervalsOfTheStoresClock) {
  // The clock starts at 30 of interval 0 and is set back by 50 at true time 90 (it showed 120).
  TraceRecord start = action(0, ActionKind::step_store_clock);
  start.step.action.value = 30;
  TraceRecord back = action(90, ActionKind::step_store_clock);
  back.step.action.value = -50;
  const Timeline timeline = collect({start, back}, 300);
  EXPECT_THAT(timeline.columns,
              ElementsAre(Pair(0, 0), Pair(70, 1), Pair(90, 0), Pair(120, 1), Pair(220, 2)));
}

TEST(TimelineCollector, KeepsTheEventsAroundTheFocusAndSaysHowManyThereWere) {
  std::vector<TraceRecord> records;
  for (std::int64_t at = 0; at < 100; ++at) {
    records.push_back(action(at, at == 0 ? ActionKind::join : ActionKind::wake));
  }
  TimelineLimits limits;
  limits.events = 10;
  const Timeline timeline = collect(records, 100, limits, Focus{50, {0}, "here", false});
  EXPECT_EQ(timeline.all_events, 100U);
  ASSERT_EQ(timeline.events.size(), 10U);
  EXPECT_EQ(timeline.events.front().at, 46);
  EXPECT_EQ(timeline.events.back().at, 55);
  ASSERT_EQ(timeline.before.size(), 1U);
  EXPECT_EQ(timeline.before[0].second.process, 'r') << "it joined before the first kept event";
}

TEST(TimelineCollector, LanesOfTheFocusComeBeforeOthersWhereThereIsNoRoomForAll) {
  std::vector<TraceRecord> records;
  for (sim::WorkerId worker = 0; worker < 9; ++worker) {
    records.push_back(action(1, ActionKind::join, worker));
  }
  TimelineLimits limits;
  limits.lanes = 3;
  const Timeline timeline = collect(records, 100, limits, Focus{50, {7, 5}, "here", true});
  ASSERT_EQ(timeline.lanes.size(), 3U);
  EXPECT_EQ(timeline.lanes[0].name, "w0");
  EXPECT_EQ(timeline.lanes[1].name, "w5");
  EXPECT_EQ(timeline.lanes[2].name, "w7");
  EXPECT_EQ(timeline.all_workers, 9U);
}

TEST(TimelineCollector, PartsTooShortToBeSeenAreMergedAndItSaysSo) {
  std::vector<TraceRecord> records = {action(0, ActionKind::join)};
  for (std::int64_t at = 10; at < 9000; at += 10) {
    records.push_back(at % 20 == 10 ? granted(at, 0, {0, 1}, at + 10)
                                    : lost(at, 0, at, LossCause::late));
  }
  TimelineLimits limits;
  limits.parts_a_lane = 50;
  const Timeline timeline = collect(records, 9000, limits);
  EXPECT_TRUE(timeline.is_merged);
  const std::vector<LanePart>& parts = timeline.lanes.at(0).parts;
  EXPECT_LE(parts.size(), 50U);
  EXPECT_EQ(parts.front().from, 0);
  EXPECT_EQ(parts.back().to, 9000);
  for (std::size_t p = 1; p < parts.size(); ++p) EXPECT_EQ(parts[p].from, parts[p - 1].to);
}

TEST(TimelineCollector, AMessageIsFollowedFromSendingToDelivery) {
  TraceRecord sent = action(100, ActionKind::wake);
  sent.attempt = 7;
  TraceRecord executed = action(103, ActionKind::execute);
  executed.step.action.attempt = 7;
  executed.tick = Tick{4, 2, 5, StoreTime(400)};
  TraceRecord delivered = action(105, ActionKind::deliver);
  delivered.step.action.attempt = 7;
  delivered.tick = executed.tick;
  const Timeline timeline = collect({action(0, ActionKind::join), sent, executed, delivered}, 200);
  ASSERT_EQ(timeline.messages.size(), 1U);
  const Message& message = timeline.messages.front();
  EXPECT_EQ(message.sent, 100);
  EXPECT_EQ(message.executed, 103);
  EXPECT_EQ(message.delivered, 105);
  EXPECT_EQ(message.interval, 4);
  EXPECT_EQ(message.index, 2U);
  EXPECT_EQ(message.previous, 5U);
  EXPECT_THAT(timeline.events.back().counters, ElementsAre(CounterView{3, 5}, CounterView{4, 3}));
}

TEST(TimelineCollector, AFaultThatStrikesOnceIsAMomentAndOneThatLastsGoesOnToItsEnd) {
  const auto fault = [](std::int64_t at, const char* name, std::uint32_t number, bool ends) {
    TraceRecord record;
    record.kind = ends ? sim::RecordKind::fault_ends : sim::RecordKind::fault_begins;
    record.step.at = TrueTime(at);
    record.fault = name;
    record.fault_number = number;
    return record;
  };
  const Timeline timeline = collect({fault(100, "del", 0, false), fault(150, "hang", 1, false),
                                     fault(200, "latency", 2, false), fault(250, "hang", 1, true)},
                                    400);
  ASSERT_EQ(timeline.bands.size(), 3U);
  EXPECT_EQ(timeline.bands[0].to, 100) << "del has no end in a trace, and none in the world";
  EXPECT_EQ(timeline.bands[1].to, 250);
  EXPECT_EQ(timeline.bands[2].to, 400) << "for the rest of the run";
}

}  // namespace
}  // namespace nandi::reports
