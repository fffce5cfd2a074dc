// Pieces that the charts are made of. Coordinates are in units of a view box 1000 wide.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "nandi/reports/page.h"

namespace nandi::reports {

inline constexpr double kChartWidth = 1000;

inline std::string svg_text(double x, double y, std::string_view classes, std::string_view text,
                            std::string_view anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n",
                     x, y, classes, anchor, html_text(text));
}

inline std::string svg_line(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
      y2, classes);
}

/// `title`: shown by browsers where the pointer rests; may be empty.
inline std::string svg_rect(double x, double y, double width, double height,
                            std::string_view classes, std::string_view title = "") {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\">{}</rect>\n",
      x, y, width, height, classes,
      title.empty() ? "" : fmt::format("<title>{}</title>", html_text(title)));
}

inline std::string svg_frame(double height, std::string_view description, const std::string& body,
                             double width = kChartWidth) {
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n", width,
      height, html_text(description), body);
}

/// About how wide a text is drawn, in the font of the charts.
inline double text_width(std::string_view text) { return static_cast<double>(text.size()) * 7.5; }

/// The least of 1, 2, 5 times a power of ten that is at least `rough` > 0.
inline double nice_step(double rough) {
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

}  // namespace nandi::reports
