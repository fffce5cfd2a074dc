#include "nandi/sim/swarm.h"

#include <algorithm>
#include <cassert>

#include "nandi/sim/draw.h"
#include "nandi/sim/fault_catalogue.h"
#include "run_plan.h"
#include "swarm_fault.h"

namespace nandi::sim {
namespace {

// Places in the stream of the workload. Membership events stand at their place in the file.
constexpr std::uint64_t kWorkersPlace = 1000;
constexpr std::uint64_t kNetworkPlace = 1001;

/// What is drawn for one occurrence of an event; the numbers are part of the trace format.
enum class Parameter : std::uint8_t {
  at = 0,
  workers = 1,
  length = 2,
  by = 3,
  delay = 4,
  count = 5,
  rate = 6,
  gap = 7,
  interval = 8,
  ways = 9
};
constexpr std::uint64_t kParameters = 16;

/// Every value alike.
Duration uniform(DurationRange range, std::uint64_t draw) {
  const auto values = static_cast<std::uint64_t>((range.to - range.from).count()) + 1;
  return range.from + Duration(static_cast<std::int64_t>(bounded(draw, values)));
}

/// Half of all draws from the lowest sixteenth: what is short matters as much as what is long.
Duration often_short(DurationRange range, std::uint64_t draw) {
  const bool is_short = (draw >> 63) == 0;
  if (is_short && range.from >= Duration(0)) range.to = range.from + (range.to - range.from) / 16;
  return uniform(range, draw << 1);
}

std::uint32_t uniform(CountRange range, std::uint64_t draw) {
  return range.from +
         static_cast<std::uint32_t>(bounded(draw, std::uint64_t{range.to - range.from} + 1));
}

/// In millionths, the ends rounded towards each other where they are finer.
Fraction uniform(FractionRange range, std::uint64_t draw) {
  constexpr std::int64_t kMillion = 1'000'000;
  const auto from = static_cast<std::int64_t>(
      ceil_div(Int128{range.from.numerator()} * kMillion, range.from.denominator()));
  const auto to = static_cast<std::int64_t>(
      floor_div(Int128{range.to.numerator()} * kMillion, range.to.denominator()));
  if (to <= from) return range.from;
  const std::uint64_t pick = bounded(draw, static_cast<std::uint64_t>(to - from) + 1);
  return {from + static_cast<std::int64_t>(pick), kMillion};
}

/// The draws of one line of a swarm.
class LineDraws {
 public:
  LineDraws(const Draws& draws, Stream stream, std::uint64_t place)
      : draws_(draws), stream_(stream), place_(place) {}

  [[nodiscard]] bool is_on(Fraction probability) const {
    return happens(draws_(stream_, place_, 0), probability);
  }
  [[nodiscard]] std::uint32_t times(CountRange range) const {
    return uniform(range, draws_(stream_, place_, 1));
  }
  [[nodiscard]] std::uint64_t operator()(std::uint32_t occurrence, Parameter parameter) const {
    return draws_(stream_, place_,
                  (occurrence + 1) * kParameters + static_cast<std::uint64_t>(parameter));
  }

 private:
  const Draws& draws_;
  Stream stream_;
  std::uint64_t place_;
};

Strength draw_strength(const SwarmFault& fault, const LineDraws& draws, std::uint32_t k) {
  Strength s;
  if (fault.workers) s.workers = uniform(*fault.workers, draws(k, Parameter::workers));
  if (fault.length) s.length = often_short(*fault.length, draws(k, Parameter::length));
  if (fault.by) s.by = uniform(*fault.by, draws(k, Parameter::by));
  if (fault.delay) s.delay = often_short(*fault.delay, draws(k, Parameter::delay));
  if (fault.count) s.count = uniform(*fault.count, draws(k, Parameter::count));
  if (fault.rate) s.rate = uniform(*fault.rate, draws(k, Parameter::rate));
  if (fault.gap) s.gap = uniform(*fault.gap, draws(k, Parameter::gap));
  if (fault.interval) s.interval = uniform(*fault.interval, draws(k, Parameter::interval));
  const std::uint64_t ways = bounded(draws(k, Parameter::ways), 3);
  s.on_requests = ways != 1;
  s.on_replies = ways != 2;
  return s;
}

Assumptions dropped(const SwarmSettings& swarm) {
  Assumptions all;
  for (const FaultInfo& info : fault_catalogue()) {
    if (swarm.assumptions_kept) break;
    const bool is_named =
        std::find(swarm.drop.begin(), swarm.drop.end(), to_string(info.breaks)) != swarm.drop.end();
    if (swarm.drop.empty() || is_named) all.add(info.breaks);
  }
  return all;
}

bool are_within(Assumptions broken, Assumptions allowed) {
  Assumptions both = allowed;
  both.add(broken);
  return both == allowed;
}

/// Of the margin, what all faults of a run share: nine tenths, so that roundings and the store's
/// resolution are within it too.
Skew shared_margin(const Scenario& scenario) {
  const GroupSettings& group = scenario.group;
  const std::int64_t own = parts_per_billion(scenario.clocks.store.drift);
  const FractionRange& workers = scenario.clocks.workers.drift;
  const std::int64_t rate =
      parts_per_billion(group.drift_bound) - std::max(own, -own) -
      std::max(parts_per_billion(workers.to), -parts_per_billion(workers.from));
  return {multiply_floor(group.interval, group.gap) / 10 * 9,
          std::max<std::int64_t>(rate / 10 * 9, 0)};
}

/// Whether a swarm that may break `allowed` has this fault at all.
bool is_available(const FaultInfo& fault, const Scenario& scenario, Assumptions allowed) {
  if (fault.breaks == Assumption::none || allowed.has(fault.breaks)) return true;
  if (fault.margin.empty()) return false;
  const std::optional<Event> mildest =
      within_skew(simplest_event(std::string(fault.name)), shared_margin(scenario));
  return mildest && are_within(broken_by(*mildest, scenario), allowed);
}

class Drawer {
 public:
  Drawer(const Scenario& scenario, std::uint64_t seed)
      : base_(scenario), swarm_(*scenario.swarm), draws_(seed), allowed_(dropped(swarm_)) {
    if (swarm_.fault_seed) draws_.set_seed(Stream::swarm, *swarm_.fault_seed);
    left_ = shared_margin(scenario);
  }

  SwarmDraw draw(std::uint64_t seed) {
    draw_.scenario = base_;
    Scenario& drawn = draw_.scenario;
    drawn.swarm.reset();
    drawn.seeds = {seed, seed};
    draw_group(drawn);
    for (std::size_t e = 0; e < drawn.timeline.size(); ++e) {
      TimelineEvent& event = drawn.timeline[e];
      if (!event.draws_as) event.draws_as = static_cast<std::uint32_t>(kFixedEvents + e);
      note(event.event);
      sources_.push_back(e);
    }
    const std::size_t fixed = drawn.timeline.size();
    for (std::size_t m = 0; m < swarm_.membership.size(); ++m) {
      add_line(swarm_.membership[m], LineDraws(draws_, Stream::workload, m), fixed + m, m);
    }
    const std::size_t lines = swarm_.membership.size();
    for (std::size_t f = 0; f < swarm_.faults.size(); ++f) {
      add_line(swarm_.faults[f], LineDraws(draws_, Stream::swarm, f), fixed + lines + f,
               kMostLines + f);
    }
    put_in_order();
    return std::move(draw_);
  }

 private:
  // A line's events draw as kMostTimes * line + occurrence; faults come after kMostLines.
  static constexpr std::size_t kMostLines = 128;
  static constexpr std::size_t kMostTimes = 64;
  static constexpr std::size_t kFixedEvents = 2 * kMostLines * kMostTimes;

  void draw_group(Scenario& drawn) const {
    if (swarm_.workers) {
      WorkerSet set = drawn.workers.empty() ? WorkerSet{} : drawn.workers.front();
      set.count = uniform(*swarm_.workers, draws_(Stream::workload, kWorkersPlace, 0));
      drawn.workers = {set};
    }
    if (!swarm_.network) return;
    const auto draw = [&](std::uint64_t counter) {
      return draws_(Stream::workload, kNetworkPlace, counter);
    };
    const auto delay = [&](std::uint64_t first) {
      const Duration median = often_short(swarm_.network->median, draw(first));
      return LognormalDelay{median,
                            median * std::int64_t{uniform(swarm_.network->tail, draw(first + 1))}};
    };
    drawn.network.request = delay(0);
    drawn.network.reply = delay(2);
    drawn.network.loss = {uniform(swarm_.network->loss, draw(4)),
                          uniform(swarm_.network->loss, draw(5))};
  }

  void add_line(const SwarmFault& fault, const LineDraws& draws, std::size_t source,
                std::size_t number) {
    if (!draws.is_on(fault.probability)) return;
    const Event& simplest = simplest_event(fault.fault);
    const Duration end = base_.settle ? base_.settle->from : base_.length;
    const std::uint32_t times = draws.times(fault.times);
    for (std::uint32_t k = 0; k < times; ++k) {
      TimelineEvent event;
      event.at = uniform({Duration(0), end - Duration(1)}, draws(k, Parameter::at));
      std::optional<Event> cut = kept(with_strength(simplest, draw_strength(fault, draws, k)));
      if (!cut) continue;
      event.event = std::move(*cut);
      // The last newcomer comes before the faults end.
      if (auto* restart = std::get_if<Restart>(&event.event)) {
        restart->down = std::min(restart->down, end - event.at - Duration(1));
      }
      event.draws_as = static_cast<std::uint32_t>(number * kMostTimes + k);
      note(event.event);
      draw_.scenario.timeline.push_back(std::move(event));
      sources_.push_back(source);
    }
  }

  /// The event as far as the assumptions that are kept let it be.
  std::optional<Event> kept(Event event) {
    const FaultInfo* info = fault_of(event);
    if (info == nullptr) return event;
    const bool is_free = allowed_.has(info->breaks);
    if (!is_free && !info->margin.empty()) {
      std::optional<Event> cut = within_skew(std::move(event), left_);
      if (!cut) return std::nullopt;
      event = std::move(*cut);
      const Skew used = skew_of(event);
      left_.step -= used.step;
      left_.rate_ppb -= used.rate_ppb;
    }
    if (!are_within(broken_by(event, base_), allowed_)) return std::nullopt;
    return event;
  }

  /// What the event means for the run as a whole.
  void note(const Event& event) {
    draw_.skews = draw_.skews || skew_of(event).step > Duration(0);
    const FaultInfo* info = fault_of(event);
    if (info == nullptr) return;
    const std::string_view name = info->event;
    draw_.stalls = draw_.stalls || name == "pause" || name == "suspend";
    draw_.mixes = draw_.mixes || info->fault_class == FaultClass::configuration;
  }

  void put_in_order() {
    std::vector<TimelineEvent>& timeline = draw_.scenario.timeline;
    std::vector<std::size_t> order(timeline.size());
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return timeline[a].at < timeline[b].at; });
    std::vector<TimelineEvent> sorted;
    sorted.reserve(order.size());
    for (const std::size_t e : order) {
      sorted.push_back(std::move(timeline[e]));
      draw_.sources.push_back(sources_[e]);
    }
    timeline = std::move(sorted);
  }

  const Scenario& base_;
  const SwarmSettings& swarm_;
  Draws draws_;
  Assumptions allowed_;
  Skew left_;                         ///< of the margin that all faults of the run share
  std::vector<std::size_t> sources_;  ///< of the timeline, not yet in order
  SwarmDraw draw_;
};

}  // namespace

SwarmDraw draw_swarm(const Scenario& scenario, std::uint64_t seed) {
  assert(scenario.swarm);
  return Drawer(scenario, seed).draw(seed);
}

std::vector<FaultSource> fault_sources(const Scenario& scenario) {
  std::vector<FaultSource> sources;
  for (const TimelineEvent& event : scenario.timeline) {
    sources.push_back({event_name(event.event), true, {}});
  }
  if (!scenario.swarm) return sources;
  for (const SwarmFault& line : scenario.swarm->membership) {
    sources.push_back({line.fault, true, {}});
  }
  const Assumptions allowed = dropped(*scenario.swarm);
  for (const SwarmFault& line : scenario.swarm->faults) {
    const FaultInfo& info = *find_fault(line.fault);
    if (is_available(info, scenario, allowed)) {
      sources.push_back({line.fault, true, {}});
    } else {
      sources.push_back({line.fault, false, std::string(to_string(info.breaks))});
    }
  }
  return sources;
}

}  // namespace nandi::sim
