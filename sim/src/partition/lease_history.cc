#include "nandi/sim/partition/lease_history.h"

#include <fmt/format.h>

#include "nandi/sim/simulator.h"
#include "nandi/sim/trace.h"

namespace nandi::sim {

namespace {

constexpr std::int64_t kNanosecondsPerUnit = 1'000'000;

class HandoverSink final : public TraceSink {
 public:
  void record(const TraceRecord& record) override {
    const bool handed = record.handed != HandedOver::nothing;
    if (record.kind != RecordKind::action || (!handed && !record.departed)) return;
    LeaseSpan span;
    span.time = record.step.at.count() / kNanosecondsPerUnit;
    span.worker = fmt::format("w{}", record.step.action.worker);
    span.holds = record.handed == HandedOver::pair && !record.departed;
    if (span.holds) {
      span.index = static_cast<std::uint32_t>(record.handed_pair.index);
      span.count = static_cast<std::uint32_t>(record.handed_pair.count);
    }
    spans.push_back(std::move(span));
  }

  std::vector<LeaseSpan> spans;
};

}  // namespace

std::vector<MembershipStep> lease_history(const Scenario& scenario, std::uint64_t seed) {
  HandoverSink sink;
  RunOptions options;
  options.trace = &sink;
  static_cast<void>(Simulator(scenario).run(seed, options));
  return membership_of(sink.spans);
}

}  // namespace nandi::sim
