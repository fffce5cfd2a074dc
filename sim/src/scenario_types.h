// The scenario language's tables of fields, one function for each part. Together they are the only
// place that knows a key's name.
#pragma once

#include <string>
#include <vector>

#include "nandi/sim/scenario.h"
#include "nandi/sim/yaml/record.h"

namespace nandi::sim {

// Generous bounds on counts, so that a slip of the finger does not take the machine's memory.
inline constexpr std::uint64_t kMostWorkers = 100'000;
inline constexpr std::size_t kMostEvents = 1'000'000;

yaml::Type<DelayDistribution> delay_type();
// Measured values as they stand in a file: `from` and `buckets`.
yaml::Type<HistogramDelay> histogram_values_type();
yaml::Type<DelayPair> delay_pair_type();
yaml::Type<LossPair> loss_pair_type();
yaml::Type<Fraction> probability_type();
yaml::Type<NetworkSettings> network_type();
yaml::Type<NetworkOverride> network_override_type();

yaml::Type<Fraction> gap_type();
yaml::Type<Fraction> drift_type();
yaml::Type<Fraction> clock_rate_type();
yaml::Type<Duration> interval_type();
yaml::Type<DeadlineFrom> deadline_from_type();
yaml::Type<GroupSettings> group_type();
yaml::Type<Overrun> overrun_type();
yaml::Type<ConsumerSettings> consumer_type();
yaml::Type<ClockSettings> clocks_type();
yaml::Type<RuleSettings> rules_type();
// A set of workers whose number stands under `count_key`.
yaml::Type<WorkerSet> worker_set_type(const std::string& record_name, const std::string& count_key);
yaml::Type<std::vector<WorkerSet>> initial_workers_type();

yaml::Type<DurationRange> duration_range_type();
yaml::Type<FractionRange> fraction_range_type();
yaml::Type<FractionRange> gap_range_type();
yaml::Type<Settling> settling_type();
yaml::Type<SwarmSettings> swarm_type();
// What is refused on a timeline is refused in a swarm.
std::vector<std::string> with_swarm(std::vector<std::string> refused);

yaml::Type<WorkerChoice> worker_choice_type();
const yaml::Choice<Event>& event_choice();
yaml::Type<std::vector<TimelineEvent>> timeline_type();

yaml::Type<Expectation> expectation_type();
yaml::Type<CheckSettings> check_type();
yaml::Type<std::vector<TimedAction>> schedule_type();

yaml::Type<Scenario> scenario_type();

}  // namespace nandi::sim
