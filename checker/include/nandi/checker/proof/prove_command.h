// The subcommand `nandi-check prove`.
#pragma once

#include <atomic>
#include <iosfwd>
#include <span>
#include <string>

namespace nandi::checker {

/// `args` are what follows "prove" on the command line; see --help. Returns the exit status: 0
/// every lemma proved and every hypothesis and edge as claimed, 1 not so, 2 undecided, 64 usage, 65
/// a file that cannot be written. `interrupt`, once set, ends it with what was decided so far.
int run_prove_command(std::span<const std::string> args, std::ostream& out, std::ostream& err,
                      const std::atomic<bool>* interrupt = nullptr);

}  // namespace nandi::checker
