// What a check of the lease protocol leaves open, and within which bounds.
//
// Time is in ticks, whole numbers: one tick is the resolution of the store's clock in the reply.
// Why that loses nothing is said in the room's README ("Time").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/engine/schedule.h"
#include "nandi/sim/ablated_rules.h"

namespace nandi::checker {

/// Where a worker registers.
enum class Slots : std::uint8_t {
  engine,  ///< where the engine's schedule says
  free,    ///< anywhere in the band [gap, 1 - gap]: covers every number of members
};

/// Deliberate violations of what the protocol takes for granted; how often each may strike in all.
struct FaultBudgets {
  std::uint8_t flush_all = 0;
  std::uint8_t erase_open = 0;    ///< DEL or eviction of the open interval's counter
  std::uint8_t erase_closed = 0;  ///< the same for the interval before
  std::uint8_t store_step = 0;    ///< the store's clock steps
  std::uint8_t refuse = 0;        ///< the store refuses a request at once
  std::uint8_t lose = 0;          ///< a request is lost (matters where delays are bounded)
  std::uint8_t fork = 0;          ///< a worker's memory is duplicated into an absent worker
  std::uint8_t lost_writes = 0;   ///< a failover forgets the last registrations of an interval
  friend constexpr bool operator==(const FaultBudgets&, const FaultBudgets&) = default;
};

/// One member's settings; all alike unless that is the assumption to drop.
struct CheckedMember {
  LeaseTiming timing;  ///< in ticks
  sim::AblatedRules rules;
  bool interval_from_worker_clock = false;
  std::int64_t clock_offset = 0;  ///< worker's clock minus the store's; matters for the above only
  friend constexpr bool operator==(const CheckedMember&, const CheckedMember&) = default;
};

struct LeaseCheck {
  std::vector<CheckedMember> members;  ///< one for each worker, 1 to kMaxCheckedWorkers
  Slots slots = Slots::engine;
  /// Workers that may be stalled at the same time, each from any moment to any later one. Timers of
  /// the others are served before the next tick of time.
  std::uint8_t pauses = 1;
  /// The clock of a stalled worker stands still, as when a hypervisor stops the whole machine.
  bool pauses_stop_clocks = false;
  /// Abandoned requests of one worker that are under way at once; further ones are lost.
  std::uint8_t abandoned = 1;
  /// Processes started in one worker's place in one interval; with `joins_in_all`, ever.
  std::uint8_t joins = 1;
  bool joins_in_all = false;
  bool crashes = true;
  bool refusals = false;  ///< the store may refuse any request at once
  /// Registrations executed in one interval; further ones are not explored. At most 15.
  std::uint8_t registrations = 4;
  /// In ticks; absent: unbounded.
  std::optional<std::int64_t> request_delay;
  std::optional<std::int64_t> reply_delay;
  /// By how many ticks a worker's clock may deviate from the store's between two of its ticks.
  std::uint8_t drift = 0;
  FaultBudgets faults;
  std::int64_t step_forward = 0;  ///< a step of the store's clock: at most so many ticks
  std::int64_t step_back = 0;
  std::uint8_t writes_lost = 1;  ///< by one failover, at most
  /// Also check that a group whose members all held leases never stands down.
  bool settled = false;
  /// Take states as one that differ only in which worker is in which situation: fewer states, the
  /// same verdict. All members must be alike.
  bool symmetry = false;
  /// Leave out steps that commute with others and so lead to nothing new (lease_reduction.h): fewer
  /// states, the same verdict.
  bool reduction = false;
  /// Leases are not held in their last tick: leaves out overlaps that only the rounding to ticks
  /// makes certain. For counterexamples that the simulator sees as they are, not for verdicts.
  bool open_ends = false;
  /// Names of the invariants to check, of check_property_names(); empty: all, with
  /// never-stands-down only where `settled` asks for it.
  std::vector<std::string> properties;
  /// Names of liveness_property_names() to check besides; not together with `symmetry`.
  std::vector<std::string> liveness;

  [[nodiscard]] bool checks(std::string_view property) const;
  [[nodiscard]] bool checks_liveness(std::string_view property) const;
};

inline constexpr std::size_t kMaxCheckedWorkers = 4;

/// Nothing, or what is wrong with the settings and what would be right, as "key: what" where the
/// key is one of a scenario's `check` section. Among others: gap and, for Slots::engine, the slots
/// of up to as many members as there are workers must lie on whole ticks; the message names the
/// next interval where they do.
[[nodiscard]] std::optional<std::string> find_error(const LeaseCheck& check);

/// Least interval >= `at_least` on which gap and, for Slots::engine, every slot of 1..workers
/// members lie on whole ticks.
[[nodiscard]] std::int64_t next_whole_interval(std::int64_t at_least, Fraction gap, Slots slots,
                                               std::uint32_t workers);

/// The bounds in words, as printed with a verdict: "2 workers, interval 8 ticks, gap 1/4, ...".
[[nodiscard]] std::string describe_bounds(const LeaseCheck& check);

/// Everything that decides which states there are, in words: checks with equal identities have the
/// same states. For checkpoints.
[[nodiscard]] std::string identity_of(const LeaseCheck& check);

/// What the verdict takes for granted, in one sentence: the protocol's assumptions that this check
/// does not drop.
[[nodiscard]] std::string describe_assumptions(const LeaseCheck& check);

}  // namespace nandi::checker
