// What a single-threaded program has on the heap through operator new, which heap_use.cc replaces.
#pragma once

#include <cstdint>

namespace nandi::sim {

struct HeapUse {
  std::int64_t now = 0;   ///< bytes, with what malloc rounds up
  std::int64_t most = 0;  ///< since it was last set
};

[[nodiscard]] HeapUse& heap_use();

}  // namespace nandi::sim
