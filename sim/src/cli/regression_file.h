// Failing seeds as scenario files.
#pragma once

#include <iosfwd>

#include "nandi/sim/campaign.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/scenario.h"
#include "run_files.h"

namespace nandi::sim::cli {

/// For each property that is checked and violated, its first failing seed: the file is there before
/// anything is made smaller, and replaced by every smaller one. Where more than a dozen lines
/// remain, further failing seeds are tried and the shortest is kept. Says where, how long and with
/// which command. Throws std::runtime_error where a file cannot be written.
void write_regressions(const Scenario& scenario, const CampaignResult& result,
                       const Judgement& judgement, const RunRequest& request, std::ostream& out);

}  // namespace nandi::sim::cli
