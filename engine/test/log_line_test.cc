#include "nandi/engine/log_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nandi {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

LogIdentity identity_for_test() {
  LogIdentity identity;
  identity.options.name = "mail \"sender\"";
  identity.options.interval = 1s;
  identity.options.drift_bound = Fraction();
  identity.worker = "17-00c0ffee";
  return identity;
}

json parsed(const Diagnostic& diagnostic, const ReportContext& context = {}) {
  const WallReading wall{1'700'000'000'123, LocalTime(5'000'000'000)};
  return json::parse(log_line(identity_for_test(), wall, diagnostic, context));
}

/// The tick of interval 1,700,000,000 was sent at local 4 s and read 20 ms later.
ReportContext with_reading() {
  ReportContext context;
  context.reading = ClockReading{StoreTime(1'700'000'000'500'000'000), LocalTime(4'000'000'000),
                                 LocalTime(4'020'000'000)};
  return context;
}

TEST(LogLine, every_line_says_who_and_when) {
  Diagnostic d;
  d.code = DiagnosticCode::discover_stopped;
  d.at = LocalTime(5'000'000'999);
  const json line = parsed(d);
  EXPECT_EQ(line["level"], "info");
  EXPECT_EQ(line["message"], "discover stopped");
  EXPECT_EQ(line["group"], "mail \"sender\"");
  EXPECT_EQ(line["worker"], "17-00c0ffee");
  EXPECT_EQ(line["time_ms"], 1'700'000'000'123);
  EXPECT_EQ(line["local_us"], 5'000'000);
  EXPECT_EQ(line["reason"], "closed");
  d.cause = LossCause::aborted;
  EXPECT_EQ(parsed(d)["reason"], "abort");
}

// At local 4.5 s: 0.48 s since the reply and 0.5 s since the request, and 1 ms of resolution.
TEST(LogLine, a_grant_bounds_its_moment_and_its_end_on_the_servers_clock) {
  Diagnostic d;
  d.code = DiagnosticCode::lease_granted;
  d.at = LocalTime(4'500'000'000);
  d.pair = Pair{1, 3};
  d.has_pair = true;
  d.interval = 1'700'000'000;
  d.expires = LocalTime(5'000'000'000);
  const json line = parsed(d, with_reading());
  EXPECT_EQ(line["level"], "trace");
  EXPECT_EQ(line["i"], 1);
  EXPECT_EQ(line["n"], 3);
  EXPECT_EQ(line["interval"], 1'700'000'000);
  EXPECT_EQ(line["store_us"], json::parse("[1700000000980000, 1700000001001000]"));
  EXPECT_EQ(line["expires_us"], json::parse("[1700000001480000, 1700000001501000]"));
  EXPECT_EQ(line["expires"], 500.0);
}

TEST(LogLine, an_overrun_says_who_kept_what_for_how_long) {
  Diagnostic d;
  d.code = DiagnosticCode::consumer_overran;
  d.pair = Pair{1, 3};
  d.has_pair = true;
  d.cause = LossCause::count_changed;
  d.delay = Duration(1'234'567'000);
  const json line = parsed(d, with_reading());
  EXPECT_EQ(line["level"], "warn");
  EXPECT_EQ(line["message"], "consumer overran");
  EXPECT_EQ(line["i"], 1);
  EXPECT_EQ(line["n"], 3);
  EXPECT_EQ(line["by"], 1234.567);
  EXPECT_EQ(line["cause"], "count-changed");
}

// At local 5 s: 0.98 s since the reply and 1 s since the request, and 1 ms of resolution.
TEST(LogLine, a_registration_says_when_it_was_answered_or_failed_by_the_servers_clock) {
  for (const DiagnosticCode code :
       {DiagnosticCode::registration_completed, DiagnosticCode::registration_failed}) {
    Diagnostic d;
    d.code = code;
    d.at = LocalTime(5'000'000'000);
    EXPECT_EQ(parsed(d, with_reading())["store_us"],
              json::parse("[1700000001480000, 1700000001501000]"));
    EXPECT_TRUE(parsed(d)["store_us"].is_null()) << "before the first reply nobody knows";
  }
}

TEST(LogLine, an_expiry_is_dated_to_the_end_of_the_lease_not_to_when_it_was_noticed) {
  Diagnostic d;
  d.code = DiagnosticCode::lease_expired;
  d.at = LocalTime(9'000'000'000);
  d.expires = LocalTime(5'000'000'000);
  d.cause = LossCause::error;
  d.error = ErrorClass::readonly;
  const json line = parsed(d, with_reading());
  EXPECT_EQ(line["level"], "warn");
  EXPECT_EQ(line["store_us"], json::parse("[1700000001480000, 1700000001501000]"));
  EXPECT_EQ(line["after"], 980.0);
  EXPECT_EQ(line["noticed"], 4000.0);
  EXPECT_EQ(line["cause"], "error");
  EXPECT_EQ(line["error"], "readonly");
}

TEST(LogLine, absent_values_are_null_and_never_zero) {
  Diagnostic d;
  d.code = DiagnosticCode::registration_completed;
  EXPECT_TRUE(parsed(d)["replicas"].is_null());
  d.tick.previous_count = 4;
  EXPECT_EQ(parsed(d)["replicas"], 4);
  d.code = DiagnosticCode::no_pair_implied;
  EXPECT_TRUE(parsed(d)["pi"].is_null());
  EXPECT_TRUE(parsed(d)["pn"].is_null());
  d.code = DiagnosticCode::pair_handed;
  EXPECT_TRUE(parsed(d)["i"].is_null());
  EXPECT_TRUE(parsed(d)["store_us"].is_null()) << "no tick yet";
}

// The reply was read at local 4.02 s; the line is written at 5 s, when the wall clock shows
// 1,700,000,000.123. So the wall clock showed ...999.143 at the reply, and the store ...000.500.
TEST(LogLine, a_registration_carries_skew_round_trip_and_lag) {
  Diagnostic d;
  d.code = DiagnosticCode::registration_completed;
  ReportContext context = with_reading();
  context.lag = Duration(1'234'567);
  const json line = parsed(d, context);
  EXPECT_EQ(line["skew"], 1357.0);
  EXPECT_EQ(line["round_trip"], 20.0);
  EXPECT_EQ(line["lag"], 1.234);
}

TEST(LogLine, a_failure_carries_class_detail_and_delay) {
  Diagnostic d;
  d.code = DiagnosticCode::registration_failed;
  d.error = ErrorClass::max_clients;
  d.attempt = 9;
  d.failures = 2;
  d.delay = Duration(250'000'000);
  ReportContext context;
  context.detail = "line\nbreak";
  const json line = parsed(d, context);
  EXPECT_EQ(line["level"], "error");
  EXPECT_EQ(line["error"], "max-clients");
  EXPECT_EQ(line["detail"], "line\nbreak");
  EXPECT_EQ(line["attempt"], 9);
  EXPECT_EQ(line["failures"], 2);
  EXPECT_EQ(line["delay"], 250.0);
}

TEST(LogLine, every_code_makes_one_line_of_json_with_its_message) {
  for (auto code = DiagnosticCode::discover_started; code <= DiagnosticCode::script_loaded;
       code = static_cast<DiagnosticCode>(static_cast<int>(code) + 1)) {
    Diagnostic d;
    d.code = code;
    d.at = LocalTime(5'000'000'000);
    d.expires = LocalTime(5'000'000'000);
    EXPECT_EQ(parsed(d, with_reading())["message"], message(code));
    const std::string line = log_line(identity_for_test(), WallReading{}, d, with_reading());
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

// RFC 8259 requires the escapes, RFC 3629 says which bytes are UTF-8.
TEST(LogLine, text_is_escaped_and_bytes_that_are_not_utf8_are_replaced) {
  EXPECT_EQ(json_string("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")");
  EXPECT_EQ(json_string("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  for (const char* text : {"\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xC3", "\xF4\x90\x80\x80"}) {
    EXPECT_EQ(json_string(text).find_first_not_of("\"\\ufd"), std::string::npos);
    EXPECT_TRUE(json::accept(json_string(text)));
  }
}

}  // namespace
}  // namespace nandi
