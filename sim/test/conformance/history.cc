#include "conformance/history.h"

#include "nandi/sim/draw.h"

namespace nandi::test {
namespace {

/// As often as it stands here, 32 places: registrations and time make most of a history.
constexpr StepKind kKinds[] = {StepKind::registration,
                               StepKind::registration,
                               StepKind::registration,
                               StepKind::registration,
                               StepKind::registration,
                               StepKind::registration,
                               StepKind::registration,
                               StepKind::registration,
                               StepKind::registration,
                               StepKind::registration,
                               StepKind::pass,
                               StepKind::pass,
                               StepKind::pass,
                               StepKind::pass,
                               StepKind::pass,
                               StepKind::pass,
                               StepKind::evalsha,
                               StepKind::step_back,
                               StepKind::send_and_close,
                               StepKind::send_and_killed,
                               StepKind::kill,
                               StepKind::del,
                               StepKind::set,
                               StepKind::set,
                               StepKind::push,
                               StepKind::increment,
                               StepKind::get,
                               StepKind::type,
                               StepKind::time_to_live,
                               StepKind::flush_all,
                               StepKind::script_flush,
                               StepKind::script_load};

}  // namespace

const std::vector<TestedGroup>& tested_groups() {
  static const std::vector<TestedGroup> groups = [] {
    std::vector<TestedGroup> made;
    const auto add = [&](const std::string& prefix, const std::string& name, int interval) {
      TestedGroup group;
      group.options.prefix = prefix;
      group.options.name = name;
      group.options.interval = std::chrono::milliseconds(interval);
      group.registry = group_key(group.options);
      group.interval_us = std::int64_t{interval} * 1000;
      made.push_back(group);
    };
    add("", "mail-sender", 5000);
    add("app:", "a:7", 333);
    add("", "na\xC3\xAFve name", 60'000);
    add("", "mail-sender", 1700);
    return made;
  }();
  return groups;
}

Step step_of(std::uint32_t number) {
  const auto next = [&number](std::uint32_t choices) {
    const std::uint32_t choice = number % choices;
    number /= choices;
    return choice;
  };
  Step step;
  step.kind = kKinds[next(std::size(kKinds))];
  // Most steps concern the first group, so that they meet one another.
  step.group = std::array<std::size_t, 8>{0, 0, 0, 0, 0, 1, 2, 3}[next(8)];
  step.client = next(kClients);
  step.age = std::array<std::int64_t, 8>{0, 1, 0, 1, 2, 3, 4, -1}[next(8)];
  step.detail = next(4096);
  if (step.kind == StepKind::script_load && step.detail % 2 == 1) step.kind = StepKind::time;
  return step;
}

std::vector<std::uint32_t> numbers_of(std::uint64_t seed) {
  std::vector<std::uint32_t> numbers(seed % 24 + 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::uint32_t>(sim::split_mix(seed, i));
  }
  return numbers;
}

}  // namespace nandi::test
