#include "nandi/engine/script.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <limits>

#include "nandi/engine/options.h"

namespace nandi {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kIntervalMs = 5000;

RegistrationReply good_reply() {
  // 1,700,000,003,210 / 5000 = 340,000,000.642
  return RegistrationReply{340'000'000, 3, 7, 1'700'000'003'210};
}

std::string why_refused(const RegistrationReply& reply, std::int64_t interval_ms = kIntervalMs) {
  const auto result = tick_of(reply, interval_ms);
  const auto* text = std::get_if<std::string>(&result);
  return text ? *text : "accepted";
}

TEST(Script, is_named_by_the_sha1_of_its_text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  ASSERT_EQ(EVP_Digest(kRegistrationScript.data(), kRegistrationScript.size(), digest.data(), &size,
                       EVP_sha1(), nullptr),
            1);
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest.at(i));
  EXPECT_EQ(kRegistrationScriptSha1, hex);
}

TEST(Script, a_good_reply_becomes_a_tick_with_the_index_counted_from_zero) {
  const auto result = tick_of(good_reply(), kIntervalMs);
  ASSERT_TRUE(std::holds_alternative<Tick>(result));
  const Tick tick = std::get<Tick>(result);
  EXPECT_EQ(tick.interval, 340'000'000);
  EXPECT_EQ(tick.index, 2U);
  EXPECT_EQ(tick.previous_count, 7U);
  EXPECT_EQ(tick.at, StoreTime(1'700'000'003'210'000'000));
}

TEST(Script, an_absent_previous_count_stays_absent) {
  RegistrationReply reply = good_reply();
  reply.previous_count.reset();
  const auto result = tick_of(reply, kIntervalMs);
  ASSERT_TRUE(std::holds_alternative<Tick>(result));
  EXPECT_EQ(std::get<Tick>(result).previous_count, std::nullopt);
}

TEST(Script, a_reply_whose_interval_does_not_contain_its_time_is_refused) {
  for (const std::int64_t interval : {339'999'999, 340'000'001, 0, -1}) {
    RegistrationReply reply = good_reply();
    reply.interval = interval;
    EXPECT_THAT(why_refused(reply), HasSubstr("does not contain")) << interval;
  }
}

TEST(Script, a_clock_outside_what_the_arithmetic_holds_is_refused) {
  for (const std::int64_t now :
       {std::int64_t{-1}, std::int64_t{1} << 53, std::int64_t{1} << 62,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
        // 2^63 ns, where 64-bit nanoseconds end (in the year 2262)
        std::int64_t{9'223'372'036'855}}) {
    RegistrationReply reply = good_reply();
    reply.now_ms = now;
    reply.interval = now / kIntervalMs;
    EXPECT_THAT(why_refused(reply), HasSubstr("server's clock")) << now;
  }
}

TEST(Script, a_schedule_of_the_last_accepted_time_does_not_overflow) {
  // The year 2262 less four of the longest intervals; two of them are looked ahead.
  const std::int64_t interval = kMaxInterval.count();
  const std::int64_t now = 9'223'372'036'854 - 4 * interval - 1;
  const auto result = tick_of(RegistrationReply{now / interval, 1, 1, now}, interval);
  ASSERT_TRUE(std::holds_alternative<Tick>(result));
  const Tick tick = std::get<Tick>(result);
  Options options;
  options.interval = kMaxInterval;
  const LeaseTiming timing = timing_of(options);
  const StoreTime end = interval_begin(timing, tick.interval + 2) + timing.interval;
  EXPECT_GT(end, tick.at);
}

TEST(Script, counters_that_no_group_reaches_are_refused) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{kMaxCount} + 1,
                                   std::numeric_limits<std::int64_t>::max()}) {
    RegistrationReply reply = good_reply();
    reply.count = count;
    EXPECT_THAT(why_refused(reply), HasSubstr("interval 340000000 is")) << count;
    reply = good_reply();
    reply.previous_count = count;
    EXPECT_THAT(why_refused(reply), HasSubstr("interval 339999999 is")) << count;
  }
}

}  // namespace
}  // namespace nandi
