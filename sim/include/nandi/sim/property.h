// What a property of a run is: a claim that is watched action by action.
//
// A property is a class of its own file in properties/, derived from Property, with
//   static constexpr PropertyInfo kInfo{...};
//   explicit P(const RunFacts&);
//   template <class World> void observe(const Moment<World>&);   after every action that is not
//                                                    quiet, or after every one (sees_quiet); O(1)
//   template <class World> void finish(const Moment<World>&);    optional: the run has ended
// and is named in the list of properties.h. It calls reached() whenever the claim really was put to
// the test: that is its `sometimes` partner, and a run in which it stayed at 0 is vacuous. It calls
// violate() when the claim fails; the first failure is kept. Both are counted.
// The set of properties is a type, so that watching costs no virtual call.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "nandi/engine/schedule.h"
#include "nandi/sim/action.h"
#include "nandi/sim/ledger.h"
#include "nandi/sim/world.h"

namespace nandi::sim {

enum class PropertyKind : std::uint8_t {
  safety,      ///< must hold at every moment
  timing,      ///< something takes no longer than the protocol says; holds for a calm group only
  on_request,  ///< no claim of the protocol: looked at only where a scenario names it
};

struct PropertyInfo {
  std::string_view name;     ///< as scenario files write it
  std::string_view claim;    ///< one sentence: what holds
  std::string_view partner;  ///< one clause: what has to have happened for the claim to be tested
  PropertyKind kind = PropertyKind::safety;
  /// Whether it looks at quiet moments as well (Moment::is_quiet()). The others are spared these,
  /// which are two thirds of a settled group's.
  bool sees_quiet = false;
};

/// Where a claim first failed.
struct Violation {
  TrueTime at;
  std::string text;               ///< one sentence, names workers and indexes
  std::vector<WorkerId> workers;  ///< those concerned, the one that acted last first
};

/// What is known of a run before it starts.
struct RunFacts {
  std::size_t workers = 0;  ///< places for workers; a restarted process has a new one
  std::size_t groups = 1;
  std::vector<LeaseTiming> timings;        ///< by member configuration
  TrueTime settle_from = TrueTime::max();  ///< when every fault has ended; max: never
  TrueTime settle_by = TrueTime::max();    ///< when the group has to be whole
};

/// One action, with the world as it is after it.
template <class WorldType>
struct Moment {
  using World = WorldType;
  TrueTime now;
  const Action& action;
  const Applied& applied;
  const World& world;
  std::span<const typename World::Config> configs;
  const Ledger& ledger;  ///< up to date; ledger.change(): what the action meant for the lease

  [[nodiscard]] const auto& worker() const { return world.worker(action.worker); }
  [[nodiscard]] const auto& config() const { return configs[worker().config]; }
  [[nodiscard]] GroupId group() const { return config().group; }
  /// A timer has fired or the store has run a script, and by that nobody's lease, work or place in
  /// the group has changed.
  [[nodiscard]] bool is_quiet() const {
    return (action.kind == ActionKind::wake || action.kind == ActionKind::execute) &&
           ledger.change() == LeaseChange::none && applied.had_lease == applied.has_lease &&
           !applied.departed;
  }
};

/// "w3".
[[nodiscard]] std::string worker_name(WorkerId worker);
/// "2/5": index 2 of 5.
[[nodiscard]] std::string pair_text(Pair pair);

class Property {
 public:
  /// How often the claim was put to the test.
  [[nodiscard]] std::uint64_t times_reached() const { return reached_; }
  [[nodiscard]] std::uint64_t times_violated() const { return violated_; }
  [[nodiscard]] const std::optional<Violation>& first_violation() const { return first_; }

 protected:
  void reached() { ++reached_; }
  /// `text()` is called for the first violation only.
  template <class Text>
  void violate(TrueTime at, std::initializer_list<WorkerId> workers, Text&& text) {
    ++violated_;
    if (!first_) first_ = Violation{at, std::forward<Text>(text)(), workers};
  }

 private:
  std::uint64_t reached_ = 0;
  std::uint64_t violated_ = 0;
  std::optional<Violation> first_;
};

/// What came of one property in one run.
struct PropertyOutcome {
  std::uint64_t reached = 0;
  std::uint64_t violated = 0;
  std::optional<Violation> first;
};

template <class... P>
class PropertySet {
 public:
  static constexpr std::size_t kSize = sizeof...(P);
  static constexpr PropertyInfo kInfos[] = {P::kInfo...};

  explicit PropertySet(const RunFacts& facts) : properties_(P(facts)...) {}

  template <class World>
  void observe(const Moment<World>& moment) {
    if (moment.is_quiet()) {
      std::apply([&](P&... property) { (observe_quiet(property, moment), ...); }, properties_);
    } else {
      std::apply([&](P&... property) { (property.observe(moment), ...); }, properties_);
    }
  }

  template <class World>
  void finish(const Moment<World>& last) {
    std::apply([&](P&... property) { (finish_one(property, last), ...); }, properties_);
  }

  /// In the order of kInfos.
  [[nodiscard]] std::vector<PropertyOutcome> outcomes() const {
    std::vector<PropertyOutcome> all;
    all.reserve(kSize);
    std::apply(
        [&](const P&... property) {
          (all.push_back(
               {property.times_reached(), property.times_violated(), property.first_violation()}),
           ...);
        },
        properties_);
    return all;
  }

  template <class One>
  [[nodiscard]] const One& get() const {
    return std::get<One>(properties_);
  }

 private:
  template <class One, class World>
  static void observe_quiet(One& property, const Moment<World>& moment) {
    if constexpr (One::kInfo.sees_quiet) {
      property.observe(moment);
    } else {
      check_is_spared(property, moment);
    }
  }

  /// In debug builds: what a property is spared would not have been counted.
  template <class One, class World>
  static void check_is_spared([[maybe_unused]] const One& property,
                              [[maybe_unused]] const Moment<World>& moment) {
#ifdef NANDI_DEBUG_CHECKS
    One copy = property;
    copy.observe(moment);
    if (copy.times_reached() != property.times_reached() ||
        copy.times_violated() != property.times_violated()) {
      throw std::logic_error(std::string(One::kInfo.name) + " is not to be spared quiet moments");
    }
#endif
  }

  template <class One, class World>
  static void finish_one(One& property, const Moment<World>& last) {
    if constexpr (requires { property.finish(last); }) property.finish(last);
  }

  std::tuple<P...> properties_;
};

}  // namespace nandi::sim
