// Any bytes: the reader either refuses them with a LoadError, or what it made of them is written
// and loads back equal, and can be drawn from.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string_view>

#include "nandi/sim/latency_profile.h"
#include "nandi/sim/sampler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nandi::sim;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  LatencyProfile profile;
  try {
    profile = read_latency_profile(yaml::Document::parse(text, "fuzz.yaml"));
  } catch (const yaml::LoadError&) {
    return 0;
  }
  std::ostringstream written;
  write_latency_profile(profile, written);
  if (!(read_latency_profile(yaml::Document::parse(written.str(), "again.yaml")) == profile)) {
    std::cerr << "written and read back, the profile is another one:\n" << written.str();
    std::abort();
  }
  const Sampler sampler(profile.request_delay());
  if (sampler.sample(0) > sampler.sample(~std::uint64_t{0})) std::abort();
  return 0;
}
