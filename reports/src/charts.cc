#include "charts.h"

#include <fmt/format.h>

#include <algorithm>

#include "nandi/sim/quantity_text.h"
#include "svg.h"

namespace nandi::reports {
namespace {

constexpr double kLabels = 250;   ///< room for names on the left
constexpr double kFigures = 230;  ///< room for values on the right
constexpr double kPlot = kChartWidth - kLabels - kFigures;

std::string intervals(std::int64_t value, std::int64_t interval) {
  return sim::intervals_text(Duration(value), Duration(interval)) + " I";
}

/// Vertical lines with their values, from 0 to `most`.
std::string value_axis(double most, double height, std::string_view unit) {
  std::string text;
  const double step = nice_step(most / 6);
  for (int k = 0; step * k <= most * 1.0001; ++k) {
    const double x = kLabels + step * k / most * kPlot;
    text += svg_line(x, 18, x, height - 4, "axis");
    text += svg_text(x, 13, "muted", fmt::format("{:.6g}{}", step * k, unit), "middle");
  }
  return text;
}

std::string distribution_row(const Distribution& d, std::int64_t interval, double scale, double y) {
  const auto x = [&](std::int64_t value) {
    return kLabels + static_cast<double>(std::max<std::int64_t>(value, 0)) * scale;
  };
  const auto percentile = [&](std::size_t p) { return d.percentiles[p - 1]; };
  std::string text = svg_text(kLabels - 8, y + 15, "", d.name, "end");
  text += svg_line(x(d.least), y + 10, x(d.most), y + 10, "ink");
  text += svg_rect(x(percentile(25)), y + 3, std::max(x(percentile(75)) - x(percentile(25)), 1.0),
                   14, "box",
                   fmt::format("{}: the middle half is {} to {}", d.name,
                               sim::duration_text(Duration(percentile(25))),
                               sim::duration_text(Duration(percentile(75)))));
  for (std::size_t p = 3; p <= 99; p += 4) {
    text += svg_line(x(percentile(p)), y + 18, x(percentile(p)), y + 22, "ink");
  }
  text += svg_line(x(percentile(50)), y + 1, x(percentile(50)), y + 19, "alarm");
  text += svg_line(x(d.most), y + 5, x(d.most), y + 15, "ink");
  text += svg_text(kLabels + kPlot + 10, y + 15, "",
                   fmt::format("{}, 99 %: {}", intervals(percentile(50), interval),
                               intervals(percentile(99), interval)));
  return text;
}

}  // namespace

std::string distribution_svg(const std::vector<Distribution>& distributions,
                             std::int64_t interval) {
  constexpr double kRow = 30;
  std::int64_t most = 1;
  std::vector<const Distribution*> shown;
  for (const Distribution& d : distributions) {
    if (d.percentiles.empty()) continue;
    shown.push_back(&d);
    most = std::max(most, d.most);
  }
  if (shown.empty()) return "";
  const double height = 24 + kRow * static_cast<double>(shown.size());
  const double most_intervals = static_cast<double>(most) / static_cast<double>(interval);
  std::string body = value_axis(most_intervals, height, " I");
  double y = 20;
  for (const Distribution* d : shown) {
    body += distribution_row(*d, interval, kPlot / static_cast<double>(most), y);
    y += kRow;
  }
  return svg_frame(
      height, "Distributions over all seeds, in intervals; the table below has the figures", body);
}

std::string bar_svg(const BarChart& chart) {
  constexpr double kRow = 22;
  double most = chart.mark.value_or(0);
  double height = 24;
  for (const auto& [title, bars] : chart.groups) {
    height += (title.empty() ? 6 : 24) + kRow * static_cast<double>(bars.size());
    for (const Bar& bar : bars) most = std::max(most, bar.value + bar.spread);
  }
  if (most <= 0) most = 1;
  std::string body = value_axis(most, height, chart.unit);
  double y = 20;
  for (const auto& [title, bars] : chart.groups) {
    if (!title.empty()) body += svg_text(4, y + 17, "bold", title);
    y += title.empty() ? 6 : 24;
    for (const Bar& bar : bars) {
      const double width = std::max(bar.value / most * kPlot, 0.0);
      body += svg_text(kLabels - 8, y + 14, "", bar.label, "end");
      body += svg_rect(kLabels, y + 2, width, kRow - 6, "bar", bar.label + ": " + bar.text);
      if (bar.spread > 0) {
        const double low = kLabels + std::max(bar.value - bar.spread, 0.0) / most * kPlot;
        const double high = kLabels + (bar.value + bar.spread) / most * kPlot;
        body += svg_line(low, y + 10, high, y + 10, "ink");
        body += svg_line(low, y + 5, low, y + 15, "ink");
        body += svg_line(high, y + 5, high, y + 15, "ink");
      }
      body += svg_text(kLabels + kPlot + 10, y + 14, "", bar.text);
      y += kRow;
    }
  }
  if (chart.mark) {
    const double x = kLabels + *chart.mark / most * kPlot;
    body += svg_line(x, 18, x, height - 4, "near");
  }
  return svg_frame(height, chart.title + "; every bar is labelled with its value", body);
}

std::string difference_svg(const DifferenceChart& chart) {
  constexpr double kRow = 28;
  double most = 0;
  for (const Difference& row : chart.rows) {
    most = std::max(most, std::abs(row.change) + row.spread);
  }
  if (most <= 0) most = 1;
  const double height = 26 + kRow * static_cast<double>(chart.rows.size());
  const double zero = kLabels + kPlot / 2;
  const auto x = [&](double value) { return zero + value / most * kPlot / 2; };
  std::string body;
  const double step = nice_step(most / 3);
  for (int k = -3; k <= 3; ++k) {
    if (std::abs(step * k) > most * 1.0001) continue;
    body += svg_line(x(step * k), 18, x(step * k), height - 4, "axis");
    body += svg_text(x(step * k), 13, "muted", fmt::format("{:+.6g}{}", step * k, chart.unit),
                     "middle");
  }
  body += svg_line(zero, 18, zero, height - 4, "ink");
  double y = 20;
  for (const Difference& row : chart.rows) {
    body += svg_text(kLabels - 8, y + 17, "", row.name, "end");
    body +=
        svg_line(x(row.change - row.spread), y + 12, x(row.change + row.spread), y + 12, "near");
    for (const double end : {row.change - row.spread, row.change + row.spread}) {
      body += svg_line(x(end), y + 6, x(end), y + 18, "near");
    }
    body += svg_rect(x(row.change) - 4, y + 8, 8, 8, "solid", row.text);
    body += svg_text(kLabels + kPlot + 10, y + 17, "", row.text);
    y += kRow;
  }
  return svg_frame(height, chart.title + "; the table has the figures", body);
}

}  // namespace nandi::reports
