#include "nandi/checker/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include "check_report.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/scalar.h"

namespace nandi::checker {
namespace {

using sim::yaml::Tree;
using sim::yaml::Value;

/// States that a drawing shows; more are not to be looked at.
constexpr std::size_t kDrawnStates = 500;

/// The same error with its place: `key.key: what` is looked up in the file, as far as it is there.
[[noreturn]] void fail_in(const Value& root, const std::string& message) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos) root.fail(message, "see scenarios/README.md, `check`");
  Value at = root;
  for (std::size_t begin = 0; begin < colon;) {
    const std::size_t end = std::min(message.find('.', begin), colon);
    if (at.kind() != sim::yaml::NodeKind::mapping) break;
    const auto found = at.find(message.substr(begin, end - begin));
    if (!found) break;
    at = *found;
    begin = end + 1;
  }
  at.fail(message, "see scenarios/README.md, `check`");
}

LeaseCheckOptions options_of(const CheckRequest& request, const sim::CheckSettings& settings,
                             std::ostream& err) {
  LeaseCheckOptions options;
  options.order = request.order;
  options.seed = request.seed;
  options.keep_searching = request.keep_searching;
  options.walk_steps =
      request.max_states.value_or(request.keep_searching ? Bounds::kUnbounded : options.walk_steps);
  options.explore.threads = request.threads;
  options.explore.fingerprints = request.fingerprints;
  options.explore.fingerprint_seed = request.seed;
  options.explore.checkpoint.save_to = request.checkpoint;
  options.explore.checkpoint.seconds = request.checkpoint_seconds;
  options.explore.checkpoint.resume_from = request.resume;
  options.graph_states = request.dot.empty() ? 0 : kDrawnStates;
  options.explore.bounds.max_states = request.max_states.value_or(settings.max_states);
  options.explore.bounds.max_bytes = request.max_memory.value_or(settings.max_memory);
  if (request.max_seconds) options.explore.bounds.max_seconds = *request.max_seconds;
  options.explore.interrupt = request.interrupt;
  if (request.draw_progress) {
    options.explore.progress = [&err](const Progress& progress) {
      err << "\r\033[K" << progress_text(progress) << std::flush;
    };
  }
  return options;
}

bool is_as_expected(const sim::Expectation& expect, const Summary& summary) {
  return summary.verdict == expect.verdict &&
         (summary.verdict != sim::Verdict::violated || summary.violated == expect.property);
}

template <class Write>
void write_file(const std::string& path, const Write& write) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (file) write(file);
  file.flush();
  if (!file) {
    throw std::runtime_error(
        fmt::format("cannot write {}; name a file in a directory that may be written", path));
  }
}

/// What is to be saved: where the simulator does not see the violation in any form of the path,
/// since the leases share no more than a tick, a path to one that is longer.
ReplayableScenario find_replayable(const CheckReport& report, const LeaseCheckOptions& options,
                                   std::vector<StoryLine>& story) {
  const std::string name = report.scenario.name + "-counterexample";
  const std::string& property = report.result.summary.violated;
  story = report.result.story;
  ReplayableScenario found =
      replayable_scenario(report.check, name, property, report.result.schedules);
  if (found.is_confirmed) return found;
  LeaseCheck open_ends = report.check;
  open_ends.open_ends = true;
  open_ends.properties = {property};
  LeaseCheckOptions another_search = options;
  another_search.explore.checkpoint = {};
  const LeaseCheckResult longer = run_lease_check(open_ends, another_search);
  if (longer.summary.verdict != sim::Verdict::violated) return found;
  story = longer.story;
  return replayable_scenario(report.check, name, property, longer.schedules);
}

void save(const std::string& path, const LeaseCheckOptions& options, CheckReport& report) {
  const LeaseCheckResult& result = report.result;
  std::vector<StoryLine> story;
  const ReplayableScenario replayable = find_replayable(report, options, story);
  report.saved = path;
  report.is_confirmed = replayable.is_confirmed;
  write_file(path, [&](std::ostream& out) {
    out << fmt::format(
        "# A counterexample to {}: {}.\n"
        "# Found by: nandi-check --save {} {}\n"
        "# An interval of {} ticks takes {} ns here.{} Its story:\n",
        result.summary.violated, result.summary.evidence, path, report.file,
        report.check.members.front().timing.interval.count(),
        replayable.scenario.group.interval.count(),
        replayable.is_confirmed ? "" : " The simulator sees no violation in it.");
    for (const StoryLine& line : story) {
      out << fmt::format("#   interval {}, tick {}: {}\n", line.interval, line.tick, line.text);
    }
    sim::write_scenario(replayable.scenario, out);
  });
}

CheckReport check_one(const std::filesystem::path& path, const CheckRequest& request,
                      std::ostream& err) {
  CheckReport report;
  report.file = path.string();
  const sim::yaml::Document document = sim::yaml::load_yaml(path);
  if (sim::kind_of(document) != sim::ScenarioKind::lease) {
    document.root().find("kind")->fail("only scenarios of worker groups can be checked",
                                       "run it with nandi-sim");
  }
  report.scenario = sim::read_scenario(document, sim::whole_language());
  for (const std::string& warning : sim::timing_warnings(report.scenario)) {
    err << fmt::format("{}: warning: {}\n", report.file, warning);
  }
  report.by_fingerprints = request.fingerprints;
  if (auto& settings = report.scenario.check) {
    settings->symmetry = request.symmetry.value_or(settings->symmetry);
  }
  try {
    report.check = lease_check_of(report.scenario);
    report.check.reduction = request.reduction;
    if (const auto error = find_error(report.check)) {
      throw std::invalid_argument("check." + *error);
    }
  } catch (const std::invalid_argument& error) {
    fail_in(document.root(), error.what());
  }
  const LeaseCheckOptions options = options_of(request, *report.scenario.check, err);
  report.result = run_lease_check(report.check, options);
  if (request.draw_progress) err << "\r\033[K" << std::flush;
  report.as_expected = is_as_expected(report.scenario.expect, report.result.summary);
  if (!request.save.empty() && report.result.summary.verdict == sim::Verdict::violated) {
    save(request.save, options, report);
  }
  if (!request.dot.empty()) {
    write_file(request.dot, [&](std::ostream& out) { out << report.result.dot; });
  }
  return report;
}

void write_json(const std::vector<Tree>& files, const std::string& to, std::ostream& out) {
  Tree tree = Tree::mapping();
  tree.add("format", Tree::string("nandi-check"));
  tree.add("version", Tree::integer(1));
  tree.add("files", Tree::sequence(files));
  if (to == "-") {
    sim::yaml::write_json(tree, out);
  } else {
    write_file(to, [&](std::ostream& file) { sim::yaml::write_json(tree, file); });
  }
}

/// Runs `action`; 0, or the exit status that its failure stands for.
template <class Action>
int guarded(std::ostream& err, const Action& action) {
  try {
    action();
    return 0;
  } catch (const ExplorationError& error) {
    err << "internal error: " << error.what() << '\n';
    return kOwnBug;
  } catch (const std::logic_error& error) {  // WitnessError among them
    err << "internal error: " << error.what() << '\n';
    return kOwnBug;
  } catch (const std::bad_alloc&) {
    err << "not enough memory; give a smaller --max-memory\n";
    return kOwnBug;
  } catch (const std::exception& error) {
    err << error.what() << '\n';
    return kBadFile;
  }
}

}  // namespace

std::uint64_t memory_of(const std::string& text) {
  try {
    const auto document = sim::yaml::Document::parse("memory: " + text, "--max-memory");
    return sim::yaml::read_size(*document.root().find("memory"));
  } catch (const std::exception&) {
    throw std::invalid_argument(
        fmt::format("'{}' is no size of memory; write one such as 4GB or 512MiB", text));
  }
}

std::string find_conflict(const CheckRequest& request) {
  const bool is_breadth_first = request.order == Exploring::breadth_first;
  const bool saves = !request.checkpoint.empty() || !request.resume.empty();
  if (!is_breadth_first) {
    if (request.threads != 1) return "--threads wants --order breadth-first";
    if (request.fingerprints) return "--fingerprints wants --order breadth-first";
    if (saves) return "--checkpoint and --resume want --order breadth-first";
  }
  if (request.keep_searching && request.order != Exploring::random_walk) {
    return "--keep-searching wants --order random-walk";
  }
  if (saves && request.files.size() > 1) return "--checkpoint and --resume want a single FILE";
  return {};
}

int run_checks(const CheckRequest& request, std::ostream& out, std::ostream& err) {
  // JSON on standard output has it for itself.
  std::ostream& text = request.json == "-" ? err : out;
  sim::Verdict worst = sim::Verdict::holds;
  bool all_as_expected = true;
  int failure = 0;
  std::vector<Tree> trees;
  for (const std::filesystem::path& file : request.files) {
    const int status = guarded(err, [&] {
      const CheckReport report = check_one(file, request, err);
      worst = sim::worse(worst, report.result.summary.verdict);
      text << (request.quiet ? fmt::format("{}: {}\n", report.scenario.name, verdict_line(report))
                             : report_text(report, request.show_path));
      if (request.as_expected && !report.as_expected) {
        all_as_expected = false;
        const sim::Expectation& expect = report.scenario.expect;
        text << fmt::format("{}: not what the file declares: {} {}\n", report.file,
                            sim::verdict_name(expect.verdict), expect.property);
      }
      trees.push_back(report_tree(report));
      if (request.observer != nullptr) {
        request.observer->on_check({report.file, report.scenario, report.check, report.result,
                                    trees.back(), report.as_expected});
      }
    });
    failure = std::max(failure, status);
  }
  if (!request.json.empty()) {
    failure = std::max(failure, guarded(err, [&] { write_json(trees, request.json, out); }));
  }
  if (failure != 0) return failure;
  if (!request.as_expected) return sim::exit_status(worst);
  if (all_as_expected) return 0;
  return sim::exit_status(worst == sim::Verdict::unknown ? worst : sim::Verdict::violated);
}

}  // namespace nandi::checker
