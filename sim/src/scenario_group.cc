#include "nandi/sim/scenario_group.h"

#include <fmt/format.h>

#include "nandi/engine/options.h"
#include "range_type.h"
#include "scenario_types.h"

namespace nandi::sim {
namespace {

using yaml::duration_type;
using yaml::NodeKind;
using yaml::Record;
using yaml::Tree;
using yaml::Type;
using yaml::Value;

const Duration kPositive{1};
const Duration kAnySign{-1};

Type<Fraction> share_type() {
  return yaml::fraction_type(
      {.above = {}, .at_least = Fraction(0, 1), .at_most = Fraction(1, 1), .below = {}});
}

// Within this bound every product with an interval is exact in 128 bits.
Type<Fraction> short_fraction(const Type<Fraction>& type) {
  return yaml::checked<Fraction>(type, [](Fraction fraction, const Value& value) {
    if (fraction.denominator() > kMaxDenominator) {
      value.fail(fmt::format("{} has too many digits", value.description()),
                 fmt::format("keep to denominators up to {}", kMaxDenominator));
    }
  });
}

Type<ClockError> clock_error_type() {
  return Record<ClockError>("clock_error", "One clock against true time.")
      .optional("offset", &ClockError::offset, duration_type(kAnySign), "Added to what it shows.",
                "-250ms")
      .optional("drift", &ClockError::drift, clock_rate_type(),
                "How much too fast it runs; negative: too slow.", "50ppm")
      .type();
}

Type<WorkerClockErrors> worker_clocks_type() {
  return Record<WorkerClockErrors>("worker_clocks", "The local clocks, drawn for each worker.")
      .optional("offset", &WorkerClockErrors::offset, duration_range_type(),
                "Added to what each shows.", "{from: -1s, to: 1s}")
      .optional("drift", &WorkerClockErrors::drift, fraction_range_type(),
                "How much too fast each runs.", "{from: -50ppm, to: 50ppm}")
      .type();
}

}  // namespace

Type<Overrun> overrun_type() {
  const Type<bool> flag = yaml::boolean_type();
  const Type<Duration> limit = duration_type(kPositive);
  return {[flag, limit](const Value& value) {
            const bool is_flag = value.kind() == NodeKind::scalar && !value.quoted() &&
                                 (value.text() == "true" || value.text() == "false");
            if (is_flag) return Overrun{flag.read(value), std::nullopt};
            return Overrun{true, limit.read(value)};
          },
          [flag, limit](const Overrun& overrun) {
            return overrun.limit ? limit.write(*overrun.limit) : flag.write(overrun.allowed);
          },
          yaml::either_shape("`true`, `false` or duration above 0", {flag.shape, limit.shape})};
}

Type<Fraction> gap_type() {
  return short_fraction(yaml::fraction_type(
      {.above = Fraction(0, 1), .at_least = {}, .at_most = {}, .below = Fraction(1, 2)}));
}

Type<Fraction> drift_type() {
  return short_fraction(yaml::fraction_type(
      {.above = {}, .at_least = Fraction(0, 1), .at_most = {}, .below = Fraction(1, 1)}));
}

Type<Fraction> clock_rate_type() {
  return short_fraction(yaml::fraction_type(
      {.above = Fraction(-1, 1), .at_least = {}, .at_most = {}, .below = Fraction(1, 1)}));
}

Type<Duration> interval_type() {
  const Duration most(std::chrono::nanoseconds(kMaxInterval).count());
  return yaml::checked<Duration>(
      duration_type(kPositive), [most](Duration interval, const Value& value) {
        if (interval > most) {
          value.fail(fmt::format("{} is longer than any timer holds", value.description()),
                     fmt::format("write at most {}", yaml::format_duration(most)));
        }
      });
}

Type<DeadlineFrom> deadline_from_type() {
  return yaml::enum_type<DeadlineFrom>(
      {{DeadlineFrom::send, "send"}, {DeadlineFrom::reply, "reply"}});
}

Type<DurationRange> duration_range_type() {
  return range_type<DurationRange>("duration_range", duration_type(kAnySign), "-1s", "1s");
}
Type<FractionRange> fraction_range_type() {
  return range_type<FractionRange>("fraction_range", clock_rate_type(), "-50ppm", "50ppm");
}
Type<FractionRange> gap_range_type() {
  return range_type<FractionRange>("gap_range", gap_type(), "0.1", "0.3");
}

Type<GroupSettings> group_type() {
  const auto refuse_braces = [](const std::string& text, const Value& value) {
    if (text.find_first_of("{}") != std::string::npos) {
      value.fail("a brace would break the hash tag of the group's keys", "leave it out");
    }
  };
  const auto name = yaml::checked<std::string>(yaml::string_type(), refuse_braces);
  return Record<GroupSettings>("group", "What all workers of the group share.")
      .optional("name", &GroupSettings::name,
                yaml::checked<std::string>(name,
                                           [](const std::string& text, const Value& value) {
                                             if (text.empty())
                                               value.fail("the name is empty",
                                                          "give the group a name");
                                           }),
                "Name of the group, part of its keys.", "mail-sender")
      .optional("prefix", &GroupSettings::prefix, name, "Put before the group's keys.", "\"prod:\"")
      .required("interval", &GroupSettings::interval, interval_type(), "Length of an interval.",
                "5s")
      .optional("gap", &GroupSettings::gap, gap_type(),
                "Timing slack at either end of an interval, as a fraction of it.", "0.2")
      .optional("attempt_timeout", &GroupSettings::attempt_timeout, duration_type(kPositive),
                "A registration without a reply by then has failed.", "500ms",
                "an eighth of the interval")
      .optional("drift_bound", &GroupSettings::drift_bound, drift_type(),
                "Bound on the relative rate of two clocks that the workers count on.", "100ppm")
      .optional("resolution", &GroupSettings::resolution, duration_type(kPositive),
                "Resolution of the store's clock.", "10us")
      .optional("first_spread", &GroupSettings::first_spread, share_type(),
                "First registrations are spread over this share of an interval; 0: all at once.",
                "0")
      .type();
}

Type<ConsumerSettings> consumer_type() {
  return Record<ConsumerSettings>("consumer", "What a worker does with the pair it is handed.")
      .optional("drain", &ConsumerSettings::drain, delay_type(),
                "From being told to stand down until it has stopped.",
                "{uniform: {from: 100ms, to: 800ms}}")
      .optional("overrun", &ConsumerSettings::overrun, overrun_type(),
                "Whether (or how far) a drain goes on past the end of the lease; `false`: it is "
                "cut off then.",
                "2s")
      .optional("ignore_expiry", &ConsumerSettings::ignore_expiry, yaml::boolean_type(),
                "Act on a pair until told otherwise, never looking at the lease's end.", "true")
      .type();
}

Type<ClockSettings> clocks_type() {
  return Record<ClockSettings>("clocks", "How clocks differ from true time.")
      .optional("store", &ClockSettings::store, clock_error_type(), "The store's clock.",
                "{offset: 10s}")
      .optional("workers", &ClockSettings::workers, worker_clocks_type(), "The local clocks.",
                "{drift: {from: -50ppm, to: 50ppm}}")
      .type();
}

Type<RuleSettings> rules_type() {
  const Type<std::uint32_t> agreement = yaml::count_type<std::uint32_t>(1, 2);
  return Record<RuleSettings>("rules",
                              "The protocol's rules. Each default is the protocol; everything else "
                              "breaks it on purpose (an ablation).")
      .optional("agreement", &RuleSettings::agreement, agreement,
                "How many consecutive closed intervals have to imply a pair before it is owned.",
                "1")
      .optional("expiry", &RuleSettings::expiry, yaml::switch_type(),
                "Whether a lease ends by itself.", "off")
      .optional(
          "index_from", &RuleSettings::index_from,
          yaml::enum_type<IndexFrom>({{IndexFrom::closed, "closed"}, {IndexFrom::open, "open"}}),
          "Which interval's index is paired with the closed count.", "open")
      .optional("deadline_from", &RuleSettings::deadline_from, deadline_from_type(),
                "From which local time a lease's end is counted.", "reply")
      .optional(
          "margin", &RuleSettings::margin,
          short_fraction(yaml::fraction_type(
              {.above = Fraction(-1, 1), .at_least = {}, .at_most = {}, .below = Fraction(1, 1)})),
          "Added to the stand-down margin, as a fraction of the interval.", "0.1")
      .optional("spread", &RuleSettings::spread, yaml::switch_type(),
                "`off`: all workers register in the middle of the interval.", "off")
      .optional("interval_clock", &RuleSettings::interval_clock,
                yaml::enum_type<IntervalClock>(
                    {{IntervalClock::store, "store"}, {IntervalClock::worker, "worker"}}),
                "Whose clock numbers the intervals.", "worker")
      .optional("timing_budget", &RuleSettings::timing_budget, yaml::switch_type(),
                "Whether a timing that no worker would run with is refused: a deadline that leaves "
                "no time for a retry, a gap no longer than the clock's resolution or drift.",
                "off")
      .type();
}

Type<WorkerSet> worker_set_type(const std::string& record_name, const std::string& count_key) {
  const std::string fallback = "as in `group`";
  return Record<WorkerSet>(record_name,
                           "Workers that start together, and what they have otherwise.")
      .optional(count_key, &WorkerSet::count, yaml::count_type<std::uint32_t>(1, kMostWorkers),
                "How many.", "2")
      .optional("interval", &WorkerSet::interval, interval_type(), "Interval.", "4s", fallback)
      .optional("gap", &WorkerSet::gap, gap_type(), "Gap.", "0.2", fallback)
      .optional("attempt_timeout", &WorkerSet::attempt_timeout, duration_type(kPositive),
                "Deadline of a registration.", "700ms", fallback)
      .optional("deadline_from", &WorkerSet::deadline_from, deadline_from_type(),
                "From which local time their leases' ends are counted.", "reply", "as in `rules`")
      .optional("first_spread", &WorkerSet::first_spread, share_type(),
                "Share of an interval over which their first registrations are spread.", "0",
                fallback)
      .optional(
          "kept_offset", &WorkerSet::kept_offset,
          yaml::fraction_type(
              {.above = {}, .at_least = Fraction(0, 1), .at_most = {}, .below = Fraction(1, 1)}),
          "Slot while no count is known, as a fraction of the interval.", "0.5",
          "drawn between gap and 1 - gap")
      .optional("consumer", &WorkerSet::consumer, consumer_type(), "Their consumers.",
                "{drain: {constant: 3s}}", "as in `consumer`")
      .optional("clock", &WorkerSet::clock, clock_error_type(), "Their clocks.", "{drift: 0.01}",
                "as in `clocks.workers`")
      .optional("network", &WorkerSet::network, network_override_type(), "Their network.",
                "{request: {constant: 40ms}}")
      .type();
}

Type<std::vector<WorkerSet>> initial_workers_type() {
  const Type<std::uint32_t> count = yaml::count_type<std::uint32_t>(0, kMostWorkers);
  const auto sets = yaml::list_type(worker_set_type("worker_set", "count"), 1);
  return {[count, sets](const Value& value) {
            if (value.kind() == NodeKind::sequence) return sets.read(value);
            WorkerSet set;
            set.count = count.read(value);
            return set.count == 0 ? std::vector<WorkerSet>{} : std::vector<WorkerSet>{set};
          },
          [count, sets](const std::vector<WorkerSet>& workers) {
            if (workers.empty()) return count.write(0);
            WorkerSet plain;
            plain.count = workers.front().count;
            const bool is_plain = workers.size() == 1 && workers.front() == plain;
            return is_plain ? count.write(plain.count) : sets.write(workers);
          },
          yaml::either_shape("count, or " + sets.shape->text, {count.shape, sets.shape})};
}

}  // namespace nandi::sim
