#include "nandi/sim/scenario_swarm.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/swarm.h"
#include "range_type.h"
#include "scenario_types.h"

namespace nandi::sim {
namespace {

using yaml::duration_type;
using yaml::Record;
using yaml::Tree;
using yaml::Type;
using yaml::Value;

Type<CountRange> counts_type(std::uint32_t most) {
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  return yaml::mapped<CountRange, Range>(
      yaml::count_range_type(most),
      [](const Range& range) {
        return CountRange{static_cast<std::uint32_t>(range.first),
                          static_cast<std::uint32_t>(range.second)};
      },
      [](const CountRange& range) {
        return Range{range.from, range.to};
      });
}

Type<CountRange> positive_counts_type(std::uint32_t most) {
  return yaml::checked<CountRange>(counts_type(most),
                                   [](const CountRange& range, const Value& value) {
                                     if (range.from == 0)
                                       value.fail("the range begins at 0", "begin at 1");
                                   });
}

constexpr std::uint32_t kMostTimes = 64;
constexpr std::uint32_t kMostStruck = 1000;

Type<DurationRange> length_range_type() {
  return range_type<DurationRange>("length_range", duration_type(Duration(1)), "10ms", "8s");
}
Type<FractionRange> share_range_type() {
  return range_type<FractionRange>("share_range", probability_type(), "1%", "5%");
}

void add_strength(Record<SwarmFault>& record, const std::string& key) {
  const char* const simplest = "that of its simplest form";
  if (key == "workers") {
    record.optional("workers", &SwarmFault::workers, positive_counts_type(kMostStruck),
                    "How many it strikes, or how many join.", "1..2", simplest);
  } else if (key == "for") {
    record.optional("for", &SwarmFault::length, length_range_type(),
                    "How long it lasts, or how long who restarts is away; half of all draws are "
                    "from the lowest sixteenth.",
                    "{from: 10ms, to: 8s}", simplest);
  } else if (key == "by") {
    record.optional("by", &SwarmFault::by, duration_range_type(),
                    "How far a clock is stepped, or how much later a request is executed.",
                    "{from: 10ms, to: 3s}", simplest);
  } else if (key == "delay") {
    record.optional("delay", &SwarmFault::delay, length_range_type(),
                    "Mean of the latency, jitter or drain, which is exponential.",
                    "{from: 1ms, to: 500ms}", simplest);
  } else if (key == "count") {
    record.optional("count", &SwarmFault::count, positive_counts_type(kMostStruck),
                    "How many attempts, or lost writes.", "1..4", simplest);
  } else if (key == "rate") {
    record.optional("rate", &SwarmFault::rate, fraction_range_type(), "Rate of a drift.",
                    "{from: -1%, to: 1%}", simplest);
  } else if (key == "share") {
    record.optional("share", &SwarmFault::rate, share_range_type(),
                    "Share of messages that are lost.", "{from: 1%, to: 50%}", simplest);
  } else if (key == "gap") {
    record.optional("gap", &SwarmFault::gap, gap_range_type(), "The new gap.",
                    "{from: 0.1, to: 0.3}", simplest);
  } else {
    record.optional("interval", &SwarmFault::interval, length_range_type(), "The new interval.",
                    "{from: 500ms, to: 2s}", simplest);
  }
}

/// A line of an event that takes these strengths; one type for each set of them.
const Type<SwarmFault>& line_type(const std::vector<std::string>& strengths) {
  static std::map<std::string, Type<SwarmFault>> types;
  std::string name = "swarm_line";
  for (const std::string& key : strengths) name += "_" + key;
  const auto known = types.find(name);
  if (known != types.end()) return known->second;
  Record<SwarmFault> record(name, "How likely an event is in a seed, how often and how strong.");
  record
      .optional("probability", &SwarmFault::probability, probability_type(),
                "Of being on in a seed.", "30%")
      .optional("times", &SwarmFault::times, positive_counts_type(kMostTimes),
                "How often it strikes where it is on.", "1..3");
  for (const std::string& key : strengths) add_strength(record, key);
  return types.emplace(name, record.type()).first->second;
}

/// A mapping from names of events to lines.
Type<std::vector<SwarmFault>> lines_type(const std::string& name, const std::string& doc,
                                         const std::vector<std::string>& keys) {
  yaml::Shape shape;
  shape.name = name;
  shape.text = "[" + name + "](#" + name + ")";
  shape.doc = doc;
  std::vector<Type<SwarmFault>> types;
  for (const std::string& key : keys) {
    types.push_back(line_type(swarm_strengths(key)));
    const FaultInfo* fault = find_fault(key);
    std::string meaning =
        fault == nullptr ? "The event of that name." : std::string(fault->meaning);
    shape.fields.push_back(
        {key, std::move(meaning), "{probability: 30%}", "none", types.back().shape});
  }
  const auto shared = std::make_shared<const yaml::Shape>(std::move(shape));
  return {[keys, types, shared](const Value& value) {
            const yaml::MatchedFields matched = yaml::match_fields(value, *shared);
            std::vector<SwarmFault> lines;
            for (std::size_t index = 0; index < keys.size(); ++index) {
              if (!matched.fields[index]) continue;
              lines.push_back(types[index].read(*matched.fields[index]));
              lines.back().fault = keys[index];
            }
            return lines;
          },
          [keys, types](const std::vector<SwarmFault>& lines) {
            Tree tree = Tree::mapping();
            for (const SwarmFault& line : lines) {
              const auto found = std::find(keys.begin(), keys.end(), line.fault);
              tree.add(line.fault,
                       types[static_cast<std::size_t>(found - keys.begin())].write(line));
            }
            return tree;
          },
          shared};
}

Type<SwarmNetwork> swarm_network_type() {
  return Record<SwarmNetwork>("swarm_network",
                              "Latencies of a seed: lognormal, each way with its own median and "
                              "tail.")
      .required("median", &SwarmNetwork::median, length_range_type(),
                "Half of all messages are faster; half of all draws from the lowest sixteenth.",
                "{from: 100us, to: 20ms}")
      .optional("tail", &SwarmNetwork::tail, positive_counts_type(100),
                "99th percentile of the latency, in medians.", "2..20")
      .optional("loss", &SwarmNetwork::loss, share_range_type(),
                "Share of messages that disappear, each way.", "{from: 0, to: 2%}")
      .type();
}

std::vector<std::string> assumption_names() {
  std::vector<std::string> names;
  for (const FaultInfo& info : fault_catalogue()) {
    const std::string name(to_string(info.breaks));
    if (info.breaks != Assumption::none &&
        std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> with_swarm(std::vector<std::string> refused) {
  const std::vector<std::string> fields = refused;
  for (const FaultInfo& fault : fault_catalogue()) {
    const bool is_refused = std::any_of(fields.begin(), fields.end(), [&](const std::string& f) {
      const std::string key = f.substr(f.find('.') + 1);
      if (f == "timeline_event." + std::string(fault.event)) return true;
      return f == std::string(fault.event) + "." + key &&
             fault.form.find(key + ":") != std::string_view::npos;
    });
    if (is_refused) refused.push_back("swarm_faults." + std::string(fault.name));
  }
  return refused;
}

Type<Settling> settling_type() {
  return Record<Settling>("settle",
                          "The liveness phase: every fault ends, and the group becomes whole.")
      .required("from", &Settling::from, duration_type(Duration(1)),
                "When all that is going on ends.", "20s")
      .required("within", &Settling::within, yaml::count_type<std::uint32_t>(1, 10'000),
                "In so many intervals the group has to be whole.", "6")
      .type();
}

Type<SwarmSettings> swarm_type() {
  return Record<SwarmSettings>("swarm", "What each seed of a campaign draws for itself.")
      .optional("assumptions", &SwarmSettings::assumptions_kept,
                yaml::enum_type<bool>({{true, "kept"}, {false, "dropped"}}),
                "Kept: only faults that break no assumption, or stay within the margin.", "dropped")
      .optional("drop", &SwarmSettings::drop,
                yaml::list_type(yaml::known_string_type("", assumption_names())),
                "The assumptions that are dropped; an empty list: all.", "[store-clock]")
      .optional("fault_seed", &SwarmSettings::fault_seed,
                yaml::wide_count_type(0, std::numeric_limits<std::int64_t>::max()),
                "Seed from which the faults alone draw; workload and network stay the run's.", "7",
                "the run's")
      .optional("workers", &SwarmSettings::workers, positive_counts_type(10'000),
                "Workers that are there from the start, alike in all but number.", "2..6",
                "the scenario's")
      .optional("network", &SwarmSettings::network, swarm_network_type(), "Latencies.",
                "{median: {from: 100us, to: 20ms}}", "the scenario's")
      .optional(
          "membership", &SwarmSettings::membership,
          lines_type("swarm_membership", "Who comes and goes: the workload.", membership_names()),
          "Who comes and goes: the workload.", "{join: {probability: 50%, times: 1..2}}")
      .optional("faults", &SwarmSettings::faults,
                lines_type("swarm_faults", "What goes wrong: the faults of the catalogue.",
                           swarm_fault_names()),
                "What goes wrong.", "{pause: {workers: 1..2, for: {from: 10ms, to: 8s}}}")
      .check([](const SwarmSettings& swarm, const Value& value) {
        if (swarm.assumptions_kept && !swarm.drop.empty()) {
          value.find("drop")->fail("`drop` where all assumptions are kept",
                                   "add `assumptions: dropped`");
        }
      })
      .type();
}

}  // namespace nandi::sim
