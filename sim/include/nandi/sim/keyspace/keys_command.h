// `nandi-sim keys FILE|-`: the command around the key linter.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace nandi::sim {

// `args` are the words after `keys`. Returns the exit status: 0 every transaction and script stays
// together, 1 one does not, 2 undecided, 64 usage, 65 a bad file.
int run_keys_command(std::span<const std::string> args, std::istream& in, std::ostream& out,
                     std::ostream& err);

}  // namespace nandi::sim
