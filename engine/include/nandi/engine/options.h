// What a user of the engine sets, its checks, and what follows from it: timing and key names.
//
// Every member of a group uses the same name, prefix, interval and gap. The checks say what is
// wrong, with the numbers, and what would be right.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/engine/partition/scheme.h"
#include "nandi/engine/schedule.h"
#include "nandi/engine/time.h"

namespace nandi {

struct Options {
  /// The group, for example "mail-sender". Not empty, no braces.
  std::string name;
  /// Whole milliseconds, from 1 ms to kMaxInterval. Five seconds suit most groups.
  std::chrono::nanoseconds interval{0};
  /// Timing slack as a fraction of the interval, exact; above 0, below 1/2. At 1/8 and below the
  /// first retry after a failed registration comes too late to save the lease (a warning).
  Fraction gap{3, 20};
  /// How long one registration may take; by default an eighth of the interval. A longer one has to
  /// end before the gap does, or a lost reply always costs the lease.
  std::optional<std::chrono::nanoseconds> attempt_timeout;
  /// Put before the key, for namespacing. No braces: they would move the hash tag.
  std::string prefix;
  /// Bound on how far the rates of the worker's and the store's clock differ. The default of 1/1000
  /// is twice the 500 ppm to which the kernel limits the correction of a clock's frequency, one for
  /// each side; the crystals themselves stay below 100 ppm. It costs a lease about 0.2% of an
  /// interval. A time daemon that slews faster (chrony's maxslewrate) needs a larger one.
  Fraction drift_bound{1, 1000};
  /// Seed of the first registration's moment and the kept offset. Without one they come from the
  /// kernel's random source, so that equal containers differ.
  std::optional<std::uint64_t> seed;
  /// The first registration is spread over this fraction of an interval, from 0 to 1.
  Fraction first_spread{1, 1};
  /// How Peer::owns() divides the tasks. Every worker of a group must use the same: two schemes
  /// divide the same tasks differently, and nothing in the protocol would notice.
  partition::Scheme scheme = partition::Scheme::kModulo;
};

/// The longest interval: what a timer of 32-bit milliseconds holds, as members of a group written
/// in JavaScript have it (almost 25 days).
inline constexpr std::chrono::milliseconds kMaxInterval{2'147'483'647};

/// One finding about one option.
struct OptionProblem {
  enum class Severity : std::uint8_t { warning, error };
  Severity severity = Severity::error;
  std::string_view option;  ///< its name in Options, for example "gap"
  std::string text;         ///< what is wrong, with the numbers, and what would be right
  friend bool operator==(const OptionProblem&, const OptionProblem&) = default;
};

/// All findings, errors first within each option; empty when all is well.
[[nodiscard]] std::vector<OptionProblem> check(const Options& options);

/// The part of check() that weighs the timing's numbers against each other: does a retry fit into
/// the gap, is the gap more than the clock's resolution and drift. One rule for workers and for
/// simulated ones; durations are taken to be nanoseconds. Precondition: the timing's own
/// (schedule.h), gap and drift with denominators up to kMaxDenominator.
[[nodiscard]] std::vector<OptionProblem> check_timing(const LeaseTiming& timing);

/// Of a registration, where none is given: an eighth of the interval, at least one unit.
[[nodiscard]] constexpr Duration default_attempt_timeout(Duration interval) {
  return std::max(interval / 8, Duration(1));
}

/// Thrown by whoever is given options with errors; what() lists them, one a line.
class InvalidOptions : public std::invalid_argument {
 public:
  explicit InvalidOptions(std::vector<OptionProblem> problems);
  [[nodiscard]] const std::vector<OptionProblem>& problems() const { return problems_; }

 private:
  std::vector<OptionProblem> problems_;
};

/// Throws InvalidOptions when check() finds an error; warnings pass.
void require_valid(const Options& options);

/// The timing in nanoseconds; the store's clock is known to the millisecond. Precondition: no
/// errors in check().
[[nodiscard]] LeaseTiming timing_of(const Options& options);

/// The interval in milliseconds, as the script takes it.
[[nodiscard]] std::int64_t interval_ms(const Options& options);

/// The key that the script declares: <prefix>{<name>}. The braces are a hash tag: every key of the
/// group lands in one hash slot of a Redis Cluster.
[[nodiscard]] std::string group_key(const Options& options);

/// The counter of interval n: <prefix>{<name>}:<n>.
[[nodiscard]] std::string key_of(const Options& options, IntervalNumber n);

}  // namespace nandi
