#include "swarm_fault.h"

#include <algorithm>
#include <map>
#include <variant>

#include "nandi/sim/fault_catalogue.h"
#include "nandi/sim/swarm.h"
#include "nandi/sim/yaml/document.h"
#include "run_plan.h"
#include "scenario_types.h"

namespace nandi::sim {
namespace {

constexpr const char* kMembership[] = {"join: {workers: 1}", "leave: {workers: 1}",
                                       "crash: {workers: 1}", "restart: {workers: 1, down: 1s}"};

Event read_event(const std::string& text) {
  return event_choice().type().read(yaml::Document::parse(text, "a fault's simplest form").root());
}

std::map<std::string, Event> read_events() {
  std::map<std::string, Event> events;
  for (const FaultInfo& info : fault_catalogue()) {
    events.emplace(info.name, read_event(std::string(info.event) + ": " + std::string(info.form)));
  }
  for (const std::string text : kMembership) {
    events.emplace(text.substr(0, text.find(':')), read_event(text));
  }
  return events;
}

template <class E>
void set_workers(E& event, std::uint32_t count) {
  if constexpr (std::is_same_v<E, Join>) {
    event.workers.count = count;
  } else if constexpr (requires { event.workers.has_value(); }) {
    // Without workers it is the store's clock, another fault.
    if (event.workers) event.workers = WorkerChoice{WorkerChoice::Kind::count, count, {}};
  } else if constexpr (requires { event.workers = WorkerChoice{}; }) {
    event.workers = WorkerChoice{WorkerChoice::Kind::count, count, {}};
  }
}

template <class E>
void set_length(E& event, Duration length) {
  if constexpr (requires { event.length = length; }) {
    event.length = length;
  } else if constexpr (requires { event.down = length; }) {
    event.down = length;
  } else if constexpr (requires { event.readonly_for = length; }) {
    event.readonly_for = length;
  }
}

template <class E>
void set_by(E& event, Duration by) {
  if constexpr (requires { event.by = by; }) {
    event.by = by;
  } else if constexpr (requires { event.clock_offset; }) {
    if (event.clock_offset != Duration(0)) event.clock_offset = by;
  }
}

template <class E>
void set_delay(E& event, const Strength& strength) {
  const DelayDistribution delay = ExponentialDelay{*strength.delay};
  if constexpr (requires { event.request = delay; }) {
    event.request.reset();
    event.reply.reset();
    if (strength.on_requests) event.request = delay;
    if (strength.on_replies) event.reply = delay;
  } else if constexpr (requires { event.drain = delay; }) {
    event.drain = delay;
  }
}

template <class E>
void set_rate(E& event, const Strength& strength) {
  const Fraction rate = *strength.rate;
  if constexpr (std::is_same_v<E, LossChange>) {
    event.request.reset();
    event.reply.reset();
    if (strength.on_requests) event.request = rate;
    if (strength.on_replies) event.reply = rate;
  } else if constexpr (requires { event.rate = rate; }) {
    event.rate = rate;
  }
}

template <class E>
void set_settings(E& event, const Strength& strength) {
  if constexpr (std::is_same_v<E, Join>) {
    if (event.workers.gap && strength.gap) event.workers.gap = strength.gap;
    if (event.workers.interval && strength.interval) event.workers.interval = strength.interval;
  } else if constexpr (std::is_same_v<E, Reconfigure>) {
    if (event.gap && strength.gap) event.gap = strength.gap;
    if (event.interval && strength.interval) event.interval = strength.interval;
  }
}

template <class E>
void set_strength(E& event, const Strength& strength) {
  if (strength.workers) set_workers(event, *strength.workers);
  if (strength.length) set_length(event, *strength.length);
  if (strength.by) set_by(event, *strength.by);
  if (strength.delay) set_delay(event, strength);
  if (strength.count) {
    if constexpr (requires { event.attempts; }) event.attempts = *strength.count;
    if constexpr (requires { event.lost_writes; }) {
      if (event.lost_writes > 0) event.lost_writes = *strength.count;
    }
  }
  if (strength.rate) set_rate(event, strength);
  set_settings(event, strength);
}

/// Whether a strength changes the event in its simplest form.
bool takes(const Event& event, const Strength& strength) {
  return with_strength(event, strength) != event;
}

}  // namespace

const Event& simplest_event(const std::string& name) {
  static const std::map<std::string, Event> events = read_events();
  return events.at(name);
}

Event with_strength(Event event, const Strength& strength) {
  std::visit([&](auto& e) { set_strength(e, strength); }, event);
  return event;
}

Skew skew_of(const Event& event) {
  const auto size = [](Duration d) { return std::max(d, -d); };
  if (const auto* step = std::get_if<ClockStep>(&event)) return {size(step->by), 0};
  if (const auto* freeze = std::get_if<ClockFreeze>(&event)) return {freeze->length, 0};
  if (const auto* failover = std::get_if<Failover>(&event)) {
    return {size(failover->clock_offset), 0};
  }
  if (const auto* suspend = std::get_if<Suspend>(&event)) {
    return {suspend->clock_counts ? Duration(0) : suspend->length, 0};
  }
  if (const auto* drift = std::get_if<ClockDrift>(&event)) {
    const std::int64_t rate = parts_per_billion(drift->rate);
    return {Duration(0), std::max(rate, -rate)};
  }
  return {};
}

std::optional<Event> within_skew(Event event, const Skew& most) {
  const auto cut = [&](Duration d) { return std::clamp(d, -most.step, most.step); };
  if (auto* step = std::get_if<ClockStep>(&event)) {
    step->by = cut(step->by);
    if (step->by == Duration(0)) return std::nullopt;
  } else if (auto* freeze = std::get_if<ClockFreeze>(&event)) {
    freeze->length = cut(freeze->length);
    if (freeze->length <= Duration(0)) return std::nullopt;
  } else if (auto* failover = std::get_if<Failover>(&event)) {
    failover->clock_offset = cut(failover->clock_offset);
  } else if (auto* suspend = std::get_if<Suspend>(&event)) {
    if (!suspend->clock_counts) suspend->length = cut(suspend->length);
    if (suspend->length <= Duration(0)) return std::nullopt;
  } else if (auto* drift = std::get_if<ClockDrift>(&event)) {
    const std::int64_t rate = parts_per_billion(drift->rate);
    drift->rate = Fraction(std::clamp(rate, -most.rate_ppb, most.rate_ppb), kPartsPerBillion);
    if (drift->rate.numerator() == 0) return std::nullopt;
  }
  return event;
}

const std::vector<std::string>& membership_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const std::string text : kMembership) list.push_back(text.substr(0, text.find(':')));
    return list;
  }();
  return names;
}

const std::vector<std::string>& swarm_fault_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const FaultInfo& info : fault_catalogue()) list.emplace_back(info.name);
    return list;
  }();
  return names;
}

std::vector<std::string> swarm_strengths(const std::string& fault) {
  const Event& event = simplest_event(fault);
  // Values that no simplest form has.
  const Duration odd(12'345'679);
  const Fraction part(1237, 10'007);
  std::vector<std::string> keys;
  const auto add = [&](const char* key, auto Strength::*member, auto value) {
    Strength strength;
    strength.*member = value;
    if (takes(event, strength)) keys.emplace_back(key);
  };
  add("workers", &Strength::workers, std::uint32_t{97});
  add("for", &Strength::length, odd);
  add("by", &Strength::by, odd);
  add("delay", &Strength::delay, odd);
  add("count", &Strength::count, std::uint32_t{97});
  add(std::holds_alternative<LossChange>(event) ? "share" : "rate", &Strength::rate, part);
  add("gap", &Strength::gap, part);
  add("interval", &Strength::interval, odd);
  return keys;
}

}  // namespace nandi::sim
