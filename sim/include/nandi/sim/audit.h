// Audit: what the logs of a real group's workers say about its promises.
//
// Reads the lines that nandi-worker writes at level trace (engine/README.md, "The log") and judges
// them as a simulated run is judged. Times are those of the server's clock, in microseconds; a
// worker knows it only within bounds, so each end of a holding is a range, and so is each answer:
// an overlap is certain, impossible, or not to be told apart.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "nandi/engine/tick.h"
#include "nandi/sim/verdict.h"

namespace nandi::sim {

/// Bounds on the server's clock, in microseconds since 1970; lower <= upper.
struct StoreBounds {
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  friend bool operator==(const StoreBounds&, const StoreBounds&) = default;
};

/// One worker holding one pair, from a grant to its end.
struct AuditedHolding {
  std::string worker;
  Pair pair;
  StoreBounds from;
  StoreBounds until;
  std::string cause;      ///< why it ended; empty: the log ends first
  bool log_ends = false;  ///< a process that was killed, or still runs
  friend bool operator==(const AuditedHolding&, const AuditedHolding&) = default;
};

/// One registration that was answered.
struct AuditedRegistration {
  std::string worker;
  IntervalNumber interval = 0;
  std::uint32_t index = 0;
  std::optional<std::uint32_t> replicas;  ///< of the interval before
};

/// One attempt that was answered or failed, where the worker knew the server's clock.
struct AuditedAttempt {
  std::string worker;
  std::string error;  ///< class of the failure; empty: it was answered
  StoreBounds at;
};

/// A pair or idle (no pair) handed to a worker's consumer.
struct AuditedHandOver {
  std::string worker;
  std::optional<Pair> pair;
};

/// Everything that is read from the logs of one group.
struct AuditedGroup {
  std::string name;
  std::int64_t interval_us = 0;
  std::vector<std::string> workers;  ///< in the order of their first lines
  std::vector<AuditedHolding> holdings;
  std::vector<AuditedRegistration> registrations;
  std::vector<AuditedAttempt> attempts;
  std::vector<AuditedHandOver> hand_overs;
  std::uint64_t abandoned = 0;  ///< attempts given up: each may count as a ghost
  std::uint64_t failed = 0;
  std::uint64_t lines = 0;
  std::uint64_t foreign_lines = 0;  ///< a command's output, a line cut off at the end
};

/// A file that is no such log: `file:line: what; what to do`.
class AuditError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One log at a time, all of one group: add() each, then group(). A file may hold several workers'
/// lines.
class AuditReader {
 public:
  /// Throws AuditError, also for lines that were read before: counted twice they would look like
  /// indexes given twice. A log that was cut in pieces is given oldest first.
  void add(const std::filesystem::path& file);
  void add(std::istream& in, const std::string& name);
  [[nodiscard]] AuditedGroup group() const;

 private:
  struct Open {
    std::string worker;
    std::optional<AuditedHolding> holding;
    StoreBounds expires;
    StoreBounds last_seen;
    std::string started_at;    ///< `file:line`; empty: its start is in no log so far
    std::size_t log = 0;       ///< the number of the last log with a line of it
    std::int64_t last_us = 0;  ///< its clock in that log's last line
  };
  struct Fields;
  void refuse_repetition(Open& worker, const Fields& fields);
  Open& open(const std::string& worker);
  void read_line(const std::string& line, const std::string& where);
  void read_lease(const Fields& fields);
  void read_registration(const Fields& fields);
  void read_attempt(const Fields& fields);
  void identify(const Fields& fields);

  AuditedGroup group_;
  std::vector<Open> open_;
  std::size_t logs_ = 0;
};

struct AuditFinding {
  std::string property;
  Verdict verdict = Verdict::unknown;
  std::string text;           ///< the evidence, or the first violation
  std::uint64_t applied = 0;  ///< times that it could have failed
};

/// One holder of an index letting go and the next one taking it up.
struct AuditedApproach {
  std::uint32_t index = 0;
  std::string before;
  std::string after;
  StoreBounds distance;  ///< in microseconds; negative: an overlap
};

/// An index of a closed interval that no worker of these logs was given: a ghost, or a worker whose
/// log is missing.
struct UncoveredIndex {
  IntervalNumber interval = 0;
  std::uint32_t index = 0;
  std::uint32_t count = 0;
};

/// A time in which attempts of several workers failed and none of anybody's was answered: the
/// server's doing, not theirs.
struct ServerStall {
  StoreBounds from;   ///< its first failure
  StoreBounds until;  ///< the first answer after it; the last failure when there is none
  std::uint64_t workers = 0;
  std::map<std::string, std::uint64_t> failures;  ///< by class
};

struct AuditReport {
  Verdict verdict = Verdict::unknown;
  std::vector<AuditFinding> findings;
  std::optional<AuditedApproach> closest;
  std::vector<UncoveredIndex> uncovered;
  std::vector<ServerStall> stalls;
  std::uint64_t repeated_indexes = 0;  ///< given twice in one interval: the counter lost writes
  std::uint64_t intervals = 0;         ///< with a registration
  /// Of the workers' time between their first and last line, held for certain.
  std::int64_t owned_us = 0;
  std::int64_t total_us = 0;
};

[[nodiscard]] AuditReport audit(const AuditedGroup& group);

void write_audit_text(const AuditedGroup& group, const AuditReport& report, std::ostream& out);
/// Version 1; sim/README.md, "Auditing a real group".
void write_audit_json(const AuditedGroup& group, const AuditReport& report, std::ostream& out);

}  // namespace nandi::sim
