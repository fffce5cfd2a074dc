#include "nandi/sim/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ostream>

#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/keyspace/keyspace_study.h"
#include "nandi/sim/partition/partition_study.h"
#include "nandi/sim/settling/settling_study.h"
#include "scenario_timing.h"
#include "scenario_types.h"

namespace nandi::sim {
namespace {

using yaml::Record;
using yaml::Type;
using yaml::Value;

constexpr std::uint64_t kMostSeed =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

Type<SeedRange> seeds_type() {
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  return yaml::mapped<SeedRange, Range>(
      yaml::count_range_type(kMostSeed),
      [](const Range& range) {
        return SeedRange{range.first, range.second};
      },
      [](const SeedRange& range) {
        return Range{range.first, range.last};
      });
}

Type<ScenarioKind> lease_kind_type() {
  return yaml::enum_type<ScenarioKind>({{ScenarioKind::lease, "lease"}});
}

// Follows the numbers that workers are given, so that an event cannot strike one that never was.
class WorkerNumbers {
 public:
  explicit WorkerNumbers(const Scenario& scenario) {
    for (const WorkerSet& set : scenario.workers) known_ += set.count;
  }

  void follow(const TimelineEvent& event, const Value& root) {
    std::visit([&](const auto& what) { follow_event(what, event, root); }, event.event);
  }

  std::uint64_t known() const { return known_; }

 private:
  template <class E>
  void follow_event(const E& what, const TimelineEvent& event, const Value& root) {
    if constexpr (std::is_same_v<E, Join>) {
      known_ += what.workers.count;
    } else if constexpr (requires { what.workers; }) {
      const WorkerChoice* choice = chosen(what.workers);
      if (choice == nullptr) return;
      require_known(*choice, event, root);
      constexpr bool ends = std::is_same_v<E, Leave> || std::is_same_v<E, Crash> ||
                            std::is_same_v<E, Restart> || std::is_same_v<E, Reconfigure>;
      constexpr bool begins =
          std::is_same_v<E, Restart> || std::is_same_v<E, Fork> || std::is_same_v<E, Reconfigure>;
      if (ends) gone_.insert(gone_.end(), choice->ids.begin(), choice->ids.end());
      if (begins) known_ += most_of(*choice);
    }
  }

  static const WorkerChoice* chosen(const WorkerChoice& choice) { return &choice; }
  static const WorkerChoice* chosen(const std::optional<WorkerChoice>& choice) {
    return choice ? &*choice : nullptr;
  }

  std::uint64_t most_of(const WorkerChoice& choice) const {
    switch (choice.kind) {
      case WorkerChoice::Kind::count: return choice.count;
      case WorkerChoice::Kind::ids: return choice.ids.size();
      case WorkerChoice::Kind::all: break;
    }
    return known_ - std::min<std::uint64_t>(known_, gone_.size());
  }

  void require_known(const WorkerChoice& choice, const TimelineEvent& event, const Value& root) {
    const yaml::Position place{event.source.line, event.source.column};
    for (const WorkerId id : choice.ids) {
      if (id >= known_) {
        root.fail_at(
            place,
            fmt::format("there is no worker {} at {} yet", id, yaml::format_duration(event.at)),
            fmt::format("workers are numbered from 0 as they join; {} have by then", known_));
      }
      if (std::find(gone_.begin(), gone_.end(), id) != gone_.end()) {
        root.fail_at(place,
                     fmt::format("worker {} is gone by {}", id, yaml::format_duration(event.at)),
                     "a worker that comes back is a new one and has the next number");
      }
    }
  }

  std::uint64_t known_ = 0;
  std::vector<WorkerId> gone_;
};

void require_settling(const Scenario& scenario, const Value& root) {
  if (scenario.swarm && !scenario.schedule.empty()) {
    root.find("schedule")
        ->fail("a `schedule` beside a `swarm`",
               "leave one of them out: a schedule leaves nothing to draw");
  }
  if (!scenario.settle) return;
  const Int128 end = Int128{scenario.settle->from.count()} +
                     Int128{scenario.group.interval.count()} * scenario.settle->within;
  if (end > scenario.length.count()) {
    root.find("settle")->fail(fmt::format("the run ends after {}, before the group has to be whole",
                                          yaml::format_duration(scenario.length)),
                              "give a longer `for`, or let it settle earlier");
  }
}

void require_sense(const Scenario& scenario, const Value& root) {
  require_timing(scenario, root);
  WorkerNumbers numbers(scenario);
  for (const TimelineEvent& event : scenario.timeline) {
    if (event.at >= scenario.length) {
      root.fail_at(
          {event.source.line, event.source.column},
          fmt::format("this happens at {}, after the end of the run ({})",
                      yaml::format_duration(event.at), yaml::format_duration(scenario.length)),
          "let it happen earlier, or give a longer `for`");
    }
    numbers.follow(event, root);
  }
  require_settling(scenario, root);
  const bool draws_workers = scenario.swarm && scenario.swarm->workers;
  if (numbers.known() == 0 && !scenario.check && !draws_workers) {
    root.fail("no worker ever starts", "give `workers: 3`, a `join` on the timeline, or a `check`");
  }
  if (numbers.known() > kMostWorkers) {
    root.fail(fmt::format("{} workers in all", numbers.known()),
              fmt::format("keep to {}", kMostWorkers));
  }
}

}  // namespace

Type<Scenario> scenario_type() {
  return Record<Scenario>("scenario", "The top level of a file of kind `lease`.")
      .optional("kind", &Scenario::kind, lease_kind_type(), "Kind of scenario.", "lease")
      .required("name", &Scenario::name, yaml::string_type(), "Short name, for reports.",
                "scale-up")
      .required("group", &Scenario::group, group_type(), "What all workers share.",
                "{interval: 5s}")
      .optional("workers", &Scenario::workers, initial_workers_type(),
                "Workers that are there from the start, numbered from 0 in this order.", "3")
      .optional("network", &Scenario::network, network_type(),
                "The way between every worker and the store.",
                "{request: {constant: 1ms}, reply: {constant: 1ms}}")
      .optional("clocks", &Scenario::clocks, clocks_type(), "How clocks differ from true time.",
                "{store: {offset: 10s}}")
      .optional("consumer", &Scenario::consumer, consumer_type(),
                "What a worker does with the pair it is handed.", "{drain: {constant: 300ms}}")
      .optional("rules", &Scenario::rules, rules_type(), "The protocol's rules, to break them.",
                "{agreement: 1}")
      .optional("timeline", &Scenario::timeline, timeline_type(), "What happens when.",
                "[{at: 30s, join: {workers: 2}}]")
      .optional("settle", &Scenario::settle, settling_type(),
                "When every fault ends, and how soon the group has to be whole then.",
                "{from: 20s, within: 6}", "no liveness phase")
      .optional("swarm", &Scenario::swarm, swarm_type(),
                "What each seed draws besides: members, latencies, faults.",
                "{workers: 2..6, faults: {hang: {for: {from: 1s, to: 20s}}}}", "nothing")
      .optional("seeds", &Scenario::seeds, seeds_type(), "Seed, or range of seeds, of the runs.",
                "1..1000")
      .optional("for", &Scenario::length, yaml::duration_type(Duration(1)), "Length of a run.",
                "120s")
      .optional("expect", &Scenario::expect, expectation_type(), "What is true of this scenario.",
                "{verdict: violated, property: lease-exclusive}")
      .optional("check", &Scenario::check, check_type(), "Bounds of an exhaustive check.",
                "{workers: 2, ticks: 20}", "no check")
      .optional("schedule", &Scenario::schedule, schedule_type(),
                "An explicit schedule, replayed instead of one drawn from a seed.",
                "[{at: 5ns, action: execute, worker: 1, attempt: 3}]")
      .check(require_sense)
      .type();
}

namespace {

const Type<Scenario>& shared_type() {
  static const Type<Scenario> type = scenario_type();
  return type;
}

}  // namespace

ScenarioKind kind_of(const yaml::Document& document) {
  const Value root = document.root();
  if (root.kind() != yaml::NodeKind::mapping) {
    root.fail(fmt::format("{} stands where a scenario is wanted", root.description()),
              "write keys and values, `name: ...`, `group: ...`");
  }
  const auto kind = root.find("kind");
  if (!kind) return ScenarioKind::lease;
  return static_cast<ScenarioKind>(
      yaml::read_name(*kind, {"lease", "partition", "keyspace", "settling"}));
}

Scenario read_scenario(yaml::Document document, const ScenarioSupport& support) {
  document.refuse_fields(with_swarm(support.refused));
  return shared_type().read(document.root());
}

Scenario load_scenario(const std::filesystem::path& path, const ScenarioSupport& support) {
  yaml::Document document = yaml::load_yaml(path);
  const ScenarioKind kind = kind_of(document);
  if (kind != ScenarioKind::lease) {
    document.root().find("kind")->fail(
        "this is not a scenario of a worker group",
        "run it with a program for its kind, or write `kind: lease`");
  }
  return read_scenario(std::move(document), support);
}

void write_scenario(const Scenario& scenario, std::ostream& out) {
  yaml::write_yaml(shared_type().write(scenario), out);
}

yaml::ShapePtr scenario_shape() { return shared_type().shape; }

void write_scenario_schema(std::ostream& out) {
  yaml::write_json(
      yaml::json_schema("Scenarios", {scenario_shape(), partition_study_type().shape,
                                      keyspace_study_type().shape, settling_study_type().shape}),
      out);
}

void write_scenario_reference(std::ostream& out) {
  out << "\n## Kind `lease`: worker groups\n";
  yaml::write_reference(scenario_shape(), with_swarm(simulator_support().refused), out);
  out << "\n### Faults\n\nWhat each breaks of that which exclusivity takes for granted, and up to "
         "which strength it breaks\nnothing. `none` is a promise: such a fault cannot give an "
         "index "
         "two holders. What breaks\n`consumer-expiry`, and a process that stalls, cannot either, "
         "but "
         "two consumers can then work on\none index.\n";
  write_fault_reference(out);
  out << "\n## Kind `partition`: schemes that place items on servers\n";
  yaml::write_reference(partition_study_type().shape, {}, out);
  out << "\n## Kind `keyspace`: key names in a cluster\n";
  yaml::write_reference(keyspace_study_type().shape, {}, out);
  out << "\n## Kind `settling`: from how many workers on a group does not settle\n";
  yaml::write_reference(settling_study_type().shape, {}, out);
}

}  // namespace nandi::sim
