// What a program says of an argument that it does not know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nandi/sim/yaml/names.h"

namespace nandi::sim {

/// One line, without its end, for the first argument that `app` (a CLI::App whose parse() threw
/// ExtrasError) has no use for: with the nearest of its options, or where to find them.
template <class App>
[[nodiscard]] std::string unknown_argument_text(const App& app, std::string_view program) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string unknown = app.remaining().front();
  const std::string name = unknown.substr(0, unknown.find('='));
  const std::string near = yaml::nearest_name(name, names);
  return std::string(program) + ": no option '" + name + "'; " +
         (near.empty() ? std::string(program) + " --help names all"
                       : "did you mean `" + near + "`?");
}

}  // namespace nandi::sim
