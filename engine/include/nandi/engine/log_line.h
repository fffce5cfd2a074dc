// One diagnostic as one line of JSON: what nandi-worker writes to its standard error, and what an
// audit of a real group reads. README.md, "The log", describes every field.
#pragma once

#include <string>
#include <string_view>

#include "nandi/engine/diagnostics.h"
#include "nandi/engine/options.h"
#include "nandi/engine/reporter.h"

namespace nandi {

/// What is the same on every line of a worker.
struct LogIdentity {
  Options options;
  std::string worker;  ///< names one incarnation of one process, unlike any other
};

/// The wall clock of this machine and the boot clock, read together. For people, and for `skew`;
/// nothing of a lease depends on it.
struct WallReading {
  std::int64_t unix_ms = 0;
  LocalTime local;
};

/// A line without its newline. Precondition: no errors in check(identity.options).
[[nodiscard]] std::string log_line(const LogIdentity& identity, const WallReading& wall,
                                   const Diagnostic& diagnostic, const ReportContext& context);

/// A line for what is not a diagnostic of the engine. `attributes`: JSON members that follow the
/// common ones, for example `"pid":17`, or empty.
[[nodiscard]] std::string log_line(const LogIdentity& identity, const WallReading& wall,
                                   Level level, std::string_view message,
                                   std::string_view attributes);

/// "trace", "debug", "info", "warn" or "error".
[[nodiscard]] std::string_view to_string(Level level);

/// Text as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace nandi
