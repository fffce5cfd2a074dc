// What every distribution that a parser made has to be: well formed, and such that it can be drawn
// from.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "nandi/sim/sampler.h"
#include "nandi/sim/scenario_network.h"

namespace nandi::sim {

inline void require_drawable(const HistogramDelay& delay) {
  Duration last = delay.from;
  std::uint64_t count = 0;
  bool rises = delay.from >= Duration(0);
  for (const HistogramBucket& bucket : delay.buckets) {
    rises = rises && bucket.to > last;
    last = bucket.to;
    count += bucket.count;
  }
  if (!rises || count == 0) {
    std::cerr << "buckets that do not rise, or hold nothing\n";
    std::abort();
  }
  const Sampler sampler{DelayDistribution(delay)};
  const Duration least = sampler.sample(0);
  const Duration most = sampler.sample(~std::uint64_t{0});
  if (least < delay.from || most < least || most >= last) {
    std::cerr << "drawn from outside of the buckets\n";
    std::abort();
  }
}

}  // namespace nandi::sim
