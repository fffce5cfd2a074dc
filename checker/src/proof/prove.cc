#include "nandi/checker/proof/prove.h"

#include <chrono>

#include "proof/edges.h"
#include "proof/lemmas.h"
#include "proof/smt2_writer.h"

namespace nandi::checker::proof {

ProofReport prove(const ProveOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<QueryFile> files;
  const bool recording = !options.smt2_directory.empty();
  if (recording) std::filesystem::create_directories(options.smt2_directory);
  const DischargeOptions discharging{options.timeout_milliseconds, recording ? &files : nullptr,
                                     options.interrupt};
  ProofReport report;
  for (const LemmaMaker make : all_lemmas()) {
    if (discharging.is_interrupted()) break;
    z3::context context;
    LemmaReport lemma = discharge(context, make(context), discharging);
    if (!discharging.is_interrupted()) report.lemmas.push_back(std::move(lemma));
  }
  if (!discharging.is_interrupted()) {
    z3::context context;
    report.edges = find_edges(context, discharging);
  }
  report.interrupted = discharging.is_interrupted();
  if (recording) write_smt2_files(options.smt2_directory, files);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

std::vector<LemmaReport> list_lemmas() {
  std::vector<LemmaReport> reports;
  for (const LemmaMaker make : all_lemmas()) {
    z3::context context;
    const Lemma lemma = make(context);
    LemmaReport report;
    report.name = lemma.name;
    report.statement = lemma.statement;
    report.formula = lemma.formula;
    for (const Hypothesis& hypothesis : lemma.hypotheses) {
      report.hypotheses.push_back(
          {hypothesis.name, hypothesis.statement, hypothesis.expected_needed, Need::unknown, {}});
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace nandi::checker::proof
