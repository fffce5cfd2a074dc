#include "nandi/sim/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/swarm.h"

namespace nandi::sim {
namespace {

bool is_named(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Finding judge_property(const PropertyInfo& info, const PropertyTally& tally, bool is_checked,
                       bool vacuous_ok, const CampaignResult& result) {
  Finding finding;
  finding.name = info.name;
  finding.counts = is_checked;
  finding.listed = is_checked || info.kind != PropertyKind::on_request;
  if (!finding.listed) {
    finding.evidence = "not asked for";
    return finding;
  }
  if (tally.runs_violated > 0) {
    finding.verdict = Verdict::violated;
    finding.evidence = result.runs == 1
                           ? fmt::format("seed {}", tally.first_seed)
                           : fmt::format("{} of {}, first seed {}", grouped(tally.runs_violated),
                                         counted(result.runs, "seed"), tally.first_seed);
  } else if (result.runs == 0) {
    finding.evidence = "no run";
  } else if (tally.reached == 0 && !vacuous_ok) {
    finding.evidence = fmt::format("never put to the test; it takes that {}", info.partner);
  } else if (tally.reached == 0) {
    finding.verdict = Verdict::holds;
    finding.evidence = "not put to the test, as the file allows";
  } else {
    finding.verdict = Verdict::holds;
    finding.evidence =
        fmt::format("{}, tested {}", counted(result.runs, "seed"), counted(tally.reached, "time"));
  }
  return finding;
}

/// value (in intervals or as a share) as an exact fraction.
struct Exact {
  Int128 numerator = 0;
  Int128 denominator = 1;
};

bool is_below(const Exact& value, Fraction limit) {
  return value.numerator * limit.denominator() < Int128{limit.numerator()} * value.denominator;
}
bool is_above(const Exact& value, Fraction limit) {
  return value.numerator * limit.denominator() > Int128{limit.numerator()} * value.denominator;
}

struct Range {
  Exact least;
  Exact most;
  std::uint64_t samples = 0;
};

Range range_of(const Histogram& histogram, Duration interval) {
  if (histogram.empty()) return {};
  return {{histogram.least().count(), interval.count()},
          {histogram.most().count(), interval.count()},
          histogram.count()};
}

Range measured(Measure measure, const RunStatistics& s, Duration interval) {
  switch (measure) {
    case Measure::readiness: return range_of(s.readiness.plain, interval);
    case Measure::stand_down: return range_of(s.stand_down.plain, interval);
    case Measure::join: return range_of(s.join.plain, interval);
    case Measure::departure: return range_of(s.departure.plain, interval);
    case Measure::unowned: return range_of(s.unowned.plain, interval);
    case Measure::recovery: return range_of(s.recovery, interval);
    case Measure::closest_approach: {
      if (!s.closest.happened()) return {};
      const Exact value{s.closest.distance.count(), interval.count()};
      return {value, value, 1};
    }
    case Measure::owned_share: {
      if (s.present == 0) return {};
      const Exact value{s.owned, s.present};
      return {value, value, 1};
    }
  }
  return {};
}

/// With three digits, rounded to nearest; the number is small.
std::string decimal(const Exact& value) {
  const Int128 thousandths =
      floor_div(value.numerator * 2000 + value.denominator, 2 * value.denominator);
  const auto whole = static_cast<std::int64_t>(thousandths);
  return fmt::format("{}{}.{:03}", whole < 0 ? "-" : "", std::abs(whole) / 1000,
                     std::abs(whole) % 1000);
}

Finding judge_bound(const Bound& bound, const Scenario& scenario, const CampaignResult& result) {
  Finding finding;
  const bool is_share = bound.measure == Measure::owned_share;
  finding.name = measure_name(bound.measure);
  if (bound.at_least) finding.name += " at least " + to_string(*bound.at_least);
  if (bound.at_most) finding.name += " at most " + to_string(*bound.at_most);
  const Range range = measured(bound.measure, result.statistics, scenario.group.interval);
  if (range.samples == 0) {
    finding.evidence = "nothing to measure";
    return finding;
  }
  const bool low = bound.at_least && is_below(range.least, *bound.at_least);
  const bool high = bound.at_most && is_above(range.most, *bound.at_most);
  finding.verdict = low || high ? Verdict::violated : Verdict::holds;
  const std::string unit = is_share ? "" : " intervals";
  finding.evidence = range.samples == 1
                         ? fmt::format("{}{}", decimal(range.most), unit)
                         : fmt::format("{} to {}{}, {}", decimal(range.least), decimal(range.most),
                                       unit, counted(range.samples, "sample"));
  return finding;
}

/// " 2" for the second of several of one name, so that each row has a name of its own; nothing for
/// the only one.
std::string ordinal_of(const std::vector<FaultSource>& sources, std::size_t place) {
  std::size_t ordinal = 0;
  std::size_t all = 0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    if (sources[s].name != sources[place].name) continue;
    ++all;
    if (s <= place) ++ordinal;
  }
  return all == 1 ? "" : fmt::format(" {}", ordinal);
}

Finding judge_fault(const Scenario& scenario, const std::vector<FaultSource>& sources,
                    std::size_t place, const FaultCount& count) {
  const FaultSource& source = sources[place];
  Finding finding;
  finding.name = source.name + ordinal_of(sources, place);
  if (!source.is_on) {
    finding.verdict = Verdict::holds;
    finding.counts = false;
    finding.is_off = true;
    finding.evidence = fmt::format("it breaks an assumption that is kept: {}", source.reason);
    return finding;
  }
  const bool vacuous_ok = is_named(scenario.expect.vacuous_ok, source.name);
  finding.verdict = count.fired > 0 || vacuous_ok ? Verdict::holds : Verdict::unknown;
  finding.evidence =
      count.fired > 0
          ? fmt::format("came up {}, struck {}, changed {}", counted(count.armed, "time"),
                        counted(count.fired, "time"), counted(count.changed, "outcome"))
          : fmt::format("came up {}, never struck anything", counted(count.armed, "time"));
  return finding;
}

void collect(const std::vector<Finding>& findings, Judgement& judgement) {
  for (const Finding& finding : findings) {
    if (!finding.counts) continue;
    if (judgement.verdict == Verdict::holds && finding.verdict == Verdict::unknown) {
      judgement.evidence = finding.name + ": " + finding.evidence;
    }
    judgement.verdict = worse(judgement.verdict, finding.verdict);
  }
}

bool is_as_expected(const Expectation& expect, const Judgement& judgement) {
  if (judgement.verdict != expect.verdict) return false;
  if (expect.verdict != Verdict::violated || expect.property.empty()) return true;
  for (const Finding& finding : judgement.properties) {
    if (finding.name == expect.property) return finding.verdict == Verdict::violated;
  }
  return false;
}

}  // namespace

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::violated || b == Verdict::violated) return Verdict::violated;
  if (a == Verdict::unknown || b == Verdict::unknown) return Verdict::unknown;
  return Verdict::holds;
}

std::string counted(std::uint64_t number, const std::string& noun) {
  return grouped(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string measure_name(Measure measure) {
  constexpr const char* kNames[] = {"readiness",        "stand_down", "join",
                                    "departure",        "unowned",    "recovery",
                                    "closest_approach", "owned_share"};
  return kNames[static_cast<std::size_t>(measure)];
}

Judgement judge(const Scenario& scenario, const CampaignResult& result) {
  Judgement judgement;
  const std::vector<bool> checked = checked_properties(scenario);
  for (std::size_t p = 0; p < property_infos().size(); ++p) {
    const PropertyInfo& info = property_infos()[p];
    if (info.name == SettlesAfterFaults::kInfo.name && !scenario.settle) {
      judgement.properties.push_back(
          {std::string(info.name), Verdict::holds, "no liveness phase", false, false});
      continue;
    }
    judgement.properties.push_back(judge_property(info, result.properties[p], checked[p],
                                                  is_named(scenario.expect.vacuous_ok, info.name),
                                                  result));
  }
  for (const Bound& bound : scenario.expect.bounds) {
    judgement.bounds.push_back(judge_bound(bound, scenario, result));
  }
  const std::vector<FaultSource> sources = fault_sources(scenario);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    judgement.faults.push_back(judge_fault(scenario, sources, s, result.faults[s]));
  }

  judgement.verdict = Verdict::holds;
  judgement.evidence = counted(result.runs, "seed");
  if (result.runs == 0) judgement.verdict = Verdict::unknown;
  collect(judgement.properties, judgement);
  collect(judgement.bounds, judgement);
  collect(judgement.faults, judgement);
  if (result.interrupted && judgement.verdict == Verdict::holds) {
    judgement.verdict = Verdict::unknown;
    judgement.evidence = fmt::format("interrupted after {}", counted(result.runs, "seed"));
  }
  judgement.as_expected = is_as_expected(scenario.expect, judgement);
  return judgement;
}

}  // namespace nandi::sim
