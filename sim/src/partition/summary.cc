#include "nandi/sim/partition/summary.h"

#include <algorithm>
#include <array>
#include <cmath>  // tidy: allow determinism, because IEEE 754 rounds sqrt in one way only
#include <utility>

#include <fmt/format.h>

namespace nandi::sim {

double student_975(std::uint64_t degrees_of_freedom) {
  constexpr std::array<std::pair<std::uint64_t, double>, 18> kTable = {{{1, 12.706},
                                                                        {2, 4.303},
                                                                        {3, 3.182},
                                                                        {4, 2.776},
                                                                        {5, 2.571},
                                                                        {6, 2.447},
                                                                        {7, 2.365},
                                                                        {8, 2.306},
                                                                        {9, 2.262},
                                                                        {10, 2.228},
                                                                        {12, 2.179},
                                                                        {15, 2.131},
                                                                        {20, 2.086},
                                                                        {25, 2.060},
                                                                        {30, 2.042},
                                                                        {60, 2.000},
                                                                        {120, 1.980},
                                                                        {1000, 1.962}}};
  double quantile = kTable[0].second;
  for (const auto& [degrees, value] : kTable) {
    if (degrees <= degrees_of_freedom) quantile = value;
  }
  return quantile;
}

Summary summarise(const std::vector<double>& values) {
  Summary summary;
  summary.samples = values.size();
  if (values.empty()) return summary;
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  summary.mean = sum / count;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  summary.least = *least;
  summary.most = *most;
  if (values.size() > 1) {
    double squares = 0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.half_width = student_975(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  }
  return summary;
}

std::string summary_text(const Summary& summary, int digits) {
  const std::string mean = fmt::format("{:.{}f}", summary.mean, digits);
  const std::string half = fmt::format("{:.{}f}", summary.half_width, digits);
  if (half.find_first_not_of("0.") == std::string::npos) return mean;
  return mean + " ± " + half;
}

yaml::Tree summary_json(const Summary& summary) {
  using yaml::Tree;
  Tree out = Tree::mapping();
  out.add("samples", Tree::integer(static_cast<std::int64_t>(summary.samples)));
  out.add("mean", Tree::literal(fmt::format("{:.6f}", summary.mean)));
  out.add("half_width_95", Tree::literal(fmt::format("{:.6f}", summary.half_width)));
  out.add("least", Tree::literal(fmt::format("{:.6f}", summary.least)));
  out.add("most", Tree::literal(fmt::format("{:.6f}", summary.most)));
  return out;
}

}  // namespace nandi::sim
