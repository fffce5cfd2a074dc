// The catalogue of faults: what there is, which assumption of the exclusivity argument each breaks,
// and how strong it can be while it breaks none.
//
// One row for each way in which a fault matters to the argument, so some events of a timeline have
// several rows: a restart that keeps the data breaks nothing, one that loses it does. Reports,
// campaigns and tables of assumptions read these rows; nothing else lists faults.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

#include "nandi/sim/scenario.h"

namespace nandi::sim {

enum class FaultClass : std::uint8_t { store, worker, network, configuration };

/// What the argument for exclusivity takes for granted (checker/proof.md).
enum class Assumption : std::uint8_t {
  none,         ///< the fault breaks nothing: exclusivity has to survive it
  counter,      ///< a counter repeats no value within its interval
  store_clock,  ///< the store's clock neither steps nor runs at another rate within a lease
  local_clock,  ///< local clocks run at the store's rate, and on through stalls
  memory,       ///< a worker's memory is never duplicated
  settings,     ///< every member has the same interval, gap and deadline rule
  /// A consumer acts only while its worker holds the pair. It concerns work-exclusive alone: leases
  /// stay exclusive without it, as they do through stalls.
  consumer_expiry,
};

/// "counter", "store-clock", ...; "none".
[[nodiscard]] std::string_view to_string(Assumption assumption);
/// The assumption in words: "the counter repeats no value within an interval".
[[nodiscard]] std::string_view describe(Assumption assumption);
[[nodiscard]] std::string_view to_string(FaultClass fault_class);

/// A set of assumptions.
class Assumptions {
 public:
  constexpr Assumptions() = default;
  constexpr Assumptions(Assumption one) { add(one); }
  constexpr void add(Assumption one) {
    if (one != Assumption::none) {
      bits_ = static_cast<std::uint8_t>(bits_ | 1U << static_cast<unsigned>(one));
    }
  }
  constexpr void add(Assumptions others) {
    bits_ = static_cast<std::uint8_t>(bits_ | others.bits_);
  }
  [[nodiscard]] constexpr bool has(Assumption one) const {
    return (bits_ >> static_cast<unsigned>(one) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  friend constexpr bool operator==(Assumptions, Assumptions) = default;

 private:
  std::uint8_t bits_ = 0;
};

struct FaultInfo {
  std::string_view name;   ///< unique: "store_restart_lost"
  std::string_view event;  ///< its key on a timeline: "store_restart"
  std::string_view form;   ///< value of that key in its simplest form, to be read as YAML
  FaultClass fault_class = FaultClass::store;
  Assumption breaks = Assumption::none;  ///< beyond its margin, where it has one
  /// Up to which strength it breaks nothing, and by which bound; empty: there is no such strength,
  /// or it never breaks anything.
  std::string_view margin;
  /// The keys that say how strong it is, space between; empty: it has no strength.
  std::string_view strength;
  /// What stands in a file's `check:` for it; empty: the checker does not have it.
  std::string_view check;
  std::string_view meaning;
};

/// All of them: store, worker, network, configuration.
[[nodiscard]] std::span<const FaultInfo> fault_catalogue();

/// Null where there is none of this name.
[[nodiscard]] const FaultInfo* find_fault(std::string_view name);

/// The row of an event; null for what is no fault: members that come, leave, and `heal`. An event
/// that breaks two assumptions, as a failover can, has the row of the graver one.
[[nodiscard]] const FaultInfo* fault_of(const Event& event);

/// What `event` breaks by itself in this group. Nothing where its strength is within its margin;
/// margins are for one fault alone, two in one lease's life (two intervals) share them.
[[nodiscard]] Assumptions broken_by(const Event& event, const Scenario& scenario);

/// The catalogue as a table in Markdown.
void write_fault_reference(std::ostream& out);

}  // namespace nandi::sim
