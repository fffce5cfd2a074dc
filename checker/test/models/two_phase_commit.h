// Two-phase commit, after Lamport's specification TwoPhase (Gray and Lamport, "Consensus on
// Transaction Commit", ACM TODS 31(1), 2006): N resource managers, a transaction manager (here:
// coordinator), a set of messages that only grows and from which nothing is removed.
//
// Reachable states, counted by hand. While the coordinator is undecided each resource manager is
// working, prepared and not heard of, prepared and heard of, or aborted of its own accord: 4^N.
// Once it has committed, all are heard of and each is prepared or committed: 2^N. Once it has
// aborted, each is one of the four or aborted after having prepared, heard of or not: 6^N. In all
// 4^N + 2^N + 6^N: 288 for N = 3, 8,832 for 5, 296,448 for 7, 1,745,408 for 8.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>

#include "nandi/checker/model.h"

namespace nandi::checker::models {

class TwoPhaseCommit {
 public:
  static constexpr unsigned kMostManagers = 8;
  static constexpr std::size_t kMaxWords = 1;

  enum class Coordinator : std::uint8_t { undecided, committed, aborted };

  // One bit for each resource manager in each set.
  struct State {
    std::uint8_t prepared = 0;
    std::uint8_t committed = 0;
    std::uint8_t aborted = 0;
    std::uint8_t heard = 0;
    std::uint8_t sent_prepared = 0;
    Coordinator coordinator = Coordinator::undecided;
    bool sent_commit = false;
    bool sent_abort = false;
  };

  enum class Kind : std::uint8_t {
    hear_prepared,
    commit,
    abort,
    prepare,
    choose_abort,
    receive_commit,
    receive_abort,
  };
  struct Action {
    Kind kind;
    std::uint8_t resource;
    bool operator==(const Action&) const = default;
  };

  // `hasty`, a planted defect: the coordinator commits although one resource manager was not heard
  // of.
  explicit TwoPhaseCommit(unsigned managers, bool hasty = false)
      : managers_(managers),
        all_(static_cast<std::uint8_t>((1U << managers) - 1)),
        quorum_(hasty ? managers - 1 : managers) {}

  static std::uint64_t reachable_states(unsigned managers) {
    std::uint64_t two = 1;
    std::uint64_t four = 1;
    std::uint64_t six = 1;
    for (unsigned i = 0; i < managers; ++i) {
      two *= 2;
      four *= 4;
      six *= 6;
    }
    return two + four + six;
  }

  std::size_t words() const { return 1; }
  void encode(const State& s, std::uint64_t* words) const {
    words[0] = std::uint64_t{s.prepared} | std::uint64_t{s.committed} << 8U |
               std::uint64_t{s.aborted} << 16U | std::uint64_t{s.heard} << 24U |
               std::uint64_t{s.sent_prepared} << 32U |
               static_cast<std::uint64_t>(s.coordinator) << 40U |
               std::uint64_t{s.sent_commit} << 48U | std::uint64_t{s.sent_abort} << 49U;
  }
  void decode(const std::uint64_t* words, State& s) const {
    const std::uint64_t word = words[0];
    s.prepared = static_cast<std::uint8_t>(word);
    s.committed = static_cast<std::uint8_t>(word >> 8U);
    s.aborted = static_cast<std::uint8_t>(word >> 16U);
    s.heard = static_cast<std::uint8_t>(word >> 24U);
    s.sent_prepared = static_cast<std::uint8_t>(word >> 32U);
    s.coordinator = static_cast<Coordinator>(word >> 40U & 3U);
    s.sent_commit = (word >> 48U & 1U) != 0;
    s.sent_abort = (word >> 49U & 1U) != 0;
  }

  template <class Visit>
  void for_each_initial(Visit&& visit) const {
    visit(State{});
  }

  template <class Visit>
  void for_each_successor(const State& s, Visit&& visit) const {
    if (s.coordinator == Coordinator::undecided) {
      if (static_cast<unsigned>(__builtin_popcount(s.heard)) >= quorum_) {
        State next = s;
        next.coordinator = Coordinator::committed;
        next.sent_commit = true;
        visit(Action{Kind::commit, 0}, next);
      }
      State next = s;
      next.coordinator = Coordinator::aborted;
      next.sent_abort = true;
      visit(Action{Kind::abort, 0}, next);
    }
    for (std::uint8_t r = 0; r < managers_; ++r) {
      resource_steps(s, r, visit);
    }
  }

  std::uint64_t decided(const State& s) const {
    return (s.committed != 0 && s.aborted != 0 ? 1U : 0U) | (s.committed == all_ ? 2U : 0U) |
           (s.aborted == all_ ? 4U : 0U);
  }
  const std::array<Property, 3>& properties() const { return kProperties; }
  const std::array<ActionClass, 7>& action_classes() const { return kClasses; }
  std::size_t action_class(const Action& action) const {
    return static_cast<std::size_t>(action.kind);
  }
  std::string describe_state(const State& s) const {
    return fmt::format("prepared {:b}, committed {:b}, aborted {:b}, heard of {:b}, coordinator {}",
                       s.prepared, s.committed, s.aborted, s.heard,
                       static_cast<unsigned>(s.coordinator));
  }
  std::string describe_action(const Action& action) const {
    return fmt::format("{} {}", kClasses[static_cast<std::size_t>(action.kind)].name,
                       action.resource);
  }

 private:
  template <class Visit>
  void resource_steps(const State& s, std::uint8_t r, Visit& visit) const {
    const auto bit = static_cast<std::uint8_t>(1U << r);
    if (s.coordinator == Coordinator::undecided && (s.sent_prepared & bit) != 0) {
      State next = s;
      next.heard = static_cast<std::uint8_t>(s.heard | bit);
      visit(Action{Kind::hear_prepared, r}, next);
    }
    if (((s.prepared | s.committed | s.aborted) & bit) == 0) {
      State prepared = s;
      prepared.prepared = static_cast<std::uint8_t>(s.prepared | bit);
      prepared.sent_prepared = static_cast<std::uint8_t>(s.sent_prepared | bit);
      visit(Action{Kind::prepare, r}, prepared);
      State aborted = s;
      aborted.aborted = static_cast<std::uint8_t>(s.aborted | bit);
      visit(Action{Kind::choose_abort, r}, aborted);
    }
    if (s.sent_commit) {
      State next = without(s, bit);
      next.committed = static_cast<std::uint8_t>(s.committed | bit);
      visit(Action{Kind::receive_commit, r}, next);
    }
    if (s.sent_abort) {
      State next = without(s, bit);
      next.aborted = static_cast<std::uint8_t>(s.aborted | bit);
      visit(Action{Kind::receive_abort, r}, next);
    }
  }
  static State without(const State& s, std::uint8_t bit) {
    State next = s;
    const auto keep = static_cast<std::uint8_t>(~bit);
    next.prepared = s.prepared & keep;
    next.committed = s.committed & keep;
    next.aborted = s.aborted & keep;
    return next;
  }

  unsigned managers_;
  std::uint8_t all_;
  unsigned quorum_;

  static constexpr std::array<Property, 3> kProperties = {
      Property{"never both committed and aborted", PropertyKind::invariant},
      Property{"all committed", PropertyKind::sometimes},
      Property{"all aborted", PropertyKind::sometimes}};
  static constexpr std::array<ActionClass, 7> kClasses = {
      ActionClass{"hear prepared", true}, ActionClass{"commit", true},
      ActionClass{"abort", true},         ActionClass{"prepare", true},
      ActionClass{"choose abort", true},  ActionClass{"receive commit", true},
      ActionClass{"receive abort", true}};
};

static_assert(Model<TwoPhaseCommit>);

}  // namespace nandi::checker::models
