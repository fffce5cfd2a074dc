#include "nandi/checker/proof/prove_command.h"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <optional>
#include <ostream>

#include "nandi/checker/proof/prove.h"
#include "proof/proof_text.h"

namespace nandi::checker {
namespace {

constexpr int kUsage = 64;
constexpr int kBadFile = 65;

constexpr const char* kHelp =
    R"(nandi-check prove [--edges] [--smt2 DIR] [--json FILE|-] [--list] [--help]

Proves with z3 that no two workers hold one index at one moment, for any number of workers, any
interval, gap and delay; leaves out each hypothesis in turn and shows how the lemma then fails;
finds the edges of margin, gap, reply delay and clock drift. The argument: checker/proof.md.

  --edges       print all the edges, not only those of the default gap
  --smt2 DIR    write every query as an SMT-LIB 2 file, for another solver to decide
  --json FILE   write the report as JSON; "-" writes it to standard output instead of the text
  --list        list lemmas and hypotheses without proving anything

Exit status: 0 all as claimed, 1 not, 2 undecided, 64 usage, 65 a file that cannot be written.
)";

struct Flags {
  proof::ProveOptions options;
  std::optional<std::string> json;
  bool all_edges = false;
  bool list = false;
  bool help = false;
};

/// The flags, or what is wrong with the arguments.
std::optional<std::string> parse(std::span<const std::string> args, Flags& flags) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--edges") {
      flags.all_edges = true;
    } else if (arg == "--list") {
      flags.list = true;
    } else if (arg == "--help" || arg == "-h") {
      flags.help = true;
    } else if (arg == "--smt2" || arg == "--json") {
      if (i + 1 == args.size() || args[i + 1].empty()) {
        return fmt::format("{} needs {}", arg, arg == "--smt2" ? "a directory" : "a file or -");
      }
      ++i;
      if (arg == "--smt2") {
        flags.options.smt2_directory = args[i];
      } else {
        flags.json = args[i];
      }
    } else {
      return fmt::format("unknown argument: {}", arg);
    }
  }
  return std::nullopt;
}

int prove_and_write(const Flags& flags, std::ostream& out, std::ostream& err) {
  // Opened first: a proof of many seconds should not be lost to a misspelt path.
  std::ofstream file;
  if (flags.json && *flags.json != "-") {
    file.open(*flags.json, std::ios::trunc);
    if (!file) {
      err << fmt::format(
          "nandi-check prove: cannot write {}; name a file in a directory that "
          "exists and may be written\n",
          *flags.json);
      return kBadFile;
    }
  }
  proof::ProofReport report;
  try {
    report = proof::prove(flags.options);
  } catch (const std::exception& error) {
    if (flags.options.smt2_directory.empty()) throw;
    err << fmt::format("nandi-check prove: {}; name a directory that can be made and written\n",
                       error.what());
    return kBadFile;
  }
  if (flags.json == "-") {
    out << proof::json_text(report);
  } else {
    proof::write_text(report, flags.all_edges, out);
  }
  if (file.is_open()) {
    file << proof::json_text(report);
    file.close();
    if (!file) {
      err << fmt::format("nandi-check prove: writing {} failed\n", *flags.json);
      return kBadFile;
    }
  }
  return sim::exit_status(report.verdict());
}

}  // namespace

int run_prove_command(std::span<const std::string> args, std::ostream& out, std::ostream& err,
                      const std::atomic<bool>* interrupt) {
  Flags flags;
  flags.options.interrupt = interrupt;
  if (const std::optional<std::string> wrong = parse(args, flags)) {
    err << fmt::format("nandi-check prove: {}; see nandi-check prove --help\n", *wrong);
    return kUsage;
  }
  if (flags.help) {
    out << kHelp;
    return 0;
  }
  if (flags.list) {
    proof::write_list(proof::list_lemmas(), out);
    return 0;
  }
  return prove_and_write(flags, out, err);
}

}  // namespace nandi::checker
