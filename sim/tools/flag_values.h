// Values of flags that are written as in scenario files.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/scalar.h"

namespace nandi::sim::cli {

/// What `read` makes of the value `text` of a flag, given "--name". Throws std::invalid_argument
/// with the flag, what is wrong and what to do.
template <class Read>
[[nodiscard]] auto flag_value(std::string_view flag, const std::string& text, const Read& read) {
  try {
    const yaml::Document document = yaml::Document::parse("value: " + text, "flag");
    return read(*document.root().find("value"));
  } catch (const yaml::LoadError& error) {
    // Line and column are those of a file; here they would only be in the way.
    const std::string_view said = error.what();
    throw std::invalid_argument(std::string(flag) + std::string(said.substr(said.find(": "))));
  }
}

/// As in `--for 60s`.
[[nodiscard]] inline Duration duration_of(std::string_view flag, const std::string& text) {
  return flag_value(flag, text,
                    [](const yaml::Value& value) { return yaml::read_duration(value); });
}

/// As in `--gaps 0.15`.
[[nodiscard]] inline Fraction fraction_of(std::string_view flag, const std::string& text) {
  return flag_value(flag, text,
                    [](const yaml::Value& value) { return yaml::read_fraction(value); });
}

}  // namespace nandi::sim::cli
