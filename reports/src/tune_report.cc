#include "nandi/reports/tune_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/quantity_text.h"

namespace nandi::reports {
namespace {

using sim::Estimate;
using sim::TuneCell;
using sim::TuneMeasures;
using sim::TunePoint;
using sim::TuneResult;
using sim::TuneStatus;

constexpr std::size_t kShades = 8;

std::string seconds(double value) { return sim::estimate_text(value) + " s"; }

std::string end_text(const std::optional<double>& end) {
  return end ? sim::estimate_text(*end) : "open";
}

std::string range_text(const Estimate& of) {
  return fmt::format("{} [{}, {}]", sim::estimate_text(of.value), end_text(of.low),
                     end_text(of.high));
}

std::string setting_text(const sim::TuneSetting& setting) {
  return fmt::format("{}, gap {}", sim::duration_text(setting.interval),
                     nandi::to_string(setting.gap));
}

/// One figure of a setting, drawn over the whole grid.
struct Heat {
  const char* title;
  const char* unit;
  bool is_more_better;
  std::function<double(const TuneMeasures&)> value;
};

std::vector<Heat> heats() {
  return {
      {"Start until whole, 99th percentile", "s", false,
       [](const TuneMeasures& m) { return m.ready_p99.value; }},
      {"Time without a lease that one change costs a worker", "s", false,
       [](const TuneMeasures& m) { return m.change_cost.value; }},
      {"While membership stands still, leases lost", "a worker-day", false,
       [](const TuneMeasures& m) { return m.losses_per_day.value; }},
      {"Share of worker-time with a lease", "%", true,
       [](const TuneMeasures& m) { return 100 * m.owned_share.value; }},
      {"Registrations on the store", "a second", false,
       [](const TuneMeasures& m) { return m.registrations_per_second.value; }},
  };
}

/// First bound that a setting breaks; what else keeps it from passing.
std::string failing(const TuneCell& cell) {
  for (const sim::TuneBound& bound : cell.bounds) {
    if (!bound.holds()) return bound.name;
  }
  return std::string(sim::status_name(cell.status));
}

/// Shares lie close to the whole: they keep two decimals.
std::string value_text(const Heat& heat, double value) {
  return heat.is_more_better ? fmt::format("{:.2f}", value) : sim::estimate_text(value);
}

std::string cell_text(const TuneCell& cell, const Heat& heat, bool is_chosen) {
  if (!cell.measures) return failing(cell);
  const std::string value = value_text(heat, heat.value(*cell.measures));
  if (is_chosen) return value + " ✓";
  switch (cell.status) {
    case TuneStatus::passes: return cell.on_front ? value + " ●" : value;
    case TuneStatus::undecided: return value + " ?";
    case TuneStatus::fails_bound:
    case TuneStatus::fails: break;
  }
  return value + " ✗";
}

/// All values of a figure that are written differently, rising.
std::vector<double> values_of(const TuneResult& result, const Heat& heat) {
  std::vector<double> values;
  for (const TuneCell& cell : result.cells) {
    if (cell.measures) values.push_back(heat.value(*cell.measures));
  }
  std::sort(values.begin(), values.end());
  values.erase(
      std::unique(values.begin(), values.end(),
                  [&](double a, double b) { return value_text(heat, a) == value_text(heat, b); }),
      values.end());
  return values;
}

/// By rank, so that one extreme setting does not make all others look alike.
std::size_t shade_of(const std::vector<double>& values, double value) {
  const auto rank = static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), value) -
                                             values.begin()) -
                    1;
  return 1 + rank * kShades / std::max(values.size(), std::size_t{1});
}

std::vector<std::string> legend_of(const Heat& heat, const std::vector<double>& values) {
  std::vector<std::string> legend;
  for (std::size_t shade = 1; shade <= kShades; ++shade) {
    std::optional<double> least;
    double most = 0;
    for (const double value : values) {
      if (shade_of(values, value) != shade) continue;
      if (!least) least = value;
      most = value;
    }
    legend.push_back(!least          ? "none"
                     : *least < most ? value_text(heat, *least) + " to " + value_text(heat, most)
                                     : value_text(heat, most));
  }
  return legend;
}

Grid heat_map(const TuneResult& result, const Heat& heat) {
  const std::vector<double> values = values_of(result, heat);
  Grid grid{
      fmt::format("{} ({})", heat.title, heat.unit),
      fmt::format("The darker, the {}; shades go by rank. Rows are intervals, columns gaps. ✓ and "
                  "outlined: recommended. ● no other setting is better in readiness, owned share "
                  "and load together. ✗ fails in simulation. ? not decided. A word is the closed "
                  "bound that a setting breaks, which is then not simulated.",
                  heat.is_more_better ? "better" : "worse"),
      {},
      {},
      legend_of(heat, values),
      true};
  for (const Fraction& gap : result.request.gaps) {
    grid.columns.push_back("gap " + nandi::to_string(gap));
  }
  const std::size_t gaps = result.request.gaps.size();
  for (std::size_t i = 0; i < result.request.intervals.size(); ++i) {
    std::vector<Cell> cells;
    for (std::size_t g = 0; g < gaps; ++g) {
      const std::size_t number = i * gaps + g;
      const TuneCell& cell = result.cells.at(number);
      const std::size_t shade =
          cell.measures ? shade_of(values, heat.value(*cell.measures)) : std::size_t{0};
      const bool is_chosen = result.recommendation && result.recommendation->cell == number;
      cells.push_back({cell_text(cell, heat, is_chosen), static_cast<int>(shade), is_chosen});
    }
    grid.rows.emplace_back(sim::duration_text(result.request.intervals[i]), std::move(cells));
  }
  return grid;
}

Table front_table(const TuneResult& result) {
  Table table{
      "",
      "In brackets, what holds the true value with 95 %.",
      {"setting", "ready p50, s", "ready p99, s", "a change, s a worker", "losses a worker-day",
       "owned, %", "load, 1/s", "closest approach", "gaps not told apart"},
      {}};
  for (const sim::TuneFrontRow& row : sim::front_rows(result)) {
    const TuneCell& cell = result.cells[row.cell];
    const bool is_chosen = result.recommendation && result.recommendation->cell == row.cell;
    const TuneMeasures& m = *cell.measures;
    std::vector<std::string> gaps;
    for (const std::size_t other : row.others) {
      gaps.push_back(nandi::to_string(result.cells[other].setting.gap));
    }
    table.rows.push_back({setting_text(cell.setting) + (is_chosen ? " (recommended)" : ""),
                          range_text(m.ready_p50), range_text(m.ready_p99),
                          range_text(m.change_cost), range_text(m.losses_per_day),
                          fmt::format("{:.4f}", 100 * m.owned_share.value),
                          sim::estimate_text(m.registrations_per_second.value),
                          m.closest_approach ? seconds(*m.closest_approach) : "no hand-over",
                          gaps.empty() ? "-" : fmt::format("{}", fmt::join(gaps, ", "))});
  }
  return table;
}

Table edge_table(const TuneResult& result) {
  Table table{"The first setting that fails in each direction", "", {"towards", "at", "why"}, {}};
  for (const sim::TuneEdge& edge : result.recommendation->edges) {
    table.rows.push_back({std::string(sim::direction_name(edge.direction)),
                          edge.cell ? setting_text(result.cells[*edge.cell].setting) : "-",
                          edge.reason});
  }
  return table;
}

Table room_table(const TuneResult& result) {
  Table table{"The room that is left", "", {"bound", "left, %", "what it says"}, {}};
  for (const sim::TuneBound& bound : result.cells[result.recommendation->cell].bounds) {
    table.rows.push_back({bound.name, fmt::format("{:.0f}", 100 * bound.left()), bound.text});
  }
  return table;
}

Curve curve_of(const std::vector<TunePoint>& points, const char* title, const char* note,
               const char* x, const std::function<std::string(const TunePoint&)>& label) {
  Curve curve{title, note, x, " %", {}};
  for (const TunePoint& point : points) {
    const Estimate& share = point.owned_share;
    curve.points.push_back(
        {label(point), 100 * share.value, 100 * share.low.value_or(share.value),
         100 * share.high.value_or(share.value),
         fmt::format("{:.3f} % of worker-time with a lease; {} leases lost a worker-day; {} seeds",
                     100 * share.value, range_text(point.losses_per_day), point.seeds)});
  }
  return curve;
}

void add_recommendation(const TuneResult& result, Report& report) {
  Section section{"The recommended setting", "", {}};
  section.blocks.emplace_back(edge_table(result));
  section.blocks.emplace_back(room_table(result));
  report.sections.push_back(std::move(section));
  Section curves{"When the group or its rate of changes grows", "", {}};
  if (result.by_members.size() > 1) {  // one point is no curve
    curves.blocks.emplace_back(curve_of(
        result.by_members, "Share of worker-time with a lease, against the number of workers",
        "Of the recommended setting, at the rate of changes given. The points are at equal "
        "distances.",
        "workers", [](const TunePoint& point) { return sim::grouped(point.members); }));
  }
  if (result.by_changes.size() > 1) {
    curves.blocks.emplace_back(curve_of(
        result.by_changes, "Share of worker-time with a lease, against joins and departures",
        "Of the recommended setting. Joins and crashes come in turn, evenly spread over the time, "
        "not at random. The points are at equal distances.",
        "joins and departures an hour",
        [](const TunePoint& point) { return sim::estimate_text(point.changes_per_hour); }));
  }
  if (!curves.blocks.empty()) report.sections.push_back(std::move(curves));
}

std::size_t count(const TuneResult& result, TuneStatus status) {
  return static_cast<std::size_t>(
      std::count_if(result.cells.begin(), result.cells.end(),
                    [&](const TuneCell& cell) { return cell.status == status; }));
}

std::string evidence_of(const TuneResult& result) {
  return fmt::format(
      "{} settings: {} pass, {} fail a closed bound, {} fail in simulation, {} undecided; {} "
      "registrations simulated",
      result.cells.size(), count(result, TuneStatus::passes),
      count(result, TuneStatus::fails_bound), count(result, TuneStatus::fails),
      count(result, TuneStatus::undecided), sim::grouped(result.registrations));
}

std::vector<std::pair<std::string, std::string>> facts_of(const TuneResult& result) {
  const sim::TuneRequest& request = result.request;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"workers", fmt::format("{} now, {} at most", sim::grouped(request.members),
                              sim::grouped(request.most_members))},
      {"latency", request.latency_source},
      {"round trip", fmt::format("p50 {}, p99 {}", seconds(result.round_trip_p50),
                                 seconds(result.round_trip_p99))},
      {"joins and departures",
       fmt::format("{} and {} an hour", nandi::to_string(request.joins_per_hour),
                   nandi::to_string(request.departures_per_hour))},
      {"drift", nandi::to_string(request.drift)},
      {"a consumer's drain", sim::duration_text(request.drain)},
      {"objective", std::string(sim::objective_name(request.objective))},
      {"losses allowed",
       nandi::to_string(request.most_losses_per_day) + " a worker-day, membership standing still"}};
  if (result.recommendation) {
    facts.emplace_back("largest group whose slots are not closer than the p99 jitter",
                       sim::grouped(result.recommendation->largest_group) + " workers");
    facts.emplace_back("largest group that settles",
                       sim::grouped(result.recommendation->largest_settled) + " workers");
  }
  return facts;
}

}  // namespace

Report tune_report(const std::string& file, const std::string& command, const TuneResult& result) {
  Report report;
  report.kind = "choice of interval and gap";
  report.title =
      fmt::format("interval and gap for {}", result.request.name == sim::TuneRequest{}.name
                                                 ? sim::grouped(result.request.members) + " workers"
                                                 : result.request.name);
  report.file = file;
  report.command = command;
  report.verdict = sim::tune_verdict(result);
  report.evidence = evidence_of(result);
  if (result.recommendation) {
    const TuneMeasures& found = result.recommendation->validated;
    report.remarks.push_back(result.recommendation->sentence);
    report.remarks.push_back(
        fmt::format("{}: {} with a violation, {} leases lost a worker-day.",
                    result.recommendation->confirmed
                        ? fmt::format("Validated with {} other seeds", sim::grouped(found.seeds))
                        : fmt::format("{} seeds do not confirm it", sim::grouped(found.seeds)),
                    found.violated_seeds, range_text(found.losses_per_day)));
  } else {
    report.remarks.emplace_back("No setting of this grid was shown to pass.");
  }
  for (const std::string& warning : result.warnings)
    report.remarks.push_back("Warning: " + warning);
  if (result.interrupted) report.remarks.emplace_back("Interrupted: what was found so far.");
  if (result.recommendation) add_recommendation(result, report);
  Section front{"Settings that no other one beats",
                "In readiness, owned share and load together. A row for every interval, with the "
                "gap that has the most room.",
                {front_table(result)}};
  if (!std::get<Table>(front.blocks.front()).rows.empty()) {
    report.sections.push_back(std::move(front));
  }
  Section maps{"The grid", "", {}};
  for (const Heat& heat : heats()) maps.blocks.emplace_back(heat_map(result, heat));
  report.sections.push_back(std::move(maps));
  report.facts = facts_of(result);
  return report;
}

}  // namespace nandi::reports
