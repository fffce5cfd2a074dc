// The lease protocol as a model: sim::World with the production engine in it, all choices open.
//
// A state is a World plus what is left of the budgets. Its packed form is relative to now: times
// are distances from the worker's own clock, interval numbers distances from the open one, and
// what can matter no more is left out or saturated (lease_codec.h gives the argument for each), so
// that unbounded runs close into a finite graph.
//
// Consumers are left out: hold, not work, is what is checked. A graceful departure is then a crash
// (both end the hold and leave an abandoned request behind at most), so there is only the latter.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nandi/checker/lease_check.h"
#include "nandi/checker/lease_codec.h"
#include "nandi/checker/model.h"
#include "nandi/sim/world.h"

namespace nandi::checker {

/// What an action turned out to do, for coverage: the classes of LeaseModel::action_classes().
enum class LeaseStep : std::uint8_t {
  time_passes,
  join,
  crash,
  send,     ///< wake: an attempt is sent
  expire,   ///< wake: a lease ends by itself; the next attempt may be sent at once
  give_up,  ///< wake: nothing but an abandoned attempt
  execute,
  execute_abandoned,
  grant,    ///< a reply issues a lease
  renew,    ///< a reply renews it
  release,  ///< a reply takes it away
  learn,    ///< a reply changes no ownership
  refuse,
  lose,
  pause,
  resume,
  clock_lead,
  flush_all,
  erase_open,
  erase_closed,
  store_step,
  lose_writes,
  fork,
};
inline constexpr std::size_t kLeaseSteps = static_cast<std::size_t>(LeaseStep::fork) + 1;

struct LeaseAction {
  sim::Action action;  ///< as the simulator would apply it
  LeaseStep step = LeaseStep::time_passes;
  std::uint8_t lagging = 0;  ///< time_passes: bit w set, worker w's clock stands still
  std::uint8_t target = 0;   ///< fork: the place that the copy takes
  friend constexpr bool operator==(const LeaseAction&, const LeaseAction&) = default;
};

template <class Rules, std::size_t W>
class LeaseModel {
 public:
  using State = LeaseModelState<Rules, W>;
  using Action = LeaseAction;
  static constexpr std::size_t kMaxWords = 2 * W + 1;

  /// Precondition: !find_error(check) and check.members.size() == W.
  explicit LeaseModel(const LeaseCheck& check) : check_(check), codec_(check) {
    for (const CheckedMember& member : check.members) {
      sim::MemberConfig<Rules> config;
      config.lease.timing = member.timing;
      if constexpr (std::is_base_of_v<sim::AblatedRules, Rules>)
        config.lease.rules = Rules(member.rules);
      config.interval_from_worker_clock = member.interval_from_worker_clock;
      configs_.push_back(config);
    }
    choose_properties();
  }

  [[nodiscard]] std::size_t words() const { return codec_.words(); }
  void encode(const State& state, std::uint64_t* words) const {
    std::copy_n(state.packed.begin(), codec_.words(), words);
    if (check_.symmetry) sort_workers(words);
  }
  void decode(const std::uint64_t* words, State& state) const { codec_.unpack(words, state); }

  template <class Visit>
  void for_each_initial(Visit&& visit) const {
    State state;
    codec_.start(state);
    visit(std::as_const(state));
  }

  template <class Visit>
  void for_each_successor(const State& from, Visit&& visit) const;

  [[nodiscard]] std::uint64_t decided(const State& state) const;
  [[nodiscard]] std::span<const Property> properties() const { return properties_; }
  [[nodiscard]] std::span<const ActionClass> action_classes() const { return kClasses; }
  [[nodiscard]] std::size_t action_class(const Action& action) const {
    return static_cast<std::size_t>(action.step);
  }
  [[nodiscard]] std::string describe_state(const State& state) const;
  [[nodiscard]] std::string describe_action(const Action& action) const;

  [[nodiscard]] const LeaseCheck& check() const { return check_; }
  [[nodiscard]] std::span<const sim::MemberConfig<Rules>> configs() const { return configs_; }

  /// The pair that worker `id` holds, its last tick of time included: a release and a take-up that
  /// share a tick happen in either order.
  [[nodiscard]] std::optional<Pair> held(const State& state, sim::WorkerId id) const {
    const auto& w = state.world.worker(id);
    const LeaseState& engine = w.engine.state();
    if (!w.is_present() || !engine.has_lease) return std::nullopt;
    const bool ends = configs_[w.config].lease.rules.expires();
    const LocalTime local = w.clock.at(state.world.now());
    if (ends && (check_.open_ends ? local >= engine.expires : local > engine.expires)) {
      return std::nullopt;
    }
    return engine.lease;
  }

 private:
  static constexpr std::array<Property, 7> kProperties = {
      Property{"lease-exclusive", PropertyKind::invariant},
      Property{"one-count", PropertyKind::invariant},
      Property{"tasks-disjoint", PropertyKind::invariant},
      Property{"index-below-count", PropertyKind::invariant},
      Property{"a lease is in force", PropertyKind::sometimes},
      Property{"every worker holds a lease", PropertyKind::sometimes},
      Property{"never-stands-down", PropertyKind::invariant}};
  static constexpr std::array<ActionClass, kLeaseSteps> kClasses = {
      ActionClass{"time passes", true},
      ActionClass{"join", true},
      ActionClass{"crash", false, true},
      ActionClass{"send", true},
      ActionClass{"expire", false},
      ActionClass{"give up", false},
      ActionClass{"execute", true},
      ActionClass{"execute an abandoned request", false, true},
      ActionClass{"grant", true},
      ActionClass{"renew", true},
      ActionClass{"release", false},
      ActionClass{"learn", true},
      ActionClass{"refuse", false, true},
      ActionClass{"lose", false, true},
      ActionClass{"pause", false, true},
      ActionClass{"resume", false},
      ActionClass{"clock leads", false, true},
      ActionClass{"flush-all", false, true},
      ActionClass{"erase the open counter", false, true},
      ActionClass{"erase the closed counter", false, true},
      ActionClass{"store clock steps", false, true},
      ActionClass{"lose writes", false, true},
      ActionClass{"fork", false, true}};

  template <class Visit>
  void pass_time(const State& from, State& next, Visit& visit) const;
  template <class Visit>
  void step_worker(const State& from, State& next, sim::WorkerId id, Visit& visit) const;
  template <class Visit>
  void execute_abandoned(const State& from, State& next, sim::WorkerId id, Visit& visit) const;
  template <class Visit>
  void deliver(const State& from, State& next, sim::WorkerId id, Visit& visit) const;
  template <class Visit>
  void strike(const State& from, State& next, Visit& visit) const;
  template <class Visit>
  void lose_writes(const State& from, State& next, Visit& visit) const;
  template <class Visit>
  void fork(const State& from, State& next, Visit& visit) const;
  /// Applies, packs, visits and takes back what concerns worker `id`.
  template <class Visit>
  void emit(const State& from, State& next, sim::WorkerId id, LeaseAction action,
            Visit& visit) const;
  template <class Visit>
  void step_request(const State& from, State& next, sim::WorkerId id, Visit& visit) const;
  [[nodiscard]] bool is_urgent(const State& state, sim::WorkerId id) const;
  [[nodiscard]] bool has_room(const State& state, sim::WorkerId id) const;
  [[nodiscard]] bool may_pause(const State& state) const;
  [[nodiscard]] bool all_hold(const State& state) const;
  /// What the reduction leaves (lease_reduction.h).
  [[nodiscard]] bool may_stall(const State& state, sim::WorkerId id) const;
  [[nodiscard]] bool may_crash(const State& state, sim::WorkerId id) const;
  [[nodiscard]] bool may_execute_abandoned(const State& state) const;
  [[nodiscard]] bool goes_first(const State& state, sim::WorkerId id) const;
  [[nodiscard]] std::optional<sim::WorkerId> first_mover(const State& state) const;

  /// Brings the workers' parts of a packed form into their one order.
  void sort_workers(std::uint64_t* words) const {
    if (codec_.worker_words() == 1) {
      std::sort(words, words + W);
      return;
    }
    std::array<std::array<std::uint64_t, 2>, W> parts;
    for (std::size_t id = 0; id < W; ++id) parts[id] = {words[2 * id], words[2 * id + 1]};
    std::sort(parts.begin(), parts.end());
    for (std::size_t id = 0; id < W; ++id) std::copy_n(parts[id].begin(), 2, words + 2 * id);
  }

  /// Those that the check asks for; what a state decides is then looked up, not computed anew.
  void choose_properties() {
    for (std::size_t p = 0; p < kProperties.size(); ++p) {
      const bool is_chosen =
          kProperties[p].kind == PropertyKind::sometimes || check_.checks(kProperties[p].name);
      if (!is_chosen) continue;
      for (std::size_t bits = 0; bits < reported_.size(); ++bits) {
        reported_[bits] |= static_cast<std::uint8_t>((bits >> p & 1U) << properties_.size());
      }
      properties_.push_back(kProperties[p]);
    }
  }

  LeaseCheck check_;
  std::vector<Property> properties_;
  /// By the bits of kProperties that a state decides: the bits of properties_.
  std::array<std::uint8_t, 1U << kProperties.size()> reported_{};
  std::vector<sim::MemberConfig<Rules>> configs_;
  LeaseCodec<Rules, W> codec_;
};

}  // namespace nandi::checker

#include "nandi/checker/lease_model_steps.h"
#include "nandi/checker/lease_reduction.h"
