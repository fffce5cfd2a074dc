#include "run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include "lease_run.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/keyspace/keyspace_study.h"
#include "nandi/sim/partition/partition_study.h"
#include "nandi/sim/settling/settling_study.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/scalar.h"
#include "nandi/sim/yaml/tree.h"
#include "summary.h"
#include "terminal.h"

namespace nandi::sim::cli {
namespace {

/// An option that does not go with the kind of a file.
class OptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option that would be passed over is refused: the answer would not be the one asked for.
void refuse_options(ScenarioKind kind, const std::string& file, const RunRequest& request) {
  const bool is_lease = kind == ScenarioKind::lease;
  const bool is_partition = kind == ScenarioKind::partition;
  const auto refuse = [&](bool is_given, const char* option, const char* kinds) {
    if (!is_given) return;
    throw OptionError(
        fmt::format("{}: {} is for scenarios of kind {} only; leave it out", file, option, kinds));
  };
  if (!is_lease) {
    refuse(!request.trace.empty(), "--trace", "lease");
    refuse(request.length.has_value(), "--for", "lease");
    refuse(request.check_determinism, "--check-determinism", "lease");
    refuse(!request.resume.empty(), "--resume", "lease");
    refuse(!request.regressions.empty(), "--regressions", "lease");
    refuse(request.fault_seed.has_value(), "--fault-seed", "lease");
    refuse(request.table, "--summary table", "lease");
    refuse(request.over_ranks != nullptr, "--mpi", "lease");
  }
  if (kind == ScenarioKind::keyspace) {
    refuse(request.seeds.has_value(), "--seed or --seeds", "lease, partition or settling");
  }
  if (!is_partition) refuse(request.lookup_clock != nullptr, "--time-lookups", "partition");
}

/// Shows a study again.
std::string study_command(const std::string& file, const RunRequest& request) {
  std::string command = fmt::format("{} {}", request.program, file);
  if (request.seeds) {
    command += fmt::format(" --seeds {}..{}", request.seeds->first, request.seeds->last);
  }
  return command;
}

FileOutcome run_partition(const yaml::Document& document, const std::string& file,
                          const RunRequest& request, std::ostream& out) {
  PartitionStudy study = load_partition_study(document);
  if (request.seeds) study.seeds = {request.seeds->first, request.seeds->last};
  const PartitionResult result = run_partition_study(study, {request.lookup_clock, request.stop});
  if (request.observer != nullptr) {
    request.observer->on_partition(file, study_command(file, request), result);
  }
  out << (request.quiet ? "" : partition_text(result));
  FileOutcome outcome{result.verdict, as_expected(study.expect, result.properties), std::nullopt};
  if (!request.json.empty()) outcome.json = partition_json(result);
  return outcome;
}

FileOutcome run_keyspace(const yaml::Document& document, const std::string& file,
                         const RunRequest& request, std::ostream& out) {
  const KeyspaceStudy study = load_keyspace_study(document);
  const KeyspaceResult result = run_keyspace_study(study, request.stop);
  if (request.observer != nullptr) {
    request.observer->on_keyspace(file, study_command(file, request), result);
  }
  out << (request.quiet ? "" : keyspace_text(result));
  FileOutcome outcome{result.verdict, as_expected(study.expect, result.properties), std::nullopt};
  if (!request.json.empty()) outcome.json = keyspace_json(result);
  return outcome;
}

FileOutcome run_settling(const yaml::Document& document, const std::string& file,
                         const RunRequest& request, std::ostream& out) {
  SettlingStudy study = load_settling_study(document);
  if (request.seeds) study.seeds = {request.seeds->first, request.seeds->last};
  if (study.seeds.second - study.seeds.first + 1 < kLeastSettlingSeeds) {
    throw OptionError(fmt::format(
        "--seeds {}..{}: fewer than {} seeds have no interval for their median; {} needs more",
        study.seeds.first, study.seeds.second, kLeastSettlingSeeds, file));
  }
  const SettlingResult result = run_settling_study(study, {request.jobs, request.stop});
  if (request.observer != nullptr) {
    request.observer->on_settling(file, study_command(file, request), result);
  }
  out << (request.quiet ? "" : settling_study_text(result));
  FileOutcome outcome{result.verdict, as_expected(study.expect, result.properties), std::nullopt};
  if (!request.json.empty()) outcome.json = settling_study_json(result);
  return outcome;
}

FileOutcome run_one(const std::filesystem::path& file, const RunRequest& request,
                    const Streams& streams) {
  const yaml::Document document = yaml::load_yaml(file);
  FileOutcome outcome;
  const ScenarioKind kind = kind_of(document);
  refuse_options(kind, file.string(), request);
  switch (kind) {
    case ScenarioKind::lease: {
      Scenario scenario = read_scenario(document);
      if (request.fault_seed && !scenario.swarm) {
        throw OptionError(
            fmt::format("{}: --fault-seed is for scenarios with a `swarm` only", file.string()));
      }
      if (request.fault_seed) scenario.swarm->fault_seed = request.fault_seed;
      for (const std::string& warning : timing_warnings(scenario)) {
        streams.err << fmt::format("{}: warning: {}\n", file.string(), warning);
      }
      return run_lease(scenario, file.string(), request, streams);
    }
    case ScenarioKind::partition:
      outcome = run_partition(document, file.string(), request, streams.text);
      break;
    case ScenarioKind::keyspace:
      outcome = run_keyspace(document, file.string(), request, streams.text);
      break;
    case ScenarioKind::settling:
      outcome = run_settling(document, file.string(), request, streams.text);
      break;
  }
  if (request.quiet) {
    streams.text << fmt::format("{}: {}\n", file.stem().string(),
                                verdict_text(outcome.verdict, request.use_colour));
  }
  return outcome;
}

void write_json(const std::vector<yaml::Tree>& summaries, const RunRequest& request,
                std::ostream& out) {
  std::ofstream file;
  if (request.json != "-") {
    file.open(request.json, std::ios::binary);
    if (!file) throw std::runtime_error("cannot write " + request.json);
  }
  std::ostream& to = request.json == "-" ? out : file;
  // One file: its object. Several: a list of them.
  yaml::write_json(request.files.size() == 1 ? summaries.front() : yaml::Tree::sequence(summaries),
                   to);
  to.flush();
  if (!to) throw std::runtime_error("cannot write " + request.json);
}

/// Runs `action`; 0, or the exit status that its failure stands for.
template <class Action>
int guarded(const Streams& streams, const Action& action) {
  try {
    action();
    return 0;
  } catch (const OptionError& error) {
    streams.err << error.what() << "\n";
    return kUsage;
  } catch (const yaml::LoadError& error) {
    streams.err << error.what() << "\n";
    return kBadFile;
  } catch (const std::invalid_argument& error) {
    streams.err << "the schedule cannot be replayed: " << error.what() << "\n";
    return kBadFile;
  } catch (const std::logic_error& error) {
    streams.err << "internal error: " << error.what() << "\n";
    return kOwnBug;
  } catch (const std::exception& error) {
    streams.err << error.what() << "\n";
    return kBadFile;
  }
}

/// An output that would be written over a scenario or over another output; empty: none.
std::string clash_of_files(const RunRequest& request) {
  const std::pair<const char*, std::filesystem::path> outputs[] = {
      {"--json", request.json}, {"--trace", request.trace}, {"--resume", request.resume}};
  std::error_code missing;
  std::vector<std::pair<std::string, std::filesystem::path>> taken;
  for (const std::filesystem::path& file : request.files) {
    taken.emplace_back("a scenario", std::filesystem::weakly_canonical(file, missing));
  }
  for (const auto& [option, name] : outputs) {
    if (name.empty() || name == "-") continue;
    const std::filesystem::path path = std::filesystem::weakly_canonical(name, missing);
    if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) continue;
    for (const auto& [what, other] : taken) {
      if (path == other) {
        return fmt::format("{}: {} is {} too; name another file\n", option, name.string(), what);
      }
    }
    taken.emplace_back(option, path);
  }
  return "";
}

}  // namespace

int run_files(const RunRequest& request, std::ostream& out, std::ostream& err) {
  // JSON or a trace on standard output has it for itself; what people read goes to the other.
  if (request.json == "-" && request.trace == "-") {
    err << "--json and --trace cannot both have the standard output; give one of them a file\n";
    return kUsage;
  }
  if (!request.resume.empty() && request.files.size() > 1) {
    err << "--resume names the state of one campaign; give one scenario file\n";
    return kUsage;
  }
  if (const std::string clash = clash_of_files(request); !clash.empty()) {
    err << clash;
    return kUsage;
  }
  const bool out_is_taken = request.json == "-" || request.trace == "-";
  const Streams streams{out_is_taken ? err : out, out, err};
  Verdict worst = Verdict::holds;
  bool all_as_expected = true;
  int failure = 0;
  std::vector<yaml::Tree> summaries;
  bool has_head = !request.table;
  const bool is_apart = !request.quiet && !request.table;
  for (const std::filesystem::path& file : request.files) {
    if (&file != &request.files.front() && is_apart) streams.text << "\n";
    const int status = guarded(streams, [&] {
      std::ostringstream row;
      FileOutcome outcome =
          run_one(file, request, request.table ? Streams{row, streams.data, streams.err} : streams);
      if (!has_head) streams.text << table_head();  // not above a file that has no row
      has_head = true;
      streams.text << row.str();
      worst = worse(worst, outcome.verdict);
      if (request.as_expected && !outcome.as_expected) {
        all_as_expected = false;
        streams.text << fmt::format("  {}: not what the file expects\n", file.string());
      }
      if (outcome.json) summaries.push_back(std::move(*outcome.json));
    });
    failure = std::max(failure, status);
  }
  if (!request.json.empty() && !summaries.empty()) {
    failure = std::max(failure, guarded(streams, [&] { write_json(summaries, request, out); }));
  }
  if (failure != 0) return failure;
  if (!request.as_expected) return exit_status(worst);
  if (all_as_expected) return 0;
  return worst == Verdict::unknown ? exit_status(worst) : exit_status(Verdict::violated);
}

}  // namespace nandi::sim::cli
