// What a person reads, and what a program reads, about one scenario.
#pragma once

#include <string>

#include "nandi/sim/campaign.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/yaml/tree.h"

namespace nandi::sim::cli {

inline constexpr int kSummaryVersion = 1;

/// The verdict in one line: "scale-up: holds (100 seeds)".
std::string verdict_line(const Scenario& scenario, const Judgement& judgement, bool use_colour);

/// Whatever made a worker stand down, with and without reorders.
Histogram all_stand_downs(const RunStatistics& statistics);

/// In Markdown, for several files: the head, and the row of one.
std::string table_head();
std::string table_row(const Scenario& scenario, const CampaignResult& result,
                      const Judgement& judgement);

/// Properties, bounds and faults with their verdicts and evidence.
std::string findings_text(const Judgement& judgement, bool use_colour);

/// That the group is too large to settle on its network, as one line; empty where it is not.
std::string settling_text(const Scenario& scenario);

/// What was measured; durations in time and in intervals.
std::string figures_text(const Scenario& scenario, const CampaignResult& result);

/// What was measured with one value a seed, with confidence intervals; empty for a single seed.
std::string seeds_text(const Scenario& scenario, const CampaignResult& result);

/// All of it, versioned (sim/README.md, "The summary as JSON"). Durations in nanoseconds.
yaml::Tree summary_json(const Scenario& scenario, const CampaignResult& result,
                        const Judgement& judgement);

}  // namespace nandi::sim::cli
