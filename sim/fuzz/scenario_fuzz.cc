// Any bytes: the loader either refuses them with a LoadError, or what it made of them is written
// and loads back equal.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string_view>

#include "nandi/sim/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nandi::sim;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Scenario scenario;
  try {
    yaml::Document document = yaml::Document::parse(text, "fuzz.yaml");
    if (kind_of(document) != ScenarioKind::lease) return 0;
    scenario = read_scenario(document, whole_language());
  } catch (const yaml::LoadError&) {
    return 0;
  }
  std::ostringstream written;
  write_scenario(scenario, written);
  const Scenario again =
      read_scenario(yaml::Document::parse(written.str(), "again.yaml"), whole_language());
  if (!(again == scenario)) {
    std::cerr << "written and read back, the scenario is another one:\n" << written.str();
    std::abort();
  }
  return 0;
}
