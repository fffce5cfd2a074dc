#include "nandi/engine/options.h"

#include <fmt/format.h>

#include <algorithm>

namespace nandi {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::int64_t kRetryShare = 8;  // the first retry is due an eighth of an interval later
constexpr Duration kWireResolution(kNanosecondsPerMillisecond);

/// "1500ms", or "0.25ms" where it is not whole.
std::string in_ms(std::int64_t nanoseconds_count) {
  return to_string(Fraction(nanoseconds_count, kNanosecondsPerMillisecond)) + "ms";
}

class Findings {
 public:
  void error(std::string_view option, std::string text) {
    add(OptionProblem::Severity::error, option, std::move(text));
  }
  void warning(std::string_view option, std::string text) {
    add(OptionProblem::Severity::warning, option, std::move(text));
  }
  [[nodiscard]] bool has_error(std::string_view option) const {
    return std::any_of(problems_.begin(), problems_.end(), [&](const OptionProblem& problem) {
      return problem.severity == OptionProblem::Severity::error && problem.option == option;
    });
  }
  std::vector<OptionProblem> take() { return std::move(problems_); }

 private:
  void add(OptionProblem::Severity severity, std::string_view option, std::string text) {
    problems_.push_back(OptionProblem{severity, option, std::move(text)});
  }
  std::vector<OptionProblem> problems_;
};

void check_names(const Options& options, Findings& findings) {
  constexpr std::string_view kBraces = "{}";
  if (options.name.empty()) {
    findings.error("name", "is empty; name the group, for example \"mail-sender\"");
  }
  if (options.name.find_first_of(kBraces) != std::string::npos) {
    findings.error("name", fmt::format("\"{}\" contains a brace, which would break the hash tag "
                                       "of its keys, \"{{name}}:N\"; leave the braces out",
                                       options.name));
  }
  if (options.prefix.find_first_of(kBraces) != std::string::npos) {
    findings.error("prefix", fmt::format("\"{}\" contains a brace, which would move the hash tag "
                                         "away from the group's name; use for example \"app:\"",
                                         options.prefix));
  }
}

void check_interval(const Options& options, Findings& findings) {
  const std::int64_t count = options.interval.count();
  if (count <= 0) {
    findings.error("interval", fmt::format("is {}; it has to be at least 1ms, and 5s suits most "
                                           "groups",
                                           in_ms(count)));
    return;
  }
  if (count % kNanosecondsPerMillisecond != 0) {
    const std::int64_t below = count / kNanosecondsPerMillisecond;
    findings.error("interval",
                   fmt::format("{} is not a whole number of milliseconds; the store counts in "
                               "milliseconds: use {}ms",
                               in_ms(count), std::max<std::int64_t>(below, 1)));
  }
  if (options.interval > kMaxInterval) {
    findings.error("interval", fmt::format("{} is more than a timer holds; the longest is {}ms, "
                                           "almost 25 days",
                                           in_ms(count), kMaxInterval.count()));
  }
}

void warn_of_retry(Fraction gap, Findings& findings) {
  if (gap > Fraction(1, kRetryShare)) return;
  findings.warning("gap", fmt::format("{} is not above 0.125: the first retry of a failed "
                                      "registration, an eighth of an interval later, comes when "
                                      "the lease is over, so that one failure costs a cycle; "
                                      "0.15 leaves room for it",
                                      to_string(gap)));
}

void check_margin(const LeaseTiming& timing, Findings& findings) {
  const Duration margin = gap_margin(timing);
  if (margin > timing.resolution) return;
  findings.error("gap", fmt::format("{} of an interval of {} is {}, not more than the {} to "
                                    "which the store's clock is known: no lease would outlive a "
                                    "renewal; use a longer interval",
                                    to_string(timing.gap), in_ms(timing.interval.count()),
                                    in_ms(margin.count()), in_ms(timing.resolution.count())));
}

/// The worst case of one lost reply: the attempt runs into its deadline, and only then can the
/// retry leave, which has to be answered before the lease ends, one gap past the slot.
void check_timeout(const LeaseTiming& timing, Findings& findings) {
  const Duration timeout = timing.attempt_timeout;
  const Duration margin = gap_margin(timing);
  const Duration default_timeout = default_attempt_timeout(timing.interval);
  if (timeout <= default_timeout || timeout < margin) return;
  findings.error(
      "attempt_timeout",
      fmt::format("{} does not fit: the lease ends a gap of {} ({} of {}) past the slot, and after "
                  "a lost reply the retry leaves {} past it, which is {} too late; the timeout has "
                  "to stay below the gap, {} is the default",
                  in_ms(timeout.count()), in_ms(margin.count()), to_string(timing.gap),
                  in_ms(timing.interval.count()), in_ms(timeout.count()),
                  in_ms((timeout - margin).count()), in_ms(default_timeout.count())));
}

/// A slot is up to two intervals ahead; its estimate is off by that much times the drift, on the
/// late side for the registration and on the early side for the end of the lease.
void check_drift(Fraction gap, Fraction drift, Findings& findings) {
  if (drift < Fraction(gap.numerator(), 4 * gap.denominator())) return;
  findings.error("drift_bound",
                 fmt::format("{} is not below a quarter of the gap, {}: over the two intervals "
                             "to a slot the estimates of the store's clock would part by the "
                             "whole gap; use 0.001",
                             to_string(drift), to_string(gap)));
}

void check_gap(const Options& options, Findings& findings) {
  const Fraction gap = options.gap;
  if (gap <= Fraction() || gap >= Fraction(1, 2)) {
    findings.error("gap", fmt::format("{} is not between 0 and 0.5 (both excluded); 0.15 suits "
                                      "most groups",
                                      to_string(gap)));
    return;
  }
  if (gap.denominator() > kMaxDenominator) {
    findings.error("gap", fmt::format("{} is finer than 9 decimals; round it", to_string(gap)));
    return;
  }
  warn_of_retry(gap, findings);
  if (findings.has_error("interval")) return;
  check_margin(timing_of(options), findings);
}

void check_attempt_timeout(const Options& options, Findings& findings) {
  if (!options.attempt_timeout) return;
  const std::int64_t timeout = options.attempt_timeout->count();
  if (timeout <= 0) {
    findings.error("attempt_timeout",
                   fmt::format("is {}; it has to be above 0, or left out for an eighth of the "
                               "interval",
                               in_ms(timeout)));
    return;
  }
  if (findings.has_error("interval") || findings.has_error("gap")) return;
  check_timeout(timing_of(options), findings);
}

void check_fractions(const Options& options, Findings& findings) {
  const Fraction drift = options.drift_bound;
  if (drift < Fraction() || drift >= Fraction(1, 1)) {
    findings.error("drift_bound", fmt::format("{} is not a rate from 0 to below 1; 0.001 suits "
                                              "clocks that a time daemon keeps",
                                              to_string(drift)));
  } else if (drift.denominator() > kMaxDenominator) {
    findings.error("drift_bound",
                   fmt::format("{} is finer than 9 decimals; round it up", to_string(drift)));
  } else if (!findings.has_error("gap")) {
    check_drift(options.gap, drift, findings);
  }
  const Fraction spread = options.first_spread;
  if (spread < Fraction() || spread > Fraction(1, 1)) {
    findings.error("first_spread", fmt::format("{} is not between 0 and 1; 1 spreads first "
                                               "registrations over a whole interval",
                                               to_string(spread)));
  } else if (spread.denominator() > kMaxDenominator) {
    findings.error("first_spread",
                   fmt::format("{} is finer than 9 decimals; round it", to_string(spread)));
  }
}

std::string list_errors(const std::vector<OptionProblem>& problems) {
  std::string text;
  for (const OptionProblem& problem : problems) {
    if (problem.severity != OptionProblem::Severity::error) continue;
    if (!text.empty()) text += '\n';
    text += fmt::format("{}: {}", problem.option, problem.text);
  }
  return text;
}

}  // namespace

std::vector<OptionProblem> check(const Options& options) {
  Findings findings;
  check_names(options, findings);
  check_interval(options, findings);
  check_gap(options, findings);
  check_attempt_timeout(options, findings);
  check_fractions(options, findings);
  return findings.take();
}

std::vector<OptionProblem> check_timing(const LeaseTiming& timing) {
  Findings findings;
  warn_of_retry(timing.gap, findings);
  check_margin(timing, findings);
  check_timeout(timing, findings);
  check_drift(timing.gap, timing.drift, findings);
  return findings.take();
}

InvalidOptions::InvalidOptions(std::vector<OptionProblem> problems)
    : std::invalid_argument(list_errors(problems)), problems_(std::move(problems)) {}

void require_valid(const Options& options) {
  std::vector<OptionProblem> problems = check(options);
  const bool has_error = std::any_of(problems.begin(), problems.end(), [](const auto& problem) {
    return problem.severity == OptionProblem::Severity::error;
  });
  if (has_error) throw InvalidOptions(std::move(problems));
}

LeaseTiming timing_of(const Options& options) {
  LeaseTiming timing;
  timing.interval = Duration(options.interval.count());
  timing.gap = options.gap;
  timing.attempt_timeout = options.attempt_timeout ? Duration(options.attempt_timeout->count())
                                                   : default_attempt_timeout(timing.interval);
  timing.resolution = kWireResolution;
  timing.drift = options.drift_bound;
  return timing;
}

std::int64_t interval_ms(const Options& options) {
  return std::chrono::duration_cast<milliseconds>(options.interval).count();
}

std::string group_key(const Options& options) {
  return fmt::format("{}{{{}}}", options.prefix, options.name);
}

std::string key_of(const Options& options, IntervalNumber n) {
  return fmt::format("{}:{}", group_key(options), n);
}

}  // namespace nandi
