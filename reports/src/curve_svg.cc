#include <fmt/format.h>

#include <algorithm>

#include "charts.h"
#include "nandi/sim/partition/text_table.h"
#include "svg.h"

namespace nandi::reports {
namespace {

constexpr double kLeast = 90;  ///< room for the values of the axis, more where they are long
constexpr double kRight = 30;
constexpr double kPad = 8;
constexpr double kGlyph = 8;  ///< at least as wide as a digit
constexpr double kTop = 16;
constexpr double kPlotHeight = 220;
constexpr double kBottom = 44;  ///< room for labels and their name

/// A range of whole steps around all points and their intervals.
struct Axis {
  double least = 0;
  double most = 1;
  double step = 1;
  [[nodiscard]] double y(double value) const {
    return kTop + (most - value) / (most - least) * kPlotHeight;
  }
};

Axis axis_of(const std::vector<CurvePoint>& points) {
  double least = points.front().low;
  double most = points.front().high;
  for (const CurvePoint& point : points) {
    least = std::min({least, point.low, point.value});
    most = std::max({most, point.high, point.value});
  }
  if (most <= least) most = least + std::max(std::abs(least), 1.0) / 10;
  const double step = nice_step((most - least) / 5);
  return {std::floor(least / step) * step, std::ceil(most / step) * step, step};
}

/// Six digits; of whole thousands, groups.
std::string axis_text(double value) {
  const auto whole = static_cast<std::uint64_t>(value);
  constexpr double kThousand = 1000;
  if (value >= kThousand && static_cast<double>(whole) == value) return sim::grouped(whole);
  return fmt::format("{:.6g}", value);
}

}  // namespace

std::string curve_svg(const Curve& curve) {
  if (curve.points.empty()) return "";
  const Axis axis = axis_of(curve.points);
  std::vector<std::string> values;
  double left = kLeast;
  for (int k = 0; axis.least + k * axis.step <= axis.most + axis.step / 2; ++k) {
    values.push_back(axis_text(axis.least + k * axis.step) + curve.unit);
    left = std::max(left, kGlyph * static_cast<double>(values.back().size()) + 2 * kPad);
  }
  const double width = kChartWidth - left - kRight;
  std::string body;
  double y = axis.y(axis.least);
  for (const std::string& value : values) {
    body += svg_line(left, y, left + width, y, "axis");
    body += svg_text(left - kPad, y + 4, "muted", value, "end");
    y -= axis.step / (axis.most - axis.least) * kPlotHeight;
  }
  const double apart = width / static_cast<double>(curve.points.size());
  const CurvePoint* before = nullptr;
  double x = left + apart / 2;
  for (const CurvePoint& point : curve.points) {
    if (before != nullptr) {
      body += svg_line(x - apart, axis.y(before->value), x, axis.y(point.value), "ink");
    }
    body += svg_line(x, axis.y(point.low), x, axis.y(point.high), "near");
    for (const double end : {point.low, point.high}) {
      body += svg_line(x - 6, axis.y(end), x + 6, axis.y(end), "near");
    }
    body += svg_rect(x - 4, axis.y(point.value) - 4, 8, 8, "solid",
                     fmt::format("{}: {}", point.label, point.text));
    body += svg_text(x, kTop + kPlotHeight + 18, "", point.label, "middle");
    before = &point;
    x += apart;
  }
  const double height = kTop + kPlotHeight + kBottom;
  body += svg_text(left + width / 2, height - 6, "muted", curve.x, "middle");
  return svg_frame(height, curve.title + "; the table below has the figures", body);
}

}  // namespace nandi::reports
