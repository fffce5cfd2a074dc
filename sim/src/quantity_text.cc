#include "nandi/sim/quantity_text.h"

#include <fmt/format.h>

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

}  // namespace nandi::sim
