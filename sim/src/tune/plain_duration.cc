#include "plain_duration.h"

#include <algorithm>

#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/scalar.h"

namespace nandi::sim {

std::optional<Duration> plain_duration(const std::string& text) {
  // Only what a duration is made of goes on to the reader of scalars.
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.';
  });
  if (!is_plain) return std::nullopt;
  try {
    const yaml::Document document = yaml::Document::parse("value: " + text, "duration");
    return yaml::read_duration(*document.root().find("value"));
  } catch (const yaml::LoadError&) {
    return std::nullopt;
  }
}

}  // namespace nandi::sim
