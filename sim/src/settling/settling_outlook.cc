#include "nandi/sim/settling/settling_outlook.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "nandi/engine/bounds.h"
#include "nandi/sim/draw.h"
#include "nandi/sim/partition/text_table.h"
#include "nandi/sim/quantity_text.h"
#include "nandi/sim/sampler.h"
#include "scenario_timing.h"

namespace nandi::sim {
namespace {

constexpr std::size_t kPairs = std::size_t{1} << 17U;

std::optional<Duration> variation(const ConstantDelay&) { return Duration(0); }
std::optional<Duration> variation(const UniformDelay& delay) { return delay.to - delay.from; }
std::optional<Duration> variation(const NormalDelay& delay) { return delay.most - delay.least; }
std::optional<Duration> variation(const HistogramDelay& delay) {
  return delay.buckets.back().to - delay.from;
}
template <class Unbounded>
std::optional<Duration> variation(const Unbounded&) {
  return std::nullopt;
}

std::optional<Duration> variation_of(const DelayDistribution& distribution) {
  return std::visit([](const auto& delay) { return variation(delay); }, distribution);
}

std::array<const DelayDistribution*, 4> parts_of(const NetworkSettings& network) {
  return {&network.request, &network.reply, &network.jitter.request, &network.jitter.reply};
}

NetworkSettings network_of(const Scenario& scenario, const WorkerSet& set) {
  NetworkSettings network = scenario.network;
  if (set.network.request) network.request = *set.network.request;
  if (set.network.reply) network.reply = *set.network.reply;
  if (set.network.jitter) network.jitter = *set.network.jitter;
  return network;
}

/// The sets of workers that the scenario has, sooner or later.
std::vector<const WorkerSet*> sets_of(const Scenario& scenario) {
  std::vector<const WorkerSet*> sets;
  for (const WorkerSet& set : scenario.workers) sets.push_back(&set);
  for (const TimelineEvent& event : scenario.timeline) {
    if (const auto* join = std::get_if<Join>(&event.event)) sets.push_back(&join->workers);
  }
  return sets;
}

std::uint64_t chosen(const WorkerChoice& choice, std::uint64_t living) {
  switch (choice.kind) {
    case WorkerChoice::Kind::count: return std::min<std::uint64_t>(choice.count, living);
    case WorkerChoice::Kind::ids: return std::min<std::uint64_t>(choice.ids.size(), living);
    case WorkerChoice::Kind::all: break;
  }
  return living;
}

std::uint64_t most_at_once(const Scenario& scenario) {
  std::uint64_t living = 0;
  for (const WorkerSet& set : scenario.workers) living += set.count;
  std::uint64_t most = living;
  for (const TimelineEvent& event : scenario.timeline) {
    if (const auto* join = std::get_if<Join>(&event.event)) {
      living += join->workers.count;
    } else if (const auto* fork = std::get_if<Fork>(&event.event)) {
      living += chosen(fork->workers, living);
    } else if (const auto* leave = std::get_if<Leave>(&event.event)) {
      living -= chosen(leave->workers, living);
    } else if (const auto* crash = std::get_if<Crash>(&event.event)) {
      living -= chosen(crash->workers, living);
    }
    most = std::max(most, living);
  }
  return most;
}

}  // namespace

std::vector<Duration> delay_differences(const NetworkSettings& network, Duration resolution) {
  std::vector<Sampler> parts;
  for (const DelayDistribution* part : parts_of(network)) {
    if (variation_of(*part) != Duration(0)) parts.emplace_back(*part);
  }
  std::uint64_t draws = 0;
  const auto draw = [&draws] { return mix64(++draws * kGolden); };
  const auto delay = [&] {
    Duration sum(
        static_cast<std::int64_t>(bounded(draw(), static_cast<std::uint64_t>(resolution.count()))));
    for (const Sampler& part : parts) sum += part.sample(draw());
    return sum;
  };
  std::vector<Duration> differences;
  differences.reserve(kPairs);
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const Duration one = delay();
    const Duration other = delay();
    differences.push_back(std::max(one, other) - std::min(one, other));
  }
  std::sort(differences.begin(), differences.end());
  return differences;
}

Duration settled_difference(const std::vector<Duration>& differences) {
  return differences[differences.size() - differences.size() / kSettledIntervals];
}

Duration settled_distance(const LeaseTiming& timing, const NetworkSettings& network) {
  return settling_distance(timing,
                           settled_difference(delay_differences(network, timing.resolution)));
}

std::optional<Duration> network_variation(const NetworkSettings& network) {
  Duration sum;
  for (const DelayDistribution* part : parts_of(network)) {
    const std::optional<Duration> varies = variation_of(*part);
    if (!varies) return std::nullopt;
    sum += *varies;
  }
  return sum;
}

std::optional<SettlingOutlook> settling_outlook(const Scenario& scenario) {
  if (scenario.swarm || !scenario.schedule.empty() || !scenario.rules.spread) return std::nullopt;
  const std::vector<const WorkerSet*> sets = sets_of(scenario);
  const bool is_one_group = std::all_of(sets.begin(), sets.end(), [&](const WorkerSet* set) {
    return set->interval.value_or(scenario.group.interval) == scenario.group.interval;
  });
  const std::uint64_t workers = most_at_once(scenario);
  if (!is_one_group || workers < 2) return std::nullopt;
  const LeaseTiming timing = timing_of(scenario.group, WorkerSet{});
  if (timing.drift.numerator() * 2 >= timing.drift.denominator()) return std::nullopt;
  SettlingOutlook outlook;
  outlook.workers = static_cast<std::uint32_t>(workers);
  outlook.slots_apart = slot_spacing(timing, outlook.workers);
  std::vector<NetworkSettings> networks;
  for (const WorkerSet* set : sets) {
    const NetworkSettings network = network_of(scenario, *set);
    if (std::find(networks.begin(), networks.end(), network) != networks.end()) continue;
    networks.push_back(network);
    outlook.spread = std::max(outlook.spread, settled_distance(timing, network));
  }
  outlook.largest = largest_group(timing, outlook.spread);
  return outlook;
}

std::string settling_warning(const SettlingOutlook& outlook) {
  if (!outlook.is_beyond()) return "";
  const std::int64_t hundredths = ceil_of_product(
      outlook.spread.count(), 100, std::max<std::int64_t>(outlook.slots_apart.count(), 1));
  return fmt::format(
      "too large to settle: above {} workers neighbours' slots are closer than the jitter, so that "
      "workers change places and stand down for it: of {} the slots are {} apart, and one "
      "difference in {} between their delays is above {}, the rounding of the store's clock "
      "included; an interval {}.{:02} times as long would do",
      grouped(static_cast<std::uint64_t>(outlook.largest)), grouped(outlook.workers),
      duration_text(outlook.slots_apart), grouped(kSettledIntervals), duration_text(outlook.spread),
      hundredths / 100, hundredths % 100);
}

}  // namespace nandi::sim
