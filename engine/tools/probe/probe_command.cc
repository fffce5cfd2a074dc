#include "probe/probe_command.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "group_arguments.h"
#include "nandi/sim/histogram.h"
#include "nandi/sim/latency_profile.h"
#include "probe/direction_split.h"
#include "redis_session.h"
#include "trial_registration.h"

namespace nandi::tools {
namespace {

constexpr std::chrono::milliseconds kPatience{5000};
constexpr int kMostFailures = 10;  // in a row

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");

/// The first signal ends the measuring with what there is, the second ends the program.
void on_signal(int number) {
  if (stop_asked.exchange(true)) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

struct ProbeArguments {
  RedisOptions redis;
  Options group;
  std::uint64_t count = 1000;
  std::chrono::nanoseconds every{0};
  std::optional<std::chrono::nanoseconds> duration;
  std::string out;
};

struct Measured {
  std::vector<Trial> trials;
  std::uint64_t failures = 0;
  std::string problem;  ///< of the last failure
  bool gave_up = false;
  bool was_refused = false;
};

void show_progress(const ProbeArguments& arguments, const Measured& measured) {
  static const bool is_terminal = isatty(STDERR_FILENO) != 0;
  constexpr std::size_t kEvery = 10;
  if (!is_terminal || measured.trials.size() % kEvery != 0) return;
  const std::string of = arguments.duration ? "" : fmt::format(" of {}", arguments.count);
  fmt::print(stderr, "\r\x1b[K{}{} registrations, {} failed", measured.trials.size(), of,
             measured.failures);
  std::fflush(stderr);
}

void clear_progress() {
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\x1b[K");
}

Measured measure(const ProbeArguments& arguments, RedisSession& session) {
  Measured measured;
  TrialGroup group(session, arguments.group, "probe");
  const BootClock clock;
  const LocalTime begin = clock.now();
  LocalTime next = begin;
  int failures_in_a_row = 0;
  const auto is_over = [&] {
    if (stop_asked) return true;
    if (arguments.duration) return clock.now() - begin >= Duration(arguments.duration->count());
    return measured.trials.size() + measured.failures >= arguments.count;
  };
  while (!is_over()) {
    auto tried = group.once();
    if (const auto* refused = std::get_if<Refused>(&tried)) {
      ++measured.failures;
      measured.problem = refused->text;
      measured.was_refused = !refused->is_failure;
      measured.gave_up = ++failures_in_a_row >= kMostFailures;
      if (measured.gave_up) break;
    } else {
      failures_in_a_row = 0;
      measured.trials.push_back(std::get<Trial>(tried));
    }
    show_progress(arguments, measured);
    next = std::max(next + Duration(arguments.every.count()), clock.now());
    std::this_thread::sleep_for(std::chrono::nanoseconds((next - clock.now()).count()));
  }
  clear_progress();
  return measured;
}

std::string name_of_server(RedisSession& session) {
  const Reply info = session.ask({"INFO", "server"});
  const std::string field = "redis_version:";
  const std::size_t at = info.is_error() ? std::string::npos : info.text.find(field);
  if (at == std::string::npos) return "a Redis";
  const std::size_t begin = at + field.size();
  return "Redis " + info.text.substr(begin, info.text.find('\r', begin) - begin);
}

struct Histograms {
  sim::Histogram round_trip;
  sim::Histogram request;
  sim::Histogram reply;
  std::optional<Duration> known_to;  ///< nullopt: the directions are not known
};

Histograms histograms_of(const std::vector<Trial>& trials) {
  Histograms found;
  for (const Trial& trial : trials) found.round_trip.add(trial.received - trial.sent);
  const std::optional<Split> split = split_directions(trials);
  if (!split) return found;
  found.known_to = split->known_to;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Duration request = split->requests[i];
    found.request.add(request);
    found.reply.add(trials[i].received - trials[i].sent - request);
  }
  return found;
}

std::string row(const char* name, const sim::Histogram& values) {
  const auto in_us = [](Duration duration) {
    return fmt::format("{:.1f} us", static_cast<double>(duration.count()) / 1e3);
  };
  return fmt::format("{:<12} {:>12} {:>12} {:>12} {:>12} {:>12}\n", name, in_us(values.least()),
                     in_us(values.percentile(50)), in_us(values.percentile(90)),
                     in_us(values.percentile(99)), in_us(values.most()));
}

std::string table(const Histograms& found, const Measured& measured, const std::string& server) {
  std::string text = fmt::format("{}: {} registrations, {} failed\n", server,
                                 measured.trials.size(), measured.failures);
  text += fmt::format("{:<12} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "", "least", "median", "p90",
                      "p99", "worst");
  text += row("round trip", found.round_trip);
  if (!found.known_to) return text + "a clock was stepped: the directions are not known\n";
  text += row("request", found.request) + row("reply", found.reply);
  return text + fmt::format("the directions are known to {:.1f} us\n",
                            static_cast<double>(found.known_to->count()) / 1e3);
}

sim::LatencyProfile profile_of(const Histograms& found, const Measured& measured,
                               const std::string& server) {
  sim::LatencyProfile profile;
  profile.server = server;
  profile.samples = measured.trials.size();
  profile.failures = measured.failures;
  profile.round_trip = sim::histogram_delay(found.round_trip);
  if (found.known_to) {
    profile.directions = sim::LatencyDirections{
        *found.known_to, sim::histogram_delay(found.request), sim::histogram_delay(found.reply)};
  }
  return profile;
}

/// False when the file cannot be written.
bool write_profile(const std::string& file, const sim::LatencyProfile& profile) {
  std::ostringstream text;
  text << "# Latency of registrations, measured by nandi-worker probe; scenarios name this file\n"
          "# under `network: {profile: FILE}`.\n";
  sim::write_latency_profile(profile, text);
  if (file == "-") {
    return std::fputs(text.str().c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  }
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text.str();
  out.flush();
  return static_cast<bool>(out);
}

ProbeArguments understand(GroupTexts texts, const std::optional<std::uint64_t>& count,
                          const std::string& every, const std::string& duration, std::string out) {
  ProbeArguments arguments;
  arguments.out = std::move(out);
  arguments.redis = redis_of(texts);
  if (texts.name.empty()) texts.name = "nandi-probe";
  texts.interval = "1s";
  arguments.group = options_of(texts);
  for (const OptionProblem& problem : check(arguments.group)) {
    throw ArgumentError(kUsage, fmt::format("{}: {}", problem.option, problem.text));
  }
  if (count && !duration.empty()) {
    throw ArgumentError(kUsage, "--count and --duration: give one of the two");
  }
  if (count) arguments.count = *count;
  if (!duration.empty()) arguments.duration = duration_of("--duration", duration);
  if (arguments.count == 0 || (arguments.duration && arguments.duration->count() == 0)) {
    throw ArgumentError(kUsage, "nothing is to be measured; give --count 1000 or --duration 10s");
  }
  arguments.every = duration_of("--every", every);
  return arguments;
}

int probe(const ProbeArguments& arguments) {
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  signal(SIGPIPE, SIG_IGN);
  RedisSession session(arguments.redis, kPatience);
  if (const auto failure = session.connect()) {
    fmt::print(stderr, "nandi-worker probe: {}\n", failure->detail);
    return kUnreachable;
  }
  const std::string server = name_of_server(session);
  const Measured measured = measure(arguments, session);
  if (measured.trials.empty() || measured.gave_up) {
    fmt::print(stderr, "nandi-worker probe: {} registrations, {} failed, the last: {}\n",
               measured.trials.size(), measured.failures,
               measured.problem.empty() ? "none was sent" : measured.problem);
    if (measured.trials.empty() && measured.was_refused) return kBadFile;
    return kUnreachable;
  }
  const Histograms found = histograms_of(measured.trials);
  if (!arguments.out.empty() &&
      !write_profile(arguments.out, profile_of(found, measured, server))) {
    fmt::print(stderr,
               "nandi-worker probe: cannot write {}; name a file in a directory that is there\n",
               arguments.out);
    return kBadFile;
  }
  std::fputs(table(found, measured, server).c_str(), arguments.out == "-" ? stderr : stdout);
  return 0;
}

constexpr const char* kFooter =
    R"(It registers in a group of its own, {nandi-probe}:probe-..., whose keys expire within three
seconds; --name and --prefix move it to where an ACL user may write.

Exit status: 0 measured, 64 wrong usage, 65 a file that cannot be used or a server that refuses the
script, 69 a server that cannot be reached or stopped answering, 70 a bug of ours.)";

}  // namespace

int run_probe(int argc, char** argv) {
  CLI::App app(
      "Measures how long registrations on a Redis take, for scenarios and for choosing interval "
      "and "
      "gap.",
      "nandi-worker probe");
  app.footer(kFooter);
  GroupTexts texts;
  std::optional<std::uint64_t> count;
  std::string every = "10ms";
  std::string duration;
  std::string out;
  declare_server(app, texts);
  app.add_option("--count", count, "registrations to measure [1000]");
  app.add_option("--duration", duration, "measure for so long instead, for example 60s");
  app.add_option("--every", every, "from one to the next [10ms]");
  app.add_option("--name", texts.name, "group whose rights to use [nandi-probe]");
  app.add_option("--prefix", texts.prefix, "put before the keys");
  app.add_option("--out", out, "write the latency profile to this file; - is standard output");
  const auto parsed = parse_with<ProbeArguments>(app, argc, argv, [&] {
    return understand(std::move(texts), count, every, duration, std::move(out));
  });
  if (const auto* early = std::get_if<EarlyExit>(&parsed)) {
    std::fputs(early->text.c_str(), early->status == 0 ? stdout : stderr);
    return early->status;
  }
  return probe(std::get<ProbeArguments>(parsed));
}

}  // namespace nandi::tools
