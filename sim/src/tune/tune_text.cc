#include <fmt/format.h>

#include <algorithm>

#include "nandi/sim/quantity_text.h"
#include "nandi/sim/tune/tune_report.h"

namespace nandi::sim {
namespace {

std::string range_text(const Estimate& of) {
  const auto end = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3g}", *value) : std::string("open");
  };
  return fmt::format("{:.3g} [{}, {}]", of.value, end(of.low), end(of.high));
}

std::string row(const TuneCell& cell, bool is_chosen) {
  const TuneMeasures& m = *cell.measures;
  return fmt::format("{} {:>10} {:>6} {:>10.3g} {:>10.3g} {:>10.3g} {:>22} {:>9.4f} {:>9.3g}\n",
                     is_chosen ? '*' : ' ', duration_text(cell.setting.interval),
                     to_string(cell.setting.gap), m.ready_p50.value, m.ready_p99.value,
                     m.change_cost.value, range_text(m.losses_per_day), 100 * m.owned_share.value,
                     m.registrations_per_second.value);
}

std::string recommendation_text(const TuneResult& result) {
  const TuneRecommendation& chosen = *result.recommendation;
  const TuneMeasures& found = chosen.validated;
  std::string text = "\n" + chosen.sentence + "\n";
  text += fmt::format("  validated with {} seeds: {} violated, losses {} per worker-day\n",
                      found.seeds, found.violated_seeds, range_text(found.losses_per_day));
  if (found.closest_approach) {
    text += fmt::format("  closest approach of two holders of one index: {:.3g} s\n",
                        *found.closest_approach);
  }
  text += "  room left:\n";
  for (const TuneBound& bound : result.cells[chosen.cell].bounds) {
    text += fmt::format("    {:<8} {}\n", bound.name, bound.text);
  }
  text += "  first that fails:\n";
  for (const TuneEdge& edge : chosen.edges) {
    std::string at;
    if (edge.cell) {
      const TuneSetting& setting = result.cells[*edge.cell].setting;
      at = fmt::format("{}, gap {}: ", duration_text(setting.interval), to_string(setting.gap));
    }
    text += fmt::format("    {:<16} {}{}\n", direction_name(edge.direction), at, edge.reason);
  }
  return text;
}

}  // namespace

std::string tune_text(const TuneResult& result) {
  const TuneRequest& request = result.request;
  std::size_t failed_bounds = 0;
  std::size_t failed = 0;
  std::size_t passed = 0;
  for (const TuneCell& cell : result.cells) {
    failed_bounds += cell.status == TuneStatus::fails_bound ? 1U : 0U;
    failed += cell.status == TuneStatus::fails ? 1U : 0U;
    passed += cell.status == TuneStatus::passes ? 1U : 0U;
  }
  std::string text = fmt::format(
      "{}: {} workers, latency {} (round trip p50 {:.3g} s, p99 {:.3g} s), objective {}\n"
      "  {} settings: {} pass, {} fail a closed bound, {} fail in simulation, {} undecided; {} "
      "registrations simulated\n\n",
      request.name, request.members, request.latency_source, result.round_trip_p50,
      result.round_trip_p99, objective_name(request.objective), result.cells.size(), passed,
      failed_bounds, failed, result.cells.size() - passed - failed_bounds - failed,
      result.registrations);
  if (passed > 0) {
    text += fmt::format("  {:>10} {:>6} {:>10} {:>10} {:>10} {:>22} {:>9} {:>9}\n", "interval",
                        "gap", "ready p50", "ready p99", "a change", "losses", "owned", "load");
    text += fmt::format("  {:>10} {:>6} {:>10} {:>10} {:>10} {:>22} {:>9} {:>9}\n", "", "", "s",
                        "s", "s/worker", "per worker-day", "%", "per s");
  }
  for (std::size_t c = 0; c < result.cells.size(); ++c) {
    const bool is_chosen = result.recommendation && result.recommendation->cell == c;
    if (result.cells[c].on_front || is_chosen) text += row(result.cells[c], is_chosen);
  }
  if (result.recommendation) {
    text += recommendation_text(result);
  } else {
    text += "No setting of this grid passes. The nearest:\n";
    const TuneCell* nearest = &result.cells.front();
    for (const TuneCell& cell : result.cells) {
      if (cell.status > nearest->status) nearest = &cell;
    }
    text += fmt::format("  interval {}, gap {}: {}\n", duration_text(nearest->setting.interval),
                        to_string(nearest->setting.gap), nearest->reason);
  }
  for (const std::string& warning : result.warnings) text += "warning: " + warning + "\n";
  if (result.interrupted) text += "interrupted: this is what was found so far\n";
  return text;
}

}  // namespace nandi::sim
