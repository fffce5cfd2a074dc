// Every fault does what it says, reports that it did, and is missed by its own check when it is
// left out: a fault that has become a no-op cannot pass here.
//
// Each row of the catalogue is put into a group of four (interval 5 s, gap 0.15) with something
// that gives it an occasion. Its mark is what it has to leave on the trace, told from the fault's
// own meaning and not from what the simulator happens to do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "nandi/sim/campaign.h"
#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/simulator.h"

namespace nandi::sim {

void PrintTo(const FaultInfo& fault, std::ostream* out) { *out << fault.name; }

namespace {

constexpr std::int64_t kSecond = kNanosecondsPerSecond;
constexpr std::int64_t kBegin = 47 * kSecond;  ///< when the fault strikes
constexpr std::uint64_t kSeeds = 12;

using Records = std::vector<TraceRecord>;
using Mark = std::function<bool(const Records&)>;

struct Case {
  Mark mark;
  /// What happens besides.
  std::string occasion = "{at: 57s, join: {workers: 1}}";
  /// Seen in some of the seeds only: nobody need have registered just then.
  Mark sometimes = nullptr;
};

Mark has(std::function<bool(const TraceRecord&)> is_it) {
  return [is_it](const Records& records) {
    return std::any_of(records.begin(), records.end(), [&](const TraceRecord& r) {
      return r.kind == RecordKind::action && r.step.at.count() >= kBegin && is_it(r);
    });
  };
}
Mark acts(ActionKind kind) {
  return has([kind](const TraceRecord& r) { return r.step.action.kind == kind; });
}
Mark refused(ErrorClass error) {
  return has([error](const TraceRecord& r) {
    return r.step.action.kind == ActionKind::refuse && r.error == error;
  });
}
/// A counter falls back to nothing, or to less.
Mark counter_falls(bool to_nothing) {
  return has([to_nothing](const TraceRecord& r) {
    return r.step.action.kind == ActionKind::erase_counter &&
           (r.step.action.extra == 0) == to_nothing;
  });
}
Mark both(Mark a, Mark b) {
  return [a, b](const Records& records) { return a(records) && b(records); };
}
Mark starts_at(std::int64_t time, bool with_other_settings) {
  return has([=](const TraceRecord& r) {
    return r.step.action.kind == ActionKind::join && r.step.at.count() == time &&
           (r.step.action.config != 0) == with_other_settings;
  });
}

/// Who starts at `time` draws the offsets that worker 1 drew when it started, or others.
Mark starts_as_worker_1_did(std::int64_t time, bool alike) {
  return [=](const Records& records) {
    const Action* old = nullptr;
    const Action* anew = nullptr;
    for (const TraceRecord& r : records) {
      if (r.kind != RecordKind::action || r.step.action.kind != ActionKind::join) continue;
      if (r.step.action.worker == 1) old = &r.step.action;
      if (r.step.at.count() == time) anew = &r.step.action;
    }
    return old != nullptr && anew != nullptr &&
           (old->value == anew->value && old->extra == anew->extra) == alike;
  };
}

/// Nothing is executed in the first 20 s, then several things at once.
bool store_hangs(const Records& records) {
  std::size_t at_once = 0;
  for (const TraceRecord& r : records) {
    if (r.kind != RecordKind::action || r.step.action.kind != ActionKind::execute) continue;
    const std::int64_t t = r.step.at.count();
    if (t > kBegin + kSecond / 2 && t < kBegin + 20 * kSecond) return false;
    if (t == kBegin + 20 * kSecond) ++at_once;
  }
  return at_once > 1;
}

/// The time from each worker's request to its execution, or from there to its reply.
std::vector<std::int64_t> delays(const Records& records, bool of_replies) {
  std::map<WorkerId, std::int64_t> since;
  std::vector<std::int64_t> result;
  for (const TraceRecord& r : records) {
    if (r.kind != RecordKind::action || r.step.at.count() < kBegin) continue;
    const ActionKind kind = r.step.action.kind;
    const bool opens = of_replies ? kind == ActionKind::execute && r.tick && !r.ghost
                                  : kind == ActionKind::wake && r.attempt != 0;
    const bool closes =
        of_replies ? kind == ActionKind::deliver : kind == ActionKind::execute && !r.ghost;
    const auto open = since.find(r.step.action.worker);
    if (closes && open != since.end()) {
      result.push_back(r.step.at.count() - open->second);
      since.erase(open);
    }
    if (opens) since[r.step.action.worker] = r.step.at.count();
  }
  return result;
}
Mark is_late(std::int64_t by, bool of_replies) {
  return [=](const Records& records) {
    const std::vector<std::int64_t> all = delays(records, of_replies);
    return std::any_of(all.begin(), all.end(), [by](std::int64_t d) { return d >= by; });
  };
}

/// Some consumer needs at least so long from being told to stop until it has stopped.
Mark drains_for(std::int64_t least) {
  return [least](const Records& records) {
    std::map<WorkerId, std::int64_t> since;
    for (const TraceRecord& r : records) {
      if (r.kind != RecordKind::action || r.step.at.count() < kBegin) continue;
      if (r.drain_begun) since[r.step.action.worker] = r.step.at.count();
      if (r.step.action.kind != ActionKind::drained) continue;
      if (r.step.at.count() - since[r.step.action.worker] >= least) return true;
    }
    return false;
  };
}

/// A lease runs out on its worker's timer, and the consumer is not told then.
bool goes_on_past_its_lease(const Records& records) {
  for (std::size_t i = 0; i + 1 < records.size(); ++i) {
    const TraceRecord& r = records[i];
    if (r.kind != RecordKind::action || r.step.at.count() < kBegin) continue;
    if (r.step.action.kind != ActionKind::wake || r.lease_change != LeaseChange::lost) continue;
    const TraceRecord& next = records[i + 1];
    const bool is_told = next.step.at == r.step.at && next.handed == HandedOver::idle;
    if (!is_told) return true;
  }
  return false;
}

const std::map<std::string, Case>& cases() {
  using Kind = ActionKind;
  const std::string join = Case().occasion;
  const std::string hang = "{at: 50s, hang: {workers: [1], for: 12s}}";
  static const std::map<std::string, Case> all = {
      {"store_restart", {acts(Kind::script_flush), join, refused(ErrorClass::connection)}},
      {"store_restart_lost",
       {both(acts(Kind::flush_all), acts(Kind::script_flush)), join,
        refused(ErrorClass::connection)}},
      {"store_restart_rolled_back",
       {both(acts(Kind::erase_counter), acts(Kind::script_flush)), join,
        refused(ErrorClass::connection)}},
      {"failover", {acts(Kind::script_flush), join, refused(ErrorClass::readonly)}},
      {"failover_lost_writes", {both(acts(Kind::erase_counter), acts(Kind::script_flush))}},
      {"failover_clock", {acts(Kind::step_store_clock)}},
      {"flushall", {acts(Kind::flush_all)}},
      {"del_open", {counter_falls(true)}},
      {"del_closed", {counter_falls(true)}},
      {"evict_open", {counter_falls(true)}},
      {"evict_closed", {counter_falls(true)}},
      {"script_flush", {acts(Kind::script_flush)}},
      {"slot_migration", {both(counter_falls(true), acts(Kind::script_flush))}},
      {"readonly", {refused(ErrorClass::readonly)}},
      {"loading", {refused(ErrorClass::loading)}},
      {"busy", {refused(ErrorClass::busy)}},
      {"oom", {refused(ErrorClass::oom)}},
      {"maxclients", {refused(ErrorClass::max_clients), "{at: 48s, join: {workers: 1}}"}},
      {"store_clock_step", {acts(Kind::step_store_clock)}},
      {"store_clock_freeze", {acts(Kind::set_store_clock_rate)}},
      {"store_clock_drift", {acts(Kind::set_store_clock_rate)}},
      {"pause", {acts(Kind::pause)}},
      {"suspend", {acts(Kind::pause)}},
      {"suspend_clock_stops", {both(acts(Kind::pause), acts(Kind::set_worker_clock_rate))}},
      {"worker_clock_step", {acts(Kind::step_worker_clock)}},
      {"worker_clock_freeze", {acts(Kind::set_worker_clock_rate)}},
      {"worker_clock_drift", {acts(Kind::set_worker_clock_rate)}},
      {"fork", {acts(Kind::fork)}},
      {"crash", {acts(Kind::crash)}},
      {"restart",
       {both(acts(Kind::crash), both(starts_at(kBegin + 3 * kSecond, false),
                                     starts_as_worker_1_did(kBegin + 3 * kSecond, false)))}},
      {"restart_same_seed",
       {both(acts(Kind::crash), both(starts_at(kBegin + 3 * kSecond, false),
                                     starts_as_worker_1_did(kBegin + 3 * kSecond, true)))}},
      {"slow_consumer", {drains_for(kSecond / 2)}},
      {"overrunning_consumer", {drains_for(8 * kSecond)}},
      {"ignore_expiry", {goes_on_past_its_lease, hang}},
      {"hang", {store_hangs}},
      {"half_open", {acts(Kind::lose)}},
      {"partition", {acts(Kind::lose)}},
      {"latency", {is_late(kSecond * 4 / 10, true)}},
      {"jitter", {is_late(kSecond / 5, false)}},
      {"loss", {acts(Kind::lose)}},
      {"refuse", {refused(ErrorClass::other)}},
      {"lose", {acts(Kind::lose)}},
      {"late_execution", {has([](const TraceRecord& r) { return r.ghost; })}},
      {"reconfigure_interval", {starts_at(kBegin, true)}},
      {"reconfigure_gap", {starts_at(kBegin, true)}},
      {"reconfigure_deadline", {starts_at(kBegin, true)}},
      {"other_interval", {starts_at(kBegin, true)}},
      {"other_gap", {starts_at(kBegin, true)}},
      {"other_deadline", {starts_at(kBegin, true)}},
  };
  return all;
}

Scenario scenario_of(const FaultInfo& fault) {
  std::string form(fault.form);
  // Always the same worker, so that occasions can be made for it.
  const auto any = form.find("workers: 1");
  if (any != std::string::npos && fault.event != "join") form.replace(any, 10, "workers: [1]");
  const std::string text = fmt::format(
      "{{name: t, group: {{interval: 5s}}, workers: 4, "
      "network: {{request: {{lognormal: {{median: 2ms, p99: 20ms}}}}, "
      "reply: {{lognormal: {{median: 2ms, p99: 20ms}}}}}}, "
      "consumer: {{drain: {{uniform: {{from: 50ms, to: 400ms}}}}}}, "
      "timeline: [{{at: 47s, {}: {}}}, {}], for: 90s}}",
      fault.event, form, cases().at(std::string(fault.name)).occasion);
  return read_scenario(yaml::Document::parse(text, "t.yaml"));
}

struct Traced {
  RunResult result;
  Records records;
};

Traced traced(const Scenario& scenario, std::uint64_t seed, bool without_fault) {
  RecordingSink sink;
  RunOptions options;
  options.trace = &sink;
  if (without_fault) options.without = 0;
  Traced run{Simulator(scenario).run(seed, options), {}};
  run.records = sink.records();
  return run;
}

/// What workers and their consumers did and saw: the trace without what faults themselves do.
std::vector<std::string> seen(const Records& records) {
  std::vector<std::string> lines;
  for (const TraceRecord& r : records) {
    const Action& a = r.step.action;
    const bool is_own = a.kind == ActionKind::pause || a.kind == ActionKind::resume ||
                        a.kind == ActionKind::step_worker_clock ||
                        a.kind == ActionKind::set_worker_clock_rate;
    if (r.kind != RecordKind::action || !concerns_worker(a.kind) || is_own) continue;
    lines.push_back(fmt::format(
        "{} {} {} {} {} {} {} {}", r.step.at.count(), to_string(a.kind), a.worker, a.attempt,
        r.tick ? fmt::format("{}/{}/{}/{}", r.tick->interval, r.tick->index,
                             r.tick->previous_count.value_or(999), r.tick->at.count())
               : "",
        static_cast<int>(r.lease_change),
        r.lease_change == LeaseChange::none ? 0 : r.lease_ends.count(),
        static_cast<int>(r.handed)));
  }
  return lines;
}

class EveryFault : public testing::TestWithParam<FaultInfo> {};

TEST_P(EveryFault, LeavesItsMarkAndIsMissedWhenItDoesNothing) {
  const FaultInfo& fault = GetParam();
  ASSERT_TRUE(cases().contains(std::string(fault.name))) << "say what this fault has to do";
  const Scenario scenario = scenario_of(fault);
  const Mark& mark = cases().at(std::string(fault.name)).mark;
  const Mark& sometimes = cases().at(std::string(fault.name)).sometimes;
  std::uint64_t marked = 0;
  std::uint64_t seen_sometimes = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Traced with = traced(scenario, seed, false);
    const Traced without = traced(scenario, seed, true);
    const FaultCount& count = with.result.faults[0];
    EXPECT_EQ(count.armed, 1U) << seed;
    // A counter that was not there cannot be lost; whatever strikes leaves its mark.
    if (count.fired > 0) {
      ++marked;
      EXPECT_TRUE(mark(with.records)) << seed;
    }
    EXPECT_FALSE(mark(without.records)) << seed;
    if (sometimes) {
      if (sometimes(with.records)) ++seen_sometimes;
      EXPECT_FALSE(sometimes(without.records)) << seed;
    }
    EXPECT_EQ(without.result.faults[0].fired, 0U) << seed;
    EXPECT_EQ(count.changed > 0, seen(with.records) != seen(without.records)) << seed;
  }
  EXPECT_GE(marked, kSeeds / 2);
  EXPECT_EQ(seen_sometimes > 0, sometimes != nullptr);
}

/// What a run says of a fault that does nothing is "unknown".
TEST_P(EveryFault, MakesTheRunUnknownWhenItNeverFired) {
  const Scenario scenario = scenario_of(GetParam());
  const Traced without = traced(scenario, 1, true);
  CampaignResult result;
  result.runs = 1;
  result.properties.resize(without.result.properties.size());
  result.faults = without.result.faults;
  const Judgement judgement = judge(scenario, result);
  EXPECT_EQ(judgement.faults[0].verdict, Verdict::unknown);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryFault,
                         testing::ValuesIn(fault_catalogue().begin(), fault_catalogue().end()),
                         [](const testing::TestParamInfo<FaultInfo>& fault) {
                           return std::string(fault.param.name);
                         });

/// Each fault with each other: both come up, both are judged, and a run stays a pure function of
/// the seed.
TEST(Faults, ComposeWithEachOther) {
  for (const FaultInfo& a : fault_catalogue()) {
    for (const FaultInfo& b : fault_catalogue()) {
      const std::string text = fmt::format(
          "{{name: t, group: {{interval: 1s}}, workers: 3, timeline: "
          "[{{at: 8s, {}: {}}}, {{at: 8100ms, {}: {}}}, {{at: 9s, join: {{workers: 1}}}}], "
          "for: 12s}}",
          a.event, a.form, b.event, b.form);
      const Simulator simulator(read_scenario(yaml::Document::parse(text, "t.yaml")));
      const RunResult run = simulator.run(3);
      ASSERT_EQ(run.faults[0].armed, 1U) << a.name << " " << b.name;
      ASSERT_EQ(run.faults[1].armed, 1U) << a.name << " " << b.name;
      ASSERT_EQ(run.trace_hash, simulator.run(3).trace_hash) << a.name << " " << b.name;
    }
  }
}

}  // namespace
}  // namespace nandi::sim
