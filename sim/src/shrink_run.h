// What the rounds of shrinking have in common; see shrink.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nandi/sim/shrink.h"
#include "nandi/sim/simulator.h"
#include "run_plan.h"
#include "schedule_line.h"

namespace nandi::sim {

/// Place of a property in property_infos(). Precondition: there is one of this name.
[[nodiscard]] std::size_t property_place(const std::string& property);

/// Counts what is tried and says when to end.
class ShrinkBudget {
 public:
  explicit ShrinkBudget(const ShrinkOptions& options) : options_(options) {}
  /// False: no more.
  [[nodiscard]] bool take() {
    if (tried_ >= options_.most_tried) return false;
    if (options_.stop != nullptr && options_.stop->load()) return false;
    ++tried_;
    return true;
  }
  [[nodiscard]] std::uint64_t tried() const { return tried_; }

 private:
  const ShrinkOptions& options_;
  std::uint64_t tried_ = 0;
};

/// A scenario that fails under its first seed, made smaller. The result differs in nothing but
/// what makes it smaller, its length included.
[[nodiscard]] Scenario shrink_scenario(const Scenario& failing, std::size_t property,
                                       ShrinkBudget& budget);

/// The lines of a run of `plan` under which the property fails; what replays a part of them.
struct FailingLines {
  std::vector<ScheduleLine> lines;
  TrueTime at;  ///< of the violation
};

/// What of `lines` can happen, up to the first violation; empty where there is none.
[[nodiscard]] std::optional<FailingLines> fails(const RunPlan& plan, std::size_t property,
                                                const std::vector<ScheduleLine>& lines);

/// Fewer and rounder lines; calls `better` after each pass that found some.
[[nodiscard]] FailingLines shrink_lines(const RunPlan& plan, std::size_t property,
                                        FailingLines failing, ShrinkBudget& budget,
                                        const std::function<void(const FailingLines&)>& better);

}  // namespace nandi::sim
