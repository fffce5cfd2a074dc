// Many workers in one process on few connections.
#include "fleet.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "redis_server.h"

namespace nandi::test {
namespace {

using namespace std::chrono_literals;

/// The first index that two workers hold, or that does not go with another's count; -1: none. Pairs
/// (i, n) and (j, m) share a task when i and j are alike modulo gcd(n, m) (protocol), which for
/// equal counts says the same index.
std::int64_t first_clash(const std::vector<std::optional<Pair>>& held) {
  std::map<std::uint32_t, std::map<std::uint32_t, int>> by_count;
  for (const auto& pair : held) {
    if (!pair) continue;
    if (++by_count[pair->count][pair->index] > 1) return pair->index;
  }
  for (const auto& [n, indexes] : by_count) {
    for (const auto& [m, others] : by_count) {
      if (m <= n) continue;
      const std::uint32_t divisor = std::gcd(n, m);
      for (const auto& [i, once] : indexes) {
        for (const auto& [j, again] : others) {
          if (i % divisor == j % divisor) return i;
        }
      }
    }
  }
  return -1;
}

// Slots are 2.8 ms apart: on a busy machine neighbours swap now and then, and stand down for it.
TEST(Fleet, five_hundred_workers_share_two_connections_and_no_task) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  constexpr std::size_t kWorkers = 500;
  bench::Fleet fleet(server.tcp(), kWorkers, 2, 2s);
  std::int64_t clash = -1;
  const auto looked = [&] {
    clash = std::max(clash, first_clash(fleet.holdings()));
    return clash >= 0;
  };
  fleet.run_until([&] { return looked() || fleet.owners() > kWorkers / 2; }, 60s);
  EXPECT_GT(fleet.owners(), kWorkers / 2);
  const std::uint64_t before = fleet.registrations();
  fleet.run_until(looked, 4s);
  EXPECT_EQ(clash, -1);
  // Once an interval each, and no storm of retries: two intervals, and what was about to be sent.
  EXPECT_LE(fleet.registrations() - before, 4 * kWorkers);
  EXPECT_GE(fleet.registrations() - before, kWorkers);
}

TEST(Fleet, a_clash_would_be_seen) {
  EXPECT_EQ(first_clash({Pair{0, 2}, Pair{1, 2}, std::nullopt}), -1);
  EXPECT_EQ(first_clash({Pair{1, 2}, Pair{1, 2}}), 1);
  EXPECT_EQ(first_clash({Pair{0, 4}, Pair{1, 6}}), -1);  // even and odd
  EXPECT_EQ(first_clash({Pair{0, 4}, Pair{2, 6}}), 0);   // task 8 is both's
}

}  // namespace
}  // namespace nandi::test
