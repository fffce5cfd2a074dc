// Expected values follow the forms that redis_url.h states and RFC 3986 for percent-encoding.
#include "nandi/engine/redis/redis_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nandi::test {
namespace {

using testing::HasSubstr;
using testing::Not;

RedisUrl parsed(std::string_view text) {
  const auto result = parse_redis_url(text);
  if (const RedisUrlError* error = std::get_if<RedisUrlError>(&result)) {
    ADD_FAILURE() << text << ": " << to_string(*error);
    return {};
  }
  return std::get<RedisUrl>(result);
}

std::string refused(std::string_view text) {
  const auto result = parse_redis_url(text);
  const RedisUrlError* error = std::get_if<RedisUrlError>(&result);
  return error == nullptr ? "accepted" : to_string(*error);
}

TEST(RedisUrlTest, ReadsEveryPart) {
  const RedisUrl url = parsed("redis://mailer:s3cret@db.example.org:6380/7");
  EXPECT_EQ(url.host, "db.example.org");
  EXPECT_EQ(url.port, 6380);
  EXPECT_EQ(url.user, "mailer");
  EXPECT_EQ(url.password.reveal(), "s3cret");
  EXPECT_EQ(url.database, 7U);
  EXPECT_FALSE(url.tls);
  EXPECT_FALSE(url.is_unix());
}

TEST(RedisUrlTest, WhatIsLeftOutHasTheUsualValue) {
  const RedisUrl url = parsed("redis://localhost");
  EXPECT_EQ(url.port, 6379);
  EXPECT_EQ(url.database, 0U);
  EXPECT_TRUE(url.user.empty());
  EXPECT_TRUE(url.password.empty());
  EXPECT_EQ(parsed("redis://localhost/"), url);
  EXPECT_TRUE(parsed("redis://:pw@localhost").user.empty());
  EXPECT_TRUE(parsed("rediss://localhost").tls);
  EXPECT_EQ(parsed("redis://localhost?db=3").database, 3U);
}

TEST(RedisUrlTest, AUnixSocketHasAPathAndNoHost) {
  const RedisUrl url = parsed("redis+unix://:pw@/run/redis/a%20b.sock?db=2");
  EXPECT_EQ(url.path, "/run/redis/a b.sock");
  EXPECT_EQ(url.password.reveal(), "pw");
  EXPECT_EQ(url.database, 2U);
  EXPECT_TRUE(url.host.empty());
  EXPECT_EQ(parsed("unix:///run/redis.sock").path, "/run/redis.sock");
}

TEST(RedisUrlTest, SentinelsAreAListOfHostsAndAPrimarysName) {
  const RedisUrl url =
      parsed("redis+sentinel://u:pw@s1,s2:26380,[::1]/my%2Fmain/3?sentinel_auth=yes");
  EXPECT_EQ(url.kind, RedisKind::sentinel);
  EXPECT_EQ(hosts_of(url), (std::vector<RedisHost>{{"s1", 26379}, {"s2", 26380}, {"::1", 26379}}));
  EXPECT_EQ(url.primary, "my/main");
  EXPECT_EQ(url.database, 3U);
  EXPECT_EQ(url.user, "u");
  EXPECT_TRUE(url.sentinel_auth);
  EXPECT_FALSE(url.tls);
  EXPECT_TRUE(parsed("rediss+sentinel://s/m").tls);
  EXPECT_FALSE(parsed("redis+sentinel://s/m").sentinel_auth);
  EXPECT_EQ(address_of(url), "s1:26379,s2:26380,[::1]:26379");
}

TEST(RedisUrlTest, AClusterIsAListOfHosts) {
  const RedisUrl url = parsed("redis+cluster://:pw@a:7000,b,c:7002");
  EXPECT_EQ(url.kind, RedisKind::cluster);
  EXPECT_EQ(hosts_of(url), (std::vector<RedisHost>{{"a", 7000}, {"b", 6379}, {"c", 7002}}));
  EXPECT_EQ(url.password.reveal(), "pw");
  EXPECT_EQ(parsed("redis+cluster://a/"), parsed("redis+cluster://a"));
  EXPECT_TRUE(parsed("rediss+cluster://a").tls);
}

TEST(RedisUrlTest, WhatSentinelsAndClustersDoNotHaveIsRefused) {
  EXPECT_THAT(refused("redis+sentinel://s"), HasSubstr("character 19: the primary's name is miss"));
  EXPECT_THAT(refused("redis+sentinel://s/"), HasSubstr("the primary's name is missing"));
  EXPECT_THAT(refused("redis+sentinel://s//1"), HasSubstr("the primary's name is missing"));
  EXPECT_THAT(refused("redis+sentinel://s/m/x"), HasSubstr("a database is a number"));
  EXPECT_THAT(refused("redis+sentinel://s/m?db=1"), HasSubstr("sentinel_auth=yes"));
  EXPECT_THAT(refused("redis+sentinel://s,/m"), HasSubstr("character 20: the host is missing"));
  EXPECT_THAT(refused("redis+sentinel://s/" + std::string(254, 'm')), HasSubstr("253"));
  EXPECT_THAT(refused("redis+cluster://a/0"), HasSubstr("database 0 only"));
  EXPECT_THAT(refused("redis+cluster://a?db=0"), HasSubstr("no parameters"));
  EXPECT_THAT(refused("redis+cluster://a,b:0"), HasSubstr("character 21: a port"));
  EXPECT_THAT(refused("redis+cluster://a" +
                      [] {
                        std::string more;
                        for (int i = 0; i < 32; ++i) more += ",a";
                        return more;
                      }()),
              HasSubstr("at most 32 hosts"));
  EXPECT_THAT(refused("redis://a,b"), HasSubstr("character 10: several hosts go with"));
  EXPECT_THAT(refused("redis+sentinels://a/b"), HasSubstr("unknown scheme 'redis+sentinels'"));
}

TEST(RedisUrlTest, APasswordMayHoldAnyByte) {
  EXPECT_EQ(parsed("redis://u%3Ax:p%40%2F%3a%25%00%ff@h").password.reveal(),
            std::string("p@/:%\0\xff", 7));
  EXPECT_EQ(parsed("redis://u%3Ax:p@h").user, "u:x");
  EXPECT_EQ(parsed("redis://:a@b@h").password.reveal(), "a@b") << "the last '@' ends it";
  EXPECT_EQ(parsed("redis://:a:b@h").password.reveal(), "a:b");
}

TEST(RedisUrlTest, AnIpv6AddressStandsInBrackets) {
  EXPECT_EQ(parsed("redis://[::1]:7000").host, "::1");
  EXPECT_EQ(parsed("redis://[::1]:7000").port, 7000);
  EXPECT_EQ(address_of(parsed("redis://[::1]:7000")), "[::1]:7000");
  EXPECT_THAT(refused("redis://::1"), HasSubstr("host is missing"));
  EXPECT_THAT(refused("redis://fe80::1"), HasSubstr("brackets"));
  EXPECT_THAT(refused("redis://[::1"), HasSubstr("not closed"));
  EXPECT_THAT(refused("redis://[::g]"), HasSubstr("IPv6"));
  EXPECT_THAT(refused("redis://[::1]7000"), HasSubstr("':PORT'"));
}

TEST(RedisUrlTest, AnErrorNamesTheCharacterAndWhatIsRight) {
  EXPECT_THAT(refused("localhost:6379"), HasSubstr("character 1: there is no '://'"));
  EXPECT_THAT(refused("http://localhost"), HasSubstr("unknown scheme 'http'"));
  EXPECT_THAT(refused("redis://"), HasSubstr("character 9: the host is missing"));
  EXPECT_THAT(refused("redis://h:0"), HasSubstr("character 11: a port is a number from 1"));
  EXPECT_THAT(refused("redis://h:65536"), HasSubstr("65535"));
  EXPECT_THAT(refused("redis://h:"), HasSubstr("a port"));
  EXPECT_THAT(refused("redis://h/x"), HasSubstr("character 11: a database is a number"));
  EXPECT_THAT(refused("redis://h/-1"), HasSubstr("a database"));
  EXPECT_THAT(refused("redis://h/2147483648"), HasSubstr("a database"));
  EXPECT_THAT(refused("redis://h/1?db=1"), HasSubstr("given twice"));
  EXPECT_THAT(refused("redis://h?timeout=1"), HasSubstr("the only parameter is db="));
  EXPECT_THAT(refused("redis://h#x"), HasSubstr("%23"));
  EXPECT_THAT(refused("redis://h h"), HasSubstr("character 10: blanks"));
  EXPECT_THAT(refused("redis://h\xc3\xa9"), HasSubstr("character 10"));
  EXPECT_THAT(refused("redis://:p%4@h"), HasSubstr("character 11: two hexadecimal digits"));
  EXPECT_THAT(refused("redis://user@h"), HasSubstr("USER:PASSWORD@"));
  EXPECT_THAT(refused("redis://user:@h"), HasSubstr("password is empty"));
  EXPECT_THAT(refused("unix://"), HasSubstr("path is missing"));
  EXPECT_THAT(refused("unix://run/redis.sock"), HasSubstr("three slashes"));
  EXPECT_THAT(refused("unix:///" + std::string(107, 'x')), HasSubstr("at most 107 bytes"));
  EXPECT_THAT(refused("unix:///a%00b"), HasSubstr("zero byte"));
  EXPECT_THAT(refused(""), HasSubstr("redis://"));
}

TEST(RedisUrlTest, APasswordIsNeverShown) {
  for (const char* text :
       {"redis://u:hunter2@h/1", "redis+unix://:hunter2@/s?db=1", "redis+cluster://:hunter2@a,b",
        "rediss+sentinel://u:hunter2@a,b/m?sentinel_auth=yes"}) {
    EXPECT_THAT(to_string(parsed(text)), Not(HasSubstr("hunter2")));
    EXPECT_THAT(to_string(parsed(text)), HasSubstr(":***@"));
    EXPECT_THAT(address_of(parsed(text)), Not(HasSubstr("hunter2")));
  }
  // Each of these is wrong in a way that makes a part of the password look like something else.
  for (const char* text :
       {"redis://u:hunter2/x@h", "redis://hunter2@h", "redis://u:hunter2%@h", "hunter2://h",
        "hunter2", "redis://u:hunter2#@h", "redis://u:x?hunter2@h", "rediss://u:hunter2 @h",
        "unix://u:hunter2/@/s", "redis://u:hunter2@h:x", "redis://u:hunter2@h/hunter2",
        "redis+cluster://u:hunter2,x/@a", "redis+sentinel://u:hunter2@a,b"}) {
    const std::string shown = refused(text);
    EXPECT_NE(shown, "accepted") << text;
    if (std::string_view(text) == "hunter2://h") continue;
    EXPECT_THAT(shown, Not(HasSubstr("hunter2")));
  }
}

TEST(RedisUrlTest, TheRenderedFormParsesToTheSameValue) {
  for (const char* text :
       {"redis://h", "rediss://h:1/9", "redis://[fe80::1]:6380", "unix:///a%20%25b?db=4",
        "redis+unix:///x", "redis+sentinel://a,[::1]:1/m%20n/2",
        "rediss+sentinel://a/m?sentinel_auth=yes", "redis+cluster://a:1,b"}) {
    const RedisUrl url = parsed(text);
    EXPECT_EQ(parsed(to_string(url)), url) << text;
  }
  RedisUrl url = parsed("redis://us%40er:pw@h");
  EXPECT_EQ(to_string(url), "redis://us%40er:***@h:6379");
}

}  // namespace
}  // namespace nandi::test
