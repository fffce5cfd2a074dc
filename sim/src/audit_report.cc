// An audit as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "nandi/sim/audit.h"

namespace nandi::sim {
namespace {

std::string in_ms(std::int64_t us) {
  return fmt::format("{}{}.{:03} ms", us < 0 ? "-" : "", std::abs(us) / 1000, std::abs(us) % 1000);
}

std::string evidence(const AuditedGroup& group, const AuditReport& report) {
  if (group.registrations.empty() && group.holdings.empty()) {
    return "no registration in these logs; they have to be logged with --log trace";
  }
  std::set<std::string> holders;
  for (const AuditedHolding& h : group.holdings) holders.insert(h.worker);
  if (report.verdict == Verdict::unknown && holders.size() < 2) {
    return fmt::format("{} of {} workers ever held a pair: nothing that could overlap",
                       holders.size(), group.workers.size());
  }
  if (report.verdict == Verdict::unknown) {
    for (const AuditFinding& finding : report.findings) {
      if (finding.verdict == Verdict::unknown) return finding.property + ": " + finding.text;
    }
  }
  return fmt::format("{} workers, {} intervals, {} holdings", group.workers.size(),
                     report.intervals, group.holdings.size());
}

void write_uncovered(const AuditReport& report, std::ostream& out) {
  constexpr std::size_t kShown = 5;
  fmt::memory_buffer text;
  for (std::size_t i = 0; i < report.uncovered.size() && i < kShown; ++i) {
    const UncoveredIndex& u = report.uncovered[i];
    fmt::format_to(std::back_inserter(text), "{}{} of {} in interval {}", i == 0 ? "" : ", ",
                   u.index, u.count, u.interval);
  }
  const std::size_t rest = report.uncovered.size() > kShown ? report.uncovered.size() - kShown : 0;
  out << fmt::format("  indexes of nobody     {}{}{}{}\n", report.uncovered.size(),
                     report.uncovered.empty() ? "" : ": ", fmt::to_string(text),
                     rest == 0 ? "" : fmt::format(" and {} more", rest));
}

void write_stalls(const AuditReport& report, std::ostream& out) {
  out << fmt::format("  server stalls         {}\n", report.stalls.size());
  for (const ServerStall& stall : report.stalls) {
    fmt::memory_buffer classes;
    for (const auto& [error, count] : stall.failures) {
      fmt::format_to(std::back_inserter(classes), ", {} {}", count, error);
    }
    out << fmt::format("                        {}: nobody of {} workers was answered{}\n",
                       in_ms(stall.until.upper - stall.from.lower), stall.workers,
                       fmt::to_string(classes));
  }
}

}  // namespace

void write_audit_text(const AuditedGroup& group, const AuditReport& report, std::ostream& out) {
  out << fmt::format("group {}, interval {}: {} ({})\n\n", group.name, in_ms(group.interval_us),
                     verdict_name(report.verdict), evidence(group, report));
  for (const AuditFinding& finding : report.findings) {
    out << fmt::format("  {:<9} {:<18} {}\n", verdict_name(finding.verdict), finding.property,
                       finding.text);
  }
  out << "\n";
  if (report.closest) {
    out << fmt::format(
        "  closest approach      index {}: at least {}, at most {} between {} and {}\n",
        report.closest->index, in_ms(report.closest->distance.lower),
        in_ms(report.closest->distance.upper), report.closest->before, report.closest->after);
  } else {
    out << "  closest approach      no index passed from one worker to another\n";
  }
  if (report.total_us > 0) {
    const std::int64_t permille = report.owned_us * 1000 / report.total_us;
    out << fmt::format("  worker-time owned     {}.{} % (between first grant and last end)\n",
                       permille / 10, permille % 10);
  }
  out << fmt::format(
      "  attempts abandoned    {} (each that left its worker may count as a ghost), {} failed\n",
      group.abandoned, group.failed);
  write_stalls(report, out);
  write_uncovered(report, out);
  if (report.repeated_indexes != 0) {
    out << fmt::format(
        "  repeated indexes      {}: the store gave one index twice in an interval, so it lost "
        "writes;\n                        nothing is promised for such an interval\n",
        report.repeated_indexes);
  }
  out << "\n";
  for (const AuditedHolding& h : group.holdings) {
    out << fmt::format("  {:<24} {:>3} of {:<3} for {:>14}  {}\n", h.worker, h.pair.index,
                       h.pair.count, in_ms(h.until.lower - h.from.upper),
                       h.log_ends ? "until its log ends" : "until " + h.cause);
  }
}

void write_audit_json(const AuditedGroup& group, const AuditReport& report, std::ostream& out) {
  using Json = nlohmann::ordered_json;
  const auto bounds = [](const StoreBounds& b) { return Json::array({b.lower, b.upper}); };
  Json json = {{"version", 1},
               {"kind", "audit"},
               {"group", group.name},
               {"interval_us", group.interval_us},
               {"verdict", verdict_name(report.verdict)},
               {"evidence", evidence(group, report)}};
  json["properties"] = Json::array();
  for (const AuditFinding& finding : report.findings) {
    json["properties"].push_back({{"name", finding.property},
                                  {"verdict", verdict_name(finding.verdict)},
                                  {"applied", finding.applied},
                                  {"text", finding.text}});
  }
  json["closest_approach"] = nullptr;
  if (report.closest) {
    json["closest_approach"] = {{"index", report.closest->index},
                                {"before", report.closest->before},
                                {"after", report.closest->after},
                                {"distance_us", bounds(report.closest->distance)}};
  }
  json["owned_us"] = report.owned_us;
  json["total_us"] = report.total_us;
  json["abandoned"] = group.abandoned;
  json["failed"] = group.failed;
  json["repeated_indexes"] = report.repeated_indexes;
  json["intervals"] = report.intervals;
  json["stalls"] = Json::array();
  for (const ServerStall& stall : report.stalls) {
    json["stalls"].push_back({{"from_us", bounds(stall.from)},
                              {"until_us", bounds(stall.until)},
                              {"workers", stall.workers},
                              {"failures", stall.failures}});
  }
  json["uncovered"] = Json::array();
  for (const UncoveredIndex& u : report.uncovered) {
    json["uncovered"].push_back({{"interval", u.interval}, {"index", u.index}, {"n", u.count}});
  }
  json["workers"] = group.workers;
  json["holdings"] = Json::array();
  for (const AuditedHolding& h : group.holdings) {
    json["holdings"].push_back({{"worker", h.worker},
                                {"i", h.pair.index},
                                {"n", h.pair.count},
                                {"from_us", bounds(h.from)},
                                {"until_us", bounds(h.until)},
                                {"cause", h.log_ends ? Json(nullptr) : Json(h.cause)}});
  }
  out << json.dump(2) << "\n";
}

}  // namespace nandi::sim
