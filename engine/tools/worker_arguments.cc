#include "worker_arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace nandi::tools {
namespace {

constexpr int kUsage = 64;
constexpr int kBadFile = 65;

struct ArgumentError : std::runtime_error {
  ArgumentError(int exit_status, const std::string& text)
      : std::runtime_error(text), status(exit_status) {}
  int status;
};

/// The texts of the command line before they are understood.
struct Raw {
  std::string url;
  std::string url_file;
  std::string password_file;
  std::string name;
  std::string interval;
  std::string gap;
  std::string timeout;
  std::string prefix;
  std::string drain;
  std::string drift;
  std::string first_spread;
  std::string level = "info";
  std::optional<std::uint64_t> seed;
  std::vector<std::string> positional;
  TlsOptions tls;
  bool tls_no_verify = false;
  std::string command;
  std::string metrics;
};

constexpr std::string_view kFooter =
    R"(The same with positions: nandi-worker HOST PORT NAME INTERVAL_MS [GAP]

Standard output gets one line of JSON per pair handed over, {"i":0,"n":1} or {"i":null,"n":null};
standard error gets diagnostics, one line of JSON each. SIGTERM and SIGINT end the worker, idle
last.

A password is best kept out of the command line: put the URL into the environment variable
NANDI_REDIS_URL or a file (--redis-file), or the password alone into NANDI_REDIS_PASSWORD or a file
(--password-file).

Exit status: 0 ended as asked, 64 wrong usage, 65 a file that cannot be used, 70 a bug of ours.)";

void declare(CLI::App& app, Raw& raw) {
  app.add_option("--redis", raw.url, "redis://, rediss:// or redis+unix:// URL of the server")
      ->envname("NANDI_REDIS_URL");
  app.add_option("--redis-file", raw.url_file, "file whose first line is that URL");
  app.add_option("--password-file", raw.password_file, "file whose first line is the password");
  app.add_option("--name", raw.name, "group, for example mail-sender");
  app.add_option("--interval", raw.interval, "length of an interval, for example 5s or 300ms");
  app.add_option("--gap", raw.gap, "timing slack as a fraction of the interval [0.15]");
  app.add_option("--timeout", raw.timeout, "of one registration [an eighth of the interval]");
  app.add_option("--prefix", raw.prefix, "put before the group's keys");
  app.add_option("--drain", raw.drain, "how long a stop may take [5s]");
  app.add_option("--drift", raw.drift, "bound on how far clock rates differ [0.001]");
  app.add_option("--first-spread", raw.first_spread,
                 "fraction of an interval over which first registrations are spread [1]");
  app.add_option("--seed", raw.seed, "of the first registration's moment [random]");
  app.add_option("--log", raw.level, "least level logged: trace, debug, info, warn, error [info]");
  app.add_option("--exec", raw.command,
                 "shell command to run while a pair is owned, with NANDI_INDEX, NANDI_REPLICAS and "
                 "NANDI_TOKEN set");
  app.add_option("--metrics", raw.metrics,
                 "file, or port on 127.0.0.1, for metrics in the Prometheus text format");
  app.add_option("--tls-ca", raw.tls.ca_file, "PEM file of certificate authorities");
  app.add_option("--tls-cert", raw.tls.certificate_file, "PEM file of the client's certificate");
  app.add_option("--tls-key", raw.tls.key_file, "PEM file of its key");
  app.add_option("--tls-server-name", raw.tls.server_name, "name to verify [the URL's host]");
  app.add_flag("--tls-no-verify", raw.tls_no_verify, "accept any certificate; for tests only");
  app.add_option("positional", raw.positional, "HOST PORT NAME INTERVAL_MS [GAP]");
}

std::string first_line(const std::string& file, std::string_view option) {
  std::ifstream stream(file);
  std::string line;
  if (!stream || !std::getline(stream, line)) {
    throw ArgumentError(kBadFile, fmt::format("{} {}: cannot read its first line: {}", option, file,
                                              std::strerror(errno)));
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
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
  if (!raw.name.empty() || !raw.interval.empty() || !raw.url_file.empty() ||
      (has_gap && !raw.gap.empty())) {
    throw ArgumentError(kUsage,
                        "positional arguments together with --redis-file, --name, --interval or "
                        "--gap: say each of them once");
  }
  const std::string& host = raw.positional[0];
  const bool is_ipv6 = host.find(':') != std::string::npos;
  const std::string shown_host = is_ipv6 && host.front() != '[' ? "[" + host + "]" : host;
  raw.url = fmt::format("redis://{}:{}", shown_host, raw.positional[1]);
  raw.name = raw.positional[2];
  const std::string& ms = raw.positional[3];
  if (ms.empty() || ms.find_first_not_of("0123456789") != std::string::npos) {
    throw ArgumentError(kUsage, fmt::format("INTERVAL_MS \"{}\" is not a whole number of "
                                            "milliseconds, for example 5000",
                                            ms));
  }
  raw.interval = ms + "ms";
  if (has_gap) raw.gap = raw.positional[4];
}

RedisOptions redis_of(const Raw& raw) {
  if (raw.url.empty() && raw.url_file.empty()) {
    throw ArgumentError(kUsage,
                        "no server: give --redis redis://HOST:PORT (or NANDI_REDIS_URL, "
                        "--redis-file, or HOST PORT NAME INTERVAL_MS)");
  }
  const std::string text =
      raw.url_file.empty() ? raw.url : first_line(raw.url_file, "--redis-file");
  auto url = parse_redis_url(text);
  if (const auto* error = std::get_if<RedisUrlError>(&url)) {
    throw ArgumentError(raw.url_file.empty() ? kUsage : kBadFile, to_string(*error));
  }
  RedisOptions redis;
  redis.url = std::get<RedisUrl>(std::move(url));
  redis.tls = raw.tls;
  redis.tls.verify = !raw.tls_no_verify;
  redis.seed = raw.seed;
  const char* password = std::getenv("NANDI_REDIS_PASSWORD");
  if (!raw.password_file.empty()) {
    redis.url.password = Secret(first_line(raw.password_file, "--password-file"));
  } else if (password != nullptr && redis.url.password.empty()) {
    redis.url.password = Secret(password);
  }
  return redis;
}

std::chrono::nanoseconds duration_of(std::string_view option, const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration) {
    throw ArgumentError(kUsage, fmt::format("{} \"{}\" is not a number with a unit, for example 5s "
                                            "or 300ms",
                                            option, text));
  }
  return *duration;
}

Fraction fraction_of(std::string_view option, const std::string& text) {
  const auto fraction = parse_fraction(text);
  if (!fraction) {
    throw ArgumentError(kUsage, fmt::format("{} \"{}\" is not a decimal such as 0.15 or a fraction "
                                            "such as 3/20",
                                            option, text));
  }
  return *fraction;
}

Level level_of(const std::string& text) {
  for (const Level level : {Level::trace, Level::debug, Level::info, Level::warn, Level::error}) {
    constexpr std::array<std::string_view, 5> kNames{"trace", "debug", "info", "warn", "error"};
    if (text == kNames.at(static_cast<std::size_t>(level))) return level;
  }
  throw ArgumentError(kUsage,
                      fmt::format("--log \"{}\" is none of trace, debug, info, warn, error", text));
}

Options options_of(const Raw& raw) {
  Options options;
  options.name = raw.name;
  if (raw.name.empty()) {
    throw ArgumentError(kUsage, "no group: give --name, for example --name mail-sender");
  }
  if (raw.interval.empty()) {
    throw ArgumentError(kUsage, "no interval: give --interval, for example --interval 5s");
  }
  options.interval = duration_of("--interval", raw.interval);
  if (!raw.gap.empty()) options.gap = fraction_of("--gap", raw.gap);
  if (!raw.timeout.empty()) options.attempt_timeout = duration_of("--timeout", raw.timeout);
  if (!raw.drift.empty()) options.drift_bound = fraction_of("--drift", raw.drift);
  if (!raw.first_spread.empty()) {
    options.first_spread = fraction_of("--first-spread", raw.first_spread);
  }
  options.prefix = raw.prefix;
  options.seed = raw.seed;
  return options;
}

WorkerArguments understand(Raw raw) {
  spread_positional(raw);
  WorkerArguments arguments;
  arguments.redis = redis_of(raw);
  arguments.options = options_of(raw);
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

/// Blanks the part of every URL in argv that may be a password.
void hide_passwords(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    char* const scheme = std::strstr(argv[i], "://");
    char* const at = scheme == nullptr ? nullptr : std::strrchr(scheme, '@');
    if (at == nullptr) continue;
    for (char* c = scheme + 3; c < at; ++c) *c = '*';
  }
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
  };
  // The longer of two names that end alike comes first.
  constexpr std::array<Unit, 5> kUnits{Unit{"us", 1000}, Unit{"ms", 1'000'000},
                                       Unit{"s", 1'000'000'000}, Unit{"m", 60'000'000'000},
                                       Unit{"h", 3'600'000'000'000}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    const bool is_decimal = text.find('/') == std::string_view::npos;
    const auto number = is_decimal ? parse_fraction(text) : std::nullopt;
    if (!number) return std::nullopt;
    const Int128 product = Int128{number->numerator()} * unit.nanoseconds;
    constexpr Int128 kMost = Int128{9'000'000'000} * 1'000'000'000;
    if (product % number->denominator() != 0) return std::nullopt;
    if (product / number->denominator() > kMost) return std::nullopt;
    return std::chrono::nanoseconds(static_cast<std::int64_t>(product / number->denominator()));
  }
  return std::nullopt;
}

std::variant<WorkerArguments, EarlyExit> parse_arguments(int argc, char** argv) {
  CLI::App app("Joins a worker group on a Redis and reports the share of the work it owns.",
               "nandi-worker");
  app.footer(std::string(kFooter));
  Raw raw;
  declare(app, raw);
  try {
    app.parse(argc, argv);
    hide_passwords(argc, argv);
    return understand(std::move(raw));
  } catch (const CLI::CallForHelp&) {
    return EarlyExit{0, app.help()};
  } catch (const CLI::ParseError& error) {
    hide_passwords(argc, argv);
    return EarlyExit{
        kUsage, fmt::format("nandi-worker: {}\nnandi-worker --help says more\n", error.what())};
  } catch (const ArgumentError& error) {
    std::string text;
    std::istringstream lines(error.what());
    for (std::string line; std::getline(lines, line);) {
      text += fmt::format("nandi-worker: {}\n", line);
    }
    return EarlyExit{error.status, text};
  }
}

}  // namespace nandi::tools
