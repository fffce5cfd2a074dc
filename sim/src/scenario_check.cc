#include <fmt/format.h>

#include <algorithm>

#include "scenario_types.h"
#include "schedule_line.h"

namespace nandi::sim {
namespace {

using yaml::Record;
using yaml::Type;
using yaml::Value;

const std::vector<std::string> kMeasures = {"readiness",        "stand_down", "join",
                                            "departure",        "unowned",    "recovery",
                                            "closest_approach", "owned_share"};

struct Limits {
  std::optional<Fraction> at_least;
  std::optional<Fraction> at_most;
};

Type<std::vector<Bound>> bounds_type() {
  const Type<Fraction> end =
      yaml::fraction_type({.above = {}, .at_least = Fraction(0, 1), .at_most = {}, .below = {}});
  const Type<Limits> limits =
      Record<Limits>("limits", "What a measured figure has to keep, for every occurrence.")
          .optional("at_least", &Limits::at_least, end, "Least allowed.", "2", "none")
          .optional("at_most", &Limits::at_most, end, "Greatest allowed.", "3.85", "none")
          .check([](const Limits& read, const Value& value) {
            if (!read.at_least && !read.at_most) {
              value.fail("limits without an end", "give `at_least`, `at_most` or both");
            }
            if (read.at_least && read.at_most && *read.at_least > *read.at_most) {
              value.find("at_most")->fail("`at_most` lies below `at_least`", "swap the two");
            }
          })
          .type();
  using Entries = std::vector<std::pair<std::size_t, Limits>>;
  return yaml::mapped<std::vector<Bound>, Entries>(
      yaml::keyed_type<Limits>("bounds",
                               "Figures of the summary, in intervals; `owned_share` is a fraction "
                               "of worker-time.",
                               kMeasures, limits, "Limits of this figure.", "{at_most: 4}"),
      [](const Entries& entries) {
        std::vector<Bound> bounds;
        for (const auto& [index, read] : entries) {
          bounds.push_back({static_cast<Measure>(index), read.at_least, read.at_most});
        }
        return bounds;
      },
      [](const std::vector<Bound>& bounds) {
        Entries entries;
        for (const Bound& bound : bounds) {
          entries.emplace_back(static_cast<std::size_t>(bound.measure),
                               Limits{bound.at_least, bound.at_most});
        }
        return entries;
      });
}

std::vector<std::string> properties_and_events() {
  std::vector<std::string> names = property_names();
  names.insert(names.end(), event_names().begin(), event_names().end());
  return names;
}

struct Size {
  std::uint32_t budget = 1;
  std::optional<std::uint32_t> at_most;
};

Type<Size> fault_size_type() {
  const Type<std::uint32_t> count = yaml::count_type<std::uint32_t>(0, 1'000);
  const Type<Size> record =
      Record<Size>("fault_budget", "How often a fault may strike, and how hard.")
          .optional("budget", &Size::budget, count, "At most so often along a path.", "2")
          .optional("at_most", &Size::at_most, yaml::count_type<std::uint32_t>(1),
                    "Greatest size: ticks, or registrations that a failover loses.", "30",
                    "every size that matters; a failover: 1")
          .type();
  return {[count, record](const Value& value) {
            if (value.kind() == yaml::NodeKind::mapping) return record.read(value);
            return Size{count.read(value), std::nullopt};
          },
          [count, record](const Size& size) {
            return size.at_most ? record.write(size) : count.write(size.budget);
          },
          yaml::either_shape("count or " + record.shape->text, {count.shape, record.shape})};
}

Type<std::vector<FaultBudget>> faults_type() {
  using Entries = std::vector<std::pair<std::size_t, Size>>;
  return yaml::mapped<std::vector<FaultBudget>, Entries>(
      yaml::keyed_type<Size>("faults", "Faults that the checker may place anywhere.", event_names(),
                             fault_size_type(), "Budget of this fault.", "1"),
      [](const Entries& entries) {
        std::vector<FaultBudget> faults;
        for (const auto& [index, size] : entries) {
          faults.push_back({event_names()[index], size.budget, size.at_most});
        }
        return faults;
      },
      [](const std::vector<FaultBudget>& faults) {
        Entries entries;
        for (const FaultBudget& fault : faults) {
          const auto& names = event_names();
          const auto found = std::find(names.begin(), names.end(), fault.fault);
          entries.emplace_back(static_cast<std::size_t>(found - names.begin()),
                               Size{fault.budget, fault.at_most});
        }
        return entries;
      });
}

// The kinds of actions, and after them `register`.
enum class StepKind : std::uint8_t { first = 0, registers = kActionKinds };

// A ScheduleLine as a file shows it: an action of the store names no worker.
struct Step {
  Duration at;
  StepKind kind = StepKind::first;
  std::optional<WorkerId> worker;
  AttemptId attempt = 0;
  ErrorClass error = ErrorClass::none;
  std::uint16_t config = 0;
  std::int64_t value = 0;
  std::int64_t extra = 0;
};

ScheduleLine line_of(const Step& step) {
  const bool registers = step.kind == StepKind::registers;
  const ActionKind kind = registers ? ActionKind::deliver : static_cast<ActionKind>(step.kind);
  return {TrueTime(step.at.count()),
          {kind, step.error, step.config, step.worker.value_or(0), step.attempt, step.value,
           step.extra},
          registers};
}

ScheduleLine plain_registration(const Step& step) {
  ScheduleLine line;
  line.at = TrueTime(step.at.count());
  line.action.kind = ActionKind::deliver;
  line.action.worker = step.worker.value_or(0);
  line.action.attempt = step.attempt;
  line.registers = true;
  return line;
}

Step step_of(const ScheduleLine& line) {
  const Action& action = line.action;
  std::optional<WorkerId> worker = action.worker;
  switch (action.kind) {
    case ActionKind::step_store_clock:
    case ActionKind::set_store_clock_rate:
    case ActionKind::script_load:
    case ActionKind::script_flush:
    case ActionKind::flush_all:
    case ActionKind::erase_counter:
      if (action.worker == 0) worker.reset();
      break;
    default: break;
  }
  const StepKind kind = line.registers ? StepKind::registers : static_cast<StepKind>(action.kind);
  return {line.at - TrueTime(), kind,          worker,       action.attempt,
          action.error,         action.config, action.value, action.extra};
}

Type<StepKind> step_kind_type() {
  std::vector<std::pair<StepKind, std::string>> names;
  for (int index = 0; index < kActionKinds; ++index) {
    names.emplace_back(static_cast<StepKind>(index), to_string(static_cast<ActionKind>(index)));
  }
  names.emplace_back(StepKind::registers, "register");
  return yaml::enum_type<StepKind>(names);
}

Type<ErrorClass> error_class_type() {
  std::vector<std::pair<ErrorClass, std::string>> names;
  for (int index = 0; index <= static_cast<int>(ErrorClass::other); ++index) {
    const auto error = static_cast<ErrorClass>(index);
    names.emplace_back(error, to_string(error));
  }
  return yaml::enum_type<ErrorClass>(names);
}

Type<Step> step_type() {
  constexpr std::uint64_t kMost32 = 4'294'967'295;
  return Record<Step>(
             "step",
             "One step of an explicit schedule: an action of the simulated world, with its "
             "arguments.")
      .required("at", &Step::at, yaml::duration_type(), "True time.", "5ns")
      .required("action", &Step::kind, step_kind_type(),
                "What happens; `register` is wake, execute and deliver at one moment.", "execute")
      .optional("worker", &Step::worker, yaml::count_type<WorkerId>(0, kMost32), "Its worker.", "1",
                "0, or none where the store alone is concerned")
      .optional("attempt", &Step::attempt, yaml::count_type<AttemptId>(0, kMost32),
                "Number of the registration.", "3")
      .optional("error", &Step::error, error_class_type(), "With which error it is refused.",
                "readonly")
      .optional("config", &Step::config, yaml::count_type<std::uint16_t>(0, 65'535),
                "Number of the member configuration.", "1")
      .optional("value", &Step::value, yaml::integer_type(), "First argument.", "-2")
      .optional("extra", &Step::extra, yaml::integer_type(), "Second argument.", "7")
      .check([](const Step& step, const Value& value) {
        if (step.kind != StepKind::registers || line_of(step) == plain_registration(step)) return;
        value.fail("a `register` with arguments",
                   "give only its worker and attempt, or write wake, execute and deliver");
      })
      .type();
}

}  // namespace

Type<Expectation> expectation_type() {
  const Type<std::string> property = yaml::known_string_type("property", property_names());
  return Record<Expectation>("expect", "What is true of this scenario.")
      .optional("verdict", &Expectation::verdict,
                yaml::enum_type<Verdict>({{Verdict::holds, "holds"},
                                          {Verdict::violated, "violated"},
                                          {Verdict::unknown, "unknown"}}),
                "The verdict.", "violated")
      .optional("property", &Expectation::property, property,
                "The property that is violated; required where one is.", "lease-exclusive")
      .optional("properties", &Expectation::properties, yaml::list_type(property),
                "The properties that are checked; an empty list: all.",
                "[lease-exclusive, work-exclusive]")
      .optional(
          "vacuous_ok", &Expectation::vacuous_ok,
          yaml::list_type(yaml::known_string_type("property or event", properties_and_events())),
          "Properties and events that need not have applied or fired.", "[work-exclusive]")
      .optional("bounds", &Expectation::bounds, bounds_type(), "What the figures have to keep.",
                "{readiness: {at_most: 4}}")
      .check([](const Expectation& expect, const Value& value) {
        const bool wants_property = expect.verdict == Verdict::violated;
        if (wants_property && expect.property.empty()) {
          value.find("verdict")->fail("`violated` without `property`",
                                      "name the property that is violated");
        }
        if (!wants_property && !expect.property.empty()) {
          value.find("property")
              ->fail("`property` without `verdict: violated`",
                     "add the verdict, or list it under `properties`");
        }
      })
      .type();
}

Type<CheckSettings> check_type() {
  const auto count = [](std::uint64_t least) {
    return yaml::count_type<std::uint32_t>(least, 10'000);
  };
  return Record<CheckSettings>(
             "check",
             "Bounds of an exhaustive check (`nandi-check`); a simulation does not "
             "look at them. Time is counted in ticks.")
      .optional("ticks", &CheckSettings::ticks, count(2), "Length of an interval, in ticks.", "40")
      .optional("resolution", &CheckSettings::resolution, count(1),
                "Resolution of the store's clock, in ticks.", "2")
      .optional("workers", &CheckSettings::workers, yaml::count_type<std::uint32_t>(1, 64),
                "Number of workers.", "3")
      .optional("gap", &CheckSettings::gap, gap_type(), "Gap; has to be whole ticks.", "1/5",
                "the group's")
      .optional(
          "slots", &CheckSettings::slots,
          yaml::enum_type<SlotChoice>({{SlotChoice::engine, "engine"}, {SlotChoice::free, "free"}}),
          "Slots by the engine's rule, or anywhere within the band (covers groups of every "
          "size).",
          "free")
      .optional("abandoned", &CheckSettings::abandoned, count(0),
                "Requests that were given up and may still execute, for each worker.", "2")
      .optional("crashes", &CheckSettings::crashes, count(0),
                "Crashes of each worker in an interval: 0, or as many as `joins`.", "1")
      .optional("joins", &CheckSettings::joins, count(0),
                "Starts of each worker in an interval; 0: each starts once, at any time.", "1")
      .optional("pauses", &CheckSettings::pauses, count(0),
                "Workers that may be stalled at the same time.", "1")
      .optional("stopped_clocks", &CheckSettings::stopped_clocks, yaml::boolean_type(),
                "Whether the clock of a stalled worker stands still meanwhile (hypervisor).",
                "true")
      .optional("registrations", &CheckSettings::registrations,
                yaml::count_type<std::uint32_t>(1, 15),
                "Registrations executed in one interval; more are not explored.", "5")
      .optional("attempt_timeout", &CheckSettings::attempt_timeout, count(1),
                "Deadline of an attempt, in ticks.", "2", "an eighth of the interval")
      .optional("refusals", &CheckSettings::refusals, yaml::boolean_type(),
                "Whether the store may refuse a registration at once.", "true")
      .optional("symmetry", &CheckSettings::symmetry, yaml::boolean_type(),
                "Take states as one that differ only in which worker is in which situation.",
                "true")
      .optional("reduction", &CheckSettings::reduction, yaml::boolean_type(),
                "Leave out steps that commute with others: fewer states, the same verdict.", "true")
      .optional("fingerprints", &CheckSettings::fingerprints, yaml::boolean_type(),
                "Keep 64-bit fingerprints of states: less memory, a small probability of error.",
                "true")
      .optional("threads", &CheckSettings::threads, yaml::count_type<std::uint32_t>(1, 256),
                "Threads that explore together; the result is the same.", "2")
      .optional("settled", &CheckSettings::settled, yaml::boolean_type(),
                "Also check that a group whose workers all hold leases never stands down.", "true")
      .optional(
          "liveness", &CheckSettings::liveness,
          yaml::list_type(yaml::known_string_type("liveness property", liveness_property_names())),
          "Also check what comes of every run once membership and faults have come to rest.",
          "[owned-for-ever, comes-back]")
      .optional("request_delay", &CheckSettings::request_delay, count(0),
                "Greatest delay of a request, in ticks.", "3", "unbounded")
      .optional("reply_delay", &CheckSettings::reply_delay, count(0),
                "Greatest delay of a reply, in ticks.", "3", "unbounded")
      .optional("drift", &CheckSettings::drift, count(0),
                "Deviation of a local clock within a lease, in ticks.", "1")
      .optional("faults", &CheckSettings::faults, faults_type(), "Faults and how many.",
                "{failover: 1}")
      .optional("max_states", &CheckSettings::max_states,
                yaml::count_type<std::uint64_t>(1, 1'000'000'000'000), "Ends in *unknown* beyond.",
                "10000000")
      .optional("max_memory", &CheckSettings::max_memory, yaml::size_type(),
                "Ends in *unknown* beyond.", "4GB")
      .type();
}

Type<std::vector<TimedAction>> schedule_type() {
  using Steps = std::vector<Step>;
  const Type<Steps> steps =
      yaml::checked<Steps>(yaml::list_type(step_type()), [](const Steps& read, const Value& value) {
        for (std::size_t index = 1; index < read.size(); ++index) {
          if (read[index].at < read[index - 1].at) {
            value.at(index).fail("this action lies before the one above it",
                                 "order the schedule by time");
          }
        }
      });
  return yaml::mapped<std::vector<TimedAction>, Steps>(
      steps,
      [](const Steps& read) {
        std::vector<ScheduleLine> lines;
        for (const Step& step : read) lines.push_back(line_of(step));
        return actions_of(lines);
      },
      [](const std::vector<TimedAction>& actions) {
        Steps written;
        for (const ScheduleLine& line : lines_of(actions)) written.push_back(step_of(line));
        return written;
      });
}

}  // namespace nandi::sim
