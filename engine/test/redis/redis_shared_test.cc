// Many stores on one connection: replies find their owners by position, whoever gave up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "delay_proxy.h"
#include "nandi/engine/options.h"
#include "nandi/engine/redis/redis_store.h"
#include "nandi/engine/start_draw.h"
#include "nandi/engine/worker.h"
#include "redis/redis_driver.h"
#include "redis_server.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::int64_t kHour = 3'600'000;

LocalTime in(std::chrono::milliseconds time) { return BootClock{}.now() + as_duration(time); }

class RedisSharedTest : public testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    server = std::make_unique<RedisServer>();
    proxy = std::make_unique<DelayProxy>(server->port());
    options.url.host = "127.0.0.1";
    options.url.port = proxy->port();
  }

  /// Stores tagged 0, 1, ...; even ones in group {a}, odd ones in {b}.
  std::vector<RedisStore> make_stores(const RedisConnection& connection, std::size_t count) {
    std::vector<RedisStore> stores;
    for (std::size_t i = 0; i < count; ++i) {
      stores.emplace_back(connection, RedisGroup{i % 2 == 0 ? "{a}" : "{b}", kHour}, i);
    }
    return stores;
  }

  /// Collects `count` completions by tag.
  std::map<std::uint64_t, Completion> collect(RedisConnection& connection,
                                              std::vector<RedisStore>& stores, std::size_t count) {
    std::map<std::uint64_t, Completion> done;
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (done.size() < count && std::chrono::steady_clock::now() < end) {
      while (const auto tag = connection.next_ready()) {
        auto completion = stores.at(*tag).next_completion();
        EXPECT_TRUE(completion);
        if (completion) done[*tag] = *completion;
      }
      pollfd polled{connection.descriptor(), POLLIN, 0};
      poll(&polled, 1, 100);
    }
    return done;
  }

  std::unique_ptr<RedisServer> server;
  std::unique_ptr<DelayProxy> proxy;
  RedisOptions options;
};

TEST_F(RedisSharedTest, EachStoreGetsItsOwnGroupsCount) {
  RedisConnection connection(options, as_duration(1s));
  std::vector<RedisStore> stores = make_stores(connection, 10);
  connection.hold();
  for (AttemptId id = 1; RedisStore & store : stores) store.submit({id++, in(5s)});
  connection.flush();
  const auto done = collect(connection, stores, stores.size());
  ASSERT_EQ(done.size(), 10U);
  for (const auto& [tag, completion] : done) {
    ASSERT_NE(tick_in(completion), nullptr) << detail_in(completion);
    EXPECT_EQ(completion.attempt, tag + 1);
    EXPECT_EQ(tick_in(completion)->index, tag / 2) << "the server counts in the order of sending";
  }
  EXPECT_EQ(proxy->connections(), 1);
}

TEST_F(RedisSharedTest, AnAbandonedReplyKeepsItsPlaceAndIsDiscarded) {
  RedisConnection connection(options, as_duration(20s));
  std::vector<RedisStore> stores = make_stores(connection, 6);
  for (RedisStore& store : stores) store.submit({1, in(10s)});
  ASSERT_EQ(collect(connection, stores, 6).size(), 6U);
  proxy->replies({.hold = true});
  for (RedisStore& store : stores) store.submit({2, in(20s)});
  stores[1].abandon(2);
  stores[4].abandon(2);
  stores[4].submit({3, in(20s)});
  proxy->replies({});
  const auto done = collect(connection, stores, 5);
  ASSERT_EQ(done.size(), 5U);
  EXPECT_EQ(done.count(1), 0U);
  // {a} counts stores 0, 2, 4, 0, 2, 4, 4; {b} 1, 3, 5, 1, 3, 5.
  const std::map<std::uint64_t, std::uint32_t> expected{{0, 3}, {2, 4}, {3, 4}, {4, 6}, {5, 5}};
  for (const auto& [tag, completion] : done) {
    ASSERT_NE(tick_in(completion), nullptr) << detail_in(completion);
    EXPECT_EQ(tick_in(completion)->index, expected.at(tag)) << tag;
    EXPECT_EQ(completion.attempt, tag == 4 ? 3U : 2U);
  }
  EXPECT_EQ(connection.counters().discarded, 2U);
  EXPECT_EQ(proxy->connections(), 1) << "the connection is still good";
}

// Two workers in turn on one store count their attempts from 1 each.
TEST_F(RedisSharedTest, TheNextWorkerOnAStoreIsNeverAnsweredWithItsForerunnersReply) {
  Options group;
  group.name = "mail";
  group.interval = 3600s;
  group.first_spread = Fraction();
  RedisConnection connection(options, as_duration(20s));
  RedisStore store(connection, RedisGroup{group_key(group), interval_ms(group)});
  ASSERT_NE(tick_in(register_once(store, 7, 5s)), nullptr);
  proxy->replies({.hold = true});
  std::optional<Tick> heard;
  const auto make_worker = [&] {
    return std::make_unique<Worker<BootClock, RedisStore>>(
        timing_of(group), draw_start(group, 1), BootClock{}, store,
        [&](const Diagnostic& d, const ReportContext&) {
          if (d.code == DiagnosticCode::registration_completed) heard = d.tick;
        });
  };
  auto worker = make_worker();
  worker->step();  // its attempt 1 has index 1
  worker.reset();
  worker = make_worker();
  worker->step();  // and this one's attempt 1 index 2
  proxy->replies({});
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!heard && std::chrono::steady_clock::now() < end) {
    pollfd polled{worker->descriptor(), POLLIN, 0};
    poll(&polled, 1, 100);
    worker->step();
  }
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->index, 2U);
  EXPECT_EQ(connection.counters().discarded, 1U);
}

TEST_F(RedisSharedTest, APassedDeadlineIsOneStoresAffair) {
  RedisConnection connection(options, as_duration(20s));
  std::vector<RedisStore> stores = make_stores(connection, 2);
  for (RedisStore& store : stores) store.submit({1, in(10s)});
  ASSERT_EQ(collect(connection, stores, 2).size(), 2U);
  proxy->replies({.hold = true});
  stores[0].submit({2, in(100ms)});
  stores[1].submit({2, in(20s)});
  const auto late = collect(connection, stores, 1);
  ASSERT_EQ(late.count(0), 1U);
  EXPECT_EQ(error_in(late.at(0)), ErrorClass::timeout);
  proxy->replies({});
  const auto done = collect(connection, stores, 1);
  ASSERT_EQ(done.count(1), 1U);
  EXPECT_NE(tick_in(done.at(1)), nullptr) << detail_in(done.at(1));
  EXPECT_EQ(proxy->connections(), 1);
}

TEST_F(RedisSharedTest, AConnectionOnWhichNothingIsAnsweredForAGapIsDropped) {
  RedisConnection connection(options, as_duration(300ms));
  std::vector<RedisStore> stores = make_stores(connection, 2);
  for (RedisStore& store : stores) store.submit({1, in(10s)});
  ASSERT_EQ(collect(connection, stores, 2).size(), 2U);
  proxy->half_open();
  const auto begin = std::chrono::steady_clock::now();
  stores[0].submit({2, in(50ms)});
  stores[1].submit({2, in(20s)});
  const auto done = collect(connection, stores, 2);
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(error_in(done.at(0)), ErrorClass::timeout);
  EXPECT_EQ(error_in(done.at(1)), ErrorClass::connection);
  EXPECT_THAT(detail_in(done.at(1)), HasSubstr("unanswered for 300 ms"));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 300ms);
  stores[0].submit({3, in(5s)});
  const auto again = collect(connection, stores, 1);
  ASSERT_EQ(again.count(0), 1U);
  EXPECT_NE(tick_in(again.at(0)), nullptr) << detail_in(again.at(0));
  EXPECT_EQ(proxy->connections(), 2);
}

TEST_F(RedisSharedTest, AForgottenScriptIsSentAgainForEachThatNeedsIt) {
  RedisConnection connection(options, as_duration(5s));
  std::vector<RedisStore> stores = make_stores(connection, 8);
  for (RedisStore& store : stores) store.submit({1, in(10s)});
  const auto done = collect(connection, stores, 8);
  ASSERT_EQ(done.size(), 8U);
  std::set<std::uint32_t> indexes;
  for (const auto& [tag, completion] : done) {
    ASSERT_NE(tick_in(completion), nullptr) << detail_in(completion);
    if (tag % 2 == 0) indexes.insert(tick_in(completion)->index);
  }
  EXPECT_EQ(indexes, (std::set<std::uint32_t>{0, 1, 2, 3})) << "each counted exactly once";
}

TEST_F(RedisSharedTest, AStoreThatLeavesTakesNobodysReply) {
  RedisConnection connection(options, as_duration(20s));
  std::vector<RedisStore> stores = make_stores(connection, 2);
  for (RedisStore& store : stores) store.submit({1, in(10s)});
  ASSERT_EQ(collect(connection, stores, 2).size(), 2U);
  proxy->replies({.hold = true});
  auto leaver = std::make_unique<RedisStore>(connection, RedisGroup{"{a}", kHour}, 7);
  leaver->submit({1, in(10s)});
  leaver.reset();
  // Its seat is taken again, by a store whose attempt has the same number.
  stores.emplace_back(connection, RedisGroup{"{b}", kHour}, 2);
  stores[2].submit({1, in(10s)});
  proxy->replies({});
  const auto done = collect(connection, stores, 1);
  ASSERT_EQ(done.count(2), 1U);
  ASSERT_NE(tick_in(done.at(2)), nullptr) << detail_in(done.at(2));
  EXPECT_EQ(tick_in(done.at(2))->index, 1U) << "second in {b}; the leaver was second in {a}";
  EXPECT_EQ(connection.counters().discarded, 1U);
}

TEST_F(RedisSharedTest, AStoreThatPumpsForTheOthersKeepsTheDescriptorReadableForThem) {
  RedisConnection connection(options, as_duration(20s));
  std::vector<RedisStore> stores = make_stores(connection, 2);
  for (RedisStore& store : stores) store.submit({1, in(10s)});
  ASSERT_EQ(collect(connection, stores, 2).size(), 2U);
  proxy->replies({.hold = true});
  for (RedisStore& store : stores) store.submit({2, in(60s)});
  std::this_thread::sleep_for(100ms);
  proxy->replies({});
  std::this_thread::sleep_for(200ms);
  // By now both replies wait in the socket; one call takes them both.
  ASSERT_NE(tick_in(wait_completion(stores[0], 5s)), nullptr);
  pollfd polled{stores[1].descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&polled, 1, 5000), 1) << "store 1 is not told of its completion";
  EXPECT_NE(tick_in(wait_completion(stores[1], 5s)), nullptr);
  while (stores[1].next_completion()) {
  }
  EXPECT_EQ(poll(&polled, 1, 0), 0) << "and nothing is left";
}

TEST_F(RedisSharedTest, WhatIsRefusedForAllIsRefusedForAllWhoWait) {
  proxy->refuse(true);
  RedisConnection connection(options, as_duration(5s));
  std::vector<RedisStore> stores = make_stores(connection, 20);
  for (RedisStore& store : stores) store.submit({1, in(2s)});
  const auto done = collect(connection, stores, 20);
  ASSERT_EQ(done.size(), 20U);
  for (const auto& [tag, completion] : done) {
    EXPECT_EQ(error_in(completion), ErrorClass::connection) << tag;
  }
  EXPECT_LE(proxy->connections(), 3) << "one connection for all, not one for each";
}

}  // namespace
}  // namespace nandi::test
