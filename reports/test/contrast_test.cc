// The colours of the page, light, dark and in print, against WCAG 2.1 AA: 4.5 to 1 for text.
// The formula is that of the recommendation (relative luminance of sRGB).
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "page_assets.h"

namespace nandi::reports {
namespace {

using Palette = std::map<std::string, unsigned>;

double channel(unsigned value) {
  const double c = value / 255.0;
  return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(unsigned rgb) {
  return 0.2126 * channel(rgb >> 16 & 255) + 0.7152 * channel(rgb >> 8 & 255) +
         0.0722 * channel(rgb & 255);
}

double contrast(unsigned a, unsigned b) {
  const double high = std::max(luminance(a), luminance(b));
  const double low = std::min(luminance(a), luminance(b));
  return (high + 0.05) / (low + 0.05);
}

/// The variables of each `:root` rule, in order.
std::vector<Palette> palettes() {
  std::vector<Palette> all;
  const std::string style(kPageStyle);
  for (std::size_t at = style.find(":root {"); at != std::string::npos;
       at = style.find(":root {", at + 1)) {
    Palette palette;
    const std::size_t end = style.find('}', at);
    for (std::size_t v = style.find("--", at); v < end; v = style.find("--", v + 1)) {
      const std::size_t colon = style.find(':', v);
      const std::size_t hash = style.find('#', v);
      palette[style.substr(v + 2, colon - v - 2)] =
          static_cast<unsigned>(std::stoul(style.substr(hash + 1, 6), nullptr, 16));
    }
    all.push_back(palette);
  }
  return all;
}

TEST(Contrast, FormulaGivesTheKnownExtremes) {
  EXPECT_NEAR(contrast(0xffffff, 0x000000), 21.0, 0.001);
  EXPECT_NEAR(contrast(0x777777, 0xffffff), 4.48, 0.01) << "the grey that just fails";
}

TEST(Contrast, EveryTextCanBeReadOnWhatItStandsOn) {
  const std::vector<Palette> all = palettes();
  ASSERT_EQ(all.size(), 3U) << "light, dark, print";
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const char* ground : {"page", "panel", "column"}) {
    for (const char* ink : {"text", "muted", "link", "holds", "violated", "unknown", "band"}) {
      pairs.emplace_back(ink, ground);
    }
  }
  for (int fill = 1; fill <= 8; ++fill) pairs.emplace_back("text", "fill" + std::to_string(fill));
  for (const Palette& palette : all) {
    for (const auto& [ink, ground] : pairs) {
      EXPECT_GE(contrast(palette.at(ink), palette.at(ground)), 4.5) << ink << " on " << ground;
    }
  }
}

TEST(Contrast, PrintIsLight) {
  const std::vector<Palette> all = palettes();
  EXPECT_EQ(all.at(0), all.at(2));
}

}  // namespace
}  // namespace nandi::reports
