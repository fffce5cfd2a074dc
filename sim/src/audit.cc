// Judging what the logs say.
#include "nandi/sim/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "nandi/sim/ledger.h"

namespace nandi::sim {
namespace {

/// What was never put to the test does not hold.
AuditFinding unless_vacuous(AuditFinding finding, const char* why) {
  if (finding.applied == 0) {
    finding.verdict = Verdict::unknown;
    finding.text = fmt::format("never put to the test: {}", why);
  }
  return finding;
}

std::string holding_text(const AuditedHolding& h) {
  return fmt::format("{} holds {} of {} from {}..{} to {}..{} us", h.worker, h.pair.index,
                     h.pair.count, h.from.lower, h.from.upper, h.until.lower, h.until.upper);
}

/// Decides for every two holdings of different workers that `concerns` names whether they overlap.
/// Put to the test by every two of which one thing holds and the other might have: held at once, or
/// concerned.
template <class Concerns>
AuditFinding judge_overlaps(const std::string& property, const AuditedGroup& group,
                            Concerns&& concerns) {
  AuditFinding finding{property, Verdict::holds, {}, 0};
  std::uint64_t at_once = 0;
  const auto& all = group.holdings;
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      // Sorted by start, but an earlier holding may last long: no early end of the inner loop.
      if (all[a].worker == all[b].worker) continue;
      const bool is_certain = std::max(all[a].from.upper, all[b].from.upper) <
                              std::min(all[a].until.lower, all[b].until.lower);
      const bool is_possible = std::max(all[a].from.lower, all[b].from.lower) <
                               std::min(all[a].until.upper, all[b].until.upper);
      const bool is_concerned = concerns(all[a], all[b]);
      finding.applied += is_possible || is_concerned ? 1 : 0;
      at_once += is_possible ? 1 : 0;
      if (!is_possible || !is_concerned || finding.verdict == Verdict::violated) continue;
      if (!is_certain && finding.verdict == Verdict::unknown) continue;
      finding.verdict = is_certain ? Verdict::violated : Verdict::unknown;
      finding.text = fmt::format("{}: {}; {}", is_certain ? "at once" : "perhaps at once",
                                 holding_text(all[a]), holding_text(all[b]));
    }
  }
  if (finding.verdict == Verdict::holds) {
    finding.text =
        fmt::format("{} pairs of holdings compared, {} of them at once", finding.applied, at_once);
  }
  return unless_vacuous(finding, "no two workers' holdings to compare");
}

AuditFinding judge_range(const AuditedGroup& group) {
  AuditFinding finding{"index-below-count", Verdict::holds, {}, 0};
  for (const AuditedHolding& h : group.holdings) {
    ++finding.applied;
    if (h.pair.index < h.pair.count || finding.verdict == Verdict::violated) continue;
    finding.verdict = Verdict::violated;
    finding.text = holding_text(h);
  }
  if (finding.text.empty()) finding.text = fmt::format("{} holdings", finding.applied);
  return unless_vacuous(finding, "nothing was held");
}

/// Idle is handed between two pairs, and never twice in a row.
AuditFinding judge_hand_overs(const AuditedGroup& group) {
  AuditFinding finding{"hand-over", Verdict::holds, {}, 0};
  std::map<std::string, std::optional<Pair>> last;
  for (const AuditedHandOver& handed : group.hand_overs) {
    ++finding.applied;
    const auto before = last.find(handed.worker);
    const bool is_first = before == last.end();
    const bool is_change = is_first || before->second.has_value() != handed.pair.has_value();
    if (!is_change && finding.verdict == Verdict::holds) {
      finding.verdict = Verdict::violated;
      finding.text = fmt::format("{} was handed {} twice in a row", handed.worker,
                                 handed.pair ? "a pair" : "idle");
    }
    last[handed.worker] = handed.pair;
  }
  if (finding.text.empty()) {
    finding.text = fmt::format("{} hand-overs, idle before every new pair", finding.applied);
  }
  return unless_vacuous(finding, "nothing was handed over");
}

std::optional<AuditedApproach> find_closest(const AuditedGroup& group) {
  std::optional<AuditedApproach> closest;
  for (const AuditedHolding& before : group.holdings) {
    for (const AuditedHolding& after : group.holdings) {
      if (before.worker == after.worker || before.pair.index != after.pair.index) continue;
      if (after.from.lower < before.from.lower) continue;
      const StoreBounds distance{after.from.lower - before.until.upper,
                                 after.from.upper - before.until.lower};
      if (!closest || distance.lower < closest->distance.lower) {
        closest = AuditedApproach{before.pair.index, before.worker, after.worker, distance};
      }
    }
  }
  return closest;
}

void count_registrations(const AuditedGroup& group, AuditReport& report) {
  std::map<IntervalNumber, std::map<std::uint32_t, std::string>> given;
  std::map<IntervalNumber, std::uint32_t> closed;
  for (const AuditedRegistration& r : group.registrations) {
    const auto [place, is_new] = given[r.interval].try_emplace(r.index, r.worker);
    report.repeated_indexes += is_new ? 0 : 1;
    if (r.replicas) closed[r.interval - 1] = *r.replicas;
  }
  report.intervals = given.size();
  for (const auto& [interval, count] : closed) {
    // A group that was there before these logs begin is none of their business.
    const auto known = given.find(interval);
    if (known == given.end()) continue;
    for (std::uint32_t index = 0; index < count; ++index) {
      if (!known->second.contains(index)) report.uncovered.push_back({interval, index, count});
    }
  }
}

std::vector<ServerStall> find_stalls(const AuditedGroup& group) {
  std::vector<ServerStall> stalls;
  ServerStall stall;
  std::set<std::string> workers;
  const auto close = [&](std::optional<StoreBounds> until) {
    // One worker's failures may be its own.
    if (workers.size() >= 2) {
      stall.workers = workers.size();
      if (until) stall.until = *until;
      stalls.push_back(stall);
    }
    stall = {};
    workers.clear();
  };
  for (const AuditedAttempt& attempt : group.attempts) {
    if (attempt.error.empty()) {
      close(attempt.at);
      continue;
    }
    if (workers.empty()) stall.from = attempt.at;
    workers.insert(attempt.worker);
    stall.until = attempt.at;
    ++stall.failures[attempt.error];
  }
  close(std::nullopt);
  return stalls;
}

void count_owned(const AuditedGroup& group, AuditReport& report) {
  std::map<std::string, StoreBounds> seen;
  for (const AuditedHolding& h : group.holdings) {
    report.owned_us += std::max<std::int64_t>(0, h.until.lower - h.from.upper);
    const auto [place, is_new] = seen.try_emplace(h.worker, StoreBounds{h.from.lower, 0});
    place->second.lower = std::min(place->second.lower, h.from.lower);
    place->second.upper = std::max(place->second.upper, h.until.upper);
  }
  for (const auto& [worker, span] : seen) report.total_us += span.upper - span.lower;
}

}  // namespace

AuditReport audit(const AuditedGroup& group) {
  AuditReport report;
  report.findings = {judge_overlaps("lease-exclusive", group,
                                    [](const AuditedHolding& a, const AuditedHolding& b) {
                                      return a.pair.index == b.pair.index;
                                    }),
                     judge_overlaps("tasks-disjoint", group,
                                    [](const AuditedHolding& a, const AuditedHolding& b) {
                                      return share_a_task(a.pair, b.pair);
                                    }),
                     judge_overlaps("one-count", group,
                                    [](const AuditedHolding& a, const AuditedHolding& b) {
                                      return a.pair.count != b.pair.count;
                                    }),
                     judge_range(group), judge_hand_overs(group)};
  report.closest = find_closest(group);
  count_registrations(group, report);
  report.stalls = find_stalls(group);
  count_owned(group, report);

  report.verdict = Verdict::holds;
  for (const AuditFinding& finding : report.findings) {
    if (finding.verdict == Verdict::violated) report.verdict = Verdict::violated;
    if (finding.verdict == Verdict::unknown && report.verdict == Verdict::holds) {
      report.verdict = Verdict::unknown;
    }
  }
  return report;
}

}  // namespace nandi::sim
