#include "nandi/reports/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "nandi/reports/timeline_collector.h"
#include "nandi/reports/trace_reader.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/quantity_text.h"

namespace nandi::reports {
namespace {

using Json = nlohmann::json;

struct Figure {
  std::string key;
  std::int64_t median = 0;
  std::optional<std::int64_t> low;  ///< of the median's 95 % interval
  std::optional<std::int64_t> high;
};

struct Side {
  std::string folder;
  Json verdict;
  std::vector<Figure> figures;
  Timeline timeline;
};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw std::runtime_error(fmt::format(
      "{}: {}; name folders that nandi-sim --out wrote for a lease scenario", file.string(), what));
}

/// A median over samples, or over seeds with its interval.
std::optional<Figure> figure_of(const std::string& key, const Json& entry) {
  if (!entry.is_object() || !entry.contains("median") || !entry["median"].is_number_integer()) {
    return std::nullopt;
  }
  Figure figure{key, entry["median"].get<std::int64_t>(), {}, {}};
  const auto interval = entry.find("median_interval");
  if (interval == entry.end() || !interval->is_array() || interval->size() != 2) return figure;
  if ((*interval)[0].is_number_integer()) figure.low = (*interval)[0].get<std::int64_t>();
  if ((*interval)[1].is_number_integer()) figure.high = (*interval)[1].get<std::int64_t>();
  return figure;
}

/// "stand_down_reordered" is "stand down, reordered".
std::string figure_name(std::string key) {
  constexpr std::string_view kReordered = "_reordered";
  const bool is_reordered = key.ends_with(kReordered);
  if (is_reordered) key.resize(key.size() - kReordered.size());
  std::replace(key.begin(), key.end(), '_', ' ');
  return is_reordered ? key + ", reordered" : key;
}

std::vector<Figure> figures_of(const Json& verdict) {
  std::vector<Figure> figures;
  for (const char* part : {"by_seed", "statistics"}) {
    const auto found = verdict.find(part);
    if (found == verdict.end() || !found->is_object()) continue;
    for (const auto& [key, entry] : found->items()) {
      const bool is_share = key.find("share") != std::string::npos;
      const std::string name = figure_name(key) + (part[0] == 'b' ? ", by seed" : "");
      std::optional<Figure> figure = is_share ? std::nullopt : figure_of(name, entry);
      if (figure) figures.push_back(std::move(*figure));
    }
  }
  return figures;
}

Side side_of(const std::filesystem::path& folder) {
  Side side;
  side.folder = folder.string();
  const std::filesystem::path verdict = folder / "verdict.json";
  std::ifstream json(verdict);
  if (!json) fail(verdict, "cannot be read");
  side.verdict = Json::parse(json, nullptr, false);
  if (!side.verdict.is_object() || side.verdict.value("nandi_summary", 0) != 1 ||
      !side.verdict.contains("verdict") || !side.verdict["verdict"].is_string()) {
    fail(verdict, "is no summary of version 1");
  }
  side.figures = figures_of(side.verdict);
  const std::filesystem::path trace = folder / "trace.ndjson";
  std::ifstream lines(trace, std::ios::binary);
  if (!lines) fail(trace, "cannot be read");
  TraceReader reader(lines, trace.string());
  TimelineCollector collector(reader.header().interval, std::nullopt);
  const TraceEnd end = reader.read(collector);
  side.timeline = collector.finish(end.at);
  side.timeline.label =
      fmt::format("{}: {}, seed {}", side.folder, reader.header().scenario, reader.header().seed);
  return side;
}

std::string duration(std::int64_t value) { return sim::duration_text(Duration(value)); }

std::string signed_duration(std::int64_t value) {
  return value < 0 ? duration(value) : "+" + duration(value);
}

/// The medians lie in their intervals, so their difference lies between the outermost differences.
std::optional<Difference> difference_of(const Figure& a, const Figure& b) {
  if (a.key != b.key) return std::nullopt;
  constexpr double kMillisecond = 1e6;
  const std::int64_t change = b.median - a.median;
  Difference row{
      a.key, duration(a.median),     duration(b.median), static_cast<double>(change) / kMillisecond,
      0,     signed_duration(change)};
  if (!a.low || !a.high || !b.low || !b.high) return row;
  const std::int64_t low = *b.low - *a.high;
  const std::int64_t high = *b.high - *a.low;
  row.spread = static_cast<double>(std::max(change - low, high - change)) / kMillisecond;
  row.text = fmt::format("{} ({} to {})", signed_duration(change), signed_duration(low),
                         signed_duration(high));
  return row;
}

DifferenceChart chart_of(const Side& first, const Side& other) {
  DifferenceChart chart{fmt::format("{} against {}", other.folder, first.folder),
                        "Changes of medians. Where a line has ends, the medians over the seeds lie "
                        "in their 95 % intervals for all the changes between them.",
                        " ms",
                        {}};
  for (const Figure& figure : first.figures) {
    for (const Figure& same : other.figures) {
      const std::optional<Difference> row = difference_of(figure, same);
      if (row) chart.rows.push_back(*row);
    }
  }
  return chart;
}

sim::Verdict verdict_of(const Json& summary) {
  for (const sim::Verdict verdict : {sim::Verdict::holds, sim::Verdict::violated}) {
    if (summary["verdict"] == sim::verdict_name(verdict)) return verdict;
  }
  return sim::Verdict::unknown;
}

}  // namespace

Report comparison_report(const std::vector<std::filesystem::path>& folders,
                         const std::string& command) {
  std::vector<Side> sides;
  for (const std::filesystem::path& folder : folders) sides.push_back(side_of(folder));
  Report report;
  report.kind = "comparison";
  report.title = "comparison";
  report.command = command;
  report.verdict = sim::Verdict::holds;
  Table verdicts{"", "", {"run", "scenario", "verdict", "evidence"}, {}};
  for (const Side& side : sides) {
    report.verdict = worse(report.verdict, verdict_of(side.verdict));
    verdicts.rows.push_back({side.folder, side.verdict.value("scenario", ""),
                             side.verdict["verdict"].get<std::string>(),
                             side.verdict.value("evidence", "")});
  }
  report.evidence = fmt::format("the worst verdict of {} runs", sides.size());
  report.sections.push_back({"Verdicts", "", {std::move(verdicts)}});
  Section differences{"What differs", "", {}};
  for (std::size_t s = 1; s < sides.size(); ++s) {
    differences.blocks.emplace_back(chart_of(sides.front(), sides[s]));
  }
  report.sections.push_back(std::move(differences));
  for (Side& side : sides) report.timelines.push_back(std::move(side.timeline));
  return report;
}

}  // namespace nandi::reports
