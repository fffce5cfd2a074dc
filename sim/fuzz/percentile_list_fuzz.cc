// Any bytes as percentiles on the command line: a distribution that can be drawn from and has them,
// or an error that names the option.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "drawable.h"
#include "nandi/sim/tune/percentile_list.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nandi::sim;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const HistogramDelay delay = parse_percentiles(text, "--latency");
    require_drawable(delay);
    std::uint64_t count = 0;
    for (const HistogramBucket& bucket : delay.buckets) count += bucket.count;
    constexpr std::uint64_t kAll = 10'000;
    if (count != kAll) {
      std::cerr << "percentiles of " << count << " values\n";
      std::abort();
    }
  } catch (const std::invalid_argument& error) {
    if (std::string_view(error.what()).substr(0, 11) == "--latency: ") return 0;
    std::cerr << "an error without its option: " << error.what() << "\n";
    std::abort();
  }
  return 0;
}
