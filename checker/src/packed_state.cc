#include "nandi/checker/packed_state.h"

#include <fmt/format.h>

#include <stdexcept>

namespace nandi::checker {

void throw_field_overflow(std::uint64_t value, unsigned bits) {
  throw std::logic_error(
      fmt::format("packed state: value {} does not fit a field of {} bits; the model's bounds are "
                  "wrong",
                  value, bits));
}

void throw_words_exhausted(std::size_t words) {
  throw std::logic_error(fmt::format(
      "packed state: more fields than its {} words hold; the model's words() is wrong", words));
}

}  // namespace nandi::checker
