// An array that only grows, in place: it never moves and never copies, so that growing costs no
// second copy of what may be most of the machine's memory, and pointers into it stay valid.
//
// Address space for `capacity` elements is reserved up front, memory is committed as the array
// grows. Elements are trivially copyable and start as zero bytes. Not thread-safe.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace nandi::checker {

// The untyped part: a reserved range of addresses whose head is committed.
class ReservedRange {
 public:
  ReservedRange() = default;
  // Throws std::bad_alloc if the address space is refused.
  explicit ReservedRange(std::size_t capacity_bytes);
  ~ReservedRange();
  ReservedRange(ReservedRange&& other) noexcept;
  ReservedRange& operator=(ReservedRange&& other) noexcept;
  ReservedRange(const ReservedRange&) = delete;
  ReservedRange& operator=(const ReservedRange&) = delete;

  std::byte* data() const { return data_; }
  std::size_t committed() const { return committed_; }
  std::size_t capacity() const { return capacity_; }

  // What committed() would be after commit_to(bytes); at most capacity().
  std::size_t commitment_for(std::size_t bytes) const;
  // Makes the first `bytes` bytes usable. False if that is past the capacity or the system
  // refuses the memory; what was committed stays so.
  bool commit_to(std::size_t bytes);

 private:
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t committed_ = 0;
};

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  explicit GrowingArray(std::size_t capacity)
      : range_(capacity * sizeof(T)), usable_(0), data_(reinterpret_cast<T*>(range_.data())) {}

  T* data() const { return data_; }
  T& operator[](std::size_t index) const { return data_[index]; }

  // Elements that may be touched without growing.
  std::size_t usable() const { return usable_; }
  std::size_t bytes() const { return range_.committed(); }
  std::size_t bytes_for(std::size_t count) const {
    return range_.commitment_for(count * sizeof(T));
  }
  // Makes the first `count` elements usable; false if the memory is not to be had.
  bool grow_to(std::size_t count) {
    if (!range_.commit_to(count * sizeof(T))) {
      return false;
    }
    usable_ = range_.committed() / sizeof(T);
    return true;
  }

 private:
  ReservedRange range_;
  std::size_t usable_ = 0;
  T* data_ = nullptr;
};

}  // namespace nandi::checker
