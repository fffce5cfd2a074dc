// Fields of a few bits in an array of 64-bit words, written and read in the same order.
//
// A model's encode() and decode() are a row of put() and get() calls. Fields may straddle words.
// A value that does not fit its field is a defect of the model (its bounds are wrong, and two
// different states could become one): put() throws std::logic_error, and so does running past the
// end of the words.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nandi::checker {

[[noreturn]] void throw_field_overflow(std::uint64_t value, unsigned bits);
[[noreturn]] void throw_words_exhausted(std::size_t words);

// The bits that a field for 0 .. `largest` needs.
constexpr unsigned bits_for(std::uint64_t largest) {
  unsigned bits = 0;
  for (; largest != 0; largest >>= 1U) {
    ++bits;
  }
  return bits;
}

// The words that `bits` bits need, at least 1.
constexpr std::size_t words_for(std::size_t bits) { return bits == 0 ? 1 : (bits + 63) / 64; }

class BitWriter {
 public:
  // `words` points to `count` words, all of which finish() will have written.
  BitWriter(std::uint64_t* words, std::size_t count)
      : next_(words), end_(words + count), count_(count) {}

  // 0 <= bits <= 64, value < 2^bits.
  void put(std::uint64_t value, unsigned bits) {
    if (bits < 64 && (value >> bits) != 0) {
      throw_field_overflow(value, bits);
    }
    if (bits == 0) {
      return;
    }
    word_ |= value << used_;
    used_ += bits;
    if (used_ >= 64) {
      flush();
      used_ -= 64;
      // What of the value did not fit; a shift by 64 would be undefined.
      word_ = used_ == 0 ? 0 : value >> (bits - used_);
    }
  }

  // Writes the word under construction and zeroes the rest.
  void finish() {
    if (used_ != 0) {
      flush();
      used_ = 0;
      word_ = 0;
    }
    while (next_ != end_) {
      *next_++ = 0;
    }
  }

 private:
  void flush() {
    if (next_ == end_) {
      throw_words_exhausted(count_);
    }
    *next_++ = word_;
  }

  std::uint64_t* next_;
  std::uint64_t* end_;
  std::size_t count_;
  std::uint64_t word_ = 0;
  unsigned used_ = 0;
};

class BitReader {
 public:
  BitReader(const std::uint64_t* words, std::size_t count)
      : next_(words), end_(words + count), count_(count) {}

  // 0 <= bits <= 64.
  std::uint64_t get(unsigned bits) {
    if (bits == 0) {
      return 0;
    }
    std::uint64_t value = left_ == 0 ? 0 : word_ >> (64 - left_);
    if (bits > left_) {
      const unsigned had = left_;
      load();
      value |= word_ << had;
      left_ = 64 - (bits - had);
    } else {
      left_ -= bits;
    }
    return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
  }

 private:
  void load() {
    if (next_ == end_) {
      throw_words_exhausted(count_);
    }
    word_ = *next_++;
  }

  const std::uint64_t* next_;
  const std::uint64_t* end_;
  std::size_t count_;
  std::uint64_t word_ = 0;
  unsigned left_ = 0;
};

}  // namespace nandi::checker
