#include <fmt/format.h>

#include <sstream>

#include "nandi/sim/tune/tune_report.h"
#include "nandi/sim/yaml/tree.h"

namespace nandi::sim {
namespace {

using yaml::Tree;

Tree nothing() { return Tree::literal("null"); }
Tree number(double value) { return Tree::literal(fmt::format("{:.9g}", value)); }
Tree number(const std::optional<double>& value) { return value ? number(*value) : nothing(); }
Tree count(std::uint64_t value) { return Tree::literal(std::to_string(value)); }
Tree fraction(Fraction value) { return Tree::string(to_string(value)); }

Tree estimate(const Estimate& of) {
  Tree tree = Tree::mapping();
  tree.add("value", number(of.value));
  tree.add("low", number(of.low));
  tree.add("high", number(of.high));
  return tree;
}

Tree measures_json(const TuneMeasures& of) {
  Tree tree = Tree::mapping();
  tree.add("seeds", count(of.seeds));
  tree.add("ready_p50", estimate(of.ready_p50));
  tree.add("ready_p99", estimate(of.ready_p99));
  tree.add("change_cost", estimate(of.change_cost));
  tree.add("losses_per_day", estimate(of.losses_per_day));
  tree.add("owned_share", estimate(of.owned_share));
  tree.add("registrations_per_second", estimate(of.registrations_per_second));
  tree.add("closest_approach", number(of.closest_approach));
  tree.add("violated_seeds", count(of.violated_seeds));
  tree.add("first_violated_seed",
           of.first_violated_seed ? count(*of.first_violated_seed) : nothing());
  return tree;
}

void add_setting(Tree& tree, const TuneSetting& setting) {
  tree.add("interval", Tree::integer(setting.interval.count()));
  tree.add("gap", fraction(setting.gap));
}

Tree bound_json(const TuneBound& bound) {
  Tree tree = Tree::mapping();
  tree.add("name", Tree::string(bound.name));
  tree.add("need", number(bound.need));
  tree.add("have", number(bound.have));
  tree.add("unit", Tree::string(bound.unit));
  tree.add("holds", Tree::boolean(bound.holds()));
  tree.add("text", Tree::string(bound.text));
  return tree;
}

Tree cell_json(const TuneCell& cell) {
  Tree tree = Tree::mapping();
  add_setting(tree, cell.setting);
  tree.add("status", Tree::string(std::string(status_name(cell.status))));
  tree.add("reason", Tree::string(cell.reason));
  tree.add("on_front", Tree::boolean(cell.on_front));
  Tree bounds = Tree::sequence();
  for (const TuneBound& bound : cell.bounds) bounds.append(bound_json(bound));
  tree.add("bounds", std::move(bounds));
  tree.add("measures", cell.measures ? measures_json(*cell.measures) : nothing());
  return tree;
}

Tree request_json(const TuneRequest& request) {
  Tree tree = Tree::mapping();
  tree.add("name", Tree::string(request.name));
  tree.add("latency", Tree::string(request.latency_source));
  tree.add("members", count(request.members));
  tree.add("most_members", count(request.most_members));
  tree.add("joins_per_hour", fraction(request.joins_per_hour));
  tree.add("departures_per_hour", fraction(request.departures_per_hour));
  tree.add("drift", fraction(request.drift));
  tree.add("drain", Tree::integer(request.drain.count()));
  tree.add("objective", Tree::string(std::string(objective_name(request.objective))));
  tree.add("most_losses_per_day", fraction(request.most_losses_per_day));
  tree.add("ready_within",
           request.ready_within ? Tree::integer(request.ready_within->count()) : nothing());
  Tree intervals = Tree::sequence();
  for (const Duration interval : request.intervals) {
    intervals.append(Tree::integer(interval.count()));
  }
  tree.add("intervals", std::move(intervals));
  Tree gaps = Tree::sequence();
  for (const Fraction gap : request.gaps) gaps.append(fraction(gap));
  tree.add("gaps", std::move(gaps));
  tree.add("budget", count(request.budget));
  return tree;
}

Tree recommendation_json(const TuneResult& result) {
  if (!result.recommendation) return nothing();
  const TuneRecommendation& chosen = *result.recommendation;
  Tree tree = Tree::mapping();
  add_setting(tree, result.cells[chosen.cell].setting);
  tree.add("sentence", Tree::string(chosen.sentence));
  tree.add("confirmed", Tree::boolean(chosen.confirmed));
  tree.add("validated", measures_json(chosen.validated));
  Tree edges = Tree::sequence();
  for (const TuneEdge& edge : chosen.edges) {
    Tree entry = Tree::mapping();
    entry.add("direction", Tree::string(std::string(direction_name(edge.direction))));
    if (edge.cell) {
      add_setting(entry, result.cells[*edge.cell].setting);
    } else {
      entry.add("interval", nothing());
      entry.add("gap", nothing());
    }
    entry.add("reason", Tree::string(edge.reason));
    edges.append(std::move(entry));
  }
  tree.add("edges", std::move(edges));
  tree.add("largest_group", count(chosen.largest_group));
  tree.add("largest_settled", count(chosen.largest_settled));
  return tree;
}

Tree curve_json(const std::vector<TunePoint>& points) {
  Tree curve = Tree::sequence();
  for (const TunePoint& point : points) {
    Tree tree = Tree::mapping();
    tree.add("members", count(point.members));
    tree.add("changes_per_hour", number(point.changes_per_hour));
    tree.add("seeds", count(point.seeds));
    tree.add("owned_share", estimate(point.owned_share));
    tree.add("losses_per_day", estimate(point.losses_per_day));
    curve.append(std::move(tree));
  }
  return curve;
}

std::string csv_of(const std::optional<double>& value) {
  return value ? fmt::format("{:.9g}", *value) : "";
}
std::string csv_of(const Estimate& of) {
  return fmt::format(",{:.9g},{},{}", of.value, csv_of(of.low), csv_of(of.high));
}

}  // namespace

std::string tune_json(const TuneResult& result) {
  Tree tree = Tree::mapping();
  tree.add("nandi_tune", Tree::integer(kTuneJsonVersion));
  tree.add("verdict", Tree::string(std::string(verdict_name(tune_verdict(result)))));
  tree.add("request", request_json(result.request));
  tree.add("round_trip_p50", number(result.round_trip_p50));
  tree.add("round_trip_p99", number(result.round_trip_p99));
  tree.add("jitter_p99", number(result.jitter_p99));
  Tree cells = Tree::sequence();
  for (const TuneCell& cell : result.cells) cells.append(cell_json(cell));
  tree.add("cells", std::move(cells));
  tree.add("recommendation", recommendation_json(result));
  tree.add("by_members", curve_json(result.by_members));
  tree.add("by_changes", curve_json(result.by_changes));
  Tree warnings = Tree::sequence();
  for (const std::string& warning : result.warnings) warnings.append(Tree::string(warning));
  tree.add("warnings", std::move(warnings));
  tree.add("registrations", count(result.registrations));
  tree.add("budget_used_up", Tree::boolean(result.budget_used_up));
  tree.add("interrupted", Tree::boolean(result.interrupted));
  std::ostringstream out;
  yaml::write_json(tree, out);
  return out.str();
}

std::string tune_csv(const TuneResult& result) {
  std::string text = "interval_s,gap,status,on_front,seeds";
  for (const char* name : {"ready_p50_s", "ready_p99_s", "change_cost_s", "losses_per_day",
                           "owned_share", "registrations_per_second"}) {
    text += fmt::format(",{0},{0}_low,{0}_high", name);
  }
  text += ",closest_approach_s,violated_seeds\n";
  for (const TuneCell& cell : result.cells) {
    text +=
        fmt::format("{:.9g},{},{},{}", static_cast<double>(cell.setting.interval.count()) / 1e9,
                    to_string(cell.setting.gap), status_name(cell.status), cell.on_front ? 1 : 0);
    if (!cell.measures) {
      text += std::string(21, ',') + "\n";  // seeds, six estimates of three columns, two more
      continue;
    }
    const TuneMeasures& m = *cell.measures;
    text += fmt::format(",{}", m.seeds);
    for (const Estimate* of : {&m.ready_p50, &m.ready_p99, &m.change_cost, &m.losses_per_day,
                               &m.owned_share, &m.registrations_per_second}) {
      text += csv_of(*of);
    }
    text += fmt::format(",{},{}\n", csv_of(m.closest_approach), m.violated_seeds);
  }
  return text;
}

}  // namespace nandi::sim
