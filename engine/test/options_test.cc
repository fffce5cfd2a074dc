#include "nandi/engine/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace nandi {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using Severity = OptionProblem::Severity;

Options valid_options() {
  Options options;
  options.name = "mail-sender";
  options.interval = 5s;
  return options;
}

/// The text of the only finding; it has to be about `option` and of that severity.
std::string only_finding(const Options& options, Severity severity, std::string_view option) {
  const std::vector<OptionProblem> problems = check(options);
  if (problems.size() != 1) return "findings: " + std::to_string(problems.size());
  if (problems[0].severity != severity) return "wrong severity: " + problems[0].text;
  if (problems[0].option != option) return "about " + std::string(problems[0].option);
  return problems[0].text;
}

Options with_interval(std::chrono::nanoseconds interval) {
  Options options = valid_options();
  options.interval = interval;
  return options;
}

Options with_gap(Fraction gap) {
  Options options = valid_options();
  options.gap = gap;
  return options;
}

TEST(Options, the_defaults_with_a_name_and_an_interval_are_valid) {
  EXPECT_THAT(check(valid_options()), IsEmpty());
  EXPECT_NO_THROW(require_valid(valid_options()));
}

TEST(Options, a_gap_outside_zero_and_one_half_is_refused_with_what_would_be_right) {
  for (const Fraction gap : {Fraction(), Fraction(1, 2), Fraction(3, 5), Fraction(-1, 10)}) {
    EXPECT_THAT(
        only_finding(with_gap(gap), Severity::error, "gap"),
        AllOf(HasSubstr(to_string(gap)), HasSubstr("between 0 and 0.5"), HasSubstr("0.15 suits")));
  }
}

// README: "below about 0.125 a single failed registration costs the worker a cycle, because the
// first retry no longer lands inside the slack". The retry leaves I/8 past the slot and the lease
// ends g I past it, so that at exactly 1/8 it comes too late as well.
TEST(Options, a_gap_that_leaves_no_room_for_one_retry_is_warned_about) {
  for (const char* text : {"0.05", "0.124", "0.125"}) {
    EXPECT_THAT(only_finding(with_gap(*parse_fraction(text)), Severity::warning, "gap"),
                AllOf(HasSubstr(text), HasSubstr("first retry"), HasSubstr("0.15 leaves room")));
    EXPECT_NO_THROW(require_valid(with_gap(*parse_fraction(text))));
  }
  for (const char* text : {"0.126", "0.15", "0.49"}) {
    EXPECT_THAT(check(with_gap(*parse_fraction(text))), IsEmpty()) << text;
  }
}

TEST(Options, a_gap_too_fine_for_exact_arithmetic_is_refused) {
  EXPECT_THAT(only_finding(with_gap(Fraction(1, 3 * kMaxDenominator)), Severity::error, "gap"),
              HasSubstr("finer than 9 decimals"));
}

TEST(Options, an_interval_of_zero_or_less_is_refused) {
  EXPECT_THAT(only_finding(with_interval(0s), Severity::error, "interval"),
              AllOf(HasSubstr("0ms"), HasSubstr("at least 1ms")));
  EXPECT_THAT(only_finding(with_interval(-5s), Severity::error, "interval"), HasSubstr("-5000ms"));
}

TEST(Options, an_interval_that_is_not_whole_milliseconds_is_refused_with_the_next_that_is) {
  EXPECT_THAT(only_finding(with_interval(1500500us), Severity::error, "interval"),
              AllOf(HasSubstr("1500.5ms"), HasSubstr("use 1500ms")));
  EXPECT_THAT(only_finding(with_interval(1us), Severity::error, "interval"), HasSubstr("use 1ms"));
}

TEST(Options, an_interval_above_what_a_timer_holds_is_refused) {
  EXPECT_THAT(check(with_interval(kMaxInterval)), IsEmpty());
  EXPECT_THAT(only_finding(with_interval(kMaxInterval + 1ms), Severity::error, "interval"),
              AllOf(HasSubstr("2147483648ms"), HasSubstr("2147483647ms")));
}

// The store's clock is known to 1 ms: an interval whose gap is no longer than that grants nothing.
// 0.15 * 6 ms = 0.9 ms, 0.15 * 7 ms = 1.05 ms.
TEST(Options, an_interval_whose_gap_is_within_the_clock_resolution_is_refused) {
  EXPECT_THAT(only_finding(with_interval(6ms), Severity::error, "gap"),
              AllOf(HasSubstr("0.9ms"), HasSubstr("longer interval")));
  EXPECT_THAT(check(with_interval(7ms)), IsEmpty());
}

TEST(Options, an_empty_name_is_refused) {
  Options options = valid_options();
  options.name.clear();
  EXPECT_THAT(only_finding(options, Severity::error, "name"), HasSubstr("mail-sender"));
}

TEST(Options, braces_that_would_break_the_hash_tag_are_refused) {
  for (const char* text : {"a{b", "a}b", "{a}", "}", "a{}b"}) {
    Options options = valid_options();
    options.name = text;
    EXPECT_THAT(only_finding(options, Severity::error, "name"), HasSubstr("hash tag")) << text;
    options = valid_options();
    options.prefix = text;
    EXPECT_THAT(only_finding(options, Severity::error, "prefix"), HasSubstr("hash tag")) << text;
  }
}

// Gap 0.15 of 1 s is 150 ms. A reply lost at the slot is given up 200 ms past it, 50 ms after the
// lease has ended.
TEST(Options, a_timeout_that_eats_the_gap_is_refused_with_the_sum) {
  Options options = with_interval(1s);
  options.attempt_timeout = 200ms;
  EXPECT_THAT(only_finding(options, Severity::error, "attempt_timeout"),
              AllOf(HasSubstr("200ms"), HasSubstr("150ms"), HasSubstr("50ms too late"),
                    HasSubstr("125ms is the default")));
  options.attempt_timeout = 150ms;
  EXPECT_THAT(only_finding(options, Severity::error, "attempt_timeout"), HasSubstr("0ms too late"));
  options.attempt_timeout = 149ms;
  EXPECT_THAT(check(options), IsEmpty());
}

TEST(Options, a_timeout_up_to_the_first_retry_is_no_error_below_a_gap_of_an_eighth) {
  Options options = with_gap(Fraction(1, 10));
  options.attempt_timeout = 625ms;  // an eighth of 5 s; the gap is 500 ms
  EXPECT_THAT(only_finding(options, Severity::warning, "gap"), HasSubstr("0.1"));
  options.attempt_timeout = 626ms;
  EXPECT_EQ(check(options).size(), 2U);
}

TEST(Options, a_timeout_of_zero_or_less_is_refused) {
  for (const auto timeout : {0ms, -1ms}) {
    Options options = valid_options();
    options.attempt_timeout = timeout;
    EXPECT_THAT(only_finding(options, Severity::error, "attempt_timeout"), HasSubstr("above 0"));
  }
}

TEST(Options, a_drift_bound_that_eats_the_gap_is_refused) {
  Options options = valid_options();
  options.drift_bound = Fraction(15, 400);  // a quarter of 0.15
  EXPECT_THAT(only_finding(options, Severity::error, "drift_bound"), HasSubstr("0.0375"));
  options.drift_bound = Fraction(-1, 1000);
  EXPECT_THAT(only_finding(options, Severity::error, "drift_bound"), HasSubstr("-0.001"));
  options.drift_bound = Fraction(1, 1);
  EXPECT_THAT(only_finding(options, Severity::error, "drift_bound"), HasSubstr("below 1"));
  options.drift_bound = Fraction();
  EXPECT_THAT(check(options), IsEmpty());
}

TEST(Options, a_first_spread_outside_zero_and_one_is_refused) {
  Options options = valid_options();
  options.first_spread = Fraction(11, 10);
  EXPECT_THAT(only_finding(options, Severity::error, "first_spread"), HasSubstr("1.1"));
  options.first_spread = Fraction(0, 1);
  EXPECT_THAT(check(options), IsEmpty());
}

TEST(Options, all_errors_are_reported_at_once) {
  Options options;
  options.gap = Fraction(1, 2);
  options.prefix = "{";
  try {
    require_valid(options);
    FAIL() << "accepted";
  } catch (const InvalidOptions& error) {
    EXPECT_EQ(error.problems().size(), 4U);
    for (const char* option : {"name: ", "prefix: ", "interval: ", "gap: "}) {
      EXPECT_THAT(error.what(), HasSubstr(option));
    }
  }
}

TEST(Options, timing_is_in_nanoseconds_with_an_eighth_of_the_interval_as_timeout) {
  const LeaseTiming timing = timing_of(valid_options());
  EXPECT_EQ(timing.interval, Duration(5'000'000'000));
  EXPECT_EQ(timing.attempt_timeout, Duration(625'000'000));
  EXPECT_EQ(timing.resolution, Duration(1'000'000));
  EXPECT_EQ(timing.gap, Fraction(3, 20));
  EXPECT_EQ(timing.drift, Fraction(1, 1000));
  Options options = valid_options();
  options.attempt_timeout = 300ms;
  EXPECT_EQ(timing_of(options).attempt_timeout, Duration(300'000'000));
}

// The checker counts in coarser ticks: the same sums with another resolution.
TEST(Options, a_timing_by_itself_is_weighed_by_the_same_rule) {
  LeaseTiming timing = timing_of(valid_options());
  EXPECT_THAT(check_timing(timing), IsEmpty());
  timing.attempt_timeout = Duration(750'000'000);  // the gap is 750 ms
  ASSERT_EQ(check_timing(timing).size(), 1U);
  EXPECT_EQ(check_timing(timing).front().option, "attempt_timeout");
  timing = timing_of(valid_options());
  timing.resolution = Duration(750'000'000);
  ASSERT_EQ(check_timing(timing).size(), 1U);
  EXPECT_THAT(check_timing(timing).front().text, HasSubstr("not more than the 750ms"));
}

// README: "{mail-sender}:58391", "prefix: Prepended to the key".
TEST(Options, keys_are_those_of_the_wire_format) {
  Options options = valid_options();
  EXPECT_EQ(group_key(options), "{mail-sender}");
  EXPECT_EQ(key_of(options, 58391), "{mail-sender}:58391");
  options.prefix = "app:";
  EXPECT_EQ(group_key(options), "app:{mail-sender}");
  EXPECT_EQ(key_of(options, 0), "app:{mail-sender}:0");
  EXPECT_EQ(interval_ms(options), 5000);
}

}  // namespace
}  // namespace nandi
