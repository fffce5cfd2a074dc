#include "lease_run.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include "determinism.h"
#include "lane_view.h"
#include "nandi/sim/campaign.h"
#include "nandi/sim/campaign_state.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/properties.h"
#include "nandi/sim/simulator.h"
#include "nandi/sim/trace_writer.h"
#include "progress_line.h"
#include "regression_file.h"
#include "story.h"
#include "summary.h"
#include "terminal.h"

namespace nandi::sim::cli {
namespace {

/// CPU time of the whole process, in seconds.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::uint64_t per_second(std::uint64_t count, double seconds) {
  return static_cast<std::uint64_t>(static_cast<double>(count) / seconds);
}

void write_trace(const Simulator& simulator, std::uint64_t seed, const RunRequest& request,
                 std::ostream& out) {
  std::ofstream file;
  if (request.trace != "-") {
    file.open(request.trace, std::ios::binary);
    if (!file) throw std::runtime_error("cannot write " + request.trace);
  }
  std::ostream& to = request.trace == "-" ? out : file;
  TraceWriter writer(to, simulator.scenario(), seed);
  RunOptions options;
  options.trace = &writer;
  options.length = request.length;
  options.stop = request.stop;
  const RunResult run = simulator.run(seed, options);
  writer.finish(run.end, run.trace_hash);
  to.flush();
  if (!to) throw std::runtime_error("cannot write " + request.trace);
}

/// The property whose violation is told: the one that the scenario names, else the first.
const PropertyTally* told_violation(const Scenario& scenario, const CampaignResult& result,
                                    const Judgement& judgement, std::string& name) {
  const PropertyTally* told = nullptr;
  for (std::size_t p = 0; p < result.properties.size(); ++p) {
    const Finding& finding = judgement.properties[p];
    if (!finding.counts || !result.properties[p].first) continue;
    if (told != nullptr && finding.name != scenario.expect.property) continue;
    told = &result.properties[p];
    name = finding.name;
  }
  return told;
}

std::string replay_command(const std::string& shown, std::uint64_t seed,
                           const RunRequest& request) {
  std::string command = fmt::format("{} {} --seed {}", request.program, shown, seed);
  if (request.length) command += fmt::format(" --for {}ns", request.length->count());
  if (request.fault_seed) command += fmt::format(" --fault-seed {}", *request.fault_seed);
  return command;
}

/// Shows the whole campaign again.
std::string campaign_command(const std::string& shown, const SeedRange& seeds,
                             const RunRequest& request) {
  std::string command = fmt::format("{} {}", request.program, shown);
  if (request.seeds) command += fmt::format(" --seeds {}..{}", seeds.first, seeds.last);
  if (request.length) command += fmt::format(" --for {}ns", request.length->count());
  return command;
}

/// The lanes of a run; of a long one without a violation, its beginning: a column of a hundred
/// would stand for so many intervals that it shows nothing, and the run is one more of its length.
std::string lanes(const Simulator& simulator, std::uint64_t seed, bool is_violated,
                  const RunRequest& request) {
  constexpr std::size_t kMostWorkers = 24;
  constexpr std::int64_t kMostIntervals = 10'000;
  constexpr std::int64_t kShownIntervals = 100;
  LaneView view;
  RunOptions options;
  options.trace = &view;
  options.length = request.length;
  options.stop = request.stop;
  const Scenario& scenario = simulator.scenario();
  const Duration interval = scenario.group.interval;
  std::string title = fmt::format("\n  seed {}\n", seed);
  if (!is_violated && request.length.value_or(scenario.length) > interval * kMostIntervals) {
    options.length = interval * kShownIntervals;
    title = fmt::format("\n  seed {}, its first {} intervals\n", seed, kShownIntervals);
  }
  const RunResult run = simulator.run(seed, options);
  return title + view.draw(simulator.scenario(), run.end, request.width, kMostWorkers);
}

std::string heading(const Scenario& scenario, const RunRequest& request) {
  std::uint64_t workers = 0;
  for (const WorkerSet& set : scenario.workers) workers += set.count;
  return fmt::format("  {}, interval {}, gap {}, {} of simulated time a seed\n\n",
                     counted(workers, "worker"), duration_text(scenario.group.interval),
                     to_string(scenario.group.gap),
                     duration_text(request.length.value_or(scenario.length)));
}

}  // namespace

FileOutcome run_lease(const Scenario& scenario, const std::string& shown, const RunRequest& request,
                      const Streams& streams) {
  std::ostream& out = streams.text;
  const Simulator simulator(scenario);
  CampaignOptions options;
  options.seeds = request.seeds.value_or(scenario.seeds);
  if (!scenario.schedule.empty()) options.seeds = {1, 1};  // one run, whatever the seed
  options.jobs = request.jobs;
  options.length = request.length;
  options.stop = request.stop;
  ProgressLine progress(streams.err);
  if (request.draw_progress) {
    options.progress = [&](const CampaignProgress& p) {
      progress.draw(scenario.name, p.done, p.total, p.before,
                    p.violated > 0 ? fmt::format(", {} violated", grouped(p.violated)) : "");
    };
  }
  const std::uint64_t fingerprint = campaign_fingerprint(scenario, options);
  std::optional<CampaignPart> before;
  if (!request.resume.empty()) {
    before = load_campaign_state(request.resume, fingerprint);
    if (before) options.resume = &*before;
    options.save = [&](const CampaignPart& part) {
      save_campaign_state(request.resume, fingerprint, part);
    };
  }
  const double cpu_before = cpu_seconds();
  const CampaignResult result = request.over_ranks ? request.over_ranks(simulator, options)
                                                   : run_campaign(simulator, options);
  const double cpu = cpu_seconds() - cpu_before;
  progress.remove();

  const Judgement judgement = judge(scenario, result);
  FileOutcome outcome{judgement.verdict, judgement.as_expected, std::nullopt};
  if (!request.json.empty()) outcome.json = summary_json(scenario, result, judgement);
  std::string name;
  const PropertyTally* told = told_violation(scenario, result, judgement, name);
  const std::uint64_t seed = told != nullptr ? told->first_seed : options.seeds.first;
  if (request.observer != nullptr) {
    request.observer->on_lease({simulator, result, judgement, shown,
                                told != nullptr ? replay_command(shown, seed, request)
                                                : campaign_command(shown, options.seeds, request),
                                seed, told != nullptr ? &*told->first : nullptr, name});
  }
  if (!request.trace.empty()) write_trace(simulator, seed, request, streams.data);
  if (request.table) {
    out << table_row(scenario, result, judgement);
  } else {
    out << verdict_line(scenario, judgement, request.use_colour);
  }
  const bool is_summary = !request.quiet && !request.table;
  if (is_summary) {
    out << heading(scenario, request) << settling_text(scenario)
        << findings_text(judgement, request.use_colour) << "\n"
        << figures_text(scenario, result) << seeds_text(scenario, result);
    if (cpu > 0 && !before && !request.over_ranks) {
      out << fmt::format("  {} registrations and {} events a CPU second\n",
                         grouped(per_second(result.statistics.registrations, cpu)),
                         grouped(per_second(result.events, cpu)));
    }
    if (told == nullptr || scenario.schedule.empty()) {
      out << lanes(simulator, seed, told != nullptr, request);
    }
  }
  if (request.check_determinism) {
    RunOptions run;
    run.length = request.length;
    const SeedRun again = [&](const RunOptions& o) { static_cast<void>(simulator.run(seed, o)); };
    out << "  " << compare_runs(again, seed, run) << "\n";
  }
  if (told != nullptr && !request.table) {
    if (is_summary) {
      out << fmt::format("\n  how {} was violated in seed {}:\n", name, seed)
          << story(simulator, seed, *told->first);
    }
    out << "  again: " << replay_command(shown, seed, request) << "\n";
  }
  if (!request.regressions.empty()) write_regressions(scenario, result, judgement, request, out);
  return outcome;
}

}  // namespace nandi::sim::cli
