// What a check of liveness answers, apart from the model's own types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nandi/checker/exploration.h"
#include "nandi/checker/liveness_graph.h"

namespace nandi::checker {

struct LivenessCounts {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t frontier = 0;
  std::uint64_t fair_components = 0;
  std::uint64_t bytes = 0;
};

struct LivenessSummary {
  sim::Verdict verdict = sim::Verdict::unknown;
  StopReason reason = StopReason::exhausted;
  std::string evidence;              ///< one line
  std::string violated;              ///< name of the property; empty unless violated
  std::vector<std::string> vacuous;  ///< properties that no fair loop put to the test
  LivenessCounts counts;
  double seconds = 0;
};

/// The verdict of a graph that is whole, without a violation.
[[nodiscard]] LivenessSummary conclude_liveness(const std::vector<std::string>& vacuous,
                                                const LivenessCounts& counts);
/// That of one that is not.
[[nodiscard]] LivenessSummary conclude_unfinished(StopReason reason, const LivenessCounts& counts);
[[nodiscard]] LivenessSummary conclude_lasso(const LivenessProperty& property, std::size_t stem,
                                             std::size_t loop, const LivenessCounts& counts);

}  // namespace nandi::checker
