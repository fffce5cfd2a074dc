// The registration script on a real server, called the way a client without any of our code would.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "nandi/engine/script.h"
#include "redis_server.h"

namespace nandi {
namespace {

using test::RedisServer;

/// The words of a reply in one line.
std::vector<std::string> words_of(const std::string& reply) {
  std::vector<std::string> words;
  std::istringstream stream(reply);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> evaluate(RedisServer& server, const std::string& key,
                                  std::int64_t interval_ms) {
  return words_of(server.ask(
      {"EVALSHA", std::string(kRegistrationScriptSha1), "1", key, std::to_string(interval_ms)}));
}

TEST(ScriptOnRedis, the_server_names_it_by_the_sha1_that_we_send) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  EXPECT_EQ(server.ask({"SCRIPT", "LOAD", std::string(kRegistrationScript)}),
            kRegistrationScriptSha1);
}

TEST(ScriptOnRedis, counts_in_the_interval_of_the_servers_clock_and_says_nil_for_what_is_absent) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  server.ask({"SCRIPT", "LOAD", std::string(kRegistrationScript)});
  constexpr std::int64_t kIntervalMs = 3'600'000;
  const std::string before = words_of(server.ask({"TIME"})).at(0);
  const auto first = evaluate(server, "p:{g}", kIntervalMs);
  ASSERT_EQ(first.size(), 4U);
  const std::int64_t n = std::atoll(first[0].c_str());
  const std::int64_t now_ms = std::atoll(first[3].c_str());
  EXPECT_EQ(n, now_ms / kIntervalMs);
  EXPECT_GE(now_ms, std::atoll(before.c_str()) * 1000);
  EXPECT_LE(now_ms, std::atoll(before.c_str()) * 1000 + 60'000);
  EXPECT_EQ(first[1], "1");
  EXPECT_EQ(first[2], "(nil)");
  EXPECT_EQ(server.ask({"GET", fmt::format("p:{{g}}:{}", n)}), "1");
  const std::int64_t ttl = std::atoll(server.ask({"PTTL", fmt::format("p:{{g}}:{}", n)}).c_str());
  EXPECT_GT(ttl, 3 * kIntervalMs - 60'000);
  EXPECT_LE(ttl, 3 * kIntervalMs);

  server.ask({"SET", fmt::format("p:{{g}}:{}", n - 1), "7"});
  const auto second = evaluate(server, "p:{g}", kIntervalMs);
  ASSERT_EQ(second.size(), 4U);
  if (second[0] == first[0]) {  // unless the hour has just ended
    EXPECT_EQ(second[1], "2");
    EXPECT_EQ(second[2], "7");
  }
}

// 14 digits is where Lua's own number formatting stops; a counter's number has 13 at 1 ms.
TEST(ScriptOnRedis, the_shortest_and_the_longest_interval_are_counted_in_full) {
  NANDI_NEEDS_REDIS();
  RedisServer server;
  server.ask({"SCRIPT", "LOAD", std::string(kRegistrationScript)});
  for (const std::int64_t interval_ms : {std::int64_t{1}, std::int64_t{2'147'483'647}}) {
    const auto reply = evaluate(server, fmt::format("{{g{}}}", interval_ms), interval_ms);
    ASSERT_EQ(reply.size(), 4U);
    const std::int64_t now_ms = std::atoll(reply[3].c_str());
    EXPECT_EQ(std::atoll(reply[0].c_str()), now_ms / interval_ms);
    // At 1 ms the key is gone after 3, so only what is still there can be looked at.
    if (interval_ms > 1) {
      EXPECT_EQ(server.ask({"EXISTS", fmt::format("{{g{}}}:{}", interval_ms, reply[0])}), "1");
    }
  }
}

}  // namespace
}  // namespace nandi
