// A model without its properties: explored to the end whether or not it violates them.
#pragma once

#include <cstdint>

#include "nandi/checker/model.h"

namespace nandi::checker::models {

template <Model M>
class Unjudged : public M {
 public:
  using M::M;
  std::uint64_t decided(const typename M::State& /*state*/) const { return 0; }
};

}  // namespace nandi::checker::models
