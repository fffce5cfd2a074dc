#include "determinism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/property.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/trace.h"

namespace nandi::sim::cli {
namespace {

using Hashes = std::vector<std::uint64_t>;

/// Watches a run beside the hashes of another and keeps the first action that leads elsewhere. What
/// parts once stays apart, so the whole runs need not be kept.
class PartingSink final : public TraceSink {
 public:
  PartingSink(const Hashes& first, const Hashes& second) : first_(first), second_(second) {}

  void record(const TraceRecord& record) override {
    if (record.kind != RecordKind::action || parted_) return;
    const std::size_t at = second_.size() - 1;
    if (at >= first_.size() || first_[at] != second_[at]) parted_ = record;
  }
  [[nodiscard]] const std::optional<TraceRecord>& parted() const { return parted_; }

 private:
  const Hashes& first_;
  const Hashes& second_;
  std::optional<TraceRecord> parted_;
};

}  // namespace

std::string compare_runs(const SeedRun& run, std::uint64_t seed, RunOptions options) {
  Hashes first;
  Hashes second;
  options.trace = nullptr;
  options.hashes = &first;
  run(options);
  PartingSink sink(first, second);
  options.trace = &sink;
  options.hashes = &second;
  run(options);
  if (first == second) {
    return fmt::format("seed {} ran twice alike: {} actions, trace hash {:016x}", seed,
                       grouped(first.size()), first.empty() ? 0 : first.back());
  }
  const auto parted = std::mismatch(first.begin(), first.end(), second.begin(), second.end());
  std::string where = "the end of the second run";
  if (sink.parted()) {
    const TimedAction& step = sink.parted()->step;
    where = fmt::format("{} of {} at {}", to_string(step.action.kind),
                        worker_name(step.action.worker), time_text(step.at));
  }
  throw std::logic_error(fmt::format("two runs of seed {} differ, first in action {}: {}", seed,
                                     parted.first - first.begin() + 1, where));
}

}  // namespace nandi::sim::cli
