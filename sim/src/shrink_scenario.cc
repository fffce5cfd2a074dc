#include <algorithm>
#include <sstream>
#include <utility>

#include "nandi/sim/yaml/document.h"
#include "shrink_run.h"

namespace nandi::sim {
namespace {

class ScenarioShrinker {
 public:
  ScenarioShrinker(const Scenario& failing, std::size_t property, ShrinkBudget& budget)
      : best_(failing), property_(property), budget_(budget) {}

  Scenario shrunk() {
    cut_length();
    while (pass()) cut_length();
    return best_;
  }

 private:
  bool pass() {
    bool any = drop_events();
    any = fewer_workers() || any;
    any = plainer_surroundings() || any;
    any = milder_events() || any;
    return any;
  }

  bool attempt(const Scenario& candidate) {
    if (candidate == best_ || !budget_.take()) return false;
    const RunResult run = Simulator(candidate).run(candidate.seeds.first);
    const PropertyOutcome& outcome = run.properties[property_];
    if (outcome.violated == 0 || !loads(candidate)) return false;
    best_ = candidate;
    violated_at_ = outcome.first->at;
    return true;
  }

  /// Whether the file would load: what is left out may have been what other events name.
  static bool loads(const Scenario& candidate) {
    std::ostringstream text;
    write_scenario(candidate, text);
    try {
      static_cast<void>(read_scenario(yaml::Document::parse(text.str(), "candidate")));
      return true;
    } catch (const yaml::LoadError&) {
      return false;
    }
  }

  /// What comes after the violation is left out; not where the claim is about the end.
  void cut_length() {
    if (best_.settle) return;
    Scenario candidate = best_;
    if (violated_at_ == TrueTime::max()) {
      const RunResult run = Simulator(best_).run(best_.seeds.first);
      const PropertyOutcome& outcome = run.properties[property_];
      if (!outcome.first) return;
      violated_at_ = outcome.first->at;
    }
    candidate.length = Duration(violated_at_.count() + 1);
    std::erase_if(candidate.timeline,
                  [&](const TimelineEvent& event) { return event.at >= candidate.length; });
    attempt(candidate);
  }

  bool drop_events() {
    bool any = false;
    for (std::size_t size = std::max<std::size_t>(best_.timeline.size() / 2, 1); size > 0;
         size /= 2) {
      for (std::size_t from = 0; from < best_.timeline.size();) {
        Scenario candidate = best_;
        const auto begin = candidate.timeline.begin() + static_cast<std::ptrdiff_t>(from);
        candidate.timeline.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(
                                                    size, candidate.timeline.size() - from)));
        if (attempt(candidate)) {
          any = true;
        } else {
          from += size;
        }
      }
    }
    return any;
  }

  bool fewer_workers() {
    bool any = false;
    for (std::size_t set = 0; set < best_.workers.size(); ++set) {
      for (std::uint32_t count = 0; count < best_.workers[set].count; ++count) {
        Scenario candidate = best_;
        candidate.workers[set].count = count;
        if (!attempt(candidate)) continue;
        any = true;
        break;
      }
    }
    return any;
  }

  template <class Change>
  bool with(const Change& change) {
    Scenario candidate = best_;
    change(candidate);
    return attempt(candidate);
  }

  bool plainer_surroundings() {
    bool any = with([](Scenario& s) { s.network = NetworkSettings{}; });
    any = with([](Scenario& s) { s.network.loss = LossPair{}; }) || any;
    any = with([](Scenario& s) { s.network.jitter = DelayPair{}; }) || any;
    any = with([](Scenario& s) { s.network.request = ConstantDelay{}; }) || any;
    any = with([](Scenario& s) { s.network.reply = ConstantDelay{}; }) || any;
    any = with([](Scenario& s) { s.clocks = ClockSettings{}; }) || any;
    any = with([](Scenario& s) { s.consumer.drain = ConstantDelay{}; }) || any;
    return any;
  }

  /// Strikes one worker instead of several, and at rounder times.
  bool milder_events() {
    bool any = false;
    const std::int64_t interval = best_.group.interval.count();
    for (std::size_t e = 0; e < best_.timeline.size(); ++e) {
      any = with([e](Scenario& s) {
              std::visit([](auto& event) { strike_one(event); }, s.timeline[e].event);
            }) ||
            any;
      for (const std::int64_t part : {1, 2, 10}) {
        const std::int64_t unit = std::max<std::int64_t>(interval / part, 1);
        const bool is_rounder = with([e, unit](Scenario& s) {
          s.timeline[e].at = Duration(s.timeline[e].at.count() / unit * unit);
          std::stable_sort(s.timeline.begin(), s.timeline.end(),
                           [](const auto& a, const auto& b) { return a.at < b.at; });
        });
        any = is_rounder || any;
        if (is_rounder) break;
      }
    }
    return any;
  }

  template <class E>
  static void strike_one(E& event) {
    if constexpr (std::is_same_v<E, Join>) {
      event.workers.count = 1;
    } else if constexpr (requires { event.workers.has_value(); }) {
      if (event.workers) strike_one(*event.workers);
    } else if constexpr (requires { event.workers.kind; }) {
      strike_one(event.workers);
    } else if constexpr (std::is_same_v<E, WorkerChoice>) {
      if (event.kind == WorkerChoice::Kind::count) event.count = 1;
    }
  }

  Scenario best_;
  std::size_t property_;
  ShrinkBudget& budget_;
  TrueTime violated_at_ = TrueTime::max();
};

}  // namespace

Scenario shrink_scenario(const Scenario& failing, std::size_t property, ShrinkBudget& budget) {
  return ScenarioShrinker(failing, property, budget).shrunk();
}

}  // namespace nandi::sim
