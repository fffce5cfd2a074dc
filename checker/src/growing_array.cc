#include "nandi/checker/growing_array.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace nandi::checker {

namespace {

constexpr std::size_t kPage = std::size_t{4} << 10U;
constexpr std::size_t kSmallStep = std::size_t{64} << 10U;
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

constexpr std::size_t round_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

ReservedRange::ReservedRange(std::size_t capacity_bytes)
    : capacity_(round_up(std::max<std::size_t>(capacity_bytes, 1), kPage)) {
  void* const address =
      mmap(nullptr, capacity_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    throw std::bad_alloc();
  }
  data_ = static_cast<std::byte*>(address);
  if (capacity_ >= 2 * kHugePage) {
    // Random access over gigabytes is bound by address translation otherwise. Only advice: where
    // it is refused, everything works at 4 KiB pages.
    (void)madvise(address, capacity_, MADV_HUGEPAGE);
  }
}

ReservedRange::~ReservedRange() {
  if (data_ != nullptr) {
    munmap(data_, capacity_);
  }
}

ReservedRange::ReservedRange(ReservedRange&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      committed_(std::exchange(other.committed_, 0)) {}

ReservedRange& ReservedRange::operator=(ReservedRange&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  std::swap(committed_, other.committed_);
  return *this;
}

std::size_t ReservedRange::commitment_for(std::size_t bytes) const {
  if (bytes <= committed_) {
    return committed_;
  }
  // Small explorations take small steps; large ones whole huge pages.
  const std::size_t step = bytes <= kHugePage ? kSmallStep : kHugePage;
  return std::min(round_up(bytes, step), capacity_);
}

bool ReservedRange::commit_to(std::size_t bytes) {
  if (bytes <= committed_) {
    return true;
  }
  if (bytes > capacity_) {
    return false;
  }
  const std::size_t target = commitment_for(bytes);
  if (mprotect(data_ + committed_, target - committed_, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  committed_ = target;
  return true;
}

}  // namespace nandi::checker
