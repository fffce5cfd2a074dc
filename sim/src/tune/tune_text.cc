#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/tune/tune_report.h"

namespace nandi::sim {
namespace {

std::string range_text(const Estimate& of) {
  const auto end = [](const std::optional<double>& value) {
    return value ? estimate_text(*value) : std::string("open");
  };
  return fmt::format("{} [{}, {}]", estimate_text(of.value), end(of.low), end(of.high));
}

std::string time_text(double seconds) {
  return duration_text(Duration(static_cast<std::int64_t>(seconds * 1e9)));
}

std::string row_text(const TuneResult& result, const TuneFrontRow& row) {
  const bool is_chosen = result.recommendation && result.recommendation->cell == row.cell;
  const TuneCell& cell = result.cells[row.cell];
  const TuneMeasures& m = *cell.measures;
  std::vector<std::string> others;
  for (const std::size_t other : row.others) {
    others.push_back(to_string(result.cells[other].setting.gap));
  }
  return fmt::format("{} {:>8} {:>5} {:>9} {:>9} {:>9} {:>24} {:>8.3f} {:>8}  {}\n",
                     is_chosen ? '*' : ' ', duration_text(cell.setting.interval),
                     to_string(cell.setting.gap), estimate_text(m.ready_p50.value),
                     estimate_text(m.ready_p99.value), estimate_text(m.change_cost.value),
                     range_text(m.losses_per_day), 100 * m.owned_share.value,
                     estimate_text(m.registrations_per_second.value), fmt::join(others, " "));
}

std::string front_text(const TuneResult& result) {
  const std::vector<TuneFrontRow> rows = front_rows(result);
  if (rows.empty()) return "";
  std::string text =
      fmt::format("  {:>8} {:>5} {:>9} {:>9} {:>9} {:>24} {:>8} {:>8}  {}\n", "interval", "gap",
                  "ready p50", "ready p99", "a change", "losses", "owned", "load", "gaps not");
  text += fmt::format("  {:>8} {:>5} {:>9} {:>9} {:>9} {:>24} {:>8} {:>8}  {}\n", "", "", "s", "s",
                      "s/worker", "per worker-day", "%", "per s", "told apart");
  for (const TuneFrontRow& row : rows) text += row_text(result, row);
  return text;
}

std::string bound_text(const TuneBound& bound) {
  return fmt::format("    {:<8} {:>3.0f} % left: {}\n", bound.name, 100 * bound.left(), bound.text);
}

std::string recommendation_text(const TuneResult& result) {
  const TuneRecommendation& chosen = *result.recommendation;
  const TuneMeasures& found = chosen.validated;
  std::string text = "\n" + chosen.sentence + "\n";
  text +=
      fmt::format("  {} {} seeds: {} violated, losses {} per worker-day\n",
                  chosen.confirmed ? "validated with" : "not confirmed by", grouped(found.seeds),
                  grouped(found.violated_seeds), range_text(found.losses_per_day));
  if (found.closest_approach) {
    text += fmt::format("  closest approach of two holders of one index: {} s\n",
                        estimate_text(*found.closest_approach));
  }
  text += "  room left:\n";
  for (const TuneBound& bound : result.cells[chosen.cell].bounds) {
    text += bound_text(bound);
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

std::string tune_nearest_text(const TuneResult& result) {
  const auto nearest = std::max_element(
      result.cells.begin(), result.cells.end(), [](const TuneCell& a, const TuneCell& b) {
        return a.status != b.status ? a.status < b.status : room(a) < room(b);
      });
  return fmt::format("No setting of this grid {}. The nearest:\n  interval {}, gap {}: {}\n",
                     tune_verdict(result) == Verdict::violated ? "passes" : "was shown to pass",
                     duration_text(nearest->setting.interval), to_string(nearest->setting.gap),
                     nearest->reason.empty() ? "not simulated yet" : nearest->reason);
}

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
      "{}: {} workers, {} joins and {} departures an hour, objective {}\n"
      "  latency {}: round trip p50 {}, p99 {}\n"
      "  {}: {} pass, {} fail a closed bound, {} fail in simulation, {} undecided; {} "
      "registrations simulated\n\n",
      request.name, request.members, to_string(request.joins_per_hour),
      to_string(request.departures_per_hour), objective_name(request.objective),
      request.latency_source, time_text(result.round_trip_p50), time_text(result.round_trip_p99),
      result.cells.size() == 1 ? "1 setting" : grouped(result.cells.size()) + " settings", passed,
      failed_bounds, failed, result.cells.size() - passed - failed_bounds - failed,
      grouped(result.registrations));
  text += front_text(result);
  if (result.recommendation) {
    text += recommendation_text(result);
  } else {
    text += tune_nearest_text(result);
  }
  for (const std::string& warning : result.warnings) text += "warning: " + warning + "\n";
  if (result.interrupted) text += "interrupted: this is what was found so far\n";
  return text;
}

}  // namespace nandi::sim
