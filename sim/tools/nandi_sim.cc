// nandi-sim: runs scenario files in the simulator and says what came of it. --help describes it,
// sim/README.md documents what it prints and writes.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/audit_command.h"
#include "cli/run_files.h"
#include "flag_values.h"
#include "mpi_ranks.h"
#include "nandi/reports/comparison.h"
#include "nandi/reports/page.h"
#include "nandi/sim/keyspace/keys_command.h"
#include "nandi/sim/terminal_output.h"
#include "nandi/sim/unknown_arguments.h"
#include "nandi/sim/yaml/names.h"
#include "run_reports.h"
#include "tune_command.h"

namespace nandi::sim::cli {
namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

/// The first signal ends the run with what was found so far, the second ends the program.
void on_signal(int signal_number) {
  if (stop_asked.exchange(true)) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

std::uint64_t seed_of(const std::string& text) {
  std::size_t read = 0;
  std::uint64_t seed = 0;
  try {
    seed = std::stoull(text, &read);
  } catch (const std::exception&) {
    read = 0;
  }
  if (read == 0 || read != text.size() || text.front() == '-' || text.front() == '+') {
    throw std::invalid_argument("'" + text + "' is no seed; write a whole number such as 7");
  }
  return seed;
}

SeedRange seeds_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    throw std::invalid_argument("'" + text + "' is no range of seeds; write one such as 1..1000");
  }
  const SeedRange range{seed_of(text.substr(0, dots)), seed_of(text.substr(dots + 2))};
  if (range.first > range.last) {
    throw std::invalid_argument("the seeds '" + text + "' run backwards; write the smaller first");
  }
  return range;
}

Duration length_of(const std::string& text) {
  const Duration length = duration_of("--for", text);
  if (length <= Duration(0)) {
    throw std::invalid_argument("a run for '" + text + "' is empty; write one such as 60s");
  }
  return length;
}

/// What is to be said of a command line that was not understood, or was a call for help; the exit
/// status.
int end_of(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  std::cerr << unknown_argument_text(app, app.get_name()) << "\n";
  return kUsage;
}

std::int64_t steady_nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

int run_keys_tool(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const int status = run_keys_command(args, std::cin, std::cout, std::cerr);
  std::cout.flush();
  return status;
}

int run_audit_tool(int argc, char** argv) {
  CLI::App app{
      "Reads the logs of a real group's workers (standard error of nandi-worker, --log trace) and\n"
      "gives the verdicts of a simulated run. Exit status: 0 holds, 1 violated, 2 unknown, 64 "
      "usage,\n"
      "65 a file that is no such log.",
      "nandi-sim audit"};
  AuditRequest request;
  app.add_option("LOG", request.logs, "log files, of one group; - is the standard input")
      ->required();
  app.add_option("--json", request.json, "write the audit as JSON; - is the standard output");
  app.add_flag("--quiet", request.quiet, "print the verdict only");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return end_of(app, error);
  }
  return run_audit(request, std::cin, std::cout, std::cerr);
}

int run_compare_tool(int argc, char** argv, const char* program) {
  CLI::App app{
      "Compares runs that nandi-sim --out wrote: all with the first. Exit status: 0, 64 usage, 65 "
      "a\n"
      "folder that holds no such run.",
      "nandi-sim compare"};
  std::vector<std::filesystem::path> folders;
  std::string out;
  app.add_option("DIR", folders, "folders, at least two")->required()->expected(2, 100);
  app.add_option("--out", out, "write report.html into this folder")->required();
  try {
    app.parse(argc, argv);
    std::string command = std::string(program) + " compare";
    for (const std::filesystem::path& folder : folders) command += " " + folder.string();
    const reports::Report report = reports::comparison_report(folders, command + " --out " + out);
    reports::write_folder(
        out, {{"report.html", [&](std::ostream& file) { file << reports::html_page(report); }}});
  } catch (const CLI::ParseError& error) {
    return end_of(app, error);
  } catch (const std::runtime_error& error) {
    std::cerr << error.what() << "\n";
    return kBadFile;
  }
  return 0;
}

void add_report_flags(CLI::App& app, ReportRequest& reporting) {
  app.add_option("--out", reporting.output.folder,
                 "write a folder: report.html, verdict.json, trace.ndjson; several files: a folder "
                 "in it for each");
  app.add_flag("--junit", reporting.output.junit, "with --out: junit.xml too, for all files");
  app.add_flag("--perfetto", reporting.perfetto,
               "with --out: trace.perfetto.json too, for Perfetto and Chrome's tracing page");
  app.add_flag("--csv", reporting.csv, "with --out: metrics.csv too");
  app.add_option("--summary", reporting.output.summary,
                 "text (the default), table: one row a file, or markdown: for a job page; what the "
                 "standard output has")
      ->check(CLI::IsMember({"text", "table", "markdown"}));
}

void check_report_flags(const ReportRequest& reporting, const RunRequest& request) {
  if (reporting.output.folder.empty() &&
      (reporting.output.junit || reporting.perfetto || reporting.csv)) {
    throw std::invalid_argument(
        "--junit, --perfetto and --csv add files to a folder; name it with "
        "--out DIR");
  }
  if (reporting.output.is_markdown() && (request.json == "-" || request.trace == "-")) {
    throw std::invalid_argument(
        "--summary markdown wants the standard output for itself; give --json or --trace a file");
  }
}

/// Markdown on the standard output has it for itself: what people read goes to the other. mpirun
/// that was interrupted reads no more and ends its ranks before long: so files come first there.
int run_with_reports(ReportRequest reporting, RunRequest& request) {
  reporting.output.files = request.files.size();
  reporting.length = request.length;
  reporting.stop = request.stop;
  const bool is_wanted = reporting.output.is_wanted();
  const bool is_markdown = reporting.output.is_markdown();
  RunReports reports(std::move(reporting));
  if (is_wanted) request.observer = &reports;
  std::ostringstream kept;
  std::ostream& out = request.over_ranks ? kept : std::cout;
  int status = run_files(request, is_markdown ? std::cerr : out, std::cerr);
  try {
    reports.finish(out);
  } catch (const std::runtime_error& error) {
    std::cerr << error.what() << "\n";
    status = kBadFile;
  }
  std::cout << kept.str() << std::flush;
  return status;
}

/// Scenario files. `over_ranks` runs campaigns where --mpi is given.
int run_scenarios(int argc, char** argv, CampaignRunner over_ranks) {
  CLI::App app{
      "Runs scenarios of worker groups in virtual time on the production engine, and studies of\n"
      "partition schemes and key spaces. Exit status: 0 holds, 1 violated, 2 unknown, 64 usage, "
      "65\n"
      "a bad file, 70 an error of our own. Several files: the worst verdict counts.\n"
      "nandi-sim tune [FILE] chooses interval and gap (tune --help).\n"
      "nandi-sim compare DIR DIR... draws runs side by side (compare --help).\n"
      "nandi-sim audit LOG... judges the logs of a real group instead (audit --help); nandi-sim\n"
      "keys FILE|- tells what the names of keys mean for a Redis Cluster (keys --help).",
      "nandi-sim"};
  RunRequest request;
  std::optional<std::string> seed;
  std::optional<std::string> seeds;
  std::optional<std::string> length;
  // The ranks of one machine are as many as it has cores, unless somebody says otherwise.
  request.jobs = over_ranks ? 1U : std::max(1U, std::thread::hardware_concurrency());
  app.add_option("FILE", request.files, "scenario files")->required();
  auto* one = app.add_option("--seed", seed, "run this seed only");
  app.add_option("--seeds", seeds, "run these seeds, as A..B")->excludes(one);
  app.add_option("--jobs", request.jobs,
                 "threads, with --mpi of each rank (1); the result does not depend on it")
      ->check(CLI::Range(1U, 1024U));
  bool over_mpi = false;  // is in effect already
  app.add_flag("--mpi", over_mpi,
               "under mpirun: all ranks share the campaign; only rank 0 reads and writes files");
  app.add_option("--for", length, "simulated time of a run, such as 60s, instead of the file's");
  app.add_option("--resume", request.resume,
                 "state file of a campaign: written every second, gone on from where there is one");
  std::optional<std::string> fault_seed;
  app.add_option("--fault-seed", fault_seed,
                 "a swarm's faults draw from this seed; workload and network stay the run's");
  app.add_option("--regressions", request.regressions,
                 "directory: the first failing seed of each property becomes a scenario file there,"
                 " and is made smaller");
  app.add_option("--json", request.json, "write the summary as JSON; - is the standard output");
  app.add_option("--trace", request.trace,
                 "write the trace of one seed as NDJSON: of the first violation, else the first");
  app.add_flag("--as-expected", request.as_expected,
               "exit with 0 only when the verdict is what the file declares");
  app.add_flag("--check-determinism", request.check_determinism,
               "run a seed twice and compare action by action");
  bool time_lookups = false;
  app.add_flag("--time-lookups", time_lookups,
               "measure how long the schemes of a partition study take, on this machine");
  app.add_flag("--quiet", request.quiet, "print the verdict only");
  ReportRequest reporting;
  add_report_flags(app, reporting);
  try {
    app.parse(argc, argv);
    check_report_flags(reporting, request);
    request.table = reporting.output.summary == "table";
    if (time_lookups) request.lookup_clock = steady_nanoseconds;
    if (seed) request.seeds = SeedRange{seed_of(*seed), seed_of(*seed)};
    if (seeds) request.seeds = seeds_of(*seeds);
    if (fault_seed) request.fault_seed = seed_of(*fault_seed);
    if (length) request.length = length_of(*length);
  } catch (const CLI::ParseError& error) {
    return end_of(app, error);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return kUsage;
  }
  const TerminalLayout layout = over_ranks ? TerminalLayout{} : stdout_layout();
  request.width = layout.width;
  request.use_colour = layout.use_colour;
  request.draw_progress = !over_ranks && isatty(STDERR_FILENO) != 0;
  request.program = argv[0];
  request.stop = &stop_asked;
  request.over_ranks = std::move(over_ranks);
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  return run_with_reports(std::move(reporting), request);
}

bool is_over_mpi(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc,
                     [](const char* argument) { return std::string_view(argument) == "--mpi"; });
}

int run_over_ranks(int argc, char** argv) {
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  signal(SIGUSR1, on_signal);  // mpirun passes it on; what it does not pass on, it ends by force
  return run_over_mpi(argc, argv, stop_asked, [&](CampaignRunner over_ranks) {
    return run_scenarios(argc, argv, std::move(over_ranks));
  });
}

/// Whether a first word that names no file is nearly a command; says so where it is.
bool is_misspelt_command(const std::string& word) {
  if (word.starts_with('-') || std::filesystem::exists(word)) return false;
  const std::string near = yaml::nearest_name(word, {"audit", "compare", "tune", "keys"});
  if (near.empty()) return false;
  std::cerr << "nandi-sim: '" << word << "' is neither a file nor a command; did you mean `" << near
            << "`?\n";
  return true;
}

int run(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "audit") return run_audit_tool(argc - 1, argv + 1);
  if (argc > 1 && std::string_view(argv[1]) == "compare") {
    return run_compare_tool(argc - 1, argv + 1, argv[0]);
  }
  if (argc > 1 && std::string_view(argv[1]) == "tune") {
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    return run_tune_tool(argv[0], argc - 1, argv + 1, stop_asked);
  }
  if (argc > 1 && std::string_view(argv[1]) == "keys") return run_keys_tool(argc - 1, argv + 1);
  if (argc > 1 && is_misspelt_command(argv[1])) return kUsage;
  return is_over_mpi(argc, argv) ? run_over_ranks(argc, argv) : run_scenarios(argc, argv, {});
}

}  // namespace
}  // namespace nandi::sim::cli

int main(int argc, char** argv) {
  try {
    // A terminal that mpirun shows its ranks is none.
    std::optional<nandi::sim::TerminalOutput> output;
    if (!nandi::sim::cli::is_over_mpi(argc, argv)) output.emplace();
    return nandi::sim::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "internal error: " << error.what() << "\n";
    return nandi::sim::cli::kOwnBug;
  }
}
