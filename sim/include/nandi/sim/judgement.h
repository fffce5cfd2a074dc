// Judgement: what a campaign says about its scenario, each verdict with its evidence.
//
// A property is violated when some run violates it, and unknown when no run put it to the test. A
// bound is judged on the worst sample. A fault that never struck anything makes the run unknown, as
// does an interruption. `expect.vacuous_ok` names what need not have applied.
#pragma once

#include <string>
#include <vector>

#include "nandi/sim/campaign.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/verdict.h"

namespace nandi::sim {

struct Finding {
  std::string name;
  Verdict verdict = Verdict::unknown;
  std::string evidence;
  bool counts = true;   ///< towards the verdict of the whole
  bool listed = true;   ///< false: nobody asked, and no claim of the protocol fails
  bool is_off = false;  ///< a fault that the campaign leaves out
};

struct Judgement {
  Verdict verdict = Verdict::unknown;
  std::string evidence;  ///< "1,000 seeds", or why unknown
  std::vector<Finding> properties;
  std::vector<Finding> bounds;
  std::vector<Finding> faults;  ///< by event of the timeline
  /// The verdict is the one that the scenario declares, and where that is a violation, of the
  /// property that it names.
  bool as_expected = false;
};

[[nodiscard]] Judgement judge(const Scenario& scenario, const CampaignResult& result);

/// violated before unknown before holds: the verdict of several together.
[[nodiscard]] Verdict worse(Verdict a, Verdict b);

/// "1 seed", "1,000 seeds".
[[nodiscard]] std::string counted(std::uint64_t number, const std::string& noun);

/// Name of a measure in scenario files.
[[nodiscard]] std::string measure_name(Measure measure);

}  // namespace nandi::sim
