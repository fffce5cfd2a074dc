// The catalogue of faults names every event that is a fault, each row as a file may write it, and
// takes for broken what is broken.
#include "nandi/sim/fault_catalogue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

namespace nandi::sim {
namespace {

/// A group of four, interval 5 s, gap 0.15 (so 750 ms), with one event.
Scenario with_event(std::string_view event, std::string_view value) {
  const std::string text = fmt::format(
      "{{name: t, group: {{interval: 5s}}, workers: 4, timeline: [{{at: 20s, {}: {}}}]}}", event,
      value);
  return read_scenario(yaml::Document::parse(text, "t.yaml"), whole_language());
}

Assumptions broken(std::string_view event, std::string_view value) {
  const Scenario scenario = with_event(event, value);
  return broken_by(scenario.timeline.at(0).event, scenario);
}

TEST(FaultCatalogue, EveryRowIsWrittenAsItSaysAndIsTheRowOfWhatItWrites) {
  for (const FaultInfo& info : fault_catalogue()) {
    const Scenario scenario = with_event(info.event, info.form);
    const FaultInfo* found = fault_of(scenario.timeline.at(0).event);
    ASSERT_NE(found, nullptr) << info.name;
    EXPECT_EQ(found->name, info.name);
    EXPECT_EQ(event_name(scenario.timeline.at(0).event), info.event);
    EXPECT_EQ(find_fault(info.name), &info) << "twice: " << info.name;
  }
}

TEST(FaultCatalogue, EveryEventIsAFaultUnlessItIsMembershipOrTheEndOfFaults) {
  std::set<std::string> with_row;
  for (const FaultInfo& info : fault_catalogue()) with_row.emplace(info.event);
  std::set<std::string> without;
  for (const std::string& name : event_names()) {
    if (!with_row.contains(name)) without.insert(name);
  }
  EXPECT_EQ(without, (std::set<std::string>{"heal", "leave"}));
  EXPECT_EQ(fault_of(with_event("leave", "{workers: 1}").timeline[0].event), nullptr);
  EXPECT_EQ(fault_of(with_event("heal", "{}").timeline[0].event), nullptr);
  EXPECT_EQ(fault_of(with_event("join", "{workers: 2}").timeline[0].event), nullptr);
}

TEST(FaultCatalogue, InItsSimplestFormARowBreaksWhatItSaysUnlessThatIsWithinItsMargin) {
  for (const FaultInfo& info : fault_catalogue()) {
    const bool keeps_margin = info.name == "reconfigure_gap" || info.name == "other_gap";
    const Assumptions wanted = keeps_margin ? Assumptions() : Assumptions(info.breaks);
    EXPECT_TRUE(broken(info.event, info.form) == wanted) << info.name;
    // Whatever can be kept within a margin breaks something beyond it.
    EXPECT_TRUE(info.margin.empty() || info.breaks != Assumption::none) << info.name;
  }
}

TEST(FaultCatalogue, AStepOfAClockIsWithinTheMarginUpToAGap) {
  EXPECT_TRUE(broken("clock_step", "{by: 750ms}").empty());
  EXPECT_TRUE(broken("clock_step", "{by: -750ms}").empty());
  EXPECT_TRUE(broken("clock_step", "{by: 751ms}").has(Assumption::store_clock));
  EXPECT_TRUE(broken("clock_step", "{by: -751ms}").has(Assumption::store_clock));
  EXPECT_TRUE(broken("clock_step", "{workers: all, by: 1h}").empty());
  EXPECT_TRUE(broken("clock_step", "{workers: all, by: -751ms}").has(Assumption::local_clock));
  EXPECT_TRUE(broken("suspend", "{workers: 1, for: 750ms, clock: stops}").empty());
  EXPECT_TRUE(broken("clock_freeze", "{workers: 1, for: 751ms}").has(Assumption::local_clock));
}

TEST(FaultCatalogue, ARateIsWithinTheMarginUpToAThirdOfTheGapOrTheBoundThatTheGroupWasTold) {
  // bounds.h: the gap that a drift of d needs is d (3 + 2d + d^2) / ((1 + d)^2 (1 - d)); at 4.8%
  // that is 0.1422, at 5.1% it is 0.1510: either side of 0.15.
  EXPECT_TRUE(broken("clock_drift", "{rate: 4.8%}").empty());
  EXPECT_TRUE(broken("clock_drift", "{rate: -4.8%}").empty());
  EXPECT_TRUE(broken("clock_drift", "{rate: 5.1%}").has(Assumption::store_clock));
  EXPECT_TRUE(broken("clock_drift", "{workers: 1, rate: -5.1%}").has(Assumption::local_clock));
  Scenario told = with_event("clock_drift", "{rate: 9%}");
  EXPECT_FALSE(broken_by(told.timeline[0].event, told).empty());
  told.group.drift_bound = Fraction(1, 10);
  EXPECT_TRUE(broken_by(told.timeline[0].event, told).empty());
}

TEST(FaultCatalogue, AFailoverBreaksWhatItsTwoHalvesBreak) {
  EXPECT_TRUE(broken("failover", "{}").empty());
  const Assumptions both = broken("failover", "{lost_writes: 1, clock_offset: -1h}");
  EXPECT_TRUE(both.has(Assumption::counter));
  EXPECT_TRUE(both.has(Assumption::store_clock));
  EXPECT_TRUE(broken("failover", "{lost_writes: 1, clock_offset: 10ms}") ==
              Assumptions(Assumption::counter));
}

TEST(FaultCatalogue, ATableOfThemNamesEachAndTheAssumption) {
  std::ostringstream out;
  write_fault_reference(out);
  for (const FaultInfo& info : fault_catalogue()) {
    EXPECT_NE(out.str().find(fmt::format("| `{}` |", info.name)), std::string::npos);
  }
  EXPECT_NE(out.str().find("| counter |"), std::string::npos);
}

}  // namespace
}  // namespace nandi::sim
