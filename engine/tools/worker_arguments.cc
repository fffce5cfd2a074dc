#include "worker_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>

namespace nandi::tools {
namespace {

/// The texts of the command line before they are understood.
struct Raw {
  GroupTexts group;
  std::string drain;
  std::string level = "info";
  std::vector<std::string> positional;
  std::string command;
  std::string metrics;
};

constexpr std::string_view kFooter =
    R"(The same with positions: nandi-worker HOST PORT NAME INTERVAL_MS [GAP]
nandi-worker doctor looks at a server before the first lease, nandi-worker probe measures its
latency (doctor --help, probe --help).

Standard output gets one line of JSON per pair handed over, {"i":0,"n":1} or {"i":null,"n":null};
standard error gets diagnostics, one line of JSON each. SIGTERM and SIGINT end the worker, idle
last.

A password is best kept out of the command line: put the URL into the environment variable
NANDI_REDIS_URL or a file (--redis-file), or the password alone into NANDI_REDIS_PASSWORD or a file
(--password-file).

Exit status: 0 ended as asked, 64 wrong usage, 65 a file that cannot be used, 70 a bug of ours.)";

void declare(CLI::App& app, Raw& raw) {
  declare_server(app, raw.group);
  declare_group(app, raw.group);
  app.add_option("--drain", raw.drain, "how long a stop may take [5s]");
  app.add_option("--first-spread", raw.group.first_spread,
                 "fraction of an interval over which first registrations are spread [1]");
  app.add_option("--seed", raw.group.seed, "of the first registration's moment [random]");
  app.add_option("--log", raw.level, "least level logged: trace, debug, info, warn, error [info]");
  app.add_option("--exec", raw.command,
                 "shell command to run while a pair is owned, with NANDI_INDEX, NANDI_REPLICAS and "
                 "NANDI_TOKEN set");
  app.add_option("--metrics", raw.metrics,
                 "file, or port on 127.0.0.1, for metrics in the Prometheus text format");
  app.add_option("positional", raw.positional, "HOST PORT NAME INTERVAL_MS [GAP]");
}

/// Turns the positional form into the named one.
void spread_positional(Raw& raw) {
  if (raw.positional.empty()) return;
  constexpr std::size_t kLeast = 4;
  if (raw.positional.size() < kLeast || raw.positional.size() > kLeast + 1) {
    throw ArgumentError(kUsage,
                        fmt::format("{} positional arguments, but HOST PORT NAME INTERVAL_MS [GAP] "
                                    "are 4 or 5; or use --redis, --name and --interval",
                                    raw.positional.size()));
  }
  const bool has_gap = raw.positional.size() > kLeast;
  GroupTexts& group = raw.group;
  if (!group.name.empty() || !group.interval.empty() || !group.url_file.empty() ||
      (has_gap && !group.gap.empty())) {
    throw ArgumentError(kUsage,
                        "positional arguments together with --redis-file, --name, --interval or "
                        "--gap: say each of them once");
  }
  const std::string& host = raw.positional[0];
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string shown_host = is_ipv6 && host.front() != '[' ? "[" + host + "]" : host;
  group.url = fmt::format("redis://{}:{}", shown_host, raw.positional[1]);
  group.name = raw.positional[2];
  const std::string& ms = raw.positional[3];
  if (ms.empty() || ms.find_first_not_of("0123456789") != std::string::npos) {
    throw ArgumentError(kUsage, fmt::format("INTERVAL_MS \"{}\" is not a whole number of "
                                            "milliseconds, for example 5000",
                                            ms));
  }
  group.interval = ms + "ms";
  if (has_gap) group.gap = raw.positional[4];
}

Level level_of(const std::string& text) {
  for (const Level level : {Level::trace, Level::debug, Level::info, Level::warn, Level::error}) {
    constexpr std::array<std::string_view, 5> kNames{"trace", "debug", "info", "warn", "error"};
    if (text == kNames.at(static_cast<std::size_t>(level))) return level;
  }
  throw ArgumentError(kUsage,
                      fmt::format("--log \"{}\" is none of trace, debug, info, warn, error", text));
}

WorkerArguments understand(Raw raw) {
  spread_positional(raw);
  WorkerArguments arguments;
  arguments.redis = redis_of(raw.group);
  arguments.options = options_of(raw.group);
  std::string errors;
  for (const OptionProblem& problem : check(arguments.options)) {
    std::string text = fmt::format("{}: {}", problem.option, problem.text);
    if (problem.severity == OptionProblem::Severity::warning) {
      arguments.warnings.push_back(std::move(text));
    } else {
      errors += (errors.empty() ? "" : "\n") + text;
    }
  }
  if (!errors.empty()) throw ArgumentError(kUsage, errors);
  if (!raw.drain.empty()) {
    arguments.drain =
        std::chrono::duration_cast<std::chrono::milliseconds>(duration_of("--drain", raw.drain));
  }
  arguments.log_level = level_of(raw.level);
  arguments.command = raw.command;
  arguments.metrics = raw.metrics;
  return arguments;
}

}  // namespace

std::variant<WorkerArguments, EarlyExit> parse_arguments(int argc, char** argv) {
  CLI::App app("Joins a worker group on a Redis and reports the share of the work it owns.",
               "nandi-worker");
  app.footer(std::string(kFooter));
  Raw raw;
  declare(app, raw);
  return parse_with<WorkerArguments>(app, argc, argv, [&] { return understand(std::move(raw)); });
}

}  // namespace nandi::tools
