#include "nandi/sim/simulated_group.h"

#include <stdexcept>

#include "group_core.h"

namespace nandi::sim {
namespace {

Duration duration_of(std::chrono::nanoseconds length) {
  if (length.count() < 0) throw std::invalid_argument("a length of time is negative");
  return Duration(length.count());
}

}  // namespace

void ConsumerContext::after(std::chrono::nanoseconds delay, std::function<void()> then) {
  core_.after(worker_, Duration(delay.count()), std::move(then));
}
void ConsumerContext::done() { core_.done(worker_); }
void ConsumerContext::touch(std::int64_t task) { core_.touch(worker_, task); }
std::chrono::nanoseconds ConsumerContext::now() const {
  return std::chrono::nanoseconds(core_.now().count());
}

const GroupVerdict::Line& GroupVerdict::line(std::string_view property) const {
  for (const Line& candidate : lines) {
    if (candidate.property == property) return candidate;
  }
  throw std::invalid_argument("no property is called " + std::string(property));
}

SimulatedGroup::SimulatedGroup(GroupOptions options)
    : core_(std::make_unique<GroupCore>(std::move(options))) {}
SimulatedGroup::~SimulatedGroup() = default;
SimulatedGroup::SimulatedGroup(SimulatedGroup&&) noexcept = default;
SimulatedGroup& SimulatedGroup::operator=(SimulatedGroup&&) noexcept = default;

WorkerId SimulatedGroup::join(Consumer consumer) { return core_->join(std::move(consumer)); }
void SimulatedGroup::leave(WorkerId worker) { core_->leave(worker); }
void SimulatedGroup::crash(WorkerId worker) { core_->crash(worker); }
void SimulatedGroup::pause(WorkerId worker, std::chrono::nanoseconds length) {
  core_->pause(worker, duration_of(length));
}
void SimulatedGroup::hang_store(std::chrono::nanoseconds length) {
  core_->hang_store(duration_of(length));
}
void SimulatedGroup::flush_store() { core_->flush_store(); }
void SimulatedGroup::run_for(std::chrono::nanoseconds length) {
  core_->run_until(core_->now() + duration_of(length));
}
std::chrono::nanoseconds SimulatedGroup::now() const {
  return std::chrono::nanoseconds(core_->now().count());
}
bool SimulatedGroup::present(WorkerId worker) const { return core_->present(worker); }
std::optional<Pair> SimulatedGroup::held(WorkerId worker) const { return core_->held(worker); }
std::uint64_t SimulatedGroup::trace_hash() const { return core_->trace_hash(); }
GroupVerdict SimulatedGroup::verdict() const { return core_->verdict(); }

}  // namespace nandi::sim
