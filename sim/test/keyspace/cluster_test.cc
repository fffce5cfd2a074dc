// The key space against real servers: slots, the map that redis-cli makes, and what nodes accept.
#include <array>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "nandi/engine/options.h"
#include "nandi/engine/script.h"
#include "nandi/sim/keyspace/cluster_answer.h"
#include "nandi/sim/keyspace/hash_slot.h"
#include "nandi/sim/keyspace/key_lint.h"
#include "nandi/sim/keyspace/slot_map.h"
#include "nandi/sim/partition/study_draw.h"
#include "private_cluster.h"

namespace nandi::sim {
namespace {

using test::PrivateCluster;
using test::RedisClient;

constexpr std::size_t kMasters = 3;

std::uint64_t draw(std::uint64_t stream, std::uint64_t counter, std::uint64_t bound) {
  return bounded_draw(study_draw(20170301 + stream, StudyStream::item_id, counter), bound);
}

/// Bytes of any value, with far more braces than chance gives; some are empty or long.
std::string nasty_key(std::uint64_t number) {
  static constexpr std::string_view kBraces = "{}{}{{}}";
  std::string key;
  const std::uint64_t length = draw(1, number, number % 100 == 0 ? 600 : 14);
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t at = number * 1000 + i;
    const bool brace = draw(2, at, 3) == 0;
    key += brace ? kBraces[draw(3, at, kBraces.size())] : static_cast<char>(draw(4, at, 256));
  }
  return key;
}

std::string plain_key(std::uint64_t number) {
  return "key:" + std::to_string(draw(5, number, UINT64_MAX));
}

/// A few texts in and around braces, so that pairs often share a slot.
std::string tagged_key(std::uint64_t number) {
  static const std::array<std::string, 8> kTags = {"{a}", "{b}", "{c}",    "{}",
                                                   "{",   "a",   "{a}{b}", "}{a}"};
  return kTags[draw(6, number, kTags.size())] + std::to_string(draw(7, number, 2));
}

class RedisClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    NANDI_NEEDS_REDIS();
    if (!test::find_program("redis-cli")) GTEST_SKIP() << "redis-cli is not installed";
    if (!cluster_) cluster_ = std::make_unique<PrivateCluster>(kMasters);
  }
  static void TearDownTestSuite() { cluster_.reset(); }

  static std::unique_ptr<PrivateCluster> cluster_;
  const SlotMap map_ = SlotMap::redis_cli_ranges(kMasters);
};

std::unique_ptr<PrivateCluster> RedisClusterTest::cluster_;

/// The class of a node's answer.
ClusterAnswer classify(const std::string& reply) {
  if (reply.rfind("-CROSSSLOT", 0) == 0) return ClusterAnswer::cross_slot;
  if (reply.rfind("-MOVED", 0) == 0) return ClusterAnswer::moved;
  if (reply.find("attempted to access a non local key") != std::string::npos) {
    return ClusterAnswer::non_local;
  }
  if (reply.rfind('-', 0) == 0) throw std::runtime_error("unforeseen answer: " + reply);
  return ClusterAnswer::accepted;
}

TEST_F(RedisClusterTest, AHundredThousandRandomAndNastyKeysHaveTheServersSlots) {
  const auto client = (*cluster_)[0].client();
  constexpr std::uint64_t kKeys = 100'000;
  constexpr std::uint64_t kBatch = 500;
  std::uint64_t tagged = 0;
  for (std::uint64_t first = 0; first < kKeys; first += kBatch) {
    std::vector<std::string> batch;
    for (std::uint64_t k = first; k < first + kBatch; ++k) {
      batch.push_back(k % 4 == 0 ? plain_key(k) : nasty_key(k));
      client->send({"CLUSTER", "KEYSLOT", batch.back()});
    }
    for (const std::string& key : batch) {
      ASSERT_EQ(std::to_string(key_slot(key)), client->read_reply())
          << ::testing::PrintToString(key);
      tagged += hashed_part(key).because == HashedBecause::tag ? 1U : 0U;
    }
  }
  EXPECT_GT(tagged, 10'000U) << "the keys hardly try hash tags";
}

TEST_F(RedisClusterTest, RedisCliDividesTheSlotsAsTheMapDoes) {
  std::map<std::string, SlotRange> ranges;  // by address
  std::istringstream lines((*cluster_)[0].ask({"CLUSTER", "NODES"}));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> parts;
    for (std::string word; words >> word;) parts.push_back(word);
    ASSERT_GE(parts.size(), 9U) << line;
    const std::size_t dash = parts[8].find('-');
    ranges[parts[1].substr(0, parts[1].find('@'))] = {
        static_cast<std::uint32_t>(std::stoul(parts[8].substr(0, dash))),
        static_cast<std::uint32_t>(std::stoul(parts[8].substr(dash + 1)))};
  }
  ASSERT_EQ(ranges.size(), kMasters);
  for (std::size_t i = 0; i < kMasters; ++i) {
    const std::string address = "127.0.0.1:" + std::to_string((*cluster_)[i].port());
    EXPECT_EQ(ranges.at(address), map_.nodes()[i].ranges.at(0)) << address;
  }
}

TEST_F(RedisClusterTest, CommandsOverSeveralKeysAreAnsweredAsTheModelSays) {
  std::array<int, 4> seen{};
  for (std::uint64_t round = 0; round < 2'000; ++round) {
    std::vector<std::string> words = {"MGET"};
    for (std::uint64_t k = 0; k < 1 + round % 4; ++k) words.push_back(tagged_key(round * 10 + k));
    const std::vector<std::string_view> keys(words.begin() + 1, words.end());
    const auto node = static_cast<std::uint32_t>(round / 4 % kMasters);
    const ClusterAnswer expected = cluster_answer(map_, node, keys);
    ASSERT_EQ(classify((*cluster_)[node].ask(words)), expected) << ::testing::PrintToString(words);
    ++seen[static_cast<std::size_t>(expected)];
  }
  EXPECT_GT(seen[static_cast<std::size_t>(ClusterAnswer::accepted)], 50);
  EXPECT_GT(seen[static_cast<std::size_t>(ClusterAnswer::cross_slot)], 50);
  EXPECT_GT(seen[static_cast<std::size_t>(ClusterAnswer::moved)], 50);
}

TEST_F(RedisClusterTest, TransactionsAreAnsweredAsTheModelSays) {
  int accepted = 0;
  int crossed = 0;
  for (std::uint64_t round = 0; round < 600; ++round) {
    const std::string a = tagged_key(100'000 + 2 * round);
    const std::string b = tagged_key(100'001 + 2 * round);
    const std::vector<std::string_view> keys = {a, b};
    const std::uint32_t node = map_.node_of(key_slot(a));
    test::RedisServer& server = (*cluster_)[node];
    ASSERT_EQ(server.ask({"MULTI"}), "OK");
    server.ask({"SET", a, "1"});
    const std::string queued = server.ask({"SET", b, "2"});
    const std::string result = server.ask({"EXEC"});
    const ClusterAnswer expected = cluster_answer(map_, node, keys);
    if (map_.node_of(key_slot(b)) != node) {
      // Refused as soon as the key of another node is queued; the model says CROSSSLOT of both.
      EXPECT_EQ(expected, ClusterAnswer::cross_slot);
      EXPECT_EQ(classify(queued), ClusterAnswer::moved) << queued;
      EXPECT_EQ(result.rfind("-EXECABORT", 0), 0U) << result;
      continue;
    }
    ASSERT_EQ(classify(result), expected) << a << ' ' << b;
    accepted += expected == ClusterAnswer::accepted ? 1 : 0;
    crossed += expected == ClusterAnswer::cross_slot ? 1 : 0;
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(crossed, 20);
}

TEST_F(RedisClusterTest, ScriptsThatBuildKeysAreAnsweredAsTheModelSays) {
  std::array<int, 4> seen{};
  for (std::uint64_t round = 0; round < 2'000; ++round) {
    const std::string declared = tagged_key(200'000 + 2 * round);
    const std::string built = round % 2 == 0 ? tagged_key(200'001 + 2 * round) : plain_key(round);
    const auto node = static_cast<std::uint32_t>(round / 2 % kMasters);
    const std::array<std::string_view, 1> keys = {declared};
    const std::array<std::string_view, 1> more = {built};
    const ClusterAnswer expected = cluster_answer(map_, node, keys, more);
    const std::string reply = (*cluster_)[node].ask(
        {"EVAL", "return redis.call('GET', ARGV[1]) or 'none'", "1", declared, built});
    ASSERT_EQ(classify(reply), expected) << declared << ' ' << built << ": " << reply;
    ++seen[static_cast<std::size_t>(expected)];
  }
  EXPECT_GT(seen[static_cast<std::size_t>(ClusterAnswer::accepted)], 50);
  EXPECT_GT(seen[static_cast<std::size_t>(ClusterAnswer::moved)], 50);
  EXPECT_GT(seen[static_cast<std::size_t>(ClusterAnswer::non_local)], 50);
}

TEST_F(RedisClusterTest, TheLinterForetellsWhichGroupNamesCanRegister) {
  // The longest interval that the engine takes: its number stays the same for weeks, and is read
  // again after the call for the one test run that meets a change.
  constexpr std::int64_t kIntervalMs = 2'147'483'647;
  const auto interval_now = [&] {
    return std::stoll((*cluster_)[0].ask({"TIME"})) * 1000 / kIntervalMs;
  };
  int works = 0;
  int fails = 0;
  for (int number = 0; number < 60; ++number) {
    Options options;
    options.name = (number % 3 == 0 ? "orders-" : "}orders-") + std::to_string(number);
    options.prefix = number % 2 == 0 ? "app:" : "";
    KeyList list;
    list.interval = interval_now();
    list.slots = map_;
    add_group(list, options.name, options.prefix, 1);
    const SetFinding finding = lint_keys(list).sets.at(0);
    const bool works_now =
        finding.verdict == Verdict::holds || finding.statement.rfind("works now", 0) == 0;
    const std::string key = group_key(options);
    const std::string reply = (*cluster_)[map_.node_of(key_slot(key))].ask(
        {"EVAL", std::string(kRegistrationScript), "1", key, std::to_string(kIntervalMs)});
    if (interval_now() != list.interval) continue;
    ASSERT_EQ(classify(reply) == ClusterAnswer::accepted, works_now)
        << options.name << ": " << finding.statement << ": " << reply;
    ASSERT_EQ(finding.verdict == Verdict::holds, number % 3 == 0) << finding.statement;
    works += works_now ? 1 : 0;
    fails += works_now ? 0 : 1;
  }
  EXPECT_GT(works, 19);
  EXPECT_GT(fails, 10);
}

}  // namespace
}  // namespace nandi::sim
