#include "nandi/sim/tune/percentile_list.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include "nandi/sim/yaml/names.h"
#include "plain_duration.h"

namespace nandi::sim {
namespace {

struct Name {
  const char* name;
  std::uint64_t below;  ///< of 10,000 values
};
constexpr std::array<Name, 8> kNames{{{"min", 0},
                                      {"p50", 5000},
                                      {"p90", 9000},
                                      {"p95", 9500},
                                      {"p99", 9900},
                                      {"p999", 9990},
                                      {"p9999", 9999},
                                      {"max", 10'000}}};
constexpr std::size_t kMedian = 1;

using Values = std::array<std::optional<Duration>, kNames.size()>;

/// `option` with the name of the percentile: "--latency: p50".
Duration value_of(const std::string& text, const std::string& option) {
  const std::optional<Duration> value = plain_duration(text);
  if (!value) {
    throw std::invalid_argument(option + ": '" + text + "' is no duration; write one such as 20ms");
  }
  if (*value > kLongestDelay) {
    throw std::invalid_argument(option + ": '" + text +
                                "' is longer than an hour; no group could be tuned for that");
  }
  return *value;
}

void take(const std::string& item, const std::string& option, Values& values) {
  const std::size_t equals = item.find('=');
  if (equals == std::string::npos) {
    throw std::invalid_argument(option + ": '" + item +
                                "' is no percentile; write one such as p99=20ms");
  }
  const std::string name = item.substr(0, equals);
  const auto* known = std::find_if(kNames.begin(), kNames.end(),
                                   [&](const Name& entry) { return name == entry.name; });
  if (known == kNames.end()) {
    std::vector<std::string> names;
    for (const Name& entry : kNames) names.emplace_back(entry.name);
    throw std::invalid_argument(option + ": no percentile '" + name + "'; " +
                                yaml::name_advice(name, names));
  }
  auto& value = values[static_cast<std::size_t>(known - kNames.begin())];
  if (value) {
    throw std::invalid_argument(option + ": '" + name + "' is given twice; keep one");
  }
  value = value_of(item.substr(equals + 1), option + ": " + name);
}

}  // namespace

HistogramDelay parse_percentiles(std::string_view text, const std::string& option) {
  Values values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    take(std::string(text.substr(begin, comma - begin)), option, values);
    begin = comma + 1;
  }
  if (!values[kMedian] || !values.back()) {
    throw std::invalid_argument(option +
                                ": p50 and max are needed; write p50=1ms,p99=20ms,max=50ms");
  }
  HistogramDelay histogram;
  histogram.from = values[0].value_or(*values[kMedian] / 2);
  Duration last = histogram.from;      // the end of the last bucket
  Duration previous = histogram.from;  // the percentile that it stands for
  std::uint64_t below = 0;
  // A bucket ends before its `to`; equal percentiles share a bucket one unit wide.
  for (std::size_t i = kMedian; i < kNames.size(); ++i) {
    if (!values[i]) continue;
    if (*values[i] < previous) {
      throw std::invalid_argument(option + ": " + kNames[i].name +
                                  " is less than what stands below it; percentiles rise");
    }
    const Duration to = std::max(*values[i], last) + Duration(1);
    histogram.buckets.push_back({to, kNames[i].below - below});
    below = kNames[i].below;
    last = to;
    previous = *values[i];
  }
  return histogram;
}

}  // namespace nandi::sim
