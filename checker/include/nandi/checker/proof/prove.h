// Discharges the exclusivity argument with an SMT solver: every lemma, every hypothesis left out in
// turn, every edge. checker/proof.md is the argument in words.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "nandi/checker/proof/proof_report.h"

namespace nandi::checker::proof {

struct ProveOptions {
  std::filesystem::path smt2_directory;    ///< where to write the queries; empty: nowhere
  unsigned timeout_milliseconds = 20'000;  ///< per query; an overrun makes the verdict unknown
  /// Set by another thread or by a signal handler: ends after the query under way.
  const std::atomic<bool>* interrupt = nullptr;
};

/// Takes seconds. Single-threaded, deterministic but for the times. Throws
/// std::filesystem::filesystem_error or std::runtime_error when a file cannot be written.
[[nodiscard]] ProofReport prove(const ProveOptions& options = {});

/// The lemmas with their hypotheses, nothing decided yet (every outcome is unknown).
[[nodiscard]] std::vector<LemmaReport> list_lemmas();

}  // namespace nandi::checker::proof
