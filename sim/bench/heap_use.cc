#include "heap_use.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace nandi::sim {

HeapUse& heap_use() {
  static HeapUse use;
  return use;
}

}  // namespace nandi::sim

void* operator new(std::size_t size) {
  void* const place = std::malloc(size);
  if (place == nullptr) throw std::bad_alloc();
  nandi::sim::HeapUse& use = nandi::sim::heap_use();
  use.now += static_cast<std::int64_t>(malloc_usable_size(place));
  use.most = std::max(use.most, use.now);
  return place;
}

void operator delete(void* place) noexcept {
  if (place != nullptr) {
    nandi::sim::heap_use().now -= static_cast<std::int64_t>(malloc_usable_size(place));
  }
  std::free(place);
}

void operator delete(void* place, std::size_t) noexcept { operator delete(place); }
