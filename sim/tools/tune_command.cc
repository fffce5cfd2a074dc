#include "tune_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cli/progress_line.h"
#include "cli/run_files.h"
#include "flag_values.h"
#include "nandi/engine/options.h"
#include "nandi/reports/page.h"
#include "nandi/reports/tune_report.h"
#include "nandi/sim/latency_profile.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/sampler.h"
#include "nandi/sim/scenario.h"
#include "nandi/sim/tune/histogram_file.h"
#include "nandi/sim/tune/percentile_list.h"
#include "nandi/sim/tune/tune.h"
#include "nandi/sim/tune/tune_report.h"
#include "nandi/sim/unknown_arguments.h"
#include "nandi/sim/whole_file.h"
#include "nandi/sim/yaml/names.h"
#include "nandi/sim/yaml/scalar.h"

namespace nandi::sim::cli {
namespace {

struct TuneArguments {
  std::string file;
  std::string profile;
  std::string histogram;
  std::string unit;
  std::string latency;
  std::string pause;
  std::string joins;
  std::string departures;
  std::string drift;
  std::string drain;
  std::string losses;
  std::string ready_within;
  std::string objective = "handover";
  std::vector<std::string> intervals;
  std::vector<std::string> gaps;
  std::uint32_t workers = 0;
  std::uint32_t most_workers = 0;
  std::uint64_t budget = 0;
  unsigned jobs = 1;
  std::string json;
  std::string out;
  bool quiet = false;
};

using Refuse = std::function<void(const std::string& what, const std::string& advice)>;

/// Settings with which no candidate is simulated.
void refuse_settings(const Scenario& scenario, const Refuse& refuse) {
  const GroupSettings& group = scenario.group;
  if (group.attempt_timeout && *group.attempt_timeout != default_attempt_timeout(group.interval)) {
    refuse("`attempt_timeout` is an eighth of each interval that is tried", "leave it out");
  }
  if (group.resolution != GroupSettings{}.resolution || group.first_spread != Fraction(1, 1)) {
    refuse("`resolution` and `first_spread` are 1ms and 1 where settings are tried",
           "leave them out");
  }
  const FractionRange& drift = scenario.clocks.workers.drift;
  const Fraction below(-group.drift_bound.numerator(), group.drift_bound.denominator());
  if (drift.from < below || drift.to > group.drift_bound ||
      scenario.clocks.store.drift != Fraction()) {
    refuse("`clocks` drift by more than `drift_bound` says", "raise the bound, or leave them out");
  }
}

/// Networks and members with which no candidate is simulated.
void refuse_members(const Scenario& scenario, const Refuse& refuse) {
  for (const WorkerSet& set : scenario.workers) {
    WorkerSet alike;
    alike.count = set.count;
    if (set != alike) refuse("`workers` differ", "tune a group whose members are alike");
  }
  const NetworkSettings& network = scenario.network;
  if (!Sampler(network.jitter.reply).is_zero()) {
    refuse("`jitter` of replies is not known to tuning", "put it into `reply`");
  }
  if (network.loss.request != Fraction() || network.loss.reply != Fraction()) {
    refuse("`loss` is not known to tuning", "leave it out; failed registrations have their bound");
  }
  if (scenario.consumer.ignore_expiry) {
    refuse("`ignore_expiry` is safe with no setting", "leave it out");
  }
}

/// What a file says of the group; what tuning does not know of is refused, never ignored.
void take_scenario(const std::string& file, TuneRequest& request) {
  const Scenario scenario = load_scenario(file);
  const Refuse refuse = [&](const std::string& what, const std::string& advice) {
    throw std::runtime_error(file + ": " + what + "; " + advice);
  };
  refuse_settings(scenario, refuse);
  refuse_members(scenario, refuse);
  if (!(scenario.rules == RuleSettings{})) {
    refuse("`rules` break the protocol", "tune a scenario without them");
  }
  if (scenario.swarm) refuse("a `swarm` draws its members", "give --workers and --latency instead");
  if (!scenario.schedule.empty()) refuse("a `schedule` has no latencies", "tune a timeline");
  request.name = scenario.name;
  request.members =
      std::accumulate(scenario.workers.begin(), scenario.workers.end(), std::uint32_t{0},
                      [](std::uint32_t sum, const WorkerSet& set) { return sum + set.count; });
  request.latency_source = file;
  request.request = scenario.network.request;
  request.reply = scenario.network.reply;
  request.pause = scenario.network.jitter.request;
  request.drift = scenario.group.drift_bound;
  request.drain =
      Sampler(scenario.consumer.drain).sample(std::numeric_limits<std::uint64_t>::max());
}

void take_latency(const TuneArguments& given, TuneRequest& request) {
  if (!given.profile.empty()) {
    const LatencyProfile profile = load_latency_profile(given.profile);
    request.request = profile.request_delay();
    request.reply = profile.reply_delay();
    request.latency_source = given.profile;
  }
  if (!given.histogram.empty()) {
    request.request = load_histogram_file(given.histogram, given.unit);
    request.reply = ConstantDelay{};
    request.latency_source = given.histogram;
  }
  if (!given.latency.empty()) {
    request.request = parse_percentiles(given.latency, "--latency");
    request.reply = ConstantDelay{};
    request.latency_source = given.latency;
  }
  if (request.latency_source.empty()) {
    throw std::invalid_argument(
        "no latency is known; give a scenario FILE, --profile FILE (nandi-worker probe writes "
        "one), "
        "--histogram FILE or --latency p50=1ms,p99=20ms,max=50ms");
  }
  if (!given.pause.empty()) request.pause = parse_percentiles(given.pause, "--pause");
}

TuneObjective objective_of(const std::string& name) {
  std::vector<std::string> names;
  for (const TuneObjective objective :
       {TuneObjective::handover, TuneObjective::idle, TuneObjective::load}) {
    if (name == objective_name(objective)) return objective;
    names.emplace_back(objective_name(objective));
  }
  throw std::invalid_argument("--objective: '" + name + "' is none; " +
                              yaml::name_advice(name, names));
}

template <class Value>
void in_order(std::vector<Value>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void take_grid(const TuneArguments& given, TuneRequest& request) {
  for (const std::string& text : given.intervals) {
    const Duration interval = duration_of("--intervals", text);
    if (interval < Duration(kNanosecondsPerMillisecond) ||
        interval.count() % kNanosecondsPerMillisecond != 0) {
      throw std::invalid_argument("--intervals: '" + text +
                                  "' is no whole number of milliseconds; write one such as 5s");
    }
    constexpr Duration kLongest{24 * 3600 * kNanosecondsPerSecond};
    if (interval > kLongest) {
      throw std::invalid_argument("--intervals: '" + text +
                                  "' is longer than a day; write one such as 5s");
    }
    request.intervals.push_back(interval);
  }
  for (const std::string& text : given.gaps) {
    const Fraction gap = fraction_of("--gaps", text);
    if (gap <= Fraction() || gap >= Fraction(1, 2) || gap.denominator() > kMaxDenominator) {
      throw std::invalid_argument("--gaps: '" + text +
                                  "' is not above 0 and below 0.5 with nine digits at most; write "
                                  "one such as 0.15");
    }
    request.gaps.push_back(gap);
  }
  in_order(request.intervals);
  in_order(request.gaps);
}

Fraction rate_of(const std::string& option, const std::string& text) {
  const bool has_unit = text.ends_with("/h");
  const Fraction rate = fraction_of(option, has_unit ? text.substr(0, text.size() - 2) : text);
  if (rate < Fraction()) {
    throw std::invalid_argument(option + ": '" + text + "' is below 0; write a rate such as 6");
  }
  return rate;
}

TuneRequest request_of(const TuneArguments& given) {
  TuneRequest request;
  request.members = 0;
  if (!given.file.empty()) take_scenario(given.file, request);
  take_latency(given, request);
  if (given.workers > 0) request.members = given.workers;
  if (request.members < 2) {
    throw std::invalid_argument("the group has fewer than two workers; give --workers N");
  }
  request.most_members = std::max(given.most_workers, request.members);
  if (given.most_workers > 0 && given.most_workers < request.members) {
    throw std::invalid_argument(
        fmt::format("--most-workers: {} are fewer than the {} there are now; "
                    "give as many at least",
                    given.most_workers, request.members));
  }
  if (!given.joins.empty()) request.joins_per_hour = rate_of("--joins", given.joins);
  if (!given.departures.empty()) {
    request.departures_per_hour = rate_of("--departures", given.departures);
  }
  if (!given.drift.empty()) request.drift = rate_of("--drift", given.drift);
  constexpr std::int64_t kFinest = 1'000'000;
  if (request.drift >= Fraction(1, 8) || request.drift.denominator() > kFinest) {
    throw std::invalid_argument("--drift: '" + to_string(request.drift) +
                                "' is not below 0.125 in whole ppm; write one such as 200ppm");
  }
  if (!given.drain.empty()) request.drain = duration_of("--drain", given.drain);
  if (request.drain < Duration(0)) {
    throw std::invalid_argument("--drain: '" + given.drain + "' is below 0; write one such as 2s");
  }
  if (!given.losses.empty()) request.most_losses_per_day = rate_of("--losses", given.losses);
  if (request.most_losses_per_day == Fraction()) {
    throw std::invalid_argument(
        "--losses: no number of seeds shows that none are lost; write a rate such as 0.1");
  }
  if (!given.ready_within.empty()) {
    request.ready_within = duration_of("--ready-within", given.ready_within);
    if (*request.ready_within <= Duration(0)) {
      throw std::invalid_argument("--ready-within: '" + given.ready_within +
                                  "' is no time at all; write one such as 30s");
    }
  }
  request.objective = objective_of(given.objective);
  if (given.budget > 0) request.budget = given.budget;
  take_grid(given, request);
  return request;
}

void add_options(CLI::App& app, TuneArguments& given) {
  app.add_option("FILE", given.file,
                 "scenario of a lease group: its workers, latencies, drift and drains count, its "
                 "timeline does not");
  app.add_option("--profile", given.profile, "latency profile that nandi-worker probe wrote");
  auto* histogram =
      app.add_option("--histogram", given.histogram,
                     "round trips as another program counted them: lines of an upper end and a "
                     "count (5ms,120), or percentiles as HdrHistogram prints them");
  histogram->excludes("--profile");
  app.add_option("--unit", given.unit, "of the histogram's numbers that have none: ns, us, ms, s")
      ->check(CLI::IsMember({"ns", "us", "ms", "s"}))
      ->needs(histogram);
  app.add_option("--latency", given.latency,
                 "round trips as percentiles: p50=1ms,p99=20ms,max=50ms; of min, p50, p90, p95, "
                 "p99, p999, p9999, max at least p50 and max")
      ->excludes("--profile")
      ->excludes(histogram);
  app.add_option(
      "--pause", given.pause,
      "how late a process is when it is due, as percentiles: p50=0ms,p99=30ms,max=200ms");
  app.add_option("--workers", given.workers, "workers now")->check(CLI::Range(2U, 100'000U));
  app.add_option("--most-workers", given.most_workers, "workers at most, later")
      ->check(CLI::Range(2U, 100'000U));
  app.add_option("--joins", given.joins, "joins per hour, such as 6 or 6/h (0)");
  app.add_option("--departures", given.departures, "departures per hour (0)");
  app.add_option("--drift", given.drift, "bound on the rate between two clocks (0.001)");
  app.add_option("--drain", given.drain, "time that a consumer needs to stop (0s)");
  app.add_option("--objective", given.objective,
                 "handover: follow changes fast (the default); idle: own the most; load: register "
                 "the least");
  app.add_option("--losses", given.losses,
                 "leases that may be lost per worker and day without a change of membership (1)");
  app.add_option("--ready-within", given.ready_within,
                 "a start has to end within this in 99 of 100 cases");
  app.add_option("--intervals", given.intervals, "intervals to try: 1s,2s,5s")->delimiter(',');
  app.add_option("--gaps", given.gaps, "gaps to try: 0.13,0.15,0.2")->delimiter(',');
  app.add_option(
         "--budget", given.budget,
         "registrations to simulate on the grid, and as many for the validation (150000000); what "
         "is not decided by then stays open")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}));
  app.add_option("--jobs", given.jobs, "threads; the result does not depend on it")
      ->check(CLI::Range(1U, 1024U));
  app.add_option("--json", given.json, "write the result as JSON; - is the standard output");
  app.add_option("--out", given.out,
                 "write a folder: report.html, tune.json, tune.csv, and chosen.yaml, a scenario of "
                 "the chosen setting");
  const CLI::Validator is_given(
      [](std::string& text) {
        return text.empty() ? std::string("has no value; give it one, or leave it out") : "";
      },
      "");
  for (CLI::Option* option : app.get_options()) option->check(is_given);
  app.add_flag("--quiet", given.quiet,
               "print the recommendation only, or what came nearest to one");
}

/// As a shell takes it.
std::string command_line(const char* program, int argc, char** argv) {
  std::string line = program;
  for (int a = 0; a < argc; ++a) {
    const std::string argument = argv[a];
    const bool is_plain =
        !argument.empty() &&
        argument.find_first_of(" \t\n'\"\\$`*?;&|<>(){}[]#~!") == std::string::npos;
    std::string quoted;
    for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += is_plain ? " " + argument : " '" + quoted + "'";
  }
  return line;
}

void write_files(const TuneArguments& given, const std::string& command, const TuneResult& result) {
  if (!given.json.empty() && given.json != "-") replace_file(given.json, tune_json(result));
  if (given.out.empty()) return;
  const std::filesystem::path folder(given.out);
  std::filesystem::create_directories(folder);
  replace_file(folder / "tune.json", tune_json(result));
  replace_file(folder / "tune.csv", tune_csv(result));
  const std::string known = !given.file.empty()      ? given.file
                            : !given.profile.empty() ? given.profile
                                                     : given.histogram;
  replace_file(folder / "report.html",
               reports::html_page(reports::tune_report(known, command, result)));
  if (!result.recommendation) return;
  std::ostringstream scenario;
  write_scenario(tune_scenario(result.request, result.cells[result.recommendation->cell].setting,
                               result.request.members),
                 scenario);
  replace_file(folder / "chosen.yaml", scenario.str());
}

void print(const TuneArguments& given, const TuneResult& result) {
  std::ostream& people = given.json == "-" ? std::cerr : std::cout;
  if (given.json == "-") std::cout << tune_json(result) << std::flush;
  if (!given.quiet) {
    people << tune_text(result) << std::flush;
  } else if (result.recommendation) {
    people << result.recommendation->sentence << "\n" << std::flush;
  } else {
    people << tune_nearest_text(result) << std::flush;
  }
}

int parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ExtrasError&) {
    std::cerr << unknown_argument_text(app, "nandi-sim tune") << "\n";
    return kUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? -1 : kUsage;
  }
}

}  // namespace

int run_tune_tool(const char* program, int argc, char** argv, const std::atomic<bool>& stop) {
  CLI::App app{
      "Chooses interval and gap for a group: closed bounds first, then simulation of a grid of\n"
      "settings until they can be told apart; the winner is run again under ten times the seeds.\n"
      "sim/tune.md explains what it prints. Exit status: 0 a setting is recommended and "
      "confirmed,\n"
      "1 none passes, 2 unknown: interrupted (what was found so far is printed), out of budget, "
      "or\n"
      "not confirmed; 64 usage, 65 a bad file, 70 an error of our own.",
      "nandi-sim tune"};
  TuneArguments given;
  given.jobs = std::max(1U, std::thread::hardware_concurrency());
  add_options(app, given);
  const int status = parse(app, argc, argv);
  if (status != 0) return std::max(status, 0);
  try {
    const TuneRequest request = request_of(given);
    ProgressLine line(std::cerr);
    TuneOptions options;
    options.jobs = given.jobs;
    options.stop = &stop;
    if (isatty(STDERR_FILENO) != 0) {
      options.progress = [&](const TuneProgress& progress) {
        line.draw(fmt::format("tune: {}", progress.phase), progress.done, progress.total);
      };
    }
    const TuneResult result = run_tune(request, options);
    line.remove();
    print(given, result);  // first: a file that cannot be written does not take the answer along
    write_files(given, command_line(program, argc, argv), result);
    return exit_status(tune_verdict(result));
  } catch (const std::invalid_argument& error) {
    std::cerr << "nandi-sim tune: " << error.what() << "\n";
    return kUsage;
  } catch (const yaml::LoadError& error) {
    std::cerr << error.what() << "\n";
    return kBadFile;
  } catch (const std::runtime_error& error) {
    std::cerr << error.what() << "\n";
    return kBadFile;
  }
}

}  // namespace nandi::sim::cli
