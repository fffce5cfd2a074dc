// Any bytes, with and without a unit for the whole file: a histogram that can be drawn from, or a
// LoadError that names the file and, unless it is empty, a line of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "drawable.h"
#include "nandi/sim/tune/histogram_file.h"
#include "nandi/sim/yaml/document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nandi::sim;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* unit : {"", "ms"}) {
    try {
      require_drawable(read_histogram_file(text, "fuzz", unit));
    } catch (const yaml::LoadError& error) {
      if (error.file() == "fuzz" && (text.empty() || error.position().line > 0) &&
          error.position().column <= static_cast<int>(size) + 1) {
        continue;
      }
      std::cerr << "an error without its place: " << error.what() << "\n";
      std::abort();
    }
  }
  return 0;
}
