#include <fmt/format.h>

#include <optional>
#include <utility>

#include "nandi/sim/confidence.h"
#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/settling/settling_outlook.h"
#include "summary.h"
#include "summary_rows.h"

namespace nandi::sim::cli {
namespace {

using yaml::Tree;

Tree number(std::uint64_t value) { return Tree::literal(std::to_string(value)); }
Tree verdict(Verdict value) { return Tree::string(std::string(verdict_name(value))); }

Tree histogram_json(const Histogram& histogram) {
  Tree tree = Tree::mapping();
  tree.add("samples", number(histogram.count()));
  if (histogram.empty()) return tree;
  tree.add("least", Tree::integer(histogram.least().count()));
  tree.add("mean", Tree::integer(histogram.mean().count()));
  tree.add("median", Tree::integer(histogram.percentile(50).count()));
  tree.add("p90", Tree::integer(histogram.percentile(90).count()));
  tree.add("p99", Tree::integer(histogram.percentile(99).count()));
  tree.add("most", Tree::integer(histogram.most().count()));
  return tree;
}

/// part / whole with six decimals.
Tree share_json(Int128 part, Int128 whole) {
  if (whole == 0) return Tree::literal("null");
  const auto millionths = static_cast<std::int64_t>(part * 1'000'000 / whole);
  return Tree::literal(fmt::format("{}.{:06}", millionths / 1'000'000, millionths % 1'000'000));
}

Tree finding_json(const Finding& finding) {
  Tree entry = Tree::mapping();
  entry.add("name", Tree::string(finding.name));
  entry.add("verdict", verdict(finding.verdict));
  entry.add("evidence", Tree::string(finding.evidence));
  entry.add("counts", Tree::boolean(finding.counts));
  return entry;
}

Tree violation_json(const PropertyTally& tally) {
  Tree first = Tree::mapping();
  first.add("seed", number(tally.first_seed));
  first.add("at", Tree::integer(tally.first->at.count()));
  first.add("text", Tree::string(tally.first->text));
  Tree workers = Tree::sequence();
  for (const WorkerId w : tally.first->workers) workers.append(number(w));
  first.add("workers", std::move(workers));
  return first;
}

Tree property_list(const CampaignResult& result, const Judgement& judgement) {
  Tree list = Tree::sequence();
  for (std::size_t p = 0; p < judgement.properties.size(); ++p) {
    const PropertyTally& tally = result.properties[p];
    Tree entry = finding_json(judgement.properties[p]);
    entry.add("claim", Tree::string(std::string(property_infos()[p].claim)));
    entry.add("reached", number(tally.reached));
    entry.add("runs_reached", number(tally.runs_reached));
    entry.add("runs_violated", number(tally.runs_violated));
    if (tally.first) entry.add("first_violation", violation_json(tally));
    list.append(std::move(entry));
  }
  return list;
}

Tree event_list(const CampaignResult& result, const Judgement& judgement) {
  Tree list = Tree::sequence();
  for (std::size_t f = 0; f < judgement.faults.size(); ++f) {
    Tree entry = finding_json(judgement.faults[f]);
    entry.add("armed", number(result.faults[f].armed));
    entry.add("fired", number(result.faults[f].fired));
    entry.add("changed", number(result.faults[f].changed));
    list.append(std::move(entry));
  }
  return list;
}

/// One value a seed; null where a rank's end of the interval is open.
Tree seeds_json(const Histogram& histogram) {
  Tree tree = histogram_json(histogram);
  if (histogram.empty()) return tree;
  const auto end = [](const std::optional<Duration>& value) {
    return value ? Tree::integer(value->count()) : Tree::literal("null");
  };
  for (const auto& [percent, name] :
       {std::pair(1U, "p1_interval"), std::pair(50U, "median_interval"),
        std::pair(90U, "p90_interval"), std::pair(99U, "p99_interval")}) {
    const PercentileInterval interval = percentile_interval(histogram, percent);
    Tree ends = Tree::sequence();
    ends.append(end(interval.low));
    ends.append(end(interval.high));
    tree.add(name, std::move(ends));
  }
  return tree;
}

Tree by_seed_json(const SeedStatistics& seeds) {
  Tree tree = Tree::mapping();
  tree.add("readiness", seeds_json(seeds.readiness));
  tree.add("stand_down", seeds_json(seeds.stand_down));
  tree.add("settled", seeds_json(seeds.settled));
  tree.add("closest_approach", seeds_json(seeds.closest));
  tree.add("owned_share", seeds_json(seeds.owned));
  Tree recovery = Tree::mapping();
  for (std::size_t row = 0; row < seeds.recovery.size(); ++row) {
    if (seeds.recovery[row].empty()) continue;
    recovery.add(std::string(fault_catalogue()[row].name), seeds_json(seeds.recovery[row]));
  }
  tree.add("recovery", std::move(recovery));
  return tree;
}

Tree closest_json(const ClosestApproach& closest) {
  if (!closest.happened()) return Tree::literal("null");
  Tree tree = Tree::mapping();
  tree.add("distance", Tree::integer(closest.distance.count()));
  tree.add("at", Tree::integer(closest.at.count()));
  tree.add("seed", number(closest.seed));
  tree.add("index", number(closest.index));
  tree.add("from", number(closest.from));
  tree.add("to", number(closest.to));
  return tree;
}

Tree statistics_json(const RunStatistics& s) {
  Tree tree = Tree::mapping();
  for (const SummaryRow& row : summary_rows(s)) tree.add(row.key, histogram_json(*row.samples));
  tree.add("closest_approach", closest_json(s.closest));
  tree.add("owned_share", share_json(s.owned, s.present));
  tree.add("covered_share", share_json(s.covered, s.elapsed));
  tree.add("registrations", number(s.registrations));
  tree.add("ghosts", number(s.ghosts));
  tree.add("reorders", number(s.reorders));
  tree.add("changes", number(s.changes));
  tree.add("unfinished", number(s.unfinished));
  tree.add("grants", number(s.grants));
  tree.add("renewals", number(s.renewals));
  Tree losses = Tree::mapping();
  for (std::size_t c = 0; c < kLossCauses; ++c) {
    losses.add(std::string(to_string(static_cast<LossCause>(c))), number(s.losses[c]));
  }
  tree.add("losses", std::move(losses));
  return tree;
}

/// null where the question makes no sense.
Tree settling_json(const std::optional<SettlingOutlook>& outlook) {
  if (!outlook) return Tree::literal("null");
  Tree tree = Tree::mapping();
  tree.add("workers", number(outlook->workers));
  tree.add("slots_apart", Tree::integer(outlook->slots_apart.count()));
  tree.add("spread", Tree::integer(outlook->spread.count()));
  tree.add("largest_group", Tree::integer(outlook->largest));
  tree.add("beyond", Tree::boolean(outlook->is_beyond()));
  if (outlook->is_beyond()) tree.add("warning", Tree::string(settling_warning(*outlook)));
  return tree;
}

}  // namespace

yaml::Tree summary_json(const Scenario& scenario, const CampaignResult& result,
                        const Judgement& judgement) {
  Tree tree = Tree::mapping();
  tree.add("nandi_summary", Tree::integer(kSummaryVersion));
  tree.add("kind", Tree::string("lease"));
  tree.add("scenario", Tree::string(scenario.name));
  tree.add("verdict", verdict(judgement.verdict));
  tree.add("evidence", Tree::string(judgement.evidence));
  tree.add("as_expected", Tree::boolean(judgement.as_expected));
  tree.add("interval", Tree::integer(scenario.group.interval.count()));
  tree.add("settling", settling_json(settling_outlook(scenario)));
  Tree seeds = Tree::mapping();
  seeds.add("first", number(result.seeds.first));
  seeds.add("last", number(result.seeds.last));
  seeds.add("run", number(result.runs));
  tree.add("seeds", std::move(seeds));
  tree.add("interrupted", Tree::boolean(result.interrupted));
  tree.add("properties", property_list(result, judgement));
  Tree bounds = Tree::sequence();
  for (const Finding& bound : judgement.bounds) bounds.append(finding_json(bound));
  tree.add("bounds", std::move(bounds));
  tree.add("events", event_list(result, judgement));
  Tree failing = Tree::sequence();
  for (const std::uint64_t seed : result.failing_seeds) failing.append(number(seed));
  tree.add("failing_seeds", std::move(failing));
  tree.add("runs_violated", number(result.runs_violated));
  tree.add("runs_whole", number(result.runs_whole));
  tree.add("statistics", statistics_json(result.statistics));
  tree.add("by_seed", by_seed_json(result.by_seed));
  tree.add("actions", number(result.actions));
  tree.add("trace_hash", Tree::string(fmt::format("{:016x}", result.trace_hash)));
  return tree;
}

}  // namespace nandi::sim::cli
