#include "nandi/sim/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace nandi::sim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr Duration kSecond{kNanosecondsPerSecond};
constexpr Duration kMillisecond{kNanosecondsPerMillisecond};

Scenario read(const std::string& text, const ScenarioSupport& support = whole_language()) {
  return read_scenario(yaml::Document::parse(text, "s.yaml"), support);
}

// A scenario of three workers and whatever else.
std::string three(const std::string& rest) {
  return "name: x\ngroup: {interval: 5s}\nworkers: 3\n" + rest;
}

std::string error_of(const std::string& text, const ScenarioSupport& support = whole_language()) {
  try {
    read(text, support);
  } catch (const yaml::LoadError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Scenario, a_small_file_takes_the_protocols_defaults) {
  const Scenario scenario = read(three(""));
  EXPECT_EQ(scenario.name, "x");
  EXPECT_EQ(scenario.group.interval, 5 * kSecond);
  EXPECT_EQ(scenario.group.gap, Fraction(3, 20));  // README of n-and-i: gap 0.15
  EXPECT_EQ(scenario.group.attempt_timeout, std::nullopt);
  EXPECT_EQ(scenario.group.resolution, kMillisecond);  // TIME in milliseconds on the wire
  EXPECT_EQ(scenario.rules, RuleSettings{});
  EXPECT_EQ(scenario.rules.agreement, 2u);
  ASSERT_EQ(scenario.workers.size(), 1u);
  EXPECT_EQ(scenario.workers[0].count, 3u);
  EXPECT_EQ(scenario.expect.verdict, Verdict::holds);
  EXPECT_EQ(scenario.seeds, (SeedRange{1, 1}));
  EXPECT_EQ(scenario.check, std::nullopt);
}

TEST(Scenario, reads_every_section) {
  const Scenario scenario = read(R"(
kind: lease
name: everything
group: {name: mail, prefix: "p:", interval: 2s, gap: 1/5, attempt_timeout: 100ms,
        drift_bound: 100ppm, resolution: 1us, first_spread: 0}
workers:
  - count: 2
  - {count: 1, interval: 4s, gap: 0.1, deadline_from: reply, first_spread: 50%, kept_offset: 0.5,
     attempt_timeout: 300ms, clock: {offset: -1s, drift: 1%}, consumer: {overrun: 2s},
     network: {reply: {constant: 40ms}, loss: {reply: 1%}}}
network:
  request: {lognormal: {median: 1ms, p99: 10ms}}
  reply: {normal: {mean: 2ms, sd: 500us, min: 1ms, max: 4ms}}
  jitter: {request: {pareto: {scale: 1ms, shape: 1.5}}, reply: {exponential: {mean: 3ms}}}
  loss: {request: 0.001, reply: 1/500}
clocks: {store: {offset: 10s, drift: -20ppm}, workers: {offset: {from: -1s, to: 1s}, drift: 5ppm}}
consumer: {drain: {uniform: {from: 1ms, to: 5ms}}, overrun: true, ignore_expiry: true}
rules: {agreement: 1, expiry: off, index_from: open, deadline_from: reply, margin: -0.01,
        spread: off, interval_clock: worker}
seeds: 5..900
for: 2m
)");
  EXPECT_EQ(scenario.group.name, "mail");
  EXPECT_EQ(scenario.group.prefix, "p:");
  EXPECT_EQ(scenario.group.gap, Fraction(1, 5));
  EXPECT_EQ(scenario.group.attempt_timeout, 100 * kMillisecond);
  EXPECT_EQ(scenario.group.drift_bound, Fraction(1, 10'000));
  EXPECT_EQ(scenario.group.first_spread, Fraction(0, 1));
  ASSERT_EQ(scenario.workers.size(), 2u);
  const WorkerSet& odd = scenario.workers[1];
  EXPECT_EQ(odd.interval, 4 * kSecond);
  EXPECT_EQ(odd.deadline_from, DeadlineFrom::reply);
  EXPECT_EQ(odd.kept_offset, Fraction(1, 2));
  EXPECT_EQ(odd.clock, (ClockError{-1 * kSecond, Fraction(1, 100)}));
  EXPECT_EQ(odd.consumer->overrun, (Overrun{true, 2 * kSecond}));
  EXPECT_EQ(odd.network.reply, DelayDistribution(ConstantDelay{40 * kMillisecond}));
  EXPECT_EQ(odd.network.request, std::nullopt);
  const NetworkSettings& network = scenario.network;
  EXPECT_EQ(network.request, DelayDistribution(LognormalDelay{kMillisecond, 10 * kMillisecond}));
  EXPECT_EQ(network.reply, DelayDistribution(NormalDelay{2 * kMillisecond, kMillisecond / 2,
                                                         kMillisecond, 4 * kMillisecond}));
  EXPECT_EQ(network.jitter.request, DelayDistribution(ParetoDelay{kMillisecond, Fraction(3, 2)}));
  EXPECT_EQ(network.jitter.reply, DelayDistribution(ExponentialDelay{3 * kMillisecond}));
  EXPECT_EQ(network.loss, (LossPair{Fraction(1, 1000), Fraction(1, 500)}));
  EXPECT_EQ(scenario.clocks.store, (ClockError{10 * kSecond, Fraction(-1, 50'000)}));
  EXPECT_EQ(scenario.clocks.workers.offset, (DurationRange{-1 * kSecond, kSecond}));
  EXPECT_EQ(scenario.clocks.workers.drift,
            (FractionRange{Fraction(1, 200'000), Fraction(1, 200'000)}));
  EXPECT_EQ(scenario.consumer.overrun, (Overrun{true, std::nullopt}));
  EXPECT_TRUE(scenario.consumer.ignore_expiry);
  EXPECT_EQ(scenario.rules, (RuleSettings{1, false, IndexFrom::open, DeadlineFrom::reply,
                                          Fraction(-1, 100), false, IntervalClock::worker}));
  EXPECT_EQ(scenario.seeds, (SeedRange{5, 900}));
  EXPECT_EQ(scenario.length, 120 * kSecond);
}

TEST(Scenario, reads_expectations_and_check) {
  const Scenario scenario = read(three(R"(
expect:
  verdict: violated
  property: lease-exclusive
  vacuous_ok: [work-exclusive, hang]
  bounds: {readiness: {at_least: 2, at_most: 3.85}, owned_share: {at_least: 60%}}
check: {ticks: 40, gap: 1/5, workers: 3, slots: free, abandoned: 2, crashes: 1, joins: 1, drift: 1,
        request_delay: 3, faults: {clock_step: {budget: 2, at_most: 30}, failover: 1},
        symmetry: true, reduction: true, fingerprints: true, threads: 2,
        max_states: 1000, max_memory: 4GB}
)"));
  EXPECT_EQ(scenario.expect.verdict, Verdict::violated);
  EXPECT_EQ(scenario.expect.property, "lease-exclusive");
  EXPECT_THAT(scenario.expect.vacuous_ok, ElementsAre("work-exclusive", "hang"));
  EXPECT_THAT(scenario.expect.bounds,
              ElementsAre(Bound{Measure::readiness, Fraction(2, 1), Fraction(77, 20)},
                          Bound{Measure::owned_share, Fraction(3, 5), std::nullopt}));
  const CheckSettings& check = *scenario.check;
  EXPECT_EQ(check.ticks, 40u);
  EXPECT_EQ(check.slots, SlotChoice::free);
  EXPECT_EQ(check.request_delay, 3u);
  EXPECT_EQ(check.reply_delay, std::nullopt);
  EXPECT_THAT(check.faults, ElementsAre(FaultBudget{"failover", 1, std::nullopt},
                                        FaultBudget{"clock_step", 2, 30}));
  EXPECT_TRUE(check.symmetry && check.reduction && check.fingerprints);
  EXPECT_EQ(check.threads, 2u);
  EXPECT_EQ(check.max_memory, 4'000'000'000u);
}

TEST(Scenario, reads_every_event) {
  const Scenario scenario = read(three(R"(
for: 100s
timeline:
  - {at: 1s, join: {workers: 2, gap: 0.2}}
  - {at: 2s, leave: {workers: [0]}}
  - {at: 3s, crash: {workers: 1}}
  - {at: 4s, restart: {workers: [1], down: 3s, same_seed: true}}
  - {at: 5s, pause: {workers: all, for: 12s}}
  - {at: 6s, suspend: {workers: [2], for: 30s, clock: stops}}
  - {at: 7s, fork: {workers: [2]}}
  - {at: 8s, hang: {for: 20s}}
  - {at: 9s, half_open: {workers: [3]}}
  - {at: 10s, partition: {workers: [2, 3], for: 1s, direction: replies}}
  - {at: 11s, latency: {reply: {constant: 40ms}, for: 10s}}
  - {at: 12s, jitter: {request: {exponential: {mean: 30ms}}, workers: [2]}}
  - {at: 13s, loss: {reply: 5%}}
  - {at: 14s, refuse: {workers: [2], attempts: 2}}
  - {at: 15s, lose: {workers: [2], message: request}}
  - {at: 16s, late_execution: {workers: [2], by: 20s}}
  - {at: 17s, store_restart: {data: rolled_back, lost_writes: 3, down: 2s}}
  - {at: 18s, failover: {lost_writes: 2, clock_offset: -30ms, readonly_for: 1s}}
  - {at: 19s, flushall: {}}
  - {at: 20s, script_flush: {}}
  - {at: 21s, slot_migration: {}}
  - {at: 22s, del: {interval: closed}}
  - {at: 23s, evict: {interval: open}}
  - {at: 24s, readonly: {for: 1s}}
  - {at: 25s, loading: {for: 2s}}
  - {at: 26s, busy: {for: 3s}}
  - {at: 27s, oom: {for: 4s}}
  - {at: 28s, maxclients: {for: 5s}}
  - {at: 29s, clock_step: {by: -6s}}
  - {at: 30s, clock_freeze: {for: 12s, workers: [2]}}
  - {at: 31s, clock_drift: {rate: 1%, for: 20s}}
  - {at: 32s, reconfigure: {workers: [2], gap: 0.2}}
  - {at: 33s, heal: {}}
  - {at: 34s, slow_consumer: {workers: [3], drain: {constant: 4s}, overrun: 2s, for: 9s}}
  - {at: 35s, ignore_expiry: {workers: [3]}}
)"));
  const auto& timeline = scenario.timeline;
  ASSERT_EQ(timeline.size(), event_names().size());
  for (std::size_t index = 0; index < timeline.size(); ++index) {
    EXPECT_EQ(timeline[index].at, static_cast<std::int64_t>(index + 1) * kSecond);
    EXPECT_EQ(timeline[index].source.line, static_cast<int>(index) + 7);
  }
  const auto ids = [](std::vector<WorkerId> list) {
    return WorkerChoice{WorkerChoice::Kind::ids, 0, std::move(list)};
  };
  WorkerSet joining;
  joining.count = 2;
  joining.gap = Fraction(1, 5);
  EXPECT_EQ(timeline[0].event, Event(Join{joining}));
  EXPECT_EQ(timeline[2].event, Event(Crash{{WorkerChoice::Kind::count, 1, {}}}));
  EXPECT_EQ(timeline[3].event, Event(Restart{ids({1}), 3 * kSecond, true}));
  EXPECT_EQ(timeline[4].event, Event(Pause{{}, 12 * kSecond}));
  EXPECT_EQ(timeline[5].event, Event(Suspend{ids({2}), 30 * kSecond, false}));
  EXPECT_EQ(timeline[9].event, Event(NetworkPartition{ids({2, 3}), kSecond, Direction::replies}));
  EXPECT_EQ(timeline[10].event,
            Event(LatencyChange{{}, std::nullopt, ConstantDelay{40 * kMillisecond}, 10 * kSecond}));
  EXPECT_EQ(timeline[12].event, Event(LossChange{{}, std::nullopt, Fraction(1, 20), std::nullopt}));
  EXPECT_EQ(timeline[14].event, Event(Lose{ids({2}), 1, Message::request}));
  EXPECT_EQ(timeline[33].event, Event(SlowConsumer{ids({3}), ConstantDelay{4 * kSecond},
                                                   Overrun{true, 2 * kSecond}, 9 * kSecond}));
  EXPECT_EQ(timeline[34].event, Event(IgnoreExpiry{ids({3}), std::nullopt}));
  EXPECT_EQ(timeline[16].event, Event(StoreRestart{StoreData::rolled_back, 3, 2 * kSecond}));
  EXPECT_EQ(timeline[17].event, Event(Failover{2, -30 * kMillisecond, kSecond}));
  EXPECT_EQ(timeline[21].event, Event(DeleteCounter{WhichInterval::closed}));
  EXPECT_EQ(timeline[27].event, Event(StoreRefuses{ErrorClass::max_clients, 5 * kSecond}));
  EXPECT_EQ(timeline[28].event, Event(ClockStep{-6 * kSecond, std::nullopt}));
  EXPECT_EQ(timeline[29].event, Event(ClockFreeze{12 * kSecond, ids({2})}));
  EXPECT_EQ(timeline[30].event, Event(ClockDrift{Fraction(1, 100), 20 * kSecond, std::nullopt}));
  EXPECT_EQ(event_name(timeline[27].event), "maxclients");
  EXPECT_EQ(event_name(timeline[24].event), "loading");
}

TEST(Scenario, a_repeated_event_is_several_and_the_timeline_is_in_order_of_time) {
  const Scenario scenario = read(three(R"(
for: 100s
timeline:
  - {at: 50s, flushall: {}}
  - {at: 10s, times: 3, every: 20s, script_flush: {}}
)"));
  ASSERT_EQ(scenario.timeline.size(), 4u);
  const std::int64_t seconds[] = {10, 30, 50, 50};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(scenario.timeline[i].at, seconds[i] * kSecond);
  // Equal times: the file's order.
  EXPECT_EQ(scenario.timeline[2].event, Event(FlushAll{}));
  EXPECT_EQ(scenario.timeline[3].event, Event(ScriptFlush{}));
}

TEST(Scenario, a_missing_interval_names_its_line) {
  EXPECT_EQ(error_of("name: x\ngroup:\n  gap: 0.2\nworkers: 3\n"),
            "s.yaml:3:3: missing key `interval` in group; add for example `interval: 5s`");
}

TEST(Scenario, a_misspelt_key_and_a_doubled_key_are_refused) {
  EXPECT_THAT(error_of("name: x\ngroup: {intervall: 5s}\n"),
              HasSubstr("unknown key `intervall` in group; did you mean `interval`?"));
  EXPECT_THAT(error_of("name: x\ngroup: {interval: 5s, gap: 0.1, gap: 0.2}\n"),
              HasSubstr("s.yaml:2:33: duplicate key `gap`; it is already given at s.yaml:2:23"));
}

TEST(Scenario, what_the_simulator_cannot_run_is_refused_not_ignored) {
  const ScenarioSupport support{{"timeline_event.failover", "rules.margin"}};
  EXPECT_THAT(error_of(three("timeline:\n  - {at: 5s, failover: {}}\n"), support),
              StartsWith("s.yaml:5:14: `failover` in timeline_event cannot be run yet;"));
  EXPECT_THAT(error_of(three("rules: {margin: 0}\n"), support), HasSubstr("cannot be run yet"));
  EXPECT_EQ(error_of(three("timeline:\n  - {at: 5s, failover: {}}\n")), "no error");
}

TEST(Scenario, every_line_of_the_simulators_list_is_a_field_of_the_language) {
  const std::vector<std::string> fields = yaml::field_names(scenario_shape());
  for (const std::string& refused : simulator_support().refused) {
    EXPECT_THAT(fields, ::testing::Contains(refused));
  }
}

TEST(Scenario, limits_of_the_group_are_those_of_the_protocol) {
  const auto group = [](const std::string& text) {
    return error_of("name: x\nworkers: 3\ngroup: {" + text + "}\n");
  };
  EXPECT_THAT(group("interval: 0s"), HasSubstr("write a duration above 0"));
  EXPECT_THAT(group("interval: -5s"), HasSubstr("write a duration above 0"));
  EXPECT_THAT(group("interval: 5"), HasSubstr("has no unit"));
  EXPECT_THAT(group("interval: 800h"), HasSubstr("longer than any timer holds"));
  EXPECT_THAT(group("interval: 5s, gap: 0"), HasSubstr("above 0 below 0.5"));
  EXPECT_THAT(group("interval: 5s, gap: 0.5"), HasSubstr("above 0 below 0.5"));
  EXPECT_THAT(group("interval: 5s, name: \"a{b\""), HasSubstr("brace"));
  EXPECT_THAT(group("interval: 5s, prefix: \"a}b\""), HasSubstr("brace"));
  EXPECT_THAT(group("interval: 5s, name: \"\""), HasSubstr("empty"));
  EXPECT_THAT(group("interval: 5s, gap: 0.12345678901"), HasSubstr("too many digits"));
}

// The sum is the worker's (options_test.cc): a gap of 150 ms, a deadline of 200 ms.
TEST(Scenario, a_timing_that_no_worker_runs_with_is_refused_where_it_is_given) {
  const std::string group = "name: x\ngroup: {interval: 1s, gap: 0.15, ";
  EXPECT_THAT(error_of(group + "attempt_timeout: 200ms}\nworkers: 3\n"),
              AllOf(StartsWith("s.yaml:2:51: attempt_timeout: 200ms does not fit"),
                    HasSubstr("50ms too late"), HasSubstr("rules: {timing_budget: off}")));
  EXPECT_THAT(error_of(group + "drift_bound: 0.0375}\nworkers: 3\n"),
              StartsWith("s.yaml:2:47: drift_bound: "));
  EXPECT_THAT(error_of(group + "resolution: 150ms}\nworkers: 3\n"),
              StartsWith("s.yaml:2:28: gap: 0.15 of an interval of 1000ms is 150ms"));
  EXPECT_THAT(error_of(three("timeline:\n  - {at: 5s, join: {gap: 0.05, attempt_timeout: 4s}}\n")),
              StartsWith("s.yaml:5:5: attempt_timeout: 4000ms does not fit"));
  EXPECT_THAT(
      error_of("name: x\ngroup: {interval: 5s}\nworkers:\n  - {}\n  - {attempt_timeout: 4s}\n"),
      StartsWith("s.yaml:5:23: attempt_timeout: 4000ms does not fit"));
  EXPECT_THAT(
      error_of(three("timeline:\n  - {at: 5s, reconfigure: {workers: all, interval: 5ms}}\n")),
      StartsWith("s.yaml:5:5: gap: 0.15 of an interval of 5ms is 0.75ms"));
}

TEST(Scenario, only_a_scenario_that_says_so_shows_such_a_timing) {
  const std::string group = "name: x\nworkers: 3\ngroup: {interval: 1s, attempt_timeout: 200ms}\n";
  EXPECT_EQ(error_of(group + "rules: {timing_budget: off}\n"), "no error");
  EXPECT_THAT(error_of(group + "rules: {timing_budget: on}\n"), HasSubstr("does not fit"));
}

TEST(Scenario, a_gap_that_leaves_no_room_for_one_retry_is_warned_about) {
  const std::string group = "name: x\nworkers: 3\ngroup: {interval: 5s, gap: 0.125}\n";
  EXPECT_THAT(timing_warnings(read(group)), ElementsAre(HasSubstr("gap: 0.125 is not above")));
  EXPECT_THAT(timing_warnings(read(group + "rules: {timing_budget: off}\n")), IsEmpty());
  EXPECT_THAT(timing_warnings(read(three(""))), IsEmpty());
}

TEST(Scenario, distributions_have_to_make_sense) {
  const auto request = [](const std::string& text) {
    return error_of(three("network: {request: {" + text + "}}\n"));
  };
  EXPECT_EQ(request("uniform: {from: 1ms, to: 1ms}"), "no error");
  EXPECT_THAT(request("uniform: {from: 5ms, to: 1ms}"), HasSubstr("swap the two"));
  EXPECT_THAT(request("normal: {mean: 9ms, sd: 1ms, min: 1ms, max: 4ms}"), HasSubstr("outside"));
  EXPECT_THAT(request("normal: {mean: 1ms, sd: 0ms, min: 1ms, max: 4ms}"), HasSubstr("above 0"));
  EXPECT_THAT(request("normal: {mean: 1ms, sd: 1ms, min: 1ms, max: 1ms}"), HasSubstr("not above"));
  EXPECT_THAT(request("lognormal: {median: 5ms, p99: 1ms}"), HasSubstr("below `median`"));
  EXPECT_THAT(request("exponential: {mean: 0ms}"), HasSubstr("above 0"));
  EXPECT_THAT(request("pareto: {scale: 1ms, shape: 0}"), HasSubstr("out of range"));
  EXPECT_THAT(request("constant: -1ms"), HasSubstr("too short"));
  EXPECT_THAT(request("gaussian: {mean: 1ms}"), HasSubstr("known names: constant, uniform"));
  EXPECT_THAT(request("constant: 1ms, uniform: {from: 1ms, to: 2ms}"), HasSubstr("keep one"));
  EXPECT_THAT(error_of(three("network: {loss: {reply: 1.5}}\n")), HasSubstr("from 0 to 1"));
}

TEST(Scenario, events_have_to_make_sense) {
  const auto event = [](const std::string& text) {
    return error_of(three("timeline:\n  - {at: 5s, " + text + "}\n"));
  };
  EXPECT_THAT(event("crash: {workers: [3]}"),
              StartsWith("s.yaml:5:5: there is no worker 3 at 5s yet;"));
  EXPECT_THAT(event("crash: {workers: [1, 1]}"), HasSubstr("rising order"));
  EXPECT_THAT(event("crash: {workers: []}"), HasSubstr("the list is empty"));
  EXPECT_THAT(event("crash: {workers: 0}"), HasSubstr("out of range"));
  EXPECT_THAT(event("crash: {workers: some}"), HasSubstr("known names: all"));
  EXPECT_THAT(event("crash: {}"), HasSubstr("missing key `workers` in crash"));
  EXPECT_THAT(event("store_restart: {data: rolled_back}"), HasSubstr("without `lost_writes`"));
  EXPECT_THAT(event("store_restart: {lost_writes: 2}"), HasSubstr("without `data: rolled_back`"));
  EXPECT_THAT(event("latency: {for: 5s}"), HasSubstr("this changes nothing"));
  EXPECT_THAT(event("times: 3, flushall: {}"), HasSubstr("`times` without `every`"));
  EXPECT_THAT(event("every: 3s, flushall: {}"), HasSubstr("`every` without `times`"));
  EXPECT_THAT(event("times: 1000000, every: 9000h, flushall: {}"), HasSubstr("beyond 292 years"));
  EXPECT_THAT(event("times: 1000001, every: 1ns, flushall: {}"), HasSubstr("out of range"));
  EXPECT_THAT(error_of(three("timeline: [{at: 60s, flushall: {}}]\n")), HasSubstr("after the end"));
  EXPECT_THAT(error_of(three("timeline:\n  - {at: 5s, crash: {workers: [1]}}\n"
                             "  - {at: 9s, pause: {workers: [1], for: 1s}}\n")),
              StartsWith("s.yaml:6:5: worker 1 is gone by 9s;"));
}

TEST(Scenario, a_restarted_worker_takes_the_next_number) {
  EXPECT_EQ(error_of(three("timeline:\n  - {at: 5s, restart: {workers: [1]}}\n"
                           "  - {at: 9s, crash: {workers: [3]}}\n")),
            "no error");
  EXPECT_THAT(error_of(three("timeline:\n  - {at: 5s, restart: {workers: [1]}}\n"
                             "  - {at: 9s, crash: {workers: [4]}}\n")),
              HasSubstr("there is no worker 4"));
}

TEST(Scenario, expectations_have_to_make_sense) {
  EXPECT_THAT(error_of(three("expect: {verdict: violated}\n")), HasSubstr("without `property`"));
  EXPECT_THAT(error_of(three("expect: {property: lease-exclusive}\n")),
              HasSubstr("without `verdict: violated`"));
  EXPECT_THAT(error_of(three("expect: {properties: [lease-exclusiv]}\n")),
              HasSubstr("did you mean `lease-exclusive`?"));
  EXPECT_THAT(error_of(three("expect: {bounds: {readiness: {}}}\n")), HasSubstr("without an end"));
  EXPECT_THAT(error_of(three("expect: {bounds: {readiness: {at_least: 3, at_most: 2}}}\n")),
              HasSubstr("swap the two"));
}

TEST(Scenario, somebody_has_to_start_unless_it_is_a_check) {
  EXPECT_THAT(error_of("name: x\ngroup: {interval: 5s}\n"), HasSubstr("no worker ever starts"));
  EXPECT_EQ(error_of("name: x\ngroup: {interval: 5s}\ncheck: {}\n"), "no error");
  EXPECT_EQ(error_of("name: x\ngroup: {interval: 5s}\ntimeline: [{at: 1s, join: {}}]\n"),
            "no error");
}

TEST(Scenario, an_explicit_schedule_is_typed_and_in_order) {
  const Scenario scenario = read(three(R"(
schedule:
  - {at: 5ns, action: execute, worker: 1, attempt: 3}
  - {at: 5ns, action: refuse, worker: 1, attempt: 4, error: readonly}
  - {at: 9ns, action: step-store-clock, value: -20}
)"));
  EXPECT_THAT(
      scenario.schedule,
      ElementsAre(
          TimedAction{TrueTime(5), {ActionKind::execute, ErrorClass::none, 0, 1, 3, 0, 0}},
          TimedAction{TrueTime(5), {ActionKind::refuse, ErrorClass::readonly, 0, 1, 4, 0, 0}},
          TimedAction{TrueTime(9),
                      {ActionKind::step_store_clock, ErrorClass::none, 0, 0, 0, -20, 0}}));
  EXPECT_THAT(error_of(three("schedule: [{at: 5ns, action: exceute}]\n")),
              HasSubstr("did you mean `execute`?"));
  EXPECT_THAT(error_of(three("schedule: [{at: 5ns, action: wake}, {at: 4ns, action: wake}]\n")),
              HasSubstr("order the schedule by time"));
}

class ScenarioFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(::testing::TempDir()) /
                 ("scenario_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }

  std::string load_error(const std::filesystem::path& path) const {
    try {
      load_scenario(path, whole_language());
    } catch (const yaml::LoadError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path directory_;
};

TEST_F(ScenarioFiles, a_histogram_file_is_found_beside_the_scenario) {
  write("measured.yaml",
        "from: 1ms\nbuckets:\n  - {to: 2ms, count: 90}\n  - {to: 5ms, count: 10}\n");
  const auto path =
      write("s.yaml", three("network: {reply: {histogram: {file: measured.yaml}}}\n"));
  const Scenario scenario = load_scenario(path, whole_language());
  EXPECT_EQ(scenario.network.reply,
            DelayDistribution(
                HistogramDelay{kMillisecond, {{2 * kMillisecond, 90}, {5 * kMillisecond, 10}}}));
}

TEST_F(ScenarioFiles, errors_in_a_histogram_file_are_reported_where_they_are) {
  write("bad.yaml", "buckets:\n  - {to: 2ms, count: 90}\n  - {to: 1ms, count: 10}\n");
  const auto path = write("s.yaml", three("network: {reply: {histogram: {file: bad.yaml}}}\n"));
  EXPECT_EQ(load_error(path), (directory_ / "bad.yaml").string() +
                                  ":3:5: a bucket does not end after the one before it; order the "
                                  "buckets by `to`, and keep them above `from`");
  const auto lost = write("t.yaml", three("network: {reply: {histogram: {file: none.yaml}}}\n"));
  EXPECT_THAT(load_error(lost), StartsWith(lost.string() + ":4:37: "));
  EXPECT_THAT(load_error(lost), HasSubstr("none.yaml: cannot be opened"));
  const auto empty =
      write("u.yaml", three("network: {reply: {histogram: {buckets: [{to: 1ms, count: 0}]}}}\n"));
  EXPECT_THAT(load_error(empty), HasSubstr("every bucket is empty"));
}

TEST_F(ScenarioFiles, the_kind_decides_who_reads_a_file) {
  EXPECT_EQ(kind_of(yaml::Document::parse("name: x\n", "s.yaml")), ScenarioKind::lease);
  EXPECT_EQ(kind_of(yaml::Document::parse("kind: keyspace\n", "s.yaml")), ScenarioKind::keyspace);
  EXPECT_EQ(kind_of(yaml::Document::parse("kind: partition\n", "s.yaml")), ScenarioKind::partition);
  EXPECT_EQ(kind_of(yaml::Document::parse("kind: settling\n", "s.yaml")), ScenarioKind::settling);
  EXPECT_THROW(kind_of(yaml::Document::parse("kind: leese\n", "s.yaml")), yaml::LoadError);
  EXPECT_THROW(kind_of(yaml::Document::parse("[1]\n", "s.yaml")), yaml::LoadError);
  EXPECT_THAT(load_error(write("k.yaml", "kind: keyspace\n")),
              HasSubstr("k.yaml:1:7: this is not a scenario of a worker group"));
}

}  // namespace
}  // namespace nandi::sim
