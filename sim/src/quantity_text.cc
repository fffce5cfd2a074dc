#include "nandi/sim/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "nandi/sim/partition/text_table.h"

namespace nandi::sim {
namespace {

/// numerator / denominator with `digits` decimals, rounded to nearest, ties up.
std::string decimal(Int128 numerator, Int128 denominator, int digits) {
  Int128 scale = 1;
  for (int d = 0; d < digits; ++d) scale *= 10;
  const bool negative = numerator < 0;
  if (negative) numerator = -numerator;
  const auto scaled =
      static_cast<std::int64_t>((2 * numerator * scale + denominator) / (2 * denominator));
  const auto unit = static_cast<std::int64_t>(scale);
  const std::string whole = fmt::format("{}{}", negative && scaled > 0 ? "-" : "", scaled / unit);
  return digits == 0 ? whole : fmt::format("{}.{:0{}}", whole, scaled % unit, digits);
}

}  // namespace

std::string duration_text(Duration duration) {
  const std::int64_t count = duration.count();
  const std::int64_t size = count < 0 ? -count : count;
  if (size == 0) return "0";
  struct Unit {
    std::int64_t size;
    const char* name;
  };
  constexpr Unit kUnits[] = {
      {kNanosecondsPerSecond, "s"}, {kNanosecondsPerMillisecond, "ms"}, {1'000, "us"}};
  for (const Unit& unit : kUnits) {
    // What rounds to a whole unit is one: "1.00 s", not "1000 ms".
    if (size < unit.size - unit.size / 2000) continue;
    const int digits = size >= 100 * unit.size ? 0 : size >= 10 * unit.size ? 1 : 2;
    return decimal(count, unit.size, digits) + " " + unit.name;
  }
  return fmt::format("{} ns", count);
}

std::string intervals_text(Duration duration, Duration interval) {
  return decimal(duration.count(), interval.count(), 2);
}

std::string time_text(TrueTime time) {
  const std::int64_t count = time.count();
  const bool is_tiny = count > -kNanosecondsPerMillisecond && count < kNanosecondsPerMillisecond;
  if (is_tiny && count != 0) return duration_text(Duration(count));
  return decimal(time.count(), kNanosecondsPerSecond, 3) + " s";
}

std::string share_text(Int128 part, Int128 whole) {
  return whole == 0 ? "-" : decimal(part * 100, whole, 1) + " %";
}

std::string estimate_text(double value) {
  const double size = value < 0 ? -value : value;
  const char* const sign = value < 0 ? "-" : "";
  constexpr double kLeast = 1e-6;
  constexpr double kNearlyThousand = 999.5;
  if (size < kLeast) return "0";
  if (size >= kNearlyThousand) return sign + grouped(static_cast<std::uint64_t>(size + 0.5));
  // As many decimals as leave three digits: what the format with an exponent rounds to says where
  // the first of them stands.
  const std::string scientific = fmt::format("{:.2e}", size);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  std::string text = fmt::format("{:.{}f}", size, std::max(0, 2 - exponent));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return sign + text;
}

}  // namespace nandi::sim
