// What the bad days of redis_fault_test.cc do to a group of three: nobody ever shares an index
// (WorkerGroup compares after every step), and the group becomes whole again. The comment above
// each test says what is to be expected and why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "redis/worker_group.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Each;
using testing::Eq;
using testing::Not;

constexpr auto kInterval = 1000ms;

class RedisGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    server = std::make_unique<RedisServer>();
    group = std::make_unique<WorkerGroup>(*server, 3, kInterval);
    group->settle();
    group->forget_history();
  }
  std::unique_ptr<RedisServer> server;
  std::unique_ptr<WorkerGroup> group;
};

// The first attempt fails after an eighth of an interval although it was counted: a ghost. Retries
// wait for a greeting that is held back too, until one gets through. Its worker loses its lease
// (two eighths are more than the gap), the ghost makes the count 4, so all stand down for about two
// intervals and are back on 3: about 4 intervals.
TEST_F(RedisGroupTest, AReplyHeldForFourTenthsOfAnIntervalCostsTheGroupAGhost) {
  GroupMember& slow = (*group)[1];
  slow.proxy->replies({.hold = true});
  ASSERT_TRUE(group->run(10, [&] { return !slow.errors.empty(); }));
  group->run(0.4 - 0.125);
  slow.proxy->replies({});
  EXPECT_THAT(slow.errors, Contains(ErrorClass::timeout));
  ASSERT_TRUE(group->run(20, [&] { return !slow.losses.empty(); }));
  group->recover(4);
}

// Lost replies, as many as there are in one interval and a half: as above, for the ghosts of each.
TEST_F(RedisGroupTest, LostRepliesCostTheLeaseAndNobodySharesMeanwhile) {
  GroupMember& deaf = (*group)[0];
  deaf.proxy->replies({.swallow = true});
  ASSERT_TRUE(group->run(20, [&] { return !deaf.losses.empty(); }));
  EXPECT_FALSE(WorkerGroup::holds(deaf));
  deaf.proxy->replies({});
  group->recover(5);
}

// Case A01. A dead connection is noticed by the attempt's deadline, replaced, and the retry may
// still be in time for the lease (an eighth of an interval is less than the gap), or else the
// worker comes back the long way; either way the group is whole within about 4 intervals.
TEST_F(RedisGroupTest, AHalfOpenConnectionIsReplaced) {
  (*group)[2].proxy->half_open();
  ASSERT_TRUE(group->run(10, [&] { return !(*group)[2].errors.empty(); }));
  EXPECT_EQ((*group)[2].errors.front(), ErrorClass::timeout);
  group->recover(4);
}

// A reply of over 40 bytes at one byte per 100 ms never comes within an eighth of a second.
TEST_F(RedisGroupTest, ADrippingServerIsATimeout) {
  GroupMember& slow = (*group)[1];
  slow.proxy->replies({.drip = 100ms});
  ASSERT_TRUE(group->run(20, [&] { return !slow.losses.empty(); }));
  EXPECT_THAT(slow.errors, Contains(ErrorClass::timeout));
  slow.proxy->replies({});
  group->recover(5);
}

// Case A08: the source follows in the same slot, and no lease is lost. (On a machine that is too
// busy to register in time one may be, but then it was late, or counted twice.)
TEST_F(RedisGroupTest, AFlushedScriptCostsNothing) {
  server->ask({"SCRIPT", "FLUSH"});
  ASSERT_TRUE(group->run(10, [&] {
    return std::any_of(group->members().begin(), group->members().end(),
                       [](const GroupMember& member) { return member.scripts_sent > 0; });
  }));
  group->run(1.5);
  int failed = 0;
  for (const GroupMember& member : group->members())
    failed += static_cast<int>(member.errors.size());
  for (const GroupMember& member : group->members()) {
    if (failed > 0) break;
    EXPECT_THAT(member.losses, Each(Eq(LossCause::late)));
  }
  group->recover(3);
}

// The counts of the open and the closed interval are gone: whoever registers next finds no previous
// count and stands down, and counting begins again. Whole after about 4 intervals.
TEST_F(RedisGroupTest, FlushedDataInMidIntervalStandsAllDown) {
  server->ask({"FLUSHALL"});
  ASSERT_TRUE(group->run(10, [&] { return group->none_holds(); }));
  for (const GroupMember& member : group->members()) EXPECT_FALSE(member.losses.empty());
  group->recover(4);
}

// As flushed data, with new connections and a script to send again.
TEST_F(RedisGroupTest, ARestartWithoutDataStandsAllDown) {
  server->kill();
  server->restart();
  ASSERT_TRUE(group->run(10, [&] { return group->none_holds(); }));
  group->recover(4);
}

// Every lease ends one gap past its slot on the workers' own clocks: at the latest one interval
// and a gap after the last registration. Awake again, the server finds one registration of each
// worker at most, as new connections were not greeted: whole after about 4 intervals.
TEST_F(RedisGroupTest, AServerThatHangsForFiveIntervalsEndsEveryLeaseOnTime) {
  server->stop();
  group->run(2.3);
  EXPECT_TRUE(group->none_holds()) << "2.3 intervals after the last registration";
  for (const GroupMember& member : group->members()) {
    EXPECT_FALSE(member.handed) << "idle was handed out";
    EXPECT_EQ(member.losses.size(), 1U) << "and one lease was lost once";
  }
  group->run(2.7);
  server->resume();
  group->recover(4);
  for (const GroupMember& member : group->members()) {
    EXPECT_LE(member.largest_count, 6U) << "each worker once more and one ghost of each, not one "
                                           "for each of the retries";
  }
}

// Case A11: BUSY is refused at once, so leases end on time and come back when the script ends.
TEST_F(RedisGroupTest, ABusyServerIsSurvived) {
  server->ask({"CONFIG", "SET", "busy-reply-threshold", "20"});
  const auto blocker = server->client();
  blocker->send({"EVAL", "while true do end", "0"});
  ASSERT_TRUE(group->run(10, [&] { return group->none_holds(); }));
  EXPECT_THAT((*group)[0].errors, Contains(ErrorClass::busy));
  server->ask({"SCRIPT", "KILL"});
  group->recover(4);
}

// Case A02: nothing is queued up during an outage; afterwards each registers once an interval.
TEST_F(RedisGroupTest, AnOutageOfSeveralIntervalsIsNotFollowedByABurst) {
  server->kill();
  group->run(4);
  EXPECT_TRUE(group->none_holds());
  server->restart();
  group->forget_history();
  group->recover(4);
  for (const GroupMember& member : group->members()) {
    EXPECT_LE(member.largest_count, 3U + member.errors.size()) << "workers and real retries";
  }
}

// A stop in the middle of a hang waits for nothing and hands out idle.
TEST_F(RedisGroupTest, AStopDuringAHangIsImmediate) {
  server->stop();
  group->run(0.5);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < 3; ++i) {
    GroupMember& member = (*group)[i];
    member.worker->stop();
    while (const auto hand_over = member.worker->take()) member.handed = hand_over->pair;
    EXPECT_FALSE(member.handed);
  }
  group.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  server->resume();
}

}  // namespace
}  // namespace nandi::test
