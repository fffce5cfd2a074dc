#include <fmt/format.h>

#include "nandi/reports/study_report.h"
#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/quantity_text.h"
#include "study_outline.h"

namespace nandi::reports {
namespace {

using sim::SettlingFigures;

std::string size_text(std::int64_t size) { return sim::grouped(static_cast<std::uint64_t>(size)); }

std::string measured_text(const SettlingFigures& figures) {
  const auto end = [](const std::optional<std::uint32_t>& value) {
    return value ? sim::grouped(*value) : std::string("open");
  };
  return fmt::format("{} [{}, {}]", sim::grouped(figures.median), end(figures.low),
                     end(figures.high));
}

Curve curve_of(const sim::SettlingResult& result, sim::JitterShape shape) {
  Curve curve{fmt::format("Largest group that settles, delays {}", sim::jitter_shape_name(shape)),
              "Median over the seeds; the line at each point holds it with 95 %.",
              "jitter",
              " workers",
              {}};
  for (const SettlingFigures& figures : result.figures) {
    if (figures.shape != shape) continue;
    curve.points.push_back({sim::duration_text(figures.jitter), static_cast<double>(figures.median),
                            static_cast<double>(figures.low.value_or(figures.median)),
                            static_cast<double>(figures.high.value_or(figures.median)),
                            fmt::format("{} workers; {} predicted", measured_text(figures),
                                        size_text(figures.predicted))});
  }
  return curve;
}

Table size_table(const sim::SettlingResult& result) {
  Table table{"Sizes of group",
              "Up to the first no worker ever stands down once the group has settled; up to the "
              "others at most in one of a thousand intervals.",
              {"delays", "jitter", "never up to", "predicted", "measured, with 95 %",
               "stand-downs a worker and interval at twice the predicted"},
              {}};
  for (const SettlingFigures& figures : result.figures) {
    table.rows.push_back({sim::jitter_shape_name(figures.shape), sim::duration_text(figures.jitter),
                          figures.bound ? size_text(*figures.bound) : "-",
                          size_text(figures.predicted), measured_text(figures),
                          fmt::format("{:.3f}", figures.rate_at_twice())});
  }
  return table;
}

}  // namespace

Report settling_report(const std::string& file, const std::string& command,
                       const sim::SettlingResult& result) {
  const sim::SettlingStudy& study = result.study;
  Report report = study_outline("settling study", file, command, result.verdict, result.properties,
                                study.expect);
  report.facts = {{"interval", sim::duration_text(study.interval)},
                  {"gap", to_string(study.gap)},
                  {"resolution of the store's clock", sim::duration_text(study.resolution)},
                  {"seeds", sim::grouped(study.seeds.second - study.seeds.first + 1)},
                  {"settled", "at most one stand-down in 1,000 intervals of a worker"}};
  Section section{"From how many workers on a group does not settle", "", {}};
  section.blocks.emplace_back(size_table(result));
  for (const sim::JitterShape shape : study.shapes) {
    Curve curve = curve_of(result, shape);
    if (!curve.points.empty()) section.blocks.emplace_back(std::move(curve));
  }
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace nandi::reports
