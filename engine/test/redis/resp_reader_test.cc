// Expected values are those of the protocol's specification (redis.io, "RESP protocol spec").
#include "nandi/engine/redis/resp_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

namespace nandi::test {
namespace {

using testing::HasSubstr;
using Status = RespReader::Status;

void feed(RespReader& reader, std::string_view bytes) {
  if (bytes.empty()) return;
  const auto room = reader.prepare(bytes.size());
  std::memcpy(room.data(), bytes.data(), bytes.size());
  reader.commit(bytes.size());
}

std::string problem_of(std::string_view bytes, RespLimits limits = {}) {
  RespReader reader(limits);
  feed(reader, bytes);
  Status status = reader.next();
  while (status == Status::complete) status = reader.next();
  return status == Status::malformed ? reader.problem() : "";
}

TEST(RespReaderTest, ReadsEachTypeOfValue) {
  RespReader reader;
  feed(reader, "+OK\r\n-ERR no\r\n:-42\r\n$5\r\na\r\nbc\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n");
  const RespValue expected[] = {{RespType::simple, 0, "OK"},  {RespType::error, 0, "ERR no"},
                                {RespType::integer, -42, ""}, {RespType::bulk, 0, "a\r\nbc"},
                                {RespType::bulk, 0, ""},      {RespType::null, 0, ""},
                                {RespType::null, 0, ""},      {RespType::array, 0, ""}};
  for (const RespValue& value : expected) {
    ASSERT_EQ(reader.next(), Status::complete);
    ASSERT_EQ(reader.reply().size(), 1U);
    EXPECT_EQ(reader.reply()[0].type, value.type);
    EXPECT_EQ(reader.reply()[0].integer, value.integer);
    EXPECT_EQ(reader.reply()[0].text, value.text);
  }
  EXPECT_EQ(reader.next(), Status::incomplete);
  EXPECT_FALSE(reader.in_reply());
}

TEST(RespReaderTest, ANestedArrayIsReadInPreorder) {
  RespReader reader;
  feed(reader, "*3\r\n*2\r\n:1\r\n*0\r\n$1\r\nx\r\n$-1\r\n");
  ASSERT_EQ(reader.next(), Status::complete);
  const RespReply reply = reader.reply();
  ASSERT_EQ(reply.size(), 6U);
  EXPECT_EQ(reply[0].integer, 3);
  EXPECT_EQ(reply[1].integer, 2);
  EXPECT_EQ(reply[2].integer, 1);
  EXPECT_EQ(reply[3].type, RespType::array);
  EXPECT_EQ(reply[4].text, "x");
  EXPECT_EQ(reply[5].type, RespType::null);
}

TEST(RespReaderTest, TextReadBeforeTheBufferMovedIsStillThere) {
  RespReader reader;
  feed(reader, "+OK\r\n*2\r\n$3\r\nabc\r\n");
  ASSERT_EQ(reader.next(), Status::complete);
  ASSERT_EQ(reader.next(), Status::incomplete);
  // More than the buffer has behind the input: the reply that has begun moves to its front.
  feed(reader, "$64\r\n" + std::string(64, 'x') + "\r\n");
  ASSERT_EQ(reader.next(), Status::complete);
  ASSERT_EQ(reader.reply().size(), 3U);
  EXPECT_EQ(reader.reply()[1].text, "abc");
  EXPECT_EQ(reader.reply()[2].text, std::string(64, 'x'));
}

TEST(RespReaderTest, IntegersReachBothEndsOf64BitsAndNoFurther) {
  RespReader reader;
  feed(reader, ":9223372036854775807\r\n:-9223372036854775808\r\n");
  ASSERT_EQ(reader.next(), Status::complete);
  EXPECT_EQ(reader.reply()[0].integer, INT64_MAX);
  ASSERT_EQ(reader.next(), Status::complete);
  EXPECT_EQ(reader.reply()[0].integer, INT64_MIN);
  EXPECT_THAT(problem_of(":9223372036854775808\r\n"), HasSubstr("64 bits"));
  EXPECT_THAT(problem_of(":-9223372036854775809\r\n"), HasSubstr("64 bits"));
}

TEST(RespReaderTest, RefusesWhatTheProtocolDoesNotHave) {
  for (const char* bytes :
       {"HTTP/1.1 400 Bad Request\r\n", "\r\n", "+OK\n", "+a\rb\r\n", ":\r\n", ":1x\r\n", ":+1\r\n",
        ": 1\r\n", "$\r\n", "$-2\r\n", "*-2\r\n", "*x\r\n", "$3\r\nabcde", "_\r\n", "%1\r\n"}) {
    EXPECT_NE(problem_of(bytes), "") << bytes;
  }
  EXPECT_NE(problem_of(std::string_view("\0\r\n", 3)), "");
}

TEST(RespReaderTest, AProblemNamesTheByteOfTheStream) {
  RespReader reader;
  feed(reader, "+OK\r\n:12\r\n");
  ASSERT_EQ(reader.next(), Status::complete);
  ASSERT_EQ(reader.next(), Status::complete);
  feed(reader, "?");
  ASSERT_EQ(reader.next(), Status::malformed);
  EXPECT_THAT(reader.problem(), HasSubstr("byte 11 "));
  EXPECT_EQ(reader.next(), Status::malformed) << "once malformed, always malformed";
  reader.reset();
  feed(reader, "+OK\r\n");
  EXPECT_EQ(reader.next(), Status::complete);
}

TEST(RespReaderTest, EveryLimitHoldsBeforeTheBytesHaveArrived) {
  RespLimits limits;
  limits.line = 8;
  limits.bulk = 10;
  limits.values = 4;
  limits.depth = 2;
  limits.reply = 40;
  EXPECT_THAT(problem_of("+123456789", limits), HasSubstr("line of more than 8"));
  EXPECT_THAT(problem_of("$11\r\n", limits), HasSubstr("at most 10"));
  EXPECT_THAT(problem_of("*5\r\n", limits), HasSubstr("at most 4"));
  EXPECT_THAT(problem_of("*2\r\n*2\r\n:1\r\n:1\r\n:1\r\n", limits), HasSubstr("4 values"));
  EXPECT_THAT(problem_of("*1\r\n*1\r\n*1\r\n", limits), HasSubstr("2 deep"));
  EXPECT_THAT(problem_of("*3\r\n$10\r\n0123456789\r\n$10\r\n0123456789\r\n$10\r\n", limits),
              HasSubstr("40 bytes"));
  EXPECT_EQ(problem_of("*3\r\n*1\r\n:1\r\n", limits), "") << "within all limits";
}

TEST(RespReaderTest, ALengthOfAnExabyteReservesNothing) {
  RespReader reader;
  feed(reader, "$1152921504606846976\r\n");
  EXPECT_EQ(reader.next(), Status::malformed);
}

}  // namespace
}  // namespace nandi::test
