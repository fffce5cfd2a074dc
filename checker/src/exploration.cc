#include "nandi/checker/exploration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "nandi/checker/fingerprint_store.h"
#include "nandi/sim/partition/text_table.h"

namespace nandi::checker {

namespace {

template <class Named>
void check_names(const std::vector<Named>& items, std::size_t most, std::string_view kind) {
  if (items.size() > most) {
    throw std::invalid_argument(
        fmt::format("model: {} {}, at most {} are counted", items.size(), kind, most));
  }
  std::set<std::string_view> seen;
  for (const Named& item : items) {
    if (item.name.empty() || !seen.insert(item.name).second) {
      throw std::invalid_argument(
          fmt::format("model: empty or repeated name '{}' among its {}", item.name, kind));
    }
  }
}

Coverage coverage_of(const ModelNames& names, const Tally& tally) {
  Coverage coverage;
  for (std::size_t i = 0; i < names.action_classes.size(); ++i) {
    coverage.action_classes.push_back(
        {std::string(names.action_classes[i].name), tally.actions[i]});
  }
  for (std::size_t i = 0; i < names.properties.size(); ++i) {
    coverage.properties.push_back({std::string(names.properties[i].name), tally.properties[i]});
  }
  return coverage;
}

std::string_view length_text(PathLength known) {
  switch (known) {
    case PathLength::shortest: return ", no shorter path exists";
    case PathLength::shortest_but_for_collisions:
      return ", no shorter path exists unless fingerprints collided";
    case PathLength::not_minimal: break;
  }
  return ", not minimal";
}

std::vector<std::string> never_happened(const ModelNames& names, const Tally& tally) {
  std::vector<std::string> vacuous;
  for (std::size_t i = 0; i < names.properties.size(); ++i) {
    if (names.properties[i].kind == PropertyKind::sometimes && tally.properties[i] == 0) {
      vacuous.push_back(fmt::format("'{}' was never reached", names.properties[i].name));
    }
  }
  for (std::size_t i = 0; i < names.action_classes.size(); ++i) {
    if (names.action_classes[i].must_fire && tally.actions[i] == 0) {
      vacuous.push_back(fmt::format("action '{}' never fired", names.action_classes[i].name));
    }
  }
  return vacuous;
}

}  // namespace

std::string probability_text(double probability) {
  if (probability <= 0) return "0";
  // Two digits, rounded up by more than printing may round down.
  return fmt::format("{:.1e}", std::min(1.0, probability * 1.05));
}

void Tally::add(const Tally& other) {
  for (std::size_t i = 0; i < kMaxActionClasses; ++i) actions[i] += other.actions[i];
  for (std::size_t i = 0; i < kMaxProperties; ++i) properties[i] += other.properties[i];
}

std::string_view stop_reason_text(StopReason reason) {
  switch (reason) {
    case StopReason::exhausted: return "exhaustive";
    case StopReason::violation: return "violation found";
    case StopReason::max_states: return "bound on states reached";
    case StopReason::max_memory: return "bound on memory reached";
    case StopReason::max_depth: return "bound on depth reached";
    case StopReason::max_time: return "bound on time reached";
    case StopReason::max_steps: return "all steps walked";
    case StopReason::interrupted: break;
  }
  return "interrupted";
}

std::vector<std::string> Coverage::never_fired() const {
  std::vector<std::string> names;
  for (const CoverageEntry& entry : action_classes) {
    if (entry.count == 0) {
      names.push_back(entry.name);
    }
  }
  return names;
}

ModelNames::ModelNames(std::vector<Property> properties_in, std::vector<ActionClass> classes_in)
    : properties(std::move(properties_in)), action_classes(std::move(classes_in)) {
  check_names(properties, kMaxProperties, "properties");
  check_names(action_classes, kMaxActionClasses, "action classes");
  for (std::size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].kind == PropertyKind::invariant) {
      invariants |= std::uint64_t{1} << i;
    }
  }
}

void require_sound(SearchOrder order, const ExploreOptions& options) {
  if (options.threads < 1 || options.threads > kMostThreads) {
    throw std::invalid_argument(
        fmt::format("threads: {} is not between 1 and {}", options.threads, kMostThreads));
  }
  if (order == SearchOrder::breadth_first) return;
  const auto refuse = [](std::string_view what) {
    throw std::invalid_argument(fmt::format(
        "{} cannot be combined with a depth-first search; explore breadth-first", what));
  };
  if (options.threads != 1) refuse("several threads");
  if (options.fingerprints) refuse("fingerprints");
  if (!options.checkpoint.save_to.empty() || !options.checkpoint.resume_from.empty()) {
    refuse("a checkpoint");
  }
}

Summary conclude(const ModelNames& names, const Tally& tally, const Counts& counts,
                 StopReason reason, const ExploreOptions& options) {
  Summary summary;
  summary.reason = reason;
  summary.counts = counts;
  summary.coverage = coverage_of(names, tally);
  std::string told_apart;
  if (options.fingerprints) {
    summary.collision_probability = collision_probability(counts.states);
    told_apart =
        fmt::format("; told apart by 64-bit fingerprints, collision probability at most {}",
                    probability_text(summary.collision_probability));
  }
  if (reason != StopReason::exhausted) {
    summary.evidence =
        fmt::format("{}: no violation in {} states, {} of them not expanded, depth {}",
                    stop_reason_text(reason), sim::grouped(counts.states),
                    sim::grouped(counts.frontier), counts.depth) +
        told_apart;
    return summary;
  }
  summary.vacuous = never_happened(names, tally);
  if (counts.states == 0) {
    summary.vacuous.emplace_back("there is no initial state");
  } else if (options.allow_vacuous) {
    summary.vacuous.clear();
  }
  if (summary.vacuous.empty()) {
    summary.verdict = sim::Verdict::holds;
    summary.evidence = fmt::format("exhaustive: {} states, {} transitions, depth {}{}",
                                   sim::grouped(counts.states), sim::grouped(counts.transitions),
                                   counts.depth, told_apart);
  } else {
    summary.evidence = fmt::format("vacuous: {} in {} states (exhaustive)",
                                   fmt::join(summary.vacuous, ", "), sim::grouped(counts.states));
  }
  return summary;
}

Summary conclude_walks(const ModelNames& names, const Tally& tally, const Counts& counts,
                       StopReason reason, std::uint64_t walks, std::uint64_t steps) {
  Summary summary;
  summary.reason = reason;
  summary.counts = counts;
  summary.coverage = coverage_of(names, tally);
  if (counts.states == 0) {
    summary.vacuous.emplace_back("there is no initial state");
    summary.evidence = "vacuous: there is no initial state";
    return summary;
  }
  summary.vacuous = never_happened(names, tally);
  summary.evidence =
      fmt::format("{}: no violation in {} steps of {} random {}", stop_reason_text(reason), steps,
                  walks, walks == 1 ? "walk" : "walks");
  return summary;
}

Summary conclude_violation(const ModelNames& names, const Tally& tally, const Counts& counts,
                           unsigned violated, std::uint64_t length, PathLength known) {
  Summary summary;
  summary.verdict = sim::Verdict::violated;
  summary.reason = StopReason::violation;
  summary.violated = std::string(names.properties[violated].name);
  summary.counts = counts;
  summary.coverage = coverage_of(names, tally);
  summary.evidence = fmt::format("'{}' is violated after {} {}{}", summary.violated, length,
                                 length == 1 ? "step" : "steps", length_text(known));
  return summary;
}

}  // namespace nandi::checker
