// nandi-check: parses the command line, calls the library, prints.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <exception>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check_reports.h"
#include "nandi/checker/assumption_command.h"
#include "nandi/checker/check_command.h"
#include "nandi/checker/proof/prove_command.h"
#include "nandi/sim/terminal_output.h"
#include "nandi/sim/unknown_arguments.h"

namespace nandi::checker {
namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

/// The first signal ends the exploration or the proof with what it has, the second ends the
/// program.
void on_signal(int signal_number) {
  if (stop_asked.exchange(true)) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

void end_on_signals() {
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
}

struct Flags {
  CheckRequest request;
  std::optional<std::string> max_memory;
  reports::OutputRequest output;
  bool assumptions = false;
  AssumptionRequest table;
};

/// --NAME and --no-NAME. Neither: `value` stays empty (CLI11's own flags would set it).
void add_switch(CLI::App& app, const std::string& name, std::optional<bool>& value,
                const std::string& meaning) {
  app.add_flag_callback(
      "--" + name, [&value] { value = true; }, meaning);
  app.add_flag_callback(
      "--no-" + name, [&value] { value = false; }, "the opposite");
}

void add_flags(CLI::App& app, Flags& flags) {
  const std::map<std::string, Exploring> orders = {{"breadth-first", Exploring::breadth_first},
                                                   {"depth-first", Exploring::depth_first},
                                                   {"random-walk", Exploring::random_walk}};
  CheckRequest& request = flags.request;
  app.add_option("FILE", request.files, "scenario files with a `check` section");
  app.add_option("--order", request.order,
                 "breadth-first (shortest counterexample), depth-first, random-walk")
      ->transform(CLI::CheckedTransformer(orders));
  app.add_option("--seed", request.seed, "of the random walks, and of fingerprints");
  app.add_option("--max-states", request.max_states,
                 "states (random walks: steps), instead of the file's; beyond: unknown")
      ->check(CLI::PositiveNumber);
  app.add_option("--max-memory", flags.max_memory,
                 "for the set of states, such as 4GB, instead of the file's; beyond: unknown");
  app.add_option("--max-seconds", request.max_seconds, "for each file; beyond: unknown")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", request.threads,
                 "that explore together: the same result, sooner (breadth-first)")
      ->check(CLI::Range(std::uint32_t{1}, std::uint32_t{kMostThreads}));
  add_switch(app, "symmetry", request.symmetry,
             "workers in equal situations count as one; instead of the file's, as the next two");
  add_switch(app, "reduction", request.reduction,
             "leave out steps that commute with others: fewer states, the same verdict");
  add_switch(app, "fingerprints", request.fingerprints,
             "keep 64-bit fingerprints of states: less memory, a small probability of error");
  app.add_option("--checkpoint", request.checkpoint,
                 "save the search there now and then, and where a bound or Ctrl-C ends it");
  app.add_option("--checkpoint-seconds", request.checkpoint_seconds, "between two checkpoints")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--resume", request.resume, "go on with a search that --checkpoint saved");
  app.add_flag("--keep-searching", request.keep_searching,
               "random walks: go on after a violation, for shorter ones, until Ctrl-C or a bound");
  app.add_option("--json", request.json, "write the results as JSON; - is the standard output");
  app.add_option("--save", request.save, "write the counterexample as a scenario for nandi-sim");
  app.add_option("--dot", request.dot, "draw the first states for Graphviz");
  app.add_option("--out", flags.output.folder,
                 "write a folder: report.html, verdict.json, and of a counterexample trace.ndjson "
                 "and counterexample.yaml; several files: a folder in it for each");
  app.add_flag("--junit", flags.output.junit, "with --out: junit.xml too, for all files");
  app.add_option("--summary", flags.output.summary,
                 "text (the default) or markdown: what the standard output has, for a job page")
      ->check(CLI::IsMember({"text", "markdown"}));
  app.add_option("--graphml", request.graphml, "the same as GraphML");
  app.add_option("--counterexamples", request.counterexamples,
                 "tell violations of up to so many causes, each by its shortest path")
      ->check(CLI::PositiveNumber);
  app.add_flag("--assumptions", flags.assumptions,
               "drop what exclusivity takes for granted, one thing at a time and in pairs, and\n"
               "say what holds and what breaks");
  app.add_option("--row", flags.table.row, "of --assumptions: only this row, with its story");
  app.add_option("--markdown", flags.table.markdown, "of --assumptions: write the table");
  app.add_option("--save-rows", flags.table.save_rows,
                 "of --assumptions: directory for scenarios of the violated rows");
  app.add_flag("--liveness", request.liveness,
               "also check that every worker owns an index for ever, and that a group which stood\n"
               "down comes back, once membership and faults have come to rest");
  app.add_flag("--path", request.show_path, "print every step of the counterexample");
  app.add_flag("--as-expected", request.as_expected,
               "exit with 0 only when the verdict is what the file declares");
  app.add_flag("--quiet", request.quiet, "print the verdict only");
}

/// Markdown on the standard output has it for itself: what people read goes to the other.
int run_with_reports(const Flags& flags, const char* program) {
  reports::OutputRequest output = flags.output;
  output.files = flags.request.files.size();
  CheckReports reports(output, program);
  std::ostream& text = output.is_markdown() ? std::cerr : std::cout;
  int status = 0;
  if (flags.assumptions) {
    AssumptionRequest table = flags.table;
    table.check = flags.request;
    if (output.is_wanted()) {
      table.finished = [&](const FinishedTable& finished) { reports.on_table(finished); };
    }
    status = run_assumptions(table, text, std::cerr);
  } else {
    CheckRequest request = flags.request;
    if (output.is_wanted()) request.observer = &reports;
    status = run_checks(request, text, std::cerr);
  }
  try {
    reports.finish(std::cout);
  } catch (const std::runtime_error& error) {
    std::cerr << error.what() << '\n';
    status = kBadFile;
  }
  std::cout.flush();
  return status;
}

void check_output(const Flags& flags) {
  if (flags.output.junit && flags.output.folder.empty()) {
    throw std::invalid_argument("--junit adds a file to a folder; name it with --out DIR");
  }
  if (flags.output.is_markdown() && flags.request.json == "-") {
    throw std::invalid_argument(
        "--summary markdown wants the standard output for itself; give --json a file");
  }
}

void require_table_flags(const Flags& flags) {
  const AssumptionRequest& table = flags.table;
  if (!flags.assumptions) {
    if (table.row.empty() && table.markdown.empty() && table.save_rows.empty()) return;
    throw std::invalid_argument("--row, --markdown and --save-rows belong to --assumptions");
  }
  if (flags.request.files.size() != 1) throw std::invalid_argument("--assumptions wants one FILE");
  if (!flags.request.save.empty() || !flags.request.dot.empty() || !flags.request.graphml.empty() ||
      flags.request.as_expected) {
    throw std::invalid_argument(
        "--assumptions does not go with --save (use --save-rows), --dot, --graphml and "
        "--as-expected");
  }
}

int run(int argc, char** argv) {
  CLI::App app{
      "Explores every order of what may happen to a worker group, with the production engine.\n"
      "Exit status: 0 holds, 1 violated, 2 unknown, 64 usage, 65 a bad file, 70 an error of our\n"
      "own. Several files: the worst verdict counts.",
      "nandi-check"};
  Flags flags;
  add_flags(app, flags);
  CLI::App* prove = app.add_subcommand("prove", "prove exclusivity for any group (prove --help)");
  // The subcommand reads its own flags, --help among them.
  prove->set_help_flag();
  prove->prefix_command();
  try {
    app.parse(argc, argv);
    if (prove->parsed()) {
      end_on_signals();
      return run_prove_command(prove->remaining(), std::cout, std::cerr, &stop_asked);
    }
    if (flags.max_memory) flags.request.max_memory = memory_of(*flags.max_memory);
    check_output(flags);
    if (flags.request.files.empty()) throw std::invalid_argument("name a FILE; see --help");
    if (flags.request.files.size() > 1 &&
        !(flags.request.save.empty() && flags.request.dot.empty() &&
          flags.request.graphml.empty())) {
      throw std::invalid_argument("--save, --dot and --graphml want a single FILE");
    }
    if (const auto conflict = find_conflict(flags.request); !conflict.empty()) {
      throw std::invalid_argument(conflict);
    }
    require_table_flags(flags);
  } catch (const CLI::ExtrasError&) {
    std::cerr << sim::unknown_argument_text(app, "nandi-check") << '\n';
    return kUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  } catch (const std::exception& error) {
    std::cerr << "nandi-check: " << error.what() << '\n';
    return kUsage;
  }
  flags.request.draw_progress = isatty(STDERR_FILENO) != 0;
  flags.request.interrupt = &stop_asked;
  end_on_signals();
  return run_with_reports(flags, argv[0]);
}

}  // namespace
}  // namespace nandi::checker

int main(int argc, char** argv) {
  try {
    const nandi::sim::TerminalOutput output;
    return nandi::checker::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "nandi-check: internal error: " << error.what() << '\n';
    return nandi::checker::kOwnBug;
  }
}
