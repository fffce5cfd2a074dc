// Texts of errors: as redis-server 7.0.15 writes them where the other tests meet them on a real one
// (redis_refusal_test.cc); of older servers as their sources (script_lua: luaReplyToRedisReply,
// networking, acl) have them.
#include "nandi/engine/redis/redis_reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace nandi::test {
namespace {

using testing::HasSubstr;
using testing::Not;

ErrorClass class_of(std::string_view text) { return classify_error(text).failure.error; }

std::variant<Tick, Failure> registration(std::string_view bytes, std::int64_t interval_ms) {
  RespReader reader;
  const auto room = reader.prepare(bytes.size());
  std::memcpy(room.data(), bytes.data(), bytes.size());
  reader.commit(bytes.size());
  EXPECT_EQ(reader.next(), RespReader::Status::complete);
  return read_registration(reader.reply(), interval_ms);
}

TEST(RedisReplyTest, EveryCodeHasItsClass) {
  EXPECT_EQ(class_of("READONLY You can't write against a read only replica."),
            ErrorClass::readonly);
  EXPECT_EQ(class_of("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to "
                     "'no'."),
            ErrorClass::readonly);
  EXPECT_EQ(class_of("LOADING Redis is loading the dataset in memory"), ErrorClass::loading);
  EXPECT_EQ(class_of("BUSY Redis is busy running a script. You can only call SCRIPT KILL or "
                     "SHUTDOWN NOSAVE."),
            ErrorClass::busy);
  EXPECT_EQ(class_of("OOM command not allowed when used memory > 'maxmemory'."), ErrorClass::oom);
  EXPECT_EQ(class_of("NOAUTH Authentication required."), ErrorClass::noauth);
  EXPECT_EQ(class_of("WRONGPASS invalid username-password pair or user is disabled."),
            ErrorClass::noauth);
  EXPECT_EQ(class_of("ERR invalid password"), ErrorClass::noauth);
  EXPECT_EQ(class_of("ERR Client sent AUTH, but no password is set"), ErrorClass::noauth);
  EXPECT_EQ(class_of("NOPERM this user has no permissions to run the 'evalsha' command"),
            ErrorClass::noperm);
  EXPECT_EQ(class_of("MOVED 866 127.0.0.1:7001"), ErrorClass::moved);
  EXPECT_EQ(class_of("ASK 866 127.0.0.1:7001"), ErrorClass::moved);
  EXPECT_EQ(class_of("TRYAGAIN Multiple keys request during rehashing of slot"), ErrorClass::moved);
  EXPECT_EQ(class_of("CLUSTERDOWN Hash slot not served"), ErrorClass::cluster_down);
  EXPECT_EQ(class_of("ERR max number of clients reached"), ErrorClass::max_clients);
  EXPECT_EQ(class_of("ERR max number of clients + cluster connections reached"),
            ErrorClass::max_clients);
  EXPECT_EQ(class_of("MISCONF Redis is configured to save RDB snapshots, but it's currently unable "
                     "to persist to disk."),
            ErrorClass::other);
  EXPECT_EQ(class_of("WRONGTYPE Operation against a key holding the wrong kind of value"),
            ErrorClass::other);
  EXPECT_EQ(class_of("ERR value is not an integer or out of range"), ErrorClass::other);
  EXPECT_EQ(class_of(""), ErrorClass::other);
}

TEST(RedisReplyTest, ALongerCodeIsAnotherCode) {
  EXPECT_EQ(class_of("BUSYKEY Target key name already exists."), ErrorClass::other);
  EXPECT_EQ(class_of("BUSYGROUP Consumer Group name already exists"), ErrorClass::other);
  EXPECT_EQ(class_of("ASKING for trouble"), ErrorClass::other);
}

TEST(RedisReplyTest, AnErrorInsideTheScriptCountsLikeOneOfTheServer) {
  const std::string redis6 =
      "ERR Error running script (call to f_a21c5eb8): @user_script:6: "
      "@user_script: 6: ";
  EXPECT_EQ(class_of(redis6 + "-READONLY You can't write against a read only replica."),
            ErrorClass::readonly);
  EXPECT_EQ(class_of(redis6 + "-OOM command not allowed when used memory > 'maxmemory'."),
            ErrorClass::oom);
  EXPECT_EQ(class_of(redis6 + "The user executing the script can't run this command or subcommand"),
            ErrorClass::noperm);
  EXPECT_EQ(class_of("ERR Error running script (call to f_x): @user_script:6: "),
            ErrorClass::other);
  const std::string redis7 = " script: a21c5eb8, on @user_script:6.";
  EXPECT_EQ(class_of("READONLY You can't write against a read only replica." + redis7),
            ErrorClass::readonly);
  EXPECT_EQ(class_of("OOM command not allowed when used memory > 'maxmemory'." + redis7),
            ErrorClass::oom);
}

TEST(RedisReplyTest, AServerBeforeRedis5IsNamedAsUnsupported) {
  const Refusal refusal = classify_error(
      "ERR Error running script (call to f_a21c5eb8): @user_script:6: @user_script: 6: Write "
      "commands not allowed after non deterministic commands. Call redis.replicate_commands() at "
      "the start of your script in order to switch to single commands replication mode.");
  EXPECT_EQ(refusal.failure.error, ErrorClass::other);
  EXPECT_THAT(refusal.failure.detail, HasSubstr("needs Redis 5 or later"));
}

TEST(RedisReplyTest, OnlyAWrongServerOrLoginEndsTheConnection) {
  for (const char* text : {"READONLY x", "NOAUTH x", "MOVED 1 h:1", "ERR max number of clients"}) {
    EXPECT_EQ(classify_error(text).action, RefusalAction::reconnect) << text;
  }
  for (const char* text : {"LOADING x", "BUSY x", "OOM x", "NOPERM x", "CLUSTERDOWN x", "ERR x"}) {
    EXPECT_EQ(classify_error(text).action, RefusalAction::keep) << text;
  }
  EXPECT_EQ(classify_error("NOSCRIPT No matching script.").action, RefusalAction::send_source);
}

TEST(RedisReplyTest, TheDetailIsOneCleanLineWithoutEchoedArguments) {
  const Refusal refusal =
      classify_error("ERR unknown command 'AUTH', with args beginning with: 'hunter2' ");
  EXPECT_THAT(refusal.failure.detail, Not(HasSubstr("hunter2")));
  EXPECT_THAT(refusal.failure.detail, HasSubstr("unknown command 'AUTH'"));
  EXPECT_EQ(classify_error("X \x1b[2J\xff").failure.detail, "X ?[2J?");
  EXPECT_LT(classify_error(std::string(5000, 'x')).failure.detail.size(), 400U);
}

TEST(RedisReplyTest, ATickIsTheScriptsFourValues) {
  // 1700000000123 / 5000 = 340000000.02: interval 340000000.
  const auto read = registration("*4\r\n:340000000\r\n:3\r\n$1\r\n5\r\n:1700000000123\r\n", 5000);
  ASSERT_TRUE(std::holds_alternative<Tick>(read));
  const Tick expected{340'000'000, 2, 5, StoreTime(1'700'000'000'123'000'000)};
  EXPECT_EQ(std::get<Tick>(read), expected);
  const auto alone = registration("*4\r\n:340000000\r\n:1\r\n$-1\r\n:1700000000123\r\n", 5000);
  ASSERT_TRUE(std::holds_alternative<Tick>(alone));
  EXPECT_EQ(std::get<Tick>(alone).previous_count, std::nullopt);
}

TEST(RedisReplyTest, EverythingElseIsABadReply) {
  for (const char* bytes :
       {"+OK\r\n",
        ":1\r\n",
        "$-1\r\n",
        "*-1\r\n",
        "*0\r\n",
        "*3\r\n:340000000\r\n:3\r\n$1\r\n5\r\n",
        "*5\r\n:340000000\r\n:3\r\n$1\r\n5\r\n:1700000000123\r\n:1\r\n",
        "*4\r\n:340000001\r\n:3\r\n$1\r\n5\r\n:1700000000123\r\n",  // not floor(now / interval)
        "*4\r\n:339999999\r\n:3\r\n$1\r\n5\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:0\r\n$1\r\n5\r\n:1700000000123\r\n",  // counters below 1
        "*4\r\n:340000000\r\n:-1\r\n$1\r\n5\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:3\r\n$1\r\n0\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:3\r\n$2\r\n-5\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:1073741825\r\n$1\r\n5\r\n:1700000000123\r\n",  // above kMaxCount
        "*4\r\n:340000000\r\n:3\r\n$10\r\n1073741825\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:3\r\n$0\r\n\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:3\r\n$2\r\n5x\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:3\r\n$3\r\n5.0\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:3\r\n+5\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:3\r\n*0\r\n:1700000000123\r\n",
        "*4\r\n$9\r\n340000000\r\n:3\r\n$1\r\n5\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n$-1\r\n$1\r\n5\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n-ERR x\r\n$1\r\n5\r\n:1700000000123\r\n",
        "*4\r\n:340000000\r\n:3\r\n$1\r\n5\r\n$-1\r\n",
        "*4\r\n:-1\r\n:3\r\n$1\r\n5\r\n:-1\r\n"}) {  // a clock before 1970
    const auto read = registration(bytes, 5000);
    const Failure* failure = std::get_if<Failure>(&read);
    ASSERT_NE(failure, nullptr) << bytes;
    EXPECT_EQ(failure->error, ErrorClass::bad_reply) << bytes;
    EXPECT_THAT(failure->detail, HasSubstr("not the registration script's reply"));
  }
}

// As redis-server 7.0 writes them; older ones leave out nothing, newer ones may leave out the host.
TEST(RedisReplyTest, ARedirectionNamesSlotHostAndPort) {
  EXPECT_EQ(parse_redirect("MOVED 3999 127.0.0.1:6381"),
            (Redirect{3999, "127.0.0.1", 6381, false}));
  EXPECT_EQ(parse_redirect("ASK 0 db-1.example.org:6379"),
            (Redirect{0, "db-1.example.org", 6379, true}));
  EXPECT_EQ(parse_redirect("MOVED 16383 ::1:7000"), (Redirect{16383, "::1", 7000, false}));
  EXPECT_EQ(parse_redirect("MOVED 1 [::1]:7000"), (Redirect{1, "::1", 7000, false}));
  EXPECT_EQ(parse_redirect("MOVED 1 :7000"), (Redirect{1, "", 7000, false}));
  for (const char* text :
       {"", "MOVED", "MOVED ", "MOVED 1", "MOVED 1 ", "MOVED 1 h", "MOVED 1 h:", "MOVED 1 h:0",
        "MOVED 1 h:65536", "MOVED 16384 h:1", "MOVED -1 h:1", "MOVED x h:1", "MOVED 1 h h:1",
        "MOVED 1 h\n:1", "MOVED 1 h:1 ", "READONLY 1 h:1", "MOVEDX 1 h:1"}) {
    EXPECT_EQ(parse_redirect(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_redirect("MOVED 1 " + std::string(254, 'h') + ":1"), std::nullopt);
  EXPECT_EQ(classify_error("MOVED 3999 127.0.0.1:6381").redirect,
            (Redirect{3999, "127.0.0.1", 6381, false}));
  EXPECT_EQ(classify_error("LOADING x").redirect, std::nullopt);
}

TEST(RedisReplyTest, ASentinelsWordIsAddressAndEpoch) {
  const auto bulk = [](std::string_view text) { return RespValue{RespType::bulk, 0, text}; };
  std::vector<RespValue> reply{
      {RespType::array, 6, {}}, bulk("ip"), bulk("10.0.0.1"), bulk("port"), bulk("6379"),
      bulk("config-epoch"),     bulk("12")};
  EXPECT_EQ(read_sentinel_word(reply), (SentinelWord{{"10.0.0.1", 6379}, 12}));
  reply[4] = bulk("65536");
  EXPECT_EQ(read_sentinel_word(reply), std::nullopt);
  reply[4] = bulk("6379x");
  EXPECT_EQ(read_sentinel_word(reply), std::nullopt);
  const std::vector<RespValue> null{{RespType::null, 0, {}}};
  EXPECT_EQ(read_sentinel_word(null), std::nullopt);
}

}  // namespace
}  // namespace nandi::test
