#include "nandi/checker/check_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <ostream>
#include <stdexcept>
#include <string_view>

#include "check_report.h"
#include "counterexample_file.h"
#include "guarded.h"
#include "loaded_check.h"
#include "nandi/sim/judgement.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/scalar.h"

namespace nandi::checker {
namespace {

using sim::yaml::Tree;

bool is_as_expected(const sim::Expectation& expect, const Summary& summary) {
  return summary.verdict == expect.verdict &&
         (summary.verdict != sim::Verdict::violated || summary.violated == expect.property);
}

/// What a search of another kind would leave undecided without a word is refused, and so is what
/// the file asks for and an order cannot have; find_conflict has seen the command line.
void require_compatible(const CheckRequest& request, const sim::CheckSettings& settings,
                        const LeaseCheck& check) {
  if (request.order != Exploring::breadth_first) {
    if (settings.threads != 1) {
      throw UsageError(
          fmt::format("check.threads: {} threads explore breadth-first; give --threads 1, or leave "
                      "out --order",
                      settings.threads));
    }
    if (settings.fingerprints) {
      throw UsageError(
          "check.fingerprints: a search by fingerprints is breadth-first; give --no-fingerprints, "
          "or leave out --order");
    }
  }
  const bool wants_graph = !check.liveness.empty() || request.counterexamples > 1;
  if (!wants_graph) return;
  const std::string_view what =
      check.liveness.empty() ? "--counterexamples wants" : "liveness is decided on";
  std::string_view flag;
  if (request.order != Exploring::breadth_first) flag = "--order";
  // A path that it leaves out may be the one without the fault.
  if (check.reduction) flag = "--reduction, or the file's `reduction`";
  if (settings.fingerprints) flag = "--fingerprints, or the file's `fingerprints`";
  if (!request.checkpoint.empty()) flag = "--checkpoint";
  if (!request.resume.empty()) flag = "--resume";
  if (!flag.empty()) {
    throw UsageError(fmt::format(
        "{} the whole graph, explored exactly and breadth-first in one go; leave out {}", what,
        flag));
  }
}

CheckReport check_one(const std::filesystem::path& path, const CheckRequest& request,
                      std::ostream& err) {
  CheckReport report;
  report.file = path.string();
  LoadedCheck file = load_check(path, request);
  report.scenario = std::move(file.scenario);
  report.check = std::move(file.check);
  for (const std::string& warning : sim::timing_warnings(report.scenario)) {
    err << fmt::format("{}: warning: {}\n", report.file, warning);
  }
  report.by_fingerprints = report.scenario.check->fingerprints;
  require_compatible(request, *report.scenario.check, report.check);
  const LeaseCheckOptions options = options_of(request, *report.scenario.check, err);
  report.result = run_lease_check(report.check, options);
  if (request.draw_progress) err << "\r\033[K" << std::flush;
  report.as_expected = is_as_expected(report.scenario.expect, report.result.summary);
  if (!request.save.empty() && report.result.summary.verdict == sim::Verdict::violated) {
    const SavedCounterexample saved =
        save_counterexample(request.save, report.scenario.name,
                            fmt::format("nandi-check --save {} {}", request.save, report.file),
                            report.check, report.result, options);
    report.saved = request.save;
    report.is_confirmed = saved.is_confirmed;
  }
  if (!request.dot.empty()) {
    write_file(request.dot, [&](std::ostream& out) { out << report.result.dot; });
  }
  if (!request.graphml.empty()) {
    write_file(request.graphml, [&](std::ostream& out) { out << report.result.graphml; });
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
    if (request.threads.value_or(1) != 1) return "--threads wants --order breadth-first";
    if (request.fingerprints.value_or(false)) return "--fingerprints wants --order breadth-first";
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
