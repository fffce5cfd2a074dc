#include "nandi/checker/liveness_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include "nandi/sim/partition/text_table.h"

namespace nandi::checker {

LivenessSummary conclude_liveness(const std::vector<std::string>& vacuous,
                                  const LivenessCounts& counts) {
  LivenessSummary summary;
  summary.counts = counts;
  summary.vacuous = vacuous;
  if (vacuous.empty()) {
    summary.verdict = sim::Verdict::holds;
    summary.evidence =
        fmt::format("every fair run keeps it: {} states, {} parts with fair loops",
                    sim::grouped(counts.states), sim::grouped(counts.fair_components));
  } else {
    summary.evidence = fmt::format("no fair run puts '{}' to the test", fmt::join(vacuous, "', '"));
  }
  return summary;
}

LivenessSummary conclude_unfinished(StopReason reason, const LivenessCounts& counts) {
  LivenessSummary summary;
  summary.reason = reason;
  summary.counts = counts;
  summary.evidence = fmt::format(
      "{}: {} states found, {} of them not expanded; runs that stay within the others "
      "prove nothing",
      stop_reason_text(reason), counts.states, counts.frontier);
  return summary;
}

LivenessSummary conclude_lasso(const LivenessProperty& property, std::size_t stem, std::size_t loop,
                               const LivenessCounts& counts) {
  LivenessSummary summary;
  summary.verdict = sim::Verdict::violated;
  summary.reason = StopReason::violation;
  summary.violated = std::string(property.name);
  summary.counts = counts;
  const auto steps = [](std::size_t n) { return fmt::format("{} step{}", n, n == 1 ? "" : "s"); };
  summary.evidence =
      loop == 0 ? fmt::format("'{}' is violated: after {} nothing more happens", property.name,
                              steps(stem))
                : fmt::format("'{}' is violated: after {} the run goes round a loop of {} for ever",
                              property.name, steps(stem), steps(loop));
  return summary;
}

}  // namespace nandi::checker
